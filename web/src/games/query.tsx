/** The query above the list: typed, with its faults at their places. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { baseId, go, query } from '../address';
import { bases } from '../library/store';
import { dialog, wanted } from '../dialog';
import { later } from '../later';
import { t } from '../words';
import * as saved from './saved';
import * as store from './store';
import { completions } from './terms';

const Builder = later(async () => (await import('./builder')).Builder, null);

export function QueryBar() {
  const text = useSignal(query.value);
  useEffect(() => {
    text.value = query.value;
  }, [query.value]);
  const fault = store.fault.value;
  const progress = store.progress.value;
  const total = store.total.value;
  const all = bases.value?.find(base => base.id === baseId.value)?.games ?? null;
  const offered = completions(text.value);
  return (
    <>
    <form
      class="query"
      role="search"
      onSubmit={event => {
        event.preventDefault();
        go({ query: text.value.trim() });
      }}
    >
      <label class="hidden" for="query">
        {t('query.label')}
      </label>
      <input
        id="query"
        list="query-terms"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={t('query.example')}
        value={text.value}
        aria-invalid={fault?.fault ? 'true' : 'false'}
        aria-describedby="query-state"
        onInput={event => (text.value = event.currentTarget.value)}
      />
      <datalist id="query-terms">
        {offered.map(one => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <button type="submit">{t('query.search')}</button>
      <button type="button" onClick={() => dialog('builder')}>
        {t('builder.title')}…
      </button>
      <Saved />
      {progress && !progress.done && (
        <button type="button" onClick={store.cancel}>
          {t('query.stop')}
        </button>
      )}
      <p id="query-state" role="status" aria-live="polite">
        {fault ? (
          <Fault text={query.value} />
        ) : progress && !progress.done ? (
          t('query.running', { n: progress.found })
        ) : total !== null ? (
          <>
            {query.value !== '' && all !== null ? t('games.of', { n: total, all }) : t('games', { n: total })}
            {progress && !progress.whole && <> · {t('query.part')}</>}
          </>
        ) : null}
        {store.notes.value.map(note => (
          <span key={note} class="note">
            {note}
          </span>
        ))}
      </p>
    </form>
    {wanted.value.has('builder') && <Builder />}
    </>
  );
}

/** The queries that were kept. */
function Saved() {
  const now = query.value;
  const kept = saved.queries.value;
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest('details')?.removeAttribute('open');
  return (
    <details class="menu">
      <summary>{t('saved.title')}</summary>
      <div>
        <button type="button" disabled={now === '' || kept.includes(now)} onClick={() => saved.keep(now)}>
          {t('saved.keep')}
        </button>
        {kept.length === 0 && <p class="quiet">{t('saved.none')}</p>}
        <ul>
          {kept.map(one => (
            <li key={one}>
              <a
                href={`?q=${encodeURIComponent(one)}`}
                onClick={event => {
                  event.preventDefault();
                  close(event);
                  go({ query: one });
                }}
              >
                <code>{one}</code>
              </a>{' '}
              <button type="button" aria-label={t('saved.forget', { query: one })} onClick={() => saved.forget(one)}>
                ✕
              </button>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}

function Fault({ text }: { text: string }) {
  const found = store.fault.value;
  if (!found) return null;
  const { message, fault } = found;
  if (!fault) return <span class="trouble">{message}</span>;
  return (
    <span class="trouble">
      {fault.message}
      <code>
        {text.slice(0, fault.start)}
        <mark>{text.slice(fault.start, fault.end) || ' '}</mark>
        {text.slice(fault.end)}
      </code>
      {fault.help}
    </span>
  );
}
