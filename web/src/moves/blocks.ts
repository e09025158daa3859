/** Moves as paragraphs: the main line runs on, each variation of the first levels has a paragraph of its own, deeper ones stand in brackets. */

import type { Node } from '../game/tree';
import type { Step } from './walk';

/** Variations up to this depth are paragraphs; a book goes no further either. */
export const DEEPEST = 3;

export interface Block {
  key: string;
  /** How far it is moved in; the main line is 0. */
  level: number;
  /** Whether a variation begins with it, and is not only gone on with. */
  isStart: boolean;
  steps: Step[];
}

export const levelOf = (node: Node): number => Math.min(node.depth, DEEPEST);

/** The steps of a game, or of a part of it, as paragraphs. */
export function blocksOf(steps: Step[]): Block[] {
  const blocks: Block[] = [];
  for (const step of steps) {
    const last = blocks[blocks.length - 1];
    if (step.kind !== 'move') {
      if (last) last.steps.push(step);
      else blocks.push({ key: 'first', level: 0, isStart: false, steps: [step] });
      continue;
    }
    const level = levelOf(step.node);
    const isStart = step.node.index > 0 && step.node.depth <= DEEPEST;
    if (last && !isStart && last.level === level) last.steps.push(step);
    else blocks.push({ key: String(step.node.id), level, isStart, steps: [step] });
  }
  return blocks;
}
