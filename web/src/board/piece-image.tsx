/** A piece as the board has it, in the set that is chosen; other signs are letters. */

import { h } from 'preact';

const NAMES: Record<string, string> = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };

/** The class of a piece's picture. */
export function pieceClass(sign: string): string | null {
  const name = NAMES[sign.toLowerCase()];
  return name === undefined ? null : `${name} ${sign === sign.toUpperCase() ? 'white' : 'black'}`;
}

export function PieceImage({ sign }: { sign: string }) {
  const of = pieceClass(sign);
  if (of === null) return <>{sign}</>;
  return (
    <span class="cg-wrap piece-image" aria-hidden="true">
      {h('piece' as 'i', { class: of })}
    </span>
  );
}
