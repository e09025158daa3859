/** What engines think of the position on the board. They stop when the panel is closed, and when the tab is. */

import { computed, effect, signal } from '@preact/signals';
import { ask, queryString, streamed } from '../api';
import * as board from '../board/store';
import type { EngineAnswer, EngineLineAnswer, EngineUpdateAnswer, EvaluationAnswer } from '../answers';

export type Line = EngineLineAnswer;

export interface Told extends EngineUpdateAnswer {
  /** The position of which it is told. */
  fen: string;
}

export type Engine = EngineAnswer;

export const open = signal(false);
export const threat = signal(false);
export const count = signal(3);
/** Threads and megabytes; 0 for what the settings file says. */
export const threads = signal(0);
export const hash = signal(0);
export const engines = signal<Engine[]>([]);
/** The engines that think at once, by name; the first one of the settings where none is named. */
export const chosen = signal<string[]>(['']);
/** What each of them tells, and what is wrong with it. */
export const told = signal<ReadonlyMap<string, Told>>(new Map());
export const trouble = signal<ReadonlyMap<string, string>>(new Map());
/** Whether the moves are drawn on the board. */
export const drawn = signal(localStorage.getItem('arrows') !== 'false');

export function setDrawn(to: boolean): void {
  drawn.value = to;
  localStorage.setItem('arrows', String(to));
}

/** Who steps through a game quickly asks about the last position alone. */
const MOMENT = 150;

async function listen(engine: string, asked: Record<string, string | number>, control: AbortController): Promise<void> {
  const fen = String(asked['fen']);
  try {
    for await (const line of streamed<Omit<Told, 'fen'>>(`engine?${queryString({ ...asked, engine })}`, control.signal)) {
      const now = { ...line, fen };
      const before = told.peek().get(engine);
      // What an engine says before it knows anything takes nothing away.
      if (line.lines.length === 0 && line.state === 'starting' && before) continue;
      told.value = new Map([...told.peek(), [engine, now]]);
    }
  } catch (error) {
    if (!control.signal.aborted) trouble.value = new Map([...trouble.value, [engine, error instanceof Error ? error.message : String(error)]]);
  }
}

/** What was asked last, but for the position: with another number of lines, or of the other side, it is another question. */
const key = ({ fen: _, ...rest }: Record<string, string | number>): string => JSON.stringify(rest);
let before = '';
const isOther = (asked: Record<string, string | number>): boolean => key(asked) !== before;

effect(() => {
  const asked = {
    fen: board.fen.value,
    lines: count.value,
    threads: threads.value || '',
    hash: hash.value || '',
    threat: threat.value ? 'true' : '',
  };
  const all = chosen.value;
  const isOpen = open.value;
  trouble.value = new Map();
  // What was thought of the position before stays until there is news: nothing jumps.
  told.value = new Map([...told.peek()].filter(([engine, now]) => isOpen && all.includes(engine) && now.state !== 'failed' && !isOther(asked)));
  before = key(asked);
  if (!isOpen) return;
  const control = new AbortController();
  const timer = setTimeout(() => {
    for (const engine of all) void listen(engine, asked, control);
  }, MOMENT);
  return () => {
    clearTimeout(timer);
    control.abort();
  };
});

export function toggle(): void {
  open.value = !open.value;
  if (open.value) void ask<Engine[]>('engines').then(found => (engines.value = found), () => undefined);
}

/** An engine thinks too, or no longer; one of them always does. */
export function choose(name: string, wanted: boolean): void {
  const first = engines.peek()[0]?.name ?? '';
  const now = chosen.peek().map(one => one || first);
  const next = wanted ? [...now, name] : now.filter(one => one !== name);
  if (next.length > 0) chosen.value = next;
}

/** The first moves of the lines, the best ones first; those of a threat are the other side's. */
export const arrows = computed<{ uci: string; brush: string }[]>(() => {
  if (!open.value || !drawn.value) return [];
  const all: { uci: string; brush: string }[] = [];
  for (const one of told.value.values()) {
    if (one.fen !== board.fen.value) continue;
    one.lines.forEach((line, at) => {
      if (!line.first || all.some(other => other.uci === line.first)) return;
      all.push({ uci: line.first, brush: threat.value ? 'red' : at === 0 ? 'blue' : 'paleGrey' });
    });
  }
  return all;
});

/** What the first engine thinks is best: of the position before until there is news. */
export const best = computed<EvaluationAnswer | null>(() => (open.value && !threat.value ? (told.value.get(chosen.value[0] ?? '')?.lines[0]?.score ?? null) : null));

/** The line under the pointer: where it stands, and what it leads to. */
export const peeked = signal<{ fen: string; last: string; x: number; y: number } | null>(null);
