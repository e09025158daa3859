/** One puzzle on a board: moves are played by pointer or typed; the other side answers by itself. */

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { Key } from '@lichess-org/chessground/types';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { destinations, isPromotion, playText, playUci } from '../game/position';
import type { Played } from '../game/position';
import { shownSan, t } from '../words';
import type { PuzzleAnswer } from '../answers';

export type Puzzle = PuzzleAnswer;

type State = 'asked' | 'wrong' | 'solved' | 'shown';

/** The position after the first moves of the solution. */
function after(puzzle: Puzzle, count: number): string {
  let fen = puzzle.fen;
  for (const move of puzzle.moves.slice(0, count)) fen = playUci(fen, move)?.fen ?? fen;
  return fen;
}

export function Solving({ puzzle }: { puzzle: Puzzle }) {
  const host = useRef<HTMLDivElement>(null);
  const board = useRef<Api | null>(null);
  /** Moves of the solution that stand on the board. */
  const done = useSignal(0);
  const state = useSignal<State>('asked');
  const solver = puzzle.fen.split(' ')[1] === 'b' ? 'black' : 'white';
  const fen = after(puzzle, done.value);
  const isOver = state.value === 'solved' || state.value === 'shown';
  const tried = (played: Played | null) => {
    const wanted = puzzle.moves[done.peek()];
    if (isOver || wanted === undefined) return;
    if (played === null || played.fen !== after(puzzle, done.peek() + 1)) {
      // A mate is a mate, whatever the engine would have played.
      const mates = played !== null && puzzle.goal === 'mate-in-1' && played.san.endsWith('#');
      state.value = mates ? 'solved' : 'wrong';
      draw();
      return;
    }
    const next = done.peek() + 2;
    done.value = Math.min(next, puzzle.moves.length);
    state.value = next >= puzzle.moves.length ? 'solved' : 'asked';
  };
  const draw = () => {
    const last = puzzle.moves[done.peek() - 1];
    board.current?.set({
      fen: after(puzzle, done.peek()),
      orientation: solver,
      turnColor: solver,
      lastMove: last ? [last.slice(0, 2) as Key, last.slice(2, 4) as Key] : [],
      movable: {
        free: false,
        ...(isOver ? {} : { color: solver }),
        dests: destinations(after(puzzle, done.peek())) as Map<Key, Key[]>,
        events: {
          after: (from, to) => {
            const now = after(puzzle, done.peek());
            // The piece that the solution wants; under-promotions are typed.
            const wanted = puzzle.moves[done.peek()]?.slice(4) || 'q';
            tried(playUci(now, from + to + (isPromotion(now, from, to) ? wanted : '')));
          },
        },
      },
    });
  };
  useEffect(() => {
    if (!host.current) return;
    board.current = Chessground(host.current, { coordinates: true, premovable: { enabled: false } });
    // Since it was measured, it may have moved with what stands around it.
    host.current.addEventListener('pointerdown', () => board.current?.state.dom.bounds.clear(), true);
    draw();
    return () => board.current?.destroy();
  }, []);
  useEffect(draw, [done.value, state.value]);
  const shown = isOver ? puzzle.san : puzzle.san.slice(0, done.value);
  return (
    <div class="solving">
      <div class="squares">
        <div class="ground" ref={host} aria-hidden="true" />
      </div>
      <div>
        <p>
          <b>{t(solver === 'white' ? 'puzzles.white' : 'puzzles.black')}</b> {goalOf(puzzle.goal)}
        </p>
        <p class="hidden">{fen}</p>
        <p class={state.value} role="status">
          {t(`puzzles.${state.value}`)}
        </p>
        <p>{shown.map(shownSan).join(' ')}</p>
        <form
          class="row"
          onSubmit={event => {
            event.preventDefault();
            const form = event.currentTarget;
            tried(playText(fen, String(new FormData(form).get('move')).trim()));
            form.reset();
          }}
        >
          <input name="move" aria-label={t('puzzles.move')} placeholder={t('puzzles.move')} disabled={isOver} autocomplete="off" spellcheck={false} />
          <button
            type="button"
            disabled={isOver}
            onClick={() => {
              done.value = puzzle.moves.length;
              state.value = 'shown';
            }}
          >
            {t('puzzles.show')}
          </button>
          {(isOver || done.value > 0) && (
            <button
              type="button"
              onClick={() => {
                done.value = 0;
                state.value = 'asked';
              }}
            >
              {t('puzzles.again')}
            </button>
          )}
        </form>
        {isOver && puzzle.themes.length > 0 && (
          <p class="quiet" lang="en">
            {puzzle.themes.join(', ')}
          </p>
        )}
      </div>
    </div>
  );
}

function goalOf(goal: string): string {
  const mate = /^mate-in-(\d+)$/.exec(goal)?.[1];
  if (mate) return t('puzzles.mate', { n: Number(mate) });
  return t(goal === 'hold' ? 'puzzles.hold' : 'puzzles.win');
}
