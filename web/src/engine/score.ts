/** Evaluations as they are shown: seen from White. */

export interface Score {
  cp?: number;
  mate?: number;
}

export function scoreOf(score: Score | null | undefined): string {
  if (!score) return '';
  if (score.mate !== undefined) return `#${score.mate}`;
  const pawns = (score.cp ?? 0) / 100;
  return `${pawns > 0 ? '+' : ''}${pawns.toFixed(2)}`;
}

/** White's share of the gauge, in per cent. */
export function shareOf(score: Score | null | undefined): number {
  if (!score) return 50;
  if (score.mate !== undefined) return score.mate > 0 ? 100 : 0;
  return 100 / (1 + Math.exp(-0.00368208 * (score.cp ?? 0)));
}
