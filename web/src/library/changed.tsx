/** Tells that the database which is shown was changed by somebody else, and shows it as it is now. */

import { batch } from '@preact/signals';
import { baseId } from '../address';
import * as board from '../board/store';
import * as explorer from '../explorer/store';
import * as games from '../games/store';
import { t } from '../words';
import * as store from './store';

/** Shows a base as it is now: its list, its game, its explorer. */
export function reload(id: string): void {
  batch(() => {
    store.seen(id);
    games.again();
    board.again();
    explorer.again();
  });
}

export function Changed() {
  const id = baseId.value;
  const isNew = id !== null && store.changed.value.has(id);
  return (
    <div class="changed" role="status">
      {isNew && (
        <p>
          {t('library.changed')} <button onClick={() => reload(id)}>{t('library.reload')}</button>
        </p>
      )}
    </div>
  );
}
