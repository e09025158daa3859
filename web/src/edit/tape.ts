/**
 * A game as one list of operations, as the server's editor holds it (`docs/editor.md`): moves, signs, comments, and the brackets
 * of variations. A variation follows the move that it replaces. What stands where is found as there (`crates/model/src/editor/tree.rs`),
 * so that a wish does here what it does there. Moves have an id that stays with them, wherever they stand.
 */

import type { Item } from '../game/tree';

export interface MoveOp {
  kind: 'move';
  id: number;
  uci: string;
  san: string;
}

export type Op =
  | MoveOp
  | { kind: 'nag'; nag: number }
  | { kind: 'comment' | 'raw' | 'other'; text: string }
  | { kind: 'begin' }
  | { kind: 'end' };

export type Ops = readonly Op[];

export const BEGIN: Op = { kind: 'begin' };
export const END: Op = { kind: 'end' };

/** The start of the game is named by this; moves have other numbers. */
export const START = 0;

let given = START;

/** An id that nobody has. */
export const fresh = (): number => ++given;

/** An item that the server tells, as one operation; a move gets a new id. The signs that are told with a move are not in it. */
export function opOf(item: Item): Op {
  if (item.uci !== undefined || item.san !== undefined) return { kind: 'move', id: fresh(), uci: item.uci ?? '', san: item.san ?? item.uci ?? '' };
  if (item.nag !== undefined) return { kind: 'nag', nag: item.nag };
  if (item.comment !== undefined) return { kind: 'comment', text: item.comment };
  if (item.raw !== undefined) return { kind: 'raw', text: item.raw };
  return { kind: 'other', text: JSON.stringify(item) };
}

/** The operations of a game that the server tells whole. */
export function opsOf(moves: Item[]): Op[] {
  const ops: Op[] = [];
  const lines = [{ items: moves, at: 0 }];
  for (let line = lines[0]; line; line = lines[lines.length - 1]) {
    const item = line.items[line.at++];
    if (!item) {
      lines.pop();
      if (lines.length > 0) ops.push(END);
    } else if (item.variation) {
      ops.push(BEGIN);
      lines.push({ items: item.variation, at: 0 });
    } else {
      ops.push(opOf(item));
      for (const nag of item.nags ?? []) ops.push({ kind: 'nag', nag });
    }
  }
  return ops;
}

/** A run of former operations that is kept, or operations that were not there. */
export type Piece = readonly [number, number] | Op[];
export type Pieces = Piece[];

const isRun = (piece: Piece): piece is readonly [number, number] => typeof piece[0] === 'number';

export const keep = (pieces: Pieces, from: number, to: number): void => {
  if (from >= to) return;
  const last = pieces[pieces.length - 1];
  if (last && isRun(last) && last[1] === from) pieces[pieces.length - 1] = [last[0], to];
  else pieces.push([from, to]);
};

export const put = (pieces: Pieces, ...ops: Op[]): void => {
  if (ops.length === 0) return;
  const last = pieces[pieces.length - 1];
  if (last && !isRun(last)) last.push(...ops);
  else pieces.push([...ops]);
};

/** The list that pieces of a former one make. */
export function assembled(ops: Ops, pieces: Pieces): Op[] {
  const made: Op[] = [];
  for (const piece of pieces) {
    if (isRun(piece)) for (let at = piece[0]; at < piece[1]; at++) made.push(ops[at] as Op);
    else for (const op of piece) made.push(op);
  }
  return made;
}

/** The pieces that lead back. */
export function back(ops: Ops, pieces: Pieces): Pieces {
  const runs: [number, number, number][] = [];
  let at = 0;
  for (const piece of pieces) {
    if (isRun(piece)) {
      runs.push([piece[0], piece[1], at]);
      at += piece[1] - piece[0];
    } else at += piece.length;
  }
  runs.sort((a, b) => a[0] - b[0]);
  const led: Pieces = [];
  let done = 0;
  for (const [from, to, now] of runs) {
    put(led, ...ops.slice(done, from));
    keep(led, now, now + to - from);
    done = to;
  }
  put(led, ...ops.slice(done));
  return led;
}

const kind = (ops: Ops, at: number): Op['kind'] | undefined => ops[at]?.kind;

export const isMove = (ops: Ops, at: number): boolean => kind(ops, at) === 'move';

/** The index behind the variation that begins at one. */
export function skip(ops: Ops, begin: number): number {
  let depth = 0;
  for (let at = begin; at < ops.length; at++) {
    const now = kind(ops, at);
    if (now === 'begin') depth++;
    else if (now === 'end' && --depth === 0) return at + 1;
  }
  return ops.length;
}

/** The next move of a line at or behind an index, or the line's end. */
export function nextMove(ops: Ops, at: number): number {
  for (;;) {
    const now = kind(ops, at);
    if (now === undefined) return ops.length;
    if (now === 'move' || now === 'end') return at;
    at = now === 'begin' ? skip(ops, at) : at + 1;
  }
}

/** The end of the line in which an index lies. */
export function lineEnd(ops: Ops, at: number): number {
  for (;;) {
    const now = kind(ops, at);
    if (now === undefined) return ops.length;
    if (now === 'end') return at;
    at = now === 'begin' ? skip(ops, at) : at + 1;
  }
}

/** What stands around the move at an index. */
export interface Around {
  at: number;
  /** The end of what belongs to the move directly. */
  notesEnd: number;
  variations: [number, number][];
  /** Where the rest of the line begins. */
  rest: number;
}

const isNote = (op: Op | undefined): boolean => op?.kind === 'nag' || op?.kind === 'comment' || isExtension(op);

/** What only one format knows belongs to its move; a result within the movetext does not. */
export const isExtension = (op: Op | undefined): boolean => op?.kind === 'other' && !op.text.startsWith('{"result"');

export function around(ops: Ops, at: number): Around {
  let notesEnd = at + 1;
  while (isNote(ops[notesEnd])) notesEnd++;
  const variations: [number, number][] = [];
  for (let i = notesEnd; ; ) {
    const now = kind(ops, i);
    if (now === undefined || now === 'move' || now === 'end') break;
    const end = now === 'begin' ? skip(ops, i) : i + 1;
    if (now === 'begin') variations.push([i, end]);
    i = end;
  }
  return { at, notesEnd, variations, rest: variations[variations.length - 1]?.[1] ?? notesEnd };
}

/** A move that goes on from a place. */
export interface Branch {
  /** Its index; for a variation without moves the place in it. */
  at: number;
  move: MoveOp | null;
}

/** The moves that go on from a place, the line's own first. */
export function branches(ops: Ops, place: number): Branch[] {
  const first = nextMove(ops, place);
  const op = ops[first];
  if (op?.kind !== 'move') return [];
  const list: Branch[] = [{ at: first, move: op }];
  const open: number[] = [];
  const openAll = (at: number) => open.push(...around(ops, at).variations.map(([begin]) => begin).reverse());
  openAll(first);
  for (let begin = open.pop(); begin !== undefined; begin = open.pop()) {
    const at = nextMove(ops, begin + 1);
    const inner = ops[at];
    if (inner?.kind === 'move') {
      list.push({ at, move: inner });
      openAll(at);
    } else list.push({ at: begin + 1, move: null });
  }
  return list;
}

/** Where a move stands. */
export interface Stand {
  /** The number of operations before it; behind the move of an index it is one more. */
  place: number;
  /** The place one move earlier. */
  parent: number | null;
  /** The variations around it, the outermost first: where each begins, and the move that it replaces. */
  frames: { begin: number; replaces: number }[];
}

/** Stands behind the move of an id; null where there is none. */
export function standAt(ops: Ops, id: number): Stand | null {
  if (id === START) return { place: 0, parent: null, frames: [] };
  let here = 0;
  let before: number | null = null;
  const open: { begin: number; replaces: number; here: number; before: number | null }[] = [];
  for (let i = 0; i < ops.length; i++) {
    const op = ops[i] as Op;
    if (op.kind === 'move') {
      before = here;
      here = i + 1;
      if (op.id === id) return { place: here, parent: before, frames: open.map(({ begin, replaces }) => ({ begin, replaces })) };
    } else if (op.kind === 'begin') {
      open.push({ begin: i, replaces: Math.max(here - 1, 0), here, before });
      here = before ?? 0;
    } else if (op.kind === 'end') {
      const outer = open.pop();
      if (outer) ({ here, before } = outer);
    }
  }
  return null;
}

/** The id of the move before a place. */
export const idAt = (ops: Ops, place: number): number => {
  const op = ops[place - 1];
  return op?.kind === 'move' ? op.id : START;
};

/** The end of what stands behind a place before the next move, variation or end. */
export function regionEnd(ops: Ops, place: number): number {
  let end = place;
  while (['nag', 'comment', 'raw', 'other'].includes(kind(ops, end) ?? '')) end++;
  return end;
}

/** Where a line takes a new move behind its last one: before what could not be read, and results. */
export function appendSlot(ops: Ops, place: number): number {
  let slot = lineEnd(ops, place);
  while (slot > place && (kind(ops, slot - 1) === 'raw' || (kind(ops, slot - 1) === 'other' && !isExtension(ops[slot - 1])))) slot--;
  return slot;
}

/** Whether two operations say the same; the ids of moves are names of this page alone. */
export function isSame(a: Op | undefined, b: Op | undefined): boolean {
  if (a === b) return true;
  if (a?.kind !== b?.kind || !a || !b) return false;
  if (a.kind === 'move' && b.kind === 'move') return a.uci === b.uci;
  if (a.kind === 'nag' && b.kind === 'nag') return a.nag === b.nag;
  return 'text' in a && 'text' in b ? a.text === b.text : true;
}

export const areSame = (a: Ops, b: Ops): boolean => a.length === b.length && a.every((op, at) => isSame(op, b[at]));

/** Operations that mean the same as others, with the ids of these for moves that are found there too: the same move behind the same one. */
export function named(ops: Ops, known: Ops): Op[] {
  const taken = new Set<number>();
  const here = new Set<number>();
  for (const op of ops) if (op.kind === 'move') here.add(op.id);
  const inKnown = childrenOf(known);
  const isKnown = new Set<number>();
  for (const op of known) if (op.kind === 'move') isKnown.add(op.id);
  const renamed = new Map<number, number>();
  for (const [id, parent] of parentsOf(ops)) {
    if (isKnown.has(id)) continue;
    const move = byId(ops).get(id);
    const found = inKnown.get(renamed.get(parent) ?? parent)?.find(one => one.uci === move?.uci && !here.has(one.id) && !taken.has(one.id));
    if (!found) continue;
    taken.add(found.id);
    renamed.set(id, found.id);
  }
  return renamed.size === 0 ? [...ops] : ops.map(op => (op.kind === 'move' && renamed.has(op.id) ? { ...op, id: renamed.get(op.id) as number } : op));
}

const indexes = new WeakMap<Ops, Map<number, MoveOp>>();

function byId(ops: Ops): Map<number, MoveOp> {
  const known = indexes.get(ops);
  if (known) return known;
  const made = new Map<number, MoveOp>();
  for (const op of ops) if (op.kind === 'move') made.set(op.id, op);
  indexes.set(ops, made);
  return made;
}

/** Each move with the one before it, in reading order. */
export function parentsOf(ops: Ops): [number, number][] {
  const all: [number, number][] = [];
  let [here, before] = [START, START];
  const open: [number, number][] = [];
  for (const op of ops) {
    if (op.kind === 'move') {
      all.push([op.id, here]);
      [before, here] = [here, op.id];
    } else if (op.kind === 'begin') {
      open.push([here, before]);
      here = before;
    } else if (op.kind === 'end') [here, before] = open.pop() ?? [START, START];
  }
  return all;
}

function childrenOf(ops: Ops): Map<number, MoveOp[]> {
  const all = new Map<number, MoveOp[]>();
  for (const [id, parent] of parentsOf(ops)) {
    const move = byId(ops).get(id) as MoveOp;
    const list = all.get(parent);
    if (list) list.push(move);
    else all.set(parent, [move]);
  }
  return all;
}
