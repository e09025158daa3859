/** Lines of moves from the start as they are written and read. */

import { playText } from './position';
import type { Played } from './position';
import { START } from './tree';

/** A move with its number, where it has one: White's always, Black's where it stands alone. */
export const numbered = (san: string, ply: number, isAlone = false): string =>
  ply % 2 === 0 ? `${ply / 2 + 1}. ${san}` : isAlone ? `${(ply + 1) / 2}… ${san}` : san;

/** The moves of a text that are legal one after another from a position; null where a word of it is neither a move nor a number. */
export function lineOf(text: string, fen = START): Played[] | null {
  const words = text.replace(/(\d+)\s*(\.+|…)/g, ' ').split(/\s+/).filter(word => word !== '');
  const moves: Played[] = [];
  for (const word of words) {
    const played = playText(moves[moves.length - 1]?.fen ?? fen, word.replace(/[!?]+$/, ''));
    if (!played) return null;
    moves.push(played);
  }
  return moves.length > 0 ? moves : null;
}
