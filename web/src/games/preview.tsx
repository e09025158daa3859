/** A small board for the row of the list that has the focus: the move that is looked at stays from game to game. */

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import * as api from '../api';
import type { Row } from '../api';
import { baseId } from '../address';
import { fenOf, nodeAt, shortened, treeOf } from '../game/tree';
import type { Game } from '../game/tree';
import { shownSan, t } from '../words';

export const open = signal(localStorage.getItem('preview') === 'true');
/** The row that is looked at. */
export const row = signal<Row | null>(null);
/** The half-move that is shown of every game, where a query does not say where it fits. */
const ply = signal(20);
const game = signal<Game | null>(null);

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

export function Preview() {
  const host = useRef<HTMLDivElement>(null);
  const board = useRef<Api | null>(null);
  const at = game.value ? nodeAt(game.value, String(ply.value)) : null;
  useEffect(() => {
    if (!host.current) return;
    board.current = Chessground(host.current, { viewOnly: true, coordinates: false, animation: { enabled: false } });
    return () => board.current?.destroy();
  }, []);
  useEffect(() => {
    if (!at) return;
    const last = at.uci && at.uci !== '0000' ? [at.uci.slice(0, 2), at.uci.slice(2, 4)] : [];
    board.current?.set({ fen: fenOf(at), lastMove: last as never[] });
  }, [at]);
  const step = (by: number) => () => (ply.value = Math.max(0, Math.min(at?.ply ?? 0, ply.value) + by));
  const names = row.value ? `${shortened(row.value.white)} – ${shortened(row.value.black)}` : t('preview.choose');
  return (
    <aside class="preview" aria-label={t('preview.title')}>
      <div class="small ground" ref={host} aria-hidden="true" />
      <div>
        <p dir="auto">{names}</p>
        <p class="quiet" role="status">
          {at && at.ply > 0 ? `${Math.ceil(at.ply / 2)}${at.ply % 2 ? '.' : '…'} ${shownSan(at.san)}` : ' '}
        </p>
        <p>
          <button onClick={step(-1)} aria-label={t('move.previous')}>
            ◀
          </button>{' '}
          <button onClick={step(1)} aria-label={t('move.next')}>
            ▶
          </button>
        </p>
      </div>
    </aside>
  );
}
