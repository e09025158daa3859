/** The men that a side has won, and by how much it is ahead. */

import { t } from '../words';
import { nameOf, pieces } from './grid';

const FULL: Record<string, number> = { q: 1, r: 2, b: 2, n: 2, p: 8 };
const WORTH: Record<string, number> = { q: 9, r: 5, b: 3, n: 3, p: 1 };
const FIGURES: Record<string, string> = { q: '♛', r: '♜', b: '♝', n: '♞', p: '♟' };

/** What is missing of the other side, and the difference in worth. */
export function captured(fen: string, side: 'White' | 'Black'): { men: string[]; ahead: number } {
  const counts = new Map<string, number>();
  for (const sign of pieces(fen).values()) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const men: string[] = [];
  let ahead = 0;
  for (const [piece, full] of Object.entries(FULL)) {
    const white = counts.get(piece.toUpperCase()) ?? 0;
    const black = counts.get(piece) ?? 0;
    const theirs = side === 'White' ? black : white;
    ahead += (WORTH[piece] ?? 0) * (side === 'White' ? white - black : black - white);
    for (let at = theirs; at < full; at++) men.push(piece);
  }
  return { men, ahead };
}

export function Captured({ fen, side }: { fen: string; side: 'White' | 'Black' }) {
  const { men, ahead } = captured(fen, side);
  if (men.length === 0 && ahead <= 0) return null;
  const theirs = (piece: string) => (side === 'White' ? piece : piece.toUpperCase());
  const label = `${t('board.captured')}: ${men.map(piece => nameOf(theirs(piece))).join(', ')}`;
  return (
    <span class="captured" role="img" aria-label={ahead > 0 ? `${label}, +${ahead}` : label}>
      {men.map(piece => FIGURES[piece]).join('')}
      {ahead > 0 && ` +${ahead}`}
    </span>
  );
}
