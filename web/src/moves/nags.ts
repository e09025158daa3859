/** Signs of numeric annotation glyphs. */

// Signs that many systems have no letter for are written with those that all have.
const SIGNS: Record<number, string> = {
  1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!', 7: '□', 8: '□', 10: '=', 13: '∞', 14: '+=', 15: '=+', 16: '±', 17: '∓',
  18: '+−', 19: '−+', 22: '⨀', 23: '⨀', 32: '⟳', 36: '↑', 40: '→', 44: '=∞', 45: '=∞', 132: '⇆', 133: '⇆', 138: '⊕',
  139: '⊕', 140: '∆', 142: '⌓', 145: 'RR', 146: 'N', 220: '⬒', 239: '⇔', 240: '⇗', 241: '⊞', 242: '⟫', 243: '⟪', 244: '✕', 245: '⊥',
};

/** The sign of a NAG; its number where it has none. */
export const glyph = (nag: number): string => {
  const sign = SIGNS[nag];
  if (sign === undefined) return ` $${nag}`;
  return nag < 10 ? sign : ` ${sign}`;
};

/** The signs of the palette; the first eight have keys of their own. */
export const PALETTE = [1, 2, 3, 4, 5, 6, 7, 22, 10, 13, 14, 15, 16, 17, 18, 19, 36, 40, 132, 138, 140, 146];

/** NAGs that ask for a diagram. */
export const DIAGRAMS = [220, 221];
