/** A small board that only shows a position: beside engine lines, in the notation, in lists. */

import { createElement } from 'preact';
import { pieces } from '../board/grid';

const ROLES: Record<string, string> = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };

/** Moves something to its square, in squares. */
function place(square: string, isFlipped: boolean): { transform: string } {
  const file = square.charCodeAt(0) - 97;
  const rank = Number(square[1]) - 1;
  return { transform: `translate(${(isFlipped ? 7 - file : file) * 100}%, ${(isFlipped ? rank : 7 - rank) * 100}%)` };
}

interface Asked {
  fen: string;
  /** The move that led here, by its squares. */
  last?: string;
  isFlipped?: boolean;
  /** What those who listen are told; without it the board is for the eye alone. */
  label?: string;
}

export function Position({ fen, last = '', isFlipped = false, label }: Asked) {
  const marks = /^[a-h][1-8][a-h][1-8]/.test(last) ? [last.slice(0, 2), last.slice(2, 4)] : [];
  return (
    <div class="cg-wrap position" {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' })}>
      {/* The board's own elements, so that its colours and sets of pieces hold here, too. */}
      {createElement('cg-board', null, [
        ...marks.map(square => createElement('square', { key: `m${square}`, class: 'last-move', style: place(square, isFlipped) })),
        ...[...pieces(fen)].map(([square, sign]) =>
          createElement('piece', {
            key: square + sign,
            class: `${sign === sign.toUpperCase() ? 'white' : 'black'} ${ROLES[sign.toLowerCase()] ?? ''}`,
            style: place(square, isFlipped),
          }),
        ),
      ])}
    </div>
  );
}
