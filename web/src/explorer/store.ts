/** What was played in the position on the board. */

import { effect, signal } from '@preact/signals';
import * as api from '../api';
import { baseId, panel } from '../address';
import * as board from '../board/store';

export const explored = signal<api.Explored | null>(null);
export const trouble = signal<string | null>(null);
export const filter = signal<api.Filter>({});
/** The move under the pointer. */
export const hovered = signal<string | null>(null);

let request: AbortController | null = null;

/** Follows the board while the panel is open. */
effect(() => {
  const [base, fen, asked] = [baseId.value, board.fen.value, filter.value];
  request?.abort();
  hovered.value = null;
  if (base === null || panel.value === 'closed') return;
  const control = new AbortController();
  request = control;
  // A reader who runs through a game asks for the last position only.
  const wait = setTimeout(() => {
    api
      .explore([base], fen, asked, control.signal)
      .then(answer => {
        explored.value = answer;
        trouble.value = null;
      })
      .catch((error: unknown) => {
        if (control.signal.aborted) return;
        explored.value = null;
        trouble.value = error instanceof Error ? error.message : String(error);
      });
  }, 60);
  control.signal.addEventListener('abort', () => clearTimeout(wait));
});
