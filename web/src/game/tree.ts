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
  /** All of them, in their order. */
  nodes: Node[];
  findings: Finding[];
}

interface Item {
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

const node = (parent: Node | null, order: number, uci: string, san: string): Node => ({
  order,
  index: parent?.children.length ?? 0,
  depth: parent ? parent.depth + (parent.children.length > 0 ? 1 : 0) : 0,
  ply: parent ? parent.ply + 1 : 0,
  uci,
  san,
  nags: [],
  before: [],
  comments: [],
  clock: null,
  evaluation: null,
  raw: [],
  children: [],
  parent,
  fen: null,
});

/** Builds the tree without recursion: games may nest as deep as they like. */
export function treeOf(json: unknown): Game {
  const game = json as Json;
  const start = game.fen ?? START;
  const root = node(null, 0, '', '');
  const nodes = [root];
  root.fen = start;
  const stack: { items: Item[]; at: number; last: Node; waiting: Comment[] }[] = [
    { items: game.moves ?? [], at: 0, last: root, waiting: [] },
  ];
  while (stack.length > 0) {
    const line = stack[stack.length - 1];
    if (!line) break;
    const item = line.items[line.at++];
    if (!item) {
      line.last.comments.push(...line.waiting);
      stack.pop();
      continue;
    }
    if (item.uci !== undefined || item.san !== undefined) {
      const next = node(line.last, nodes.length, item.uci ?? '', item.san ?? item.uci ?? '');
      nodes.push(next);
      next.nags = item.nags ?? [];
      next.clock = item.clk ?? null;
      next.evaluation = item.eval ?? null;
      next.before = line.waiting;
      line.waiting = [];
      line.last.children.push(next);
      line.last = next;
    } else if (item.comment !== undefined) {
      const text = item.text ?? item.comment;
      const comment = { text, marks: item.marks ?? [] };
      // Before the first move of a variation a comment belongs to that move.
      if (stack.length > 1 && line.at === 1) line.waiting.push(comment);
      else line.last.comments.push(comment);
    } else if (item.nag !== undefined) {
      line.last.nags.push(item.nag);
    } else if (item.raw !== undefined) {
      line.last.raw.push(item.raw);
    } else if (item.variation && line.last.parent) {
      stack.push({ items: item.variation, at: 0, last: line.last.parent, waiting: [] });
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
