/** Moves of wishes by the rules of chess, as the server writes them. */

import { castlingSide, normalizeMove } from 'chessops/chess';
import type { Position } from 'chessops/chess';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { makeUci, parseUci } from 'chessops/util';
import { positionOf } from '../game/position';

/** A move as the server writes it: castling by the king's squares, but for Chess960. */
function written(position: Position, move: Move, isChess960: boolean): string {
  const to = castlingSide(position, move);
  if (to === undefined || !('from' in move)) return makeUci(move);
  if (isChess960) return makeUci(normalizeMove(position, move));
  return makeUci({ from: move.from, to: (move.from & ~7) + (to === 'h' ? 6 : 2) });
}

/** Moves one after another from a position, as the server writes them; those up to the first that is none. */
export function resolve(fen: string, texts: string[], isChess960: boolean): { uci: string; san: string }[] {
  const position = positionOf(fen);
  const found: { uci: string; san: string }[] = [];
  for (const text of position ? texts : []) {
    if (!position) break;
    if (text === '--') {
      if (position.isCheck()) break;
      found.push({ uci: '0000', san: '--' });
      // The same as what stands in a FEN afterwards.
      position.turn = position.turn === 'white' ? 'black' : 'white';
      position.epSquare = undefined;
      continue;
    }
    const move = parseSan(position, text) ?? parseUci(text);
    if (!move || !position.isLegal(move)) break;
    found.push({ uci: written(position, move, isChess960), san: makeSanAndPlay(position, move) });
  }
  return found;
}
