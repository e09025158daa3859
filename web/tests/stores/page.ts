/** What a test uses of the page: its stores, without anything that draws. */

import * as address from '../../src/address';
import * as desk from '../../src/annotate/desk';
import * as findings from '../../src/findings';
import * as refusals from '../../src/refusals';
import * as words from '../../src/words';
import * as store from '../../src/annotate/store';
import * as unsent from '../../src/annotate/unsent';
import * as jumps from '../../src/board/jumps';
import * as board from '../../src/board/store';
import * as wheel from '../../src/board/wheel';
import * as list from '../../src/games/store';
import { stepGame } from '../../src/games/steps';
import * as wish from '../../src/games/wish';
import * as meaning from '../../src/games/meaning';
import * as search from '../../src/games/search';
import * as suggestions from '../../src/games/suggestions';
import * as saved from '../../src/games/saved';
import * as openings from '../../src/about/query';
import * as line from '../../src/game/line';
import * as comments from '../../src/edit/comments';
import * as editor from '../../src/edit/editor';
import * as local from '../../src/edit/local';
import * as nodes from '../../src/edit/nodes';
import * as tape from '../../src/edit/tape';
import { fenOf, nodeAt, pathOf, treeOf } from '../../src/game/tree';
import { Typing } from '../../src/help/typing';
import * as names from '../../src/library/name';
import * as seen from '../../src/library/seen';
import * as library from '../../src/library/store';
import * as live from '../../src/live';
import * as layout from '../../src/layout/store';
import { BOUNDS, LAYOUTS, PRESETS, remembered } from '../../src/layout/remembered';
import * as tabs from '../../src/layout/tabs';
import { blocksOf } from '../../src/moves/blocks';
import { walkGame } from '../../src/moves/walk';
import { newMoves } from '../../src/settings/store';
import { positionOf } from '../../src/game/position';
import { Chess, castlingSide } from 'chessops/chess';
import { makeFen } from 'chessops/fen';
import { makeSan, parseSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { makeUci, parseUci } from 'chessops/util';
import type { Node } from '../../src/game/tree';

/** The moves that are legal in a position, in order. */
function legal(fen: string): string[] {
  const position = positionOf(fen);
  const found: string[] = [];
  if (!position) return found;
  for (const [from, to] of position.allDests()) for (const square of to) found.push(makeSan(position, { from, to: square }));
  return found.filter(san => !/^[a-h](x[a-h])?[18]$/.test(san)).sort();
}

/** A move as the server writes it, behind moves from the start. */
function legalUci(before: string[], san: string): string {
  const position = Chess.default();
  for (const uci of before) position.play(parseUci(uci) as Move);
  const move = parseSan(position, san) as Move & { from: number };
  if (!move) throw new Error(`${san} after ${before.join(' ')}: ${makeFen(position.toSetup())}`);
  const side = castlingSide(position, move);
  return side ? makeUci({ from: move.from, to: (move.from & ~7) + (side === 'h' ? 6 : 2) }) : makeUci(move);
}

const ucis = (node: Node): string[] => (node.parent ? [...ucis(node.parent), node.uci] : []);

Object.assign(globalThis, {
  page: { findings, refusals, words, address, board, comments, jumps, line, meaning, names, openings, saved, search, seen, suggestions, wheel, desk, editor, library, live, layout, list, local, newMoves, nodes, tabs, workspace: { BOUNDS, LAYOUTS, PRESETS, remembered }, blocksOf, walkGame, stepGame, store, tape, unsent, wish, Typing, fenOf, legal, legalUci, ucis, nodeAt, pathOf, treeOf },
});
