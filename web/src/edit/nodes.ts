/** The tree of moves that a list of operations is: moves that stay as they are keep their nodes, so that little is drawn anew. */

import type { Comment, Game, Node } from '../game/tree';
import { clockAndEvaluation, marksIn, shownText } from './comments';
import type { State } from './editor';
import { START } from './tape';
import type { Op } from './tape';

const told = new WeakMap<Op, Comment>();

/** A comment as it is shown. */
function commentOf(op: Op & { text: string }): Comment {
  const known = told.get(op);
  if (known) return known;
  const made = { text: op.text.includes('[%') ? shownText(op.text) : op.text, marks: marksIn(op.text) };
  told.set(op, made);
  return made;
}

/** What is said of a move. */
interface Said {
  id: number;
  uci: string;
  san: string;
  nags: number[];
  before: Comment[];
  comments: Comment[];
  raw: string[];
  /** Comments behind the move, as they are written: they tell clocks. */
  texts: string[];
  parent: number;
}

const NONE: never[] = [];

const said = (id: number, uci: string, san: string, parent: number): Said => ({ id, uci, san, nags: NONE, before: NONE, comments: NONE, raw: NONE, texts: NONE, parent });

/** Each move with what is said of it, in reading order; the start is the first. `parent` is the place of a move in this list. */
function readThrough(ops: readonly Op[]): Said[] {
  const all = [said(START, '', '', -1)];
  let line = { last: 0, moved: false, waiting: NONE as Comment[] };
  const outer: (typeof line)[] = [];
  for (const op of ops) {
    const last = all[line.last] as Said;
    switch (op.kind) {
      case 'move': {
        const next = said(op.id, op.uci, op.san, line.last);
        next.before = line.waiting;
        all.push(next);
        line.waiting = NONE;
        line.last = all.length - 1;
        line.moved = true;
        break;
      }
      case 'begin':
        outer.push(line);
        line = { last: Math.max(last.parent, 0), moved: false, waiting: NONE };
        break;
      case 'end':
        last.comments = [...last.comments, ...line.waiting];
        line = outer.pop() ?? line;
        break;
      case 'comment':
        if (outer.length > 0 && !line.moved) line.waiting = [...line.waiting, commentOf(op)];
        else {
          last.comments = [...last.comments, commentOf(op)];
          last.texts = [...last.texts, op.text];
        }
        break;
      case 'nag':
        last.nags = [...last.nags, op.nag];
        break;
      case 'raw':
        last.raw = [...last.raw, op.text];
        break;
      case 'other':
    }
  }
  return all;
}

const areLike = (a: readonly unknown[], b: readonly unknown[]): boolean => a === b || (a.length === b.length && a.every((one, at) => one === b[at]));

/** The game as it is now, out of the one that was shown; that one is no more. The node of `reader` is another one where its place is. */
export function shown(former: Game, state: State, reader: number): Game {
  const all = readThrough(state.ops);
  const known = new Map(former.nodes.map(node => [node.id, node]));
  const isMoved = all.length !== former.nodes.length || all.some((one, at) => {
    const node = former.nodes[at];
    return node?.id !== one.id || (node.parent?.id ?? -1) !== (all[one.parent]?.id ?? -1);
  });
  const nodes = isMoved ? [] : former.nodes;
  for (const [order, one] of all.entries()) {
    const before = known.get(one.id);
    const isSame =
      before !== undefined &&
      before.san === one.san &&
      areLike(before.nags, one.nags) &&
      areLike(before.before, one.before) &&
      areLike(before.comments, one.comments) &&
      areLike(before.raw, one.raw) &&
      !(isMoved && one.id === reader);
    if (isSame) {
      nodes[order] = before;
      continue;
    }
    const { id, uci, san, nags, comments, raw } = one;
    nodes[order] = {
      id,
      order,
      index: before?.index ?? 0,
      depth: before?.depth ?? 0,
      ply: before?.ply ?? 0,
      uci,
      san,
      nags,
      before: one.before,
      comments,
      raw,
      ...clockAndEvaluation(one.texts),
      children: before?.children ?? NONE,
      parent: before?.parent ?? null,
      fen: before?.fen ?? (order === 0 ? former.start : null),
    };
  }
  for (const [order, one] of all.entries()) {
    const node = nodes[order] as Node;
    node.parent = nodes[one.parent] ?? null;
    if (isMoved) {
      node.order = order;
      node.children = NONE;
      const parent = node.parent;
      if (parent) {
        node.index = parent.children.length;
        if (parent.children.length === 0) parent.children = [node];
        else parent.children.push(node);
        node.depth = parent.depth + (node.index > 0 ? 1 : 0);
        node.ply = parent.ply + 1;
      }
    } else if (node.parent) node.parent.children[node.index] = node;
  }
  return {
    ...former,
    tags: state.tags.map(([name, value]) => [name, value]),
    result: state.result,
    root: nodes[0] ?? former.root,
    nodes,
  };
}
