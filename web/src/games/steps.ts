/** From one game of the list to the next. */

import { effect } from '@preact/signals';
import { baseId, gameNumber, go } from '../address';
import { spoken } from '../command/field';
import { number, t } from '../words';
import { stepped } from './stepped';
import * as list from './store';

/** Numbers that are asked for at once. */
const BLOCK = 20_000;

/** The place of a game in the list, looked for where it was last at first; null where the list has not got it. */
async function placeOf(game: number, total: number): Promise<number | null> {
  const guesses = [stepped.peek(), game - 1].filter((at): at is number => at !== null && at >= 0 && at < total);
  for (const at of guesses) if ((await list.numbers(at, at + 1))[0] === game) return at;
  for (let from = 0; from < total; from += BLOCK) {
    const at = (await list.numbers(from, Math.min(total, from + BLOCK))).indexOf(game);
    if (at >= 0) return from + at;
  }
  return null;
}

/** How many games the list has, as soon as that is known; null where the list or the game has changed by then. */
function listed(base: string, game: number | null): Promise<number | null> {
  return new Promise(resolve => {
    const stop = effect(() => {
      const isElsewhere = baseId.value !== base || gameNumber.value !== game || list.fault.value !== null;
      if (!isElsewhere && (list.awaited.value || list.total.value === null)) return;
      resolve(isElsewhere ? null : list.total.value);
      // The effect may see it at once, before its own end is known.
      queueMicrotask(() => stop());
    });
  });
}

/** Steps go one after another: each begins where the one before has led. */
let queue: Promise<unknown> = Promise.resolve();

async function step(by: 1 | -1): Promise<void> {
  const base = baseId.peek();
  const now = gameNumber.peek();
  if (base === null) return;
  const total = await listed(base, now);
  if (total === null || total === 0) return;
  const at = now === null ? null : await placeOf(now, total);
  // From a game that is not in the list it goes to the first one, or to the last.
  const to = at === null ? (by > 0 ? 0 : total - 1) : at + by;
  if (to < 0 || to >= total) {
    spoken.value = t(by > 0 ? 'step.last' : 'step.first');
    return;
  }
  const [game] = await list.numbers(to, to + 1);
  if (game === undefined || baseId.peek() !== base || gameNumber.peek() !== now) return;
  stepped.value = to;
  const ply = list.row(to)?.ply;
  go({ game, path: ply ? String(ply) : '' });
  spoken.value = t('game.number', { n: number(game) });
}

/** The next game of the list, or the one before. */
export function stepGame(by: 1 | -1): Promise<unknown> {
  queue = queue.then(() => step(by)).catch((error: unknown) => {
    spoken.value = error instanceof Error ? error.message : String(error);
  });
  return queue;
}
