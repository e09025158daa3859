/** Arrows and marked squares: by the right button of the mouse, and typed. */

import { signal } from '@preact/signals';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Wish } from './api';

export const COLOURS = ['green', 'red', 'yellow', 'blue'] as const;

export const colour = signal<(typeof COLOURS)[number]>('green');

/** `e2e4` is an arrow, `e4` a square; a colour may stand before it. */
export function drawn(text: string, usual: string): Wish | null {
  const found = text.trim().toLowerCase().match(/^(?:(green|red|yellow|blue)\s+)?([a-h][1-8])[\s-]*([a-h][1-8])?$/);
  if (!found?.[2]) return null;
  return { kind: 'mark', colour: found[1] ?? usual, from: found[2], to: found[3] ?? null };
}

/** The wish for what was drawn on the board; another look of the board's brush is the same colour. */
export function shape(one: DrawShape): Wish {
  const brush = COLOURS.find(known => one.brush?.startsWith(known)) ?? 'green';
  return { kind: 'mark', colour: brush, from: one.orig, to: one.dest ?? null };
}
