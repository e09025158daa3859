/** The row of the list that is looked at, and its game: the move that is looked at stays from game to game. */

import { effect, signal } from '@preact/signals';
import * as api from '../api';
import type { Row } from '../api';
import { baseId } from '../address';
import { treeOf } from '../game/tree';
import type { Game } from '../game/tree';

export const open = signal(localStorage.getItem('preview') === 'true');
/** The row that is looked at. */
export const row = signal<Row | null>(null);
/** The half-move that is shown of every game, where a query does not say where it fits. */
export const ply = signal(20);
export const game = signal<Game | null>(null);

effect(() => localStorage.setItem('preview', String(open.value)));

let request: AbortController | null = null;

effect(() => {
  const [base, wanted] = [baseId.value, row.value];
  request?.abort();
  if (!open.value || base === null || wanted === null) return;
  const control = new AbortController();
  request = control;
  // Who runs through the list asks for the last game only.
  const wait = setTimeout(() => {
    api
      .game(base, wanted.number, control.signal)
      .then(json => {
        if (wanted.ply) ply.value = wanted.ply;
        game.value = treeOf(json);
      })
      .catch(() => {
        if (!control.signal.aborted) game.value = null;
      });
  }, 80);
  control.signal.addEventListener('abort', () => clearTimeout(wait));
});
