/** The engine beside the board: opened and closed here; what it tells is fetched with the first opening. */

import { gameNumber, panel } from '../address';
import * as board from '../board/store';
import { later } from '../later';
import { Button } from '../ui/button';
import { number, t } from '../words';
import { scoreOf } from './score';
import * as store from './store';

const Thinking = later(async () => (await import('./thinking')).Thinking, 'section');

export function Engine() {
  if (gameNumber.value === null && board.game.value === null && panel.value !== 'repertoire') return null;
  const first = store.told.value.get(store.chosen.value[0] ?? '');
  return (
    <section class="engine" aria-label={t('engine.title')}>
      <div class="row">
        <Button icon="engine" aria-expanded={store.open.value} onClick={store.toggle}>
          {t('engine.title')}
        </Button>
        {store.open.value && (
          <>
            <b class="score">{scoreOf(first?.lines[0]?.score)}</b>
            <span class="quiet depth">{first && first.depth > 0 && t('engine.depth', { depth: first.depth, speed: number(first.speed) })}</span>
          </>
        )}
      </div>
      {store.open.value && <Thinking />}
    </section>
  );
}
