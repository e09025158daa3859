/** What the user has chosen for this browser. */

import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark' | 'contrast';
export type Squares = 'brown' | 'blue' | 'green' | 'purple' | 'grey';
export type Pieces = 'cburnett' | 'plain' | 'letters';

const remembered = <T extends string>(name: string, all: readonly T[], otherwise: T): T => {
  const value = localStorage.getItem(name) as T | null;
  return value !== null && all.includes(value) ? value : otherwise;
};

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export const SQUARES = ['brown', 'blue', 'green', 'purple', 'grey'] as const;
export const PIECES = ['cburnett', 'plain', 'letters'] as const;

export const theme = signal<Theme>(remembered('theme', THEMES, 'system'));
export const squares = signal<Squares>(remembered('squares', SQUARES, 'brown'));
export const pieces = signal<Pieces>(remembered('pieces', PIECES, 'cburnett'));
/** Whether a move is heard. */
export const sound = signal(localStorage.getItem('sound') === 'true');

/** Puts the choices on the page, now and whenever they change. */
export function applySettings(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    document.documentElement.dataset['squares'] = squares.value;
    document.documentElement.dataset['pieces'] = pieces.value;
    localStorage.setItem('theme', theme.value);
    localStorage.setItem('squares', squares.value);
    localStorage.setItem('pieces', pieces.value);
    localStorage.setItem('sound', String(sound.value));
  });
  // Nobody fetches what makes no sound.
  effect(() => {
    if (sound.value) void import('../board/sound').then(one => one.listen());
  });
}
