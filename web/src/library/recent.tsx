/** What was opened in earlier runs and is not open now: cards with what was in them then. */

import { PLAIN, go } from '../address';
import { t } from '../words';
import { Facts } from './facts';
import { whereOf } from './name';
import { seen } from './seen';
import { State } from './state';
import * as store from './store';

export function Recent() {
  // What was opened a moment ago is in both lists until the server has told them anew.
  const open = new Set(store.bases.value?.map(base => base.path));
  const closed = store.recent.value.filter(one => one.base === null && !open.has(one.path));
  if (closed.length === 0) return null;
  const named = store.recent.value.map(({ name, path }) => ({ id: path, name, path, clipboard: false }));
  return (
    <section class="recent">
      <h2>{t('library.recent')}</h2>
      <ul class="cards">
        {closed.map(one => {
          const known = seen(one.path);
          const where = whereOf({ id: one.path, name: one.name, path: one.path, clipboard: false }, named);
          return (
            <li key={one.path} class="card closed">
              <button
                class="plain"
                onClick={() => {
                  void store.open(one.path).then(id => {
                    if (id !== null) go({ ...PLAIN, base: id });
                  });
                }}
              >
                <bdi>{one.name}</bdi>
                {where && (
                  <>
                    {' '}
                    <bdi class="where-lies">{where}</bdi>
                  </>
                )}
              </button>
              {known && <Facts of={known} />}
              {known && (
                <p>
                  <State before={known.checked} />
                </p>
              )}
              <p class="path quiet" dir="auto" title={one.path}>
                {one.path}
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
