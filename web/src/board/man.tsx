/** A man as the board has it, in the set that is chosen; other signs are letters. */

import { h } from 'preact';

const NAMES: Record<string, string> = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };

/** The class of a man's picture. */
export function manClass(sign: string): string | null {
  const name = NAMES[sign.toLowerCase()];
  return name === undefined ? null : `${name} ${sign === sign.toUpperCase() ? 'white' : 'black'}`;
}

export function Man({ sign }: { sign: string }) {
  const of = manClass(sign);
  if (of === null) return <>{sign}</>;
  return (
    <span class="cg-wrap man" aria-hidden="true">
      {h('piece' as 'i', { class: of })}
    </span>
  );
}
