/** What was opened in earlier runs and is not open now. */

import { go } from '../address';
import { t } from '../words';
import * as store from './store';

export function Recent() {
  const closed = store.recent.value.filter(one => one.base === null);
  if (closed.length === 0) return null;
  return (
    <section class="recent">
      <h2>{t('library.recent')}</h2>
      <ul>
        {closed.map(one => (
          <li key={one.path}>
            <button
              onClick={() => {
                void store.open(one.path).then(id => {
                  if (id !== null) go({ base: id, game: null, path: '', query: '', sort: '', panel: '' });
                });
              }}
            >
              <bdi>{one.name}</bdi>
            </button>{' '}
            <span class="path quiet" dir="auto">
              {one.path}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
