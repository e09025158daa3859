/** The games that are selected in the list, to be saved as one file. */

import { effect, signal } from '@preact/signals';
import * as api from '../api';
import { baseId } from '../address';
import { save } from '../save';

export const selected = signal<ReadonlySet<number>>(new Set());
export const trouble = signal<string | null>(null);

/** Where a range with Shift begins. */
let anchor: number | null = null;

/** Another base has other games. */
effect(() => {
  void baseId.value;
  clear();
});

export function clear(): void {
  selected.value = new Set();
  trouble.value = null;
  anchor = null;
}

/** Selects a game, or no longer. */
export function toggle(at: number, game: number): void {
  const next = new Set(selected.peek());
  if (!next.delete(game)) next.add(game);
  anchor = at;
  selected.value = next;
}

/** Selects what stands between the place where a selection began and another one. */
export function extend(to: number, gameAt: (at: number) => number | null): void {
  const from = anchor ?? to;
  const next = new Set(selected.peek());
  for (let at = Math.min(from, to); at <= Math.max(from, to); at++) {
    const game = gameAt(at);
    if (game !== null) next.add(game);
  }
  selected.value = next;
}

/** Saves the selected games as one PGN file. */
export async function exportPgn(base: string, name: string): Promise<void> {
  trouble.value = null;
  try {
    const games = [...selected.value].sort((one, other) => one - other);
    save(await api.pgnOf(base, games), 'application/x-chess-pgn', name);
  } catch (error) {
    trouble.value = error instanceof Error ? error.message : String(error);
  }
}
