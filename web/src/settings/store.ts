/** What the user has chosen for this browser. */

import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark' | 'contrast';
export type Squares = 'brown' | 'blue' | 'green' | 'purple' | 'grey';
export type Density = 'dense' | 'usual' | 'wide';
export type Pieces = 'cburnett' | 'plain' | 'letters';

const remembered = <T extends string>(name: string, all: readonly T[], otherwise: T): T => {
  const value = localStorage.getItem(name) as T | null;
  return value !== null && all.includes(value) ? value : otherwise;
};

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export const SQUARES = ['brown', 'blue', 'green', 'purple', 'grey'] as const;
export const PIECES = ['cburnett', 'plain', 'letters'] as const;

export const DENSITIES = ['dense', 'usual', 'wide'] as const;

export const theme = signal<Theme>(remembered('theme', THEMES, 'system'));
export const squares = signal<Squares>(remembered('squares', SQUARES, 'brown'));
export const pieces = signal<Pieces>(remembered('pieces', PIECES, 'cburnett'));
export const density = signal<Density>(remembered('density', DENSITIES, 'usual'));
/** What becomes of a move that is played where another one goes on: a variation at once, or what is answered to a question. */
export const MOVES = ['variation', 'ask'] as const;
export const newMoves = signal<(typeof MOVES)[number]>(remembered('newMoves', MOVES, 'variation'));
/** Pixels of a row of the list. */
export const rowHeight = signal(24);

/** What `--row` is in pixels, now that it may be another one. */
function measure(): void {
  const style = getComputedStyle(document.documentElement);
  const row = Number.parseFloat(style.getPropertyValue('--row')) || 1.5;
  rowHeight.value = Math.round(row * (Number.parseFloat(style.fontSize) || 16));
}

/** Whether a move is heard. */
export const sound = signal(localStorage.getItem('sound') === 'true');

/** Puts the choices on the page, now and whenever they change. */
export function applySettings(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    document.documentElement.dataset['squares'] = squares.value;
    document.documentElement.dataset['pieces'] = pieces.value;
    document.documentElement.dataset['density'] = density.value;
    localStorage.setItem('theme', theme.value);
    localStorage.setItem('squares', squares.value);
    localStorage.setItem('pieces', pieces.value);
    localStorage.setItem('density', density.value);
    localStorage.setItem('newMoves', newMoves.value);
    localStorage.setItem('sound', String(sound.value));
    measure();
  });
  matchMedia('(pointer: coarse)').addEventListener('change', measure);
  // Nobody fetches what makes no sound.
  effect(() => {
    if (sound.value) void import('../board/sound').then(one => one.listen());
  });
}
