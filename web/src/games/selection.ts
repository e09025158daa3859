/** The games that are selected in the list. */

import { effect, signal } from '@preact/signals';
import { baseId } from '../address';
import * as list from './store';

export const selected = signal<ReadonlySet<number>>(new Set());
export const trouble = signal<string | null>(null);
/** How many games were copied last. */
export const copied = signal<number | null>(null);

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
  copied.value = null;
  anchor = null;
}

/** The games at some places of the list; none where another base is shown by then, or where they cannot be had, which is told. */
async function gamesAt(from: number, to: number): Promise<number[]> {
  const base = baseId.peek();
  try {
    const games = await list.numbers(from, to);
    return baseId.peek() === base ? games : [];
  } catch (error) {
    trouble.value = error instanceof Error ? error.message : String(error);
    return [];
  }
}

/** Selects the game at a place, or no longer, whether its row is here or not. */
export async function toggle(at: number): Promise<void> {
  anchor = at;
  copied.value = null;
  for (const game of await gamesAt(at, at + 1)) {
    const next = new Set(selected.peek());
    if (!next.delete(game)) next.add(game);
    selected.value = next;
  }
}

/** Selects what stands between the place where a selection began and another one, whether those rows are here or not. */
export async function extend(to: number): Promise<void> {
  const from = anchor ?? to;
  const games = await gamesAt(Math.min(from, to), Math.max(from, to) + 1);
  selected.value = new Set([...selected.peek(), ...games]);
}
