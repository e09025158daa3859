/** Games that are pasted become a base of their own, a copy like dropped files; so do positions, but where a base is shown: there they
 * stand on its board. */

import { baseId } from '../address';
import { setUpPosition } from '../board/store';
import { START } from '../game/tree';
import { positionOf } from '../game/position';
import { t } from '../words';
import * as store from './store';

const FEN = /^[pnbrqkPNBRQK1-8]+(\/[pnbrqkPNBRQK1-8]+){7} [wb] \S+ \S+( \d+ \d+)?$/;

/** A game without moves that begins with a position. */
export const fromPosition = (fen: string): string =>
  fen === START ? '[Event "?"]\n[Result "*"]\n\n*\n' : `[Event "?"]\n[Result "*"]\n[SetUp "1"]\n[FEN "${fen}"]\n\n*\n`;

/** PGN for what was pasted; nothing where it looks like neither game nor position. */
export function pgnOf(text: string): string | null {
  const trimmed = text.trim();
  if (FEN.test(trimmed)) return positionOf(trimmed) ? fromPosition(trimmed) : null;
  const looksLikeGame = /^\[[A-Za-z][\w-]* "/m.test(trimmed) || /(^|\s)1\.\s*\S+/.test(trimmed);
  return looksLikeGame ? `${trimmed}\n` : null;
}

/** Opens what was pasted; answers with its id. What looks like neither game nor position is told. */
export async function openPasted(text: string): Promise<{ id: string | null; alone: boolean }> {
  const pgn = pgnOf(text);
  if (pgn === null) {
    if (text.trim()) store.trouble.value = t(FEN.test(text.trim()) ? 'paste.illegal' : 'paste.unknown');
    return { id: null, alone: false };
  }
  const fen = text.trim();
  if (FEN.test(fen) && baseId.peek() !== null) {
    setUpPosition(fen);
    return { id: null, alone: false };
  }
  const id = await openText(pgn);
  return { id, alone: store.bases.value?.find(base => base.id === id)?.games === 1 };
}

/** Opens a text as a base; answers with its id. */
export const openText = (pgn: string): Promise<string | null> =>
  store.drop([new File([pgn], 'pasted.pgn', { type: 'application/x-chess-pgn' })]);
