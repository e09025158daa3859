/** The game that is shown, where the reader stands in it, and the moves that are tried beside it. */

import type { DrawShape } from '@lichess-org/chessground/draw';
import { batch, computed, effect, signal } from '@preact/signals';
import * as api from '../api';
import { baseId, gameNumber, go, place, tried, fen as setUp } from '../address';
import { playText, playUci, positionOf } from '../game/position';
import type { Played } from '../game/position';
import { START, fenOf, lineTo, nodeAt, pathOf, treeOf } from '../game/tree';
import type { Game, Node } from '../game/tree';

export const game = signal<Game | null>(null);
export const trouble = signal<string | null>(null);
export const flipped = signal(false);
/** Moves that are tried beside the game: a line of their own from a node of it. */
export const scratch = signal<{ at: string; moves: { uci: string; san: string; fen: string }[]; shown: number } | null>(
  null,
);

/** What takes the moves that are played and what is drawn. */
export interface Annotator {
  play: (san: string) => void;
  draw: (shape: DrawShape) => void;
}

/** It is there while the game is annotated: then it is not read anew. */
export const annotator = signal<Annotator | null>(null);

let request: AbortController | null = null;

/** Steps that were made before the game was there: they are taken when it comes, if nobody has gone elsewhere. */
let early: (() => void)[] = [];
/** Steps that are kept. */
const EARLY = 400;

/** Something that is done in the game, now or when it has come. */
export const inGame =
  <T extends unknown[]>(take: (...how: T) => void) =>
  (...how: T): void => {
    const isComing = gameNumber.peek() !== null && game.peek() === null && trouble.peek() === null;
    if (!isComing) take(...how);
    else if (early.length < EARLY) early.push(() => take(...how));
  };

/** Counts up when the game is to be read anew. */
const times = signal(0);

/** Reads the game anew. */
export function again(): void {
  times.value++;
}

effect(() => {
  void times.value;
  const [base, number] = [baseId.value, gameNumber.value];
  if (annotator.peek()) return;
  request?.abort();
  game.value = null;
  scratch.value = null;
  trouble.value = null;
  early = [];
  if (base === null || number === null) return;
  const control = new AbortController();
  request = control;
  api
    .game(base, number, control.signal)
    .then(json => {
      if (annotator.peek() || control.signal.aborted) return;
      game.value = treeOf(json);
      for (const take of early.splice(0)) take();
    })
    .catch((error: unknown) => {
      if (!control.signal.aborted) trouble.value = error instanceof Error ? error.message : String(error);
    });
});

/** Where the reader stands. */
export const node = computed<Node | null>(() => {
  const shown = game.value;
  return shown ? nodeAt(shown, place.value.path) : null;
});

/** The position from which moves are tried: of the game, or set up. */
export const from = computed(() => {
  if (node.value) return fenOf(node.value);
  return setUp.value !== '' && gameNumber.value === null && positionOf(setUp.value) ? setUp.value : START;
});

/** Whether a position is set up that is no game's. */
export const isSetUp = computed(() => game.value === null && from.value !== START);

/** Moves that are tried, as the address has them. */
const textOf = (line: typeof scratch.value): string => (line?.moves.slice(0, line.shown) ?? []).map(move => move.uci).join('-');

/** Moves that are tried stand in the address. */
function tries(line: typeof scratch.value): void {
  batch(() => {
    scratch.value = line;
    go({ tried: textOf(line) }, true);
  });
}

/** An address that is come to brings its moves; those that are not legal there are left out, with all behind them. */
effect(() => {
  // Another base or game has lost them already.
  const [text, start] = [tried.value, from.value, baseId.value];
  if (text === textOf(scratch.peek()) || (gameNumber.value !== null && !node.value) || annotator.peek()) return;
  const moves: Played[] = [];
  for (const uci of text === '' ? [] : text.split('-')) {
    const played = playUci(moves[moves.length - 1]?.fen ?? start, uci);
    if (!played) break;
    moves.push(played);
  }
  scratch.value = moves.length > 0 ? { at: place.peek().path, moves, shown: moves.length } : null;
});

/** The position on the board, the scratch line included. */
export const fen = computed(() => {
  const line = scratch.value;
  if (line && line.shown > 0) return line.moves[line.shown - 1]?.fen ?? START;
  return from.value;
});

/** The move that led to the position. */
export const lastMove = computed(() => {
  const line = scratch.value;
  if (line && line.shown > 0) return line.moves[line.shown - 1]?.uci ?? '';
  return node.value?.uci ?? '';
});

export const turn = computed(() => (fen.value.split(' ')[1] === 'b' ? 'black' : 'white'));

export const stand = (at: Node): void => {
  batch(() => {
    scratch.value = null;
    go({ path: pathOf(at) }, true);
  });
};

/** Steps forward; along the scratch line where one is under way. */
export const next = inGame(() => {
  const line = scratch.value;
  if (line) {
    if (line.shown < line.moves.length) tries({ ...line, shown: line.shown + 1 });
    return;
  }
  const child = node.value?.children[0];
  if (child) stand(child);
});

/** Steps back; the scratch line is kept until the game goes on elsewhere. */
export const previous = inGame(() => {
  const line = scratch.value;
  if (line && line.shown > 0) {
    tries({ ...line, shown: line.shown - 1 });
    return;
  }
  const parent = node.value?.parent;
  if (parent) stand(parent);
});

export const first = inGame(() => {
  const root = game.value?.root;
  if (root) stand(root);
});

export const last = inGame(() => {
  let at = node.value;
  while (at?.children[0]) at = at.children[0];
  if (at) stand(at);
});

/** The next or previous branch at the same place. */
export const sibling = inGame((by: 1 | -1) => {
  const at = node.value;
  const all = at?.parent?.children ?? [];
  const to = at && all[at.index + by];
  if (to) stand(to);
});

/** Out of a variation, to the move that it replaces. */
export const leave = inGame(() => {
  const at = node.value;
  if (!at) return;
  const line = lineTo(at);
  for (const one of line.reverse()) {
    const main = one.parent?.children[0];
    if (main && main !== one) {
      stand(main);
      return;
    }
  }
});

function take(played: { uci: string; san: string; fen: string } | null): boolean {
  if (!played) return false;
  const line = scratch.value;
  const at = node.value;
  if (!line || line.shown === 0) {
    const known = at?.children.find(child => sameMove(child, played.fen));
    if (known) {
      stand(known);
      return true;
    }
  }
  if (annotator.value) {
    annotator.value.play(played.san);
    return true;
  }
  const kept = line ? line.moves.slice(0, line.shown) : [];
  tries({ at: place.value.path, moves: [...kept, played], shown: kept.length + 1 });
  return true;
}

/** The same move, however castling is written. */
const sameMove = (child: Node, fen: string): boolean => fenOf(child) === fen;

export const playSquares = (uci: string): boolean => take(playUci(fen.value, uci));
export const playTyped = (text: string): boolean => take(playText(fen.value, text));
export const dropScratch = (): void => {
  if (scratch.peek() === null && isSetUp.peek()) go({ fen: '' }, true);
  else tries(null);
};

/** Puts a position on the board, in the base that is shown. */
export const setUpPosition = (position: string): void => go({ game: null, path: '', panel: '', fen: position === START ? '' : position });
