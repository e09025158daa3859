/** The pieces that a side has won, and by how much it is ahead. */

import { t } from '../words';
import { nameOf, pieces } from './grid';

const WORTH: Record<string, number> = { q: 9, r: 5, b: 3, n: 3, p: 1 };
const FIGURES: Record<string, string> = { q: '♛', r: '♜', b: '♝', n: '♞', p: '♟' };

function countOf(fen: string): (piece: string, colour: 'white' | 'black') => number {
  const counts = new Map<string, number>();
  for (const sign of pieces(fen).values()) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return (piece, colour) => counts.get(colour === 'white' ? piece.toUpperCase() : piece) ?? 0;
}

/** What the other side has lost since the start of the game, and the difference in worth. */
export function captured(start: string, fen: string, side: 'White' | 'Black'): { pieces: string[]; ahead: number } {
  const [before, now] = [countOf(start), countOf(fen)];
  const [own, other] = side === 'White' ? (['white', 'black'] as const) : (['black', 'white'] as const);
  const pieces: string[] = [];
  let ahead = 0;
  let promoted = 0;
  for (const piece of Object.keys(WORTH)) {
    const lost = before(piece, other) - now(piece, other);
    ahead += (WORTH[piece] ?? 0) * (now(piece, own) - now(piece, other));
    // Pawns come last: those that have become pieces were not won.
    if (piece !== 'p' && lost < 0) promoted -= lost;
    const won = piece === 'p' ? lost - promoted : lost;
    for (let at = 0; at < won; at++) pieces.push(piece);
  }
  return { pieces, ahead };
}

export function Captured({ start, fen, side }: { start: string; fen: string; side: 'White' | 'Black' }) {
  const { pieces, ahead } = captured(start, fen, side);
  if (pieces.length === 0 && ahead <= 0) return null;
  const theirs = (piece: string) => (side === 'White' ? piece : piece.toUpperCase());
  const label = pieces.length > 0 ? `${t('board.captured')}: ${pieces.map(piece => nameOf(theirs(piece))).join(', ')}` : '';
  return (
    <span class="captured" role="img" aria-label={[label, ahead > 0 ? `+${ahead}` : ''].filter(Boolean).join(', ')}>
      {pieces.map(piece => FIGURES[piece]).join('')}
      {ahead > 0 && ` +${ahead}`}
    </span>
  );
}
