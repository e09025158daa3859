/** The board as sixty-four buttons: for screen readers, and for those who have a keyboard alone. */

import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { t } from '../words';
import type { Key } from '../words';
import * as store from './store';

const FILES = 'abcdefgh';

/** What stands on each square, a8 first. */
export function pieces(fen: string): Map<string, string> {
  const found = new Map<string, string>();
  const ranks = (fen.split(' ')[0] ?? '').split('/');
  ranks.forEach((rank, row) => {
    let file = 0;
    for (const sign of rank) {
      if (/\d/.test(sign)) file += Number(sign);
      else if (/[a-z]/i.test(sign)) found.set(`${FILES[file++]}${8 - row}`, sign);
    }
  });
  return found;
}

/** A piece in words. */
export function nameOf(sign: string | undefined): string {
  if (!sign) return t('square.empty');
  const colour = sign === sign.toUpperCase() ? 'white' : 'black';
  return t(`piece.${colour}`, { piece: t(`piece.${sign.toLowerCase()}` as Key) });
}

export function Grid() {
  const box = useRef<HTMLDivElement>(null);
  const focus = useSignal('e4');
  const from = useSignal<string | null>(null);
  const placed = pieces(store.fen.value);
  const order = store.flipped.value ? [1, 2, 3, 4, 5, 6, 7, 8] : [8, 7, 6, 5, 4, 3, 2, 1];
  const files = store.flipped.value ? [...FILES].reverse() : [...FILES];
  const keys = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const turn = store.flipped.value ? -1 : 1;
    const file = FILES.indexOf(focus.value[0] ?? 'e') + step[0] * turn;
    const rank = Number(focus.value[1]) + step[1] * turn;
    if (file < 0 || file > 7 || rank < 1 || rank > 8) return;
    focus.value = `${FILES[file]}${rank}`;
    box.current?.querySelector<HTMLButtonElement>(`[data-square="${focus.value}"]`)?.focus();
  };
  const press = (square: string) => {
    const start = from.value;
    from.value = null;
    if (start === null) {
      if (placed.has(square)) from.value = square;
    } else if (start !== square && !store.playSquares(start + square)) {
      // A pawn that reaches the last rank becomes a queen here; other pieces are typed.
      store.playSquares(`${start}${square}q`);
    }
  };
  return (
    <div class="squares-grid" ref={box} role="grid" aria-label={t('board.grid')} onKeyDown={keys}>
      {order.map(rank => (
        <div role="row" key={rank}>
          {files.map(file => {
            const square = `${file}${rank}`;
            const chosen = from.value === square;
            return (
              <div role="gridcell" key={square} aria-selected={chosen}>
                <button
                  data-square={square}
                  tabIndex={square === focus.value ? 0 : -1}
                  aria-label={`${square}, ${nameOf(placed.get(square))}${chosen ? `, ${t('square.chosen')}` : ''}`}
                  onFocus={() => (focus.value = square)}
                  onClick={() => press(square)}
                />
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
