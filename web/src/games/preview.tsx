/** A small board for the row of the list that has the focus. */

import { fenOf, nodeAt, shortened } from '../game/tree';
import { Button } from '../ui/button';
import { Position } from '../ui/position';
import { shownSan, t } from '../words';
import { game, ply, row } from './previewed';

export function Preview() {
  const at = game.value ? nodeAt(game.value, String(ply.value)) : null;
  const step = (by: number) => () => (ply.value = Math.max(0, Math.min(at?.ply ?? 0, ply.value) + by));
  const names = row.value ? `${shortened(row.value.white)} – ${shortened(row.value.black)}` : t('preview.choose');
  return (
    <aside class="preview" aria-label={t('preview.title')}>
      <div class="small">{at && <Position fen={fenOf(at)} last={at.uci} />}</div>
      <div>
        <p dir="auto">{names}</p>
        <p class="quiet" role="status">
          {at && at.ply > 0 ? `${Math.ceil(at.ply / 2)}${at.ply % 2 ? '.' : '…'} ${shownSan(at.san)}` : ' '}
        </p>
        <p>
          <Button icon="previous" label={t('move.previous')} onClick={step(-1)} /> <Button icon="next" label={t('move.next')} onClick={step(1)} />
        </p>
      </div>
    </aside>
  );
}
