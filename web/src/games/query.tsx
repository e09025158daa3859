/** The query above the list: typed, with its faults at their places. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { go, query } from '../address';
import { t } from '../words';
import * as store from './store';

export function QueryBar() {
  const text = useSignal(query.value);
  useEffect(() => {
    text.value = query.value;
  }, [query.value]);
  const fault = store.fault.value;
  const progress = store.progress.value;
  const total = store.total.value;
  return (
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
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={t('query.example')}
        value={text.value}
        aria-invalid={fault?.fault ? 'true' : 'false'}
        aria-describedby="query-state"
        onInput={event => (text.value = event.currentTarget.value)}
      />
      <button type="submit">{t('query.search')}</button>
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
            {t('games', { n: total })}
            {progress && !progress.whole && <> · {t('query.part')}</>}
          </>
        ) : null}
      </p>
    </form>
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
