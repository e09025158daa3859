/** The order in which moves are written: each move, then its variations in brackets, then what follows it. */

import type { Game, Node } from '../game/tree';
import { DIAGRAMS } from './nags';

/** One thing that is written. */
export type Step =
  | { kind: 'move'; node: Node }
  /** The end of a variation, or of several at once. */
  | { kind: 'close'; count: number }
  /** Variations that are not shown. */
  | { kind: 'folded'; node: Node };

/** Walks from some moves on, without recursion: games may nest as deep as they like. Where variations are folded, those with
 * a node of `way` stay open. */
export function walk(from: Step[], folded: boolean, way: ReadonlySet<Node>): Step[] {
  const steps: Step[] = [];
  const open = [...from].reverse();
  for (let step = open.pop(); step; step = open.pop()) {
    const before = steps[steps.length - 1];
    if (step.kind === 'close' && before?.kind === 'close') {
      steps[steps.length - 1] = { kind: 'close', count: before.count + step.count };
      continue;
    }
    steps.push(step);
    if (step.kind !== 'move') continue;
    const { node } = step;
    const siblings = branches(node);
    const main = node.children[0];
    if (main) open.push({ kind: 'move', node: main });
    const opened = folded ? siblings.filter(one => way.has(one)) : siblings;
    if (opened.length < siblings.length) steps.push({ kind: 'folded', node });
    for (let at = opened.length - 1; at >= 0; at--) open.push({ kind: 'close', count: 1 }, { kind: 'move', node: opened[at] as Node });
  }
  return steps;
}

/** The variations that stand behind a move: the other moves at its place. */
export const branches = (node: Node): Node[] =>
  node.index === 0 && node.parent ? node.parent.children.slice(1) : [];

/** The whole game. */
export const walkGame = (game: Game, folded: boolean, way: ReadonlySet<Node>): Step[] => {
  const main = game.root.children[0];
  return main ? walk([{ kind: 'move', node: main }], folded, way) : [];
};

/** Whether something stands between a move and the next one of its line. */
export const isTalkedOf = (node: Node): boolean =>
  node.comments.some(comment => comment.text) || node.nags.some(nag => DIAGRAMS.includes(nag)) || node.raw.length > 0 || (node.index === 0 && (node.parent?.children.length ?? 0) > 1);

/** Whether a move has its number even where Black makes it: what stands before it is not the move of the other side. */
export const isFresh = (node: Node): boolean => node.index > 0 || !node.parent?.parent || isTalkedOf(node.parent);

/** The half-moves that were played before the game begins. */
export function offsetOf(game: Game): number {
  const [, side, , , , number] = game.start.split(' ');
  return (Number(number ?? 1) - 1) * 2 + (side === 'b' ? 1 : 0);
}

/** The number that stands before a move: `12.`, or `12…` where Black makes it. */
export function numberOf(node: Node, offset: number): { white: boolean; text: string } {
  const ply = node.ply + offset;
  const white = ply % 2 === 1;
  return { white, text: `${Math.ceil(ply / 2)}${white ? '.' : '…'}` };
}
