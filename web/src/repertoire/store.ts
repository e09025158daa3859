/** The repertoire that is shown: its positions, and what of the line on the board it has. */

import { computed, effect, signal } from '@preact/signals';
import { baseId, go, panel } from '../address';
import * as api from '../api';
import type { ChangeAnswer, RepertoireAdditionAnswer, RepertoireMoveAnswer, RepertoireNodeAnswer, RepertoireTreeAnswer } from '../answers';
import * as board from '../board/store';
import { playText, playUci } from '../game/position';
import type { Played } from '../game/position';
import { START } from '../game/tree';
import * as library from '../library/store';
import * as live from '../live';
import { named } from '../work';
import { choiceOf } from './choices';
import type { Choice } from './choices';

export type Node = RepertoireNodeAnswer;
export type Move = RepertoireMoveAnswer;

export const tree = signal<RepertoireTreeAnswer | null>(null);
export const trouble = signal<{ message: string; code: string } | null>(null);
/** What the last change has done. */
export const added = signal<RepertoireAdditionAnswer | null>(null);
export const undone = signal(false);

/** What the reading of it is called, as long as it goes on. */
export const working = signal<string | null>(null);
export const stopped = signal(false);

let stopReading = (): void => undefined;

/** Reads it no further. */
export function stop(): void {
  stopReading();
  working.value = null;
  stopped.value = true;
}

/** Counts up when it is to be read anew. */
const times = signal(0);
/** Positions that were fetched beside the first ones. */
const more = signal<Node[]>([]);

/** Whether a page of repertoires is shown. */
export const isHere = computed(() => baseId.value !== null && panel.value.split('-')[0] === 'repertoire');

/** What the server is asked of a repertoire. */
export const asked = (choice: Choice): Record<string, string> => ({ color: choice.color, reference: choice.reference, query: choice.reference === '' ? '' : choice.query });

const address = (base: string, more: Record<string, string> = {}): string =>
  `bases/${encodeURIComponent(base)}/repertoire?${api.queryString({ ...asked(choiceOf(base)), ...more })}`;

const failed = (error: unknown): void => {
  trouble.value = { message: error instanceof Error ? error.message : String(error), code: error instanceof api.Refused ? (error.more.code ?? '') : '' };
};

/** What is shown now, and the base that it is of: another one is not shown in its place. */
let shown = '';

/** What is asked for; the same as long as nothing of it changes. */
const wanted = computed(() => (isHere.value && baseId.value !== null ? address(baseId.value) : null));

effect(() => {
  void times.value;
  const [from, base] = [wanted.value, baseId.peek() ?? ''];
  if (from === null) return;
  if (shown !== base) {
    tree.value = added.value = trouble.value = null;
    undone.value = false;
  }
  shown = base;
  const control = new AbortController();
  const work = named(control.signal);
  stopReading = () => control.abort();
  stopped.value = false;
  working.value = work.name;
  api.ask<RepertoireTreeAnswer>(from, work.init).then(
    told => {
      trouble.value = working.value = null;
      more.value = [];
      // Who prepares for Black looks from there.
      if (tree.peek()?.color !== told.color) board.flipped.value = told.color === 'black';
      tree.value = told;
    },
    (error: unknown) => {
      if (control.signal.aborted) return;
      tree.value = working.value = null;
      failed(error);
    },
  );
  return () => control.abort();
});

/** Reads the repertoire anew. */
export function again(): void {
  times.value++;
}

live.onChange((id, _, isOwn) => {
  if (id === baseId.peek() && !isOwn) again();
});

/** What tells positions apart: the pieces and the side to move. */
export const keyOf = (fen: string): string => fen.split(' ').slice(0, 2).join(' ');

/** The positions by what tells them apart. */
export const nodes = computed<ReadonlyMap<string, Node>>(() => new Map([...(tree.value?.nodes ?? []), ...more.value].map(node => [keyOf(node.position.fen), node])));

/** Positions that lie deeper are fetched when somebody comes to them. */
effect(() => {
  const fen = board.fen.value;
  const base = baseId.value;
  if (!isHere.value || base === null || tree.value === null || tree.value.whole || nodes.value.has(keyOf(fen))) return;
  const control = new AbortController();
  api.ask<RepertoireTreeAnswer>(address(base, { fen }), { signal: control.signal }).then(
    told => {
      if (told.nodes.length > 0) more.value = [...more.peek(), ...told.nodes];
    },
    // The repertoire does not have the position.
    () => undefined,
  );
  return () => control.abort();
});

/** The move of a position that leads to another one, however it is written. */
export function moveTo(node: Node | undefined, to: string): Move | null {
  for (const move of node?.position.moves ?? []) {
    const played = playUci(node?.position.fen ?? START, move.uci);
    if (played && keyOf(played.fen) === keyOf(to)) return move;
  }
  return null;
}

/** The moves on the board. */
export const line = computed<Played[]>(() => board.scratch.value?.moves.slice(0, board.scratch.value.shown) ?? []);

/** The first move on the board that the repertoire does not have; -1 where it has all of them. */
export const firstNew = computed<number>(() => {
  let fen = board.from.value;
  const known = nodes.value;
  for (const [at, move] of line.value.entries()) {
    if (!moveTo(known.get(keyOf(fen)), move.fen)) return at;
    fen = move.fen;
  }
  return -1;
});

/** Moves with their numbers: `1.e4 c5 2.Nf3`; `show` writes a move. */
export function inWords(start: string, moves: readonly { san: string }[], show: (san: string) => string): string {
  const [, turn, , , , full] = start.split(' ');
  let number = Number(full ?? 1);
  let isWhite = turn !== 'b';
  return moves
    .map((move, at) => {
      const before = isWhite ? `${number}.` : at === 0 ? `${number}…` : '';
      if (!isWhite) number++;
      isWhite = !isWhite;
      return before + show(move.san);
    })
    .join(' ');
}

/** The moves of a line in words, where it leads to the position. */
function movesOf(said: string, fen: string): string[] | null {
  const moves: string[] = [];
  let now = START;
  for (const word of said.split(/\s+/)) {
    const san = word.replace(/^\d+\.+/, '');
    if (san === '') continue;
    const played = playText(now, san);
    if (!played) return null;
    moves.push(played.uci);
    now = played.fen;
  }
  return keyOf(now) === keyOf(fen) ? moves : null;
}

/** Puts a position on the board, with the line that leads to it, and moves from there. */
export function show(words: string, fen: string, then: string[] = []): void {
  const known = words === '' && keyOf(fen) !== keyOf(START) ? (nodes.peek().get(keyOf(fen))?.position.line ?? '') : words;
  const moves = movesOf(known, fen);
  go({ fen: moves ? '' : fen, tried: [...(moves ?? []), ...then].join('-'), panel: 'repertoire' });
}

/** What this page has changed is no news for it, whether it is told before the answer or after it. */
function own(base: string, version: number | null): void {
  if (version !== null) live.mine(base, version);
  library.seen(base);
}

/** What a move is marked as: a sign in the place of another one, or none; trained alone; left out. */
export interface Marks {
  mark?: 'good' | 'bad' | 'plain';
  only?: boolean;
  skip?: boolean;
}

/** Adds moves behind a position to the repertoire, or marks the last one of them. */
export async function add(fen: string, moves: string[], marks: Marks = {}): Promise<void> {
  const base = baseId.peek();
  if (base === null || moves.length === 0) return;
  undone.value = false;
  try {
    const color = tree.peek()?.color ?? (choiceOf(base).color || undefined);
    added.value = await api.post<RepertoireAdditionAnswer>(`bases/${encodeURIComponent(base)}/repertoire/lines`, { color, fen: fen === START ? undefined : fen, moves, ...marks });
    own(base, added.value.baseVersion);
    trouble.value = null;
    again();
  } catch (error) {
    added.value = null;
    failed(error);
  }
}

/** Adds the moves on the board. */
export const addLine = (): Promise<void> =>
  add(
    board.from.peek(),
    line.peek().map(move => move.uci),
  );

/** Takes the last change of the database back. */
export async function undo(): Promise<void> {
  const base = baseId.peek();
  if (base === null) return;
  try {
    const told = await api.post<ChangeAnswer>(`bases/${encodeURIComponent(base)}/change`, { change: { kind: 'undo' } });
    own(base, told.baseVersion);
    added.value = null;
    undone.value = true;
    again();
  } catch (error) {
    failed(error);
  }
}

/** The position after a move of a node. */
export const after = (node: Node, move: Move): string | undefined => playUci(node.position.fen, move.uci)?.fen;
