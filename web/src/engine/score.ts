/** Evaluations as they are shown: seen from White. */

import type { EvaluationAnswer } from '../answers';

export type Score = EvaluationAnswer;

export function scoreOf(score: Score | null | undefined): string {
  if (!score) return '';
  if ('mate' in score) return `#${score.mate}`;
  const pawns = score.cp / 100;
  return `${pawns > 0 ? '+' : ''}${pawns.toFixed(2)}`;
}

/** White's share of the gauge, in per cent. */
export function shareOf(score: Score | null | undefined): number {
  if (!score) return 50;
  if ('mate' in score) return score.mate > 0 ? 100 : 0;
  return 100 / (1 + Math.exp(-0.00368208 * score.cp));
}
