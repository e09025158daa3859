/** What the game was before each of its changes; any of them comes back. */

import { useSignal } from '@preact/signals';
import { t } from '../words';
import * as api from './api';
import { Changes } from './refusal';
import * as desk from './desk';
import * as store from './store';

export function History() {
  const all = useSignal<api.Version[] | null>(null);
  const trouble = useSignal<string | null>(null);
  const now = store.session.value;
  if (!now || now.number === 0) return null;
  const failed = (error: unknown) => (trouble.value = error instanceof Error ? error.message : String(error));
  const show = () => {
    if (all.value) all.value = null;
    else api.versions(now.base, now.number).then(found => (all.value = found.versions), failed);
  };
  const restore = (version: number) => {
    all.value = null;
    void desk.restore(version);
  };
  return (
    <div class="history">
      <button aria-expanded={all.value !== null} onClick={show}>
        {t('edit.history')}
      </button>
      {trouble.value && <p class="trouble">{trouble.value}</p>}
      {all.value && (
        <ol>
          {all.value.length === 0 && <li class="quiet">{t('edit.history.none')}</li>}
          {all.value.map(one => (
            <li key={one.version}>
              <b>{one.when}</b> <span class="quiet">{one.wish}</span>
              {one.differences && <Changes title={t('edit.history.since')} all={one.differences} />}
              {one.kind === 'game' && (
                <button disabled={now.changed} onClick={() => restore(one.version)}>
                  {t('edit.history.restore')}
                </button>
              )}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
