/** A board to put pieces on: for positions to look for, and for positions to play from. */

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { t } from '../words';
import { useDrag } from './drag';
import { nameOf } from './grid';
import { PieceImage } from './piece-image';

const FILES = 'abcdefgh';
const MEN = ['K', 'Q', 'R', 'B', 'N', 'P', 'k', 'q', 'r', 'b', 'n', 'p'];
/** Any white piece, any black piece, any piece, nothing: for patterns. */
const WILD = ['A', 'a', '*', '-'] as const;
/** Sixty-four signs, a8 first; `.` where nothing was said. */
export type Squares = string[];

export const EMPTY: Squares = Array<string>(64).fill('.');

/** The squares of a FEN. */
export function squaresOf(fen: string): Squares {
  const board = fen.split(' ')[0] ?? '';
  const signs = [...board].flatMap(sign =>
    sign === '/' ? [] : /\d/.test(sign) ? Array<string>(Number(sign)).fill('.') : [sign],
  );
  return signs.length === 64 ? signs : EMPTY;
}

/** The first part of a FEN, or a pattern's text. */
export function boardText(squares: Squares): string {
  const ranks: string[] = [];
  for (let rank = 0; rank < 8; rank++) {
    ranks.push(
      squares
        .slice(rank * 8, rank * 8 + 8)
        .join('')
        .replace(/\.+/g, run => String(run.length)),
    );
  }
  return ranks.join('/');
}

const spoken = (sign: string): string => {
  if (sign === 'A') return t('setup.white');
  if (sign === 'a') return t('setup.black');
  if (sign === '*') return t('setup.piece');
  if (sign === '-') return t('setup.nothing');
  return nameOf(sign === '.' ? undefined : sign);
};

export function Setup({ squares, wild, flipped = false }: { squares: Signal<Squares>; wild: boolean; flipped?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const brush = useSignal('P');
  const focus = useSignal(36);
  const order = [...Array(8).keys()];
  if (flipped) order.reverse();
  const paint = (at: number) => {
    const next = [...squares.value];
    next[at] = next[at] === brush.value ? '.' : brush.value;
    squares.value = next;
  };
  const drag = useDrag(box, (from, to, sign) => {
    if (from === to) return;
    const next = [...squares.value];
    if (from !== null) next[from] = '.';
    if (to !== null) next[to] = sign;
    squares.value = next;
  });
  const keys = (event: KeyboardEvent) => {
    const turn = flipped ? -1 : 1;
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const to = focus.value + step * turn;
      const sameRank = Math.floor(to / 8) === Math.floor(focus.value / 8);
      if (to < 0 || to > 63 || (Math.abs(step) === 1 && !sameRank)) return;
      focus.value = to;
      box.current?.querySelector<HTMLButtonElement>(`[data-at="${to}"]`)?.focus();
    } else if ([...MEN, ...(wild ? WILD : [])].includes(event.key) || event.key === 'Delete' || event.key === ' ') {
      // A piece's letter puts it on the square in focus.
      event.preventDefault();
      const next = [...squares.value];
      next[focus.value] = event.key === 'Delete' || event.key === ' ' ? '.' : event.key;
      squares.value = next;
    }
  };
  return (
    <div class="setup">
      <div class="palette" role="radiogroup" aria-label={t('setup.pieces')}>
        {[...MEN, ...(wild ? WILD : []), '.'].map(sign => (
          <button
            type="button"
            key={sign}
            role="radio"
            aria-checked={brush.value === sign}
            aria-label={spoken(sign)}
            title={spoken(sign)}
            onClick={() => (brush.value = sign)}
            {...(sign === '.' ? {} : drag(null, sign))}
          >
            {sign === '.' ? '✕' : <PieceImage sign={sign} />}
          </button>
        ))}
      </div>
      <div class="setup-board" role="grid" aria-label={t('setup.board')} ref={box} onKeyDown={keys}>
        {order.map(rank => (
          <div role="row" key={rank}>
            {order.map(file => {
              const at = rank * 8 + file;
              const sign = squares.value[at] ?? '.';
              return (
                <div role="gridcell" key={at} class={(rank + file) % 2 ? 'dark' : 'light'}>
                  <button
                    type="button"
                    data-at={at}
                    tabIndex={at === focus.value ? 0 : -1}
                    aria-label={`${FILES[file]}${8 - rank}, ${spoken(sign)}`}
                    onFocus={() => (focus.value = at)}
                    onClick={() => paint(at)}
                    {...(sign === '.' ? {} : drag(at, sign))}
                  >
                    {sign !== '.' && <PieceImage sign={sign} />}
                  </button>
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}
