/** What was played in the position on the board, in the base that is shown and in others beside it. */

import { computed, effect, signal } from '@preact/signals';
import * as api from '../api';
import { baseId, panel } from '../address';
import * as board from '../board/store';
import { fenOf, lineTo } from '../game/tree';

/** What one base answered. */
export interface Answer {
  base: string;
  /** The position that was asked about. */
  fen: string;
  explored: api.Explored | null;
  trouble: string | null;
}

export const answers = signal<Answer[]>([]);
export const filter = signal<api.Filter>({});
/** Bases that are asked beside the one that is shown. */
export const beside = signal<string[]>([]);
/** The move under the pointer. */
export const hovered = signal<string | null>(null);

/** How many bases have not answered yet, and whether somebody has stopped them. */
export const waiting = signal(0);
export const stopped = signal(false);

let request: AbortController | null = null;

/** Waits for no answer any more. */
export function stop(): void {
  request?.abort();
  waiting.value = 0;
  stopped.value = true;
}

/** Counts up when the base is to be asked anew. */
const times = signal(0);

/** Asks anew. */
export function again(): void {
  times.value++;
}

/** Follows the board while the panel is open. */
effect(() => {
  void times.value;
  const [base, fen, asked, others] = [baseId.value, board.fen.value, filter.value, beside.value];
  request?.abort();
  hovered.value = null;
  waiting.value = 0;
  stopped.value = false;
  if (base === null || panel.value === 'closed') return;
  const control = new AbortController();
  request = control;
  const all = [base, ...others.filter(one => one !== base)];
  waiting.value = all.length;
  // A reader who runs through a game asks for the last position only.
  const wait = setTimeout(() => {
    for (const one of all) void ask(one, all, fen, asked, control.signal);
  }, 60);
  control.signal.addEventListener('abort', () => clearTimeout(wait));
});

async function ask(base: string, all: string[], fen: string, filter: api.Filter, signal: AbortSignal): Promise<void> {
  let answer: Answer;
  try {
    answer = { base, fen, explored: await api.explore([base], fen, filter, signal), trouble: null };
  } catch (error) {
    answer = { base, fen, explored: null, trouble: error instanceof Error ? error.message : String(error) };
  }
  if (signal.aborted) return;
  waiting.value--;
  // Answers come in any order, and stand in the order of the bases; older ones stay until theirs have come.
  const known = new Map(answers.value.map(one => [one.base, one]));
  known.set(base, answer);
  answers.value = all.flatMap(one => known.get(one) ?? []);
}

/** Asks a base beside the one that is shown, or no longer. */
export function toggle(base: string): void {
  beside.value = beside.value.includes(base) ? beside.value.filter(one => one !== base) : [...beside.value, base];
}

/** Positions whose answers are kept for the names of their openings. */
const MOST = 2_000;

/** What positions are called, as far as somebody has come to them. */
const named = signal<ReadonlyMap<string, api.Opening | null>>(new Map());

effect(() => {
  const answer = answers.value.find(one => one.base === baseId.value);
  const before = named.peek();
  if (!answer?.explored || before.get(answer.fen) !== undefined) return;
  const kept = before.size < MOST ? [...before] : [];
  named.value = new Map([...kept, [answer.fen, answer.explored.opening]]);
});

/** The opening of the game up to the reader: names end before games do, and the last one holds. */
export const opening = computed<api.Opening | null>(() => {
  const known = named.value;
  const tried = board.scratch.value;
  const here = tried?.shown ? known.get(board.fen.value) : null;
  if (here) return here;
  for (let at = board.node.value; at; at = at.parent) {
    const found = known.get(fenOf(at));
    if (found) return found;
  }
  return null;
});

/** Half-moves at which names are asked for where none is known: who came quickly to the middle of a game has passed them by. */
const PROBES = [14, 8, 4, 2];
/** Milliseconds that the reader has to rest. */
const REST = 500;

effect(() => {
  const [base, here, known] = [baseId.value, board.node.value, opening.value];
  if (base === null || !here || here.ply < 2 || known) return;
  const line = lineTo(here);
  const control = new AbortController();
  const timer = setTimeout(async () => {
    for (const ply of PROBES) {
      const at = line[ply - 1];
      if (!at || named.peek().has(fenOf(at))) continue;
      try {
        const { opening: found } = await api.explore([base], fenOf(at), {}, control.signal);
        if (control.signal.aborted) return;
        named.value = new Map([...named.peek(), [fenOf(at), found]]);
        if (found) return;
      } catch {
        return;
      }
    }
  }, REST);
  return () => {
    clearTimeout(timer);
    control.abort();
  };
});
