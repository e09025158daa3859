/** A game as a tree of moves, out of the server's JSON (schema tabiya-game-1). */

import { makeFen } from 'chessops/fen';
import { parseUci } from 'chessops/util';
import type { Position } from 'chessops/chess';
import { positionOf } from './position';

export interface Mark {
  from?: string;
  to?: string;
  square?: string;
  colour: string;
}

export interface Comment {
  text: string;
  marks: Mark[];
}

/** A move with what stands around it; the root is the start of the game. */
export interface Node {
  /** It has this number wherever it stands. */
  id: number;
  /** Its place in the order in which moves are read; the root is 0. */
  order: number;
  /** Its place among the branches at its parent. */
  index: number;
  /** How many variations it stands in. */
  depth: number;
  ply: number;
  uci: string;
  san: string;
  nags: number[];
  before: Comment[];
  comments: Comment[];
  clock: number | null;
  evaluation: { cp?: number; mate?: number } | null;
  /** Movetext that could not be read, after this move. */
  raw: string[];
  children: Node[];
  parent: Node | null;
  fen: string | null;
}

/** A finding in a game. */
export interface Finding {
  code: string;
  severity: string;
  message: string;
  ply?: number;
}

export interface Game {
  number: number;
  tags: [string, string][];
  start: string;
  variant: string;
  result: string;
  root: Node;
  /** All of them, in their order; the same list as long as no move comes, goes or moves. */
  nodes: Node[];
  findings: Finding[];
}

/** Something that stands in a line. */
export interface Item {
  uci?: string;
  san?: string;
  ply?: number;
  nags?: number[];
  clk?: number;
  eval?: { cp?: number; mate?: number };
  comment?: string;
  text?: string;
  marks?: Mark[];
  nag?: number;
  variation?: Item[];
  raw?: string;
  result?: string;
}

interface Json {
  number?: number;
  tags?: [string, string][];
  fen?: string;
  variant?: string;
  result?: string;
  moves?: Item[];
  diagnostics?: Finding[];
}

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

let made = 0;

/** Most moves have nothing of a kind: they share one list, to which nothing is ever added. Games of very many moves stay small so. */
const NONE: never[] = [];

export const node = (parent: Node | null, order: number): Node => ({
  id: made++,
  order,
  index: parent?.children.length ?? 0,
  depth: parent ? parent.depth + (parent.children.length > 0 ? 1 : 0) : 0,
  ply: parent ? parent.ply + 1 : 0,
  uci: '',
  san: '',
  nags: NONE,
  before: NONE,
  comments: NONE,
  clock: null,
  evaluation: null,
  raw: NONE,
  children: NONE,
  parent,
  fen: null,
});

/** What is said of a move by the item that it is. */
export function isMove(item: Item, at: Node): void {
  at.uci = item.uci ?? '';
  at.san = item.san ?? item.uci ?? '';
  at.nags = item.nags ?? NONE;
  at.clock = item.clk ?? null;
  at.evaluation = item.eval ?? null;
}

/** What another item says of a move, behind it or before it. */
export function isSaid(item: Item, at: Node, isBefore: boolean): void {
  if (item.comment !== undefined) {
    const comment = { text: item.text ?? item.comment, marks: item.marks ?? NONE };
    if (isBefore) at.before = [...at.before, comment];
    else at.comments = [...at.comments, comment];
  } else if (item.nag !== undefined) at.nags = [...at.nags, item.nag];
  else if (item.raw !== undefined) at.raw = [...at.raw, item.raw];
}

export const namesMove = (item: Item): boolean => item.uci !== undefined || item.san !== undefined;

interface Line {
  items: Item[];
  at: number;
  last: Node;
  moved: boolean;
  /** Comments before the first move of a variation: they belong to that move. */
  waiting: Item[];
}

/** Builds the tree without recursion: games may nest as deep as they like. */
export function treeOf(json: unknown): Game {
  const game = json as Json;
  const start = game.fen ?? START;
  const root = node(null, 0);
  const nodes = [root];
  root.fen = start;
  const lines: Line[] = [{ items: game.moves ?? [], at: 0, last: root, moved: false, waiting: NONE }];
  for (let line = lines[0]; line; line = lines[lines.length - 1]) {
    const item = line.items[line.at++];
    if (!item) {
      for (const waiting of line.waiting) isSaid(waiting, line.last, false);
      lines.pop();
    } else if (namesMove(item)) {
      const next = node(line.last, nodes.length);
      isMove(item, next);
      nodes.push(next);
      for (const waiting of line.waiting) isSaid(waiting, next, true);
      line.waiting = NONE;
      if (line.last.children.length === 0) line.last.children = [next];
      else line.last.children.push(next);
      line.last = next;
      line.moved = true;
    } else if (item.variation) {
      if (line.last.parent) lines.push({ items: item.variation, at: 0, last: line.last.parent, moved: false, waiting: NONE });
    } else if (item.comment !== undefined && lines.length > 1 && !line.moved) {
      line.waiting = [...line.waiting, item];
    } else {
      isSaid(item, line.last, false);
    }
  }
  return {
    number: game.number ?? 0,
    tags: game.tags?.map(([name, value]) => [name, value]) ?? [],
    start,
    variant: game.variant ?? 'standard',
    result: game.result ?? '*',
    root,
    nodes,
    findings: game.diagnostics ?? [],
  };
}

/** Variations in each other from which on a path names the node by its place: it would grow without end. */
const DEEPEST = 30;

/** The way from the root: half-moves along first moves are counted, other branches are named. `12.2.3` is: twelve moves of
 * the main line, the second branch there, and three moves along it. */
export function pathOf(at: Node): string {
  if (at.depth > DEEPEST) return `~${at.order}`;
  const parts: number[] = [];
  let count = 0;
  let one = at;
  for (; one.parent; one = one.parent) {
    count++;
    if (one.index > 0) {
      parts.push(count, one.index);
      count = 0;
    }
  }
  parts.push(count);
  return at.parent ? parts.reverse().join('.') : '';
}

/** The paths of many nodes: each is told from that of the move before it, where this has been told. */
export function pathsOf(): (at: Node) => string {
  const known = new Map<Node, { way: string; count: number }>();
  return at => {
    const before = at.parent && known.get(at.parent);
    if (!before || at.depth > DEEPEST) {
      const path = pathOf(at);
      const cut = path.lastIndexOf('.') + 1;
      if (at.depth <= DEEPEST) known.set(at, { way: path.slice(0, cut), count: Number(path.slice(cut)) });
      return path;
    }
    const { way, count } = at.index > 0 ? { way: `${before.way}${before.count}.${at.index}.`, count: 1 } : { way: before.way, count: before.count + 1 };
    known.set(at, { way, count });
    return `${way}${count}`;
  };
}

/** The node at a path; the nearest one before it where there is none. */
export function nodeAt(game: Game, path: string): Node {
  let at = game.root;
  if (path.startsWith('~')) return game.nodes[Number(path.slice(1))] ?? at;
  const parts = path === '' ? [] : path.split('.').map(Number);
  for (let index = 0; index < parts.length; index += 2) {
    const count = parts[index] ?? 0;
    const branch = index === 0 ? 0 : (parts[index - 1] ?? 0);
    for (let step = 0; step < count; step++) {
      const next = at.children[step === 0 ? branch : 0];
      if (!next) return at;
      at = next;
    }
  }
  return at;
}

/** The position of a node, remembered. */
export function fenOf(at: Node): string {
  const way: Node[] = [];
  let from: Node | null = at;
  while (from && from.fen === null) {
    way.push(from);
    from = from.parent;
  }
  let position: Position | null = null;
  for (let next = way.pop(); next; next = way.pop()) {
    position ??= positionOf(next.parent?.fen ?? START);
    next.fen = position ? play(position, next.uci) : (next.parent?.fen ?? START);
  }
  return at.fen ?? START;
}

function play(position: Position, uci: string): string {
  const move = uci === '0000' ? null : parseUci(uci);
  if (move) position.play(move);
  else position.turn = position.turn === 'white' ? 'black' : 'white';
  return fenText(position);
}

const fenText = (position: Position): string => makeFen(position.toSetup());

/** The nodes from the root to a node. */
export function lineTo(at: Node): Node[] {
  const line: Node[] = [];
  for (let one: Node | null = at; one?.parent; one = one.parent) line.push(one);
  return line.reverse();
}

export const tag = (game: Game, name: string): string =>
  game.tags.find(([known]) => known === name)?.[1] ?? '';

/** A text as long as a heading can show it: names in strange files are megabytes long. */
export const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
