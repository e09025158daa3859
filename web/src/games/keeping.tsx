/** The queries that were kept: to keep one under a name, to find one again. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { go, query } from '../address';
import { Popup, closePopup } from '../ui/menu';
import { t } from '../words';
import * as saved from './saved';

export function Keeping() {
  const now = query.value;
  const name = useSignal('');
  useEffect(() => {
    name.value = '';
  }, [now]);
  const kept = saved.queries.value;
  const keep = () => {
    saved.keep(now, name.value);
    name.value = '';
  };
  return (
    <Popup class="keeping" label={t('saved.title')}>
        <label>
          {t('saved.name')}{' '}
          <input
            value={name.value}
            disabled={now === ''}
            maxLength={60}
            onInput={event => (name.value = event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              keep();
            }}
          />
        </label>
        <button type="button" disabled={now === ''} onClick={keep}>
          {t('saved.keep')}
        </button>
        {kept.length === 0 && <p class="quiet">{t('saved.none')}</p>}
        <ul>
          {kept.map(one => (
            <li key={one.query}>
              <a
                href={`?q=${encodeURIComponent(one.query)}`}
                title={one.query}
                onClick={event => {
                  event.preventDefault();
                  closePopup(event);
                  go({ query: one.query });
                }}
              >
                {one.name === one.query ? <code>{one.query}</code> : <bdi>{one.name}</bdi>}
              </a>{' '}
              <button type="button" aria-label={t('saved.forget', { query: one.name })} onClick={() => saved.forget(one.query)}>
                ✕
              </button>
            </li>
          ))}
        </ul>
    </Popup>
  );
}
