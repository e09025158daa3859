/** The line above a database: that the server is away, that something could not be opened, that the database is gone or was changed by
 * somebody else; and shows it as it is now. */

import { batch } from '@preact/signals';
import { baseId } from '../address';
import * as board from '../board/store';
import * as explorer from '../explorer/store';
import * as games from '../games/store';
import { t } from '../words';
import { away } from '../live';
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
  const base = store.bases.value?.find(one => one.id === id);
  const isNew = id !== null && store.changed.value.has(id);
  return (
    <div class="changed" role="status">
      {away.value && <p class="away">{t('server.away')}</p>}
      {base?.trouble && !away.value && (
        <p class="away">
          {t('base.gone')} {base.trouble}
        </p>
      )}
      {id !== null && store.trouble.value && !away.value && (
        <p class="away" role="alert">
          {store.trouble.value} <button onClick={() => (store.trouble.value = null)}>{t('close')}</button>
        </p>
      )}
      {isNew && !base?.trouble && !away.value && (
        <p>
          {t('library.changed')} <button onClick={() => reload(id)}>{t('library.reload')}</button>
        </p>
      )}
    </div>
  );
}
