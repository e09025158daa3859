/**
 * What a change has done to a game, as the server tells it (`crates/server/src/drafts/difference.rs`), put into the game that is shown:
 * a game of a hundred thousand moves is not read anew for a sign. Moves about which something else is said are new nodes; others stay.
 */

import { isMove, isSaid, namesMove, node } from './tree';
import type { Game, Item, Node } from './tree';

export interface Difference {
  /** Runs of the former moves, and how many new ones stand between. */
  order?: ([number, number] | number)[];
  /** The move before each new one. */
  parents?: number[];
  /** Moves behind which others go on than before. */
  branches?: number[];
  /** What is said of moves. */
  told: [number, Item[]][];
  tags?: [string, string][];
  result?: string;
}

/** The game after the change, with the reader at a move. Its former tree is no more. */
export function changed(game: Game, difference: Difference, at: number): Game {
  const nodes = difference.order ? reordered(game.nodes, difference.order) : game.nodes;
  for (const [at, items] of difference.told) {
    const before = nodes[at];
    if (before) replace(nodes, before, told(before, items));
  }
  if (difference.order || difference.branches) {
    connect(nodes, difference);
    // Who looks at the reader's move sees that its place is another one.
    const here = nodes[at];
    if (here) replace(nodes, here, { ...here });
  }
  return {
    ...game,
    tags: difference.tags?.map(([name, value]) => [name, value]) ?? game.tags,
    result: difference.result ?? game.result,
    root: nodes[0] ?? game.root,
    nodes: difference.branches && !difference.order ? [...nodes] : nodes,
  };
}

/** The moves as they are read now; each knows its new number. */
function reordered(former: Node[], order: NonNullable<Difference['order']>): Node[] {
  const nodes: Node[] = [];
  for (const piece of order) {
    if (typeof piece === 'number') {
      for (let count = piece; count > 0; count--) nodes.push(node(null, nodes.length));
    } else {
      for (let at = piece[0]; at < piece[1]; at++) {
        const one = former[at];
        if (!one) continue;
        one.order = nodes.length;
        nodes.push(one);
      }
    }
  }
  return nodes;
}

/** A move as it was, with what is said of it now. */
function told(before: Node, items: Item[]): Node {
  const now: Node = { ...before, nags: [], before: [], comments: [], raw: [], clock: null, evaluation: null };
  // The start has no move of its own.
  let moved = items.every(item => !namesMove(item));
  for (const item of items) {
    if (namesMove(item)) {
      isMove(item, now);
      moved = true;
    } else isSaid(item, now, !moved);
  }
  return now;
}

function replace(nodes: Node[], before: Node, now: Node): void {
  nodes[now.order] = now;
  const siblings = before.parent?.children;
  if (siblings && siblings[before.index] === before) siblings[before.index] = now;
  for (const child of now.children) child.parent = now;
}

/** Hangs new moves into the tree, and puts the moves behind some others into their order. */
function connect(nodes: Node[], { parents = [], branches = [] }: Difference): void {
  const anew = new Set<Node>();
  for (const at of branches) {
    const parent = nodes[at];
    if (!parent) continue;
    parent.children = [];
    anew.add(parent);
  }
  let next = 0;
  for (const one of nodes) {
    if (one.order > 0 && one.parent === null) one.parent = nodes[parents[next++] ?? 0] ?? null;
    const parent = one.parent;
    if (!parent) continue;
    if (anew.has(parent)) parent.children.push(one);
  }
  // Parents are read before what follows them.
  for (const one of nodes) {
    let index = 0;
    for (const child of one.children) {
      child.index = index;
      child.depth = one.depth + (index > 0 ? 1 : 0);
      child.ply = one.ply + 1;
      index++;
    }
  }
}
