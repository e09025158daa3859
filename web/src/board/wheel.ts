/** The wheel over the board: a notch is a move, and beyond the end of a game a new turn of the wheel is the next game. */

import { stepGame } from '../games/steps';
import * as board from './store';

/** Pixels that are a move; what is turned in lines or pages is more than that. */
const NOTCH = 40;
/** Milliseconds after which a turn is a new one. */
const PAUSE = 350;

let turned = 0;
let last = -Infinity;
/** Whether this turn has done what it can: it goes on through the end of a game as nothing. */
let isSpent = false;

/** Whether there is a move in a direction. */
function leads(by: 1 | -1): boolean {
  const [line, node] = [board.scratch.peek(), board.node.peek()];
  if (line) return by > 0 ? line.shown < line.moves.length : line.shown > 0 || node !== null;
  return by > 0 ? (node?.children.length ?? 0) > 0 : (node?.parent ?? null) !== null;
}

export function turn({ deltaY, deltaMode, timeStamp }: { deltaY: number; deltaMode: number; timeStamp: number }): void {
  const isNew = timeStamp - last > PAUSE;
  last = timeStamp;
  if (isNew) {
    turned = 0;
    isSpent = false;
  }
  if (isSpent) return;
  turned += deltaMode === 0 ? deltaY : deltaY * NOTCH;
  if (Math.abs(turned) < NOTCH) return;
  // However far one event turns, it is one move: wheels differ.
  const by = turned > 0 ? 1 : -1;
  turned = 0;
  if (leads(by)) {
    if (by > 0) board.next();
    else board.previous();
    // At the end the turn ends; one that begins there goes on.
    isSpent = !leads(by);
  } else {
    isSpent = true;
    if (board.game.peek()) void stepGame(by);
  }
}
