/** Positions in the browser: chessops, with the rules of Chess960 where castling says so. */

import { Chess } from 'chessops/chess';
import type { Position } from 'chessops/chess';
import { chessgroundDests } from 'chessops/compat';
import { makeFen, parseFen } from 'chessops/fen';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { makeUci, parseUci } from 'chessops/util';

/** A position, or nothing where it breaks the rules too much to be played on. */
export function positionOf(fen: string): Position | null {
  const setup = parseFen(fen);
  if (setup.isErr) return null;
  const position = Chess.fromSetup(setup.value);
  return position.isErr ? null : position.value;
}

/** The squares that each piece can go to, for the board. */
export function destinations(fen: string): Map<string, string[]> {
  const position = positionOf(fen);
  return position ? (chessgroundDests(position) as Map<string, string[]>) : new Map();
}

export interface Played {
  uci: string;
  san: string;
  fen: string;
}

function played(position: Position, move: Move, fen: (position: Position) => string): Played {
  const uci = makeUci(move);
  const san = makeSanAndPlay(position, move);
  return { uci, san, fen: fen(position) };
}

const after = (position: Position): string => makeFen(position.toSetup());

/** A move by its squares. */
export function playUci(fen: string, uci: string): Played | null {
  const position = positionOf(fen);
  const move = parseUci(uci);
  if (!position || !move || !position.isLegal(move)) return null;
  return played(position, move, after);
}

/** A move as it is typed: SAN, or squares. */
export function playText(fen: string, text: string): Played | null {
  const position = positionOf(fen);
  if (!position) return null;
  const move = parseSan(position, text) ?? parseUci(text.toLowerCase().replaceAll('-', ''));
  if (!move || !position.isLegal(move)) return null;
  return played(position, move, after);
}

/** Whether a pawn's move wants a piece to be chosen. */
export function isPromotion(fen: string, from: string, to: string): boolean {
  const position = positionOf(fen);
  return position !== null && ['1', '8'].includes(to[1] ?? '') && position.isLegal(parseUci(`${from}${to}q`) as Move);
}
