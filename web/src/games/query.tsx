/** The query above the list: typed, with its faults at their places. */

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { baseId, go, query } from '../address';
import { bases } from '../library/store';
import { dialog, wanted } from '../dialog';
import { later } from '../later';
import { t } from '../words';
import * as store from './store';
import { meant } from './meant';

const Builder = later(async () => (await import('./builder')).Builder, null);
const Searching = later(async () => (await import('./searching')).Searching, null);
const Saved = later(async () => (await import('./keeping')).Keeping, null);

/** What offers and understands is fetched when somebody comes to the field. */
let fetched: Promise<typeof import('./search')> | null = null;
const search = (): Promise<typeof import('./search')> =>
  (fetched ??= import('./search').catch((error: unknown) => {
    fetched = null;
    throw error;
  }));

export function QueryBar() {
  const text = useSignal(query.value);
  const part = useSignal<typeof import('./search') | null>(null);
  /** Whether something was typed since the last search: an answer that comes later does not replace it. */
  const isEdited = useRef(false);
  useEffect(() => {
    if (!isEdited.current || document.activeElement?.id !== 'query') text.value = query.value;
  }, [query.value]);
  const fault = store.fault.value;
  const progress = store.progress.value;
  const total = store.total.value;
  const all = bases.value?.find(base => base.id === baseId.value)?.games ?? null;
  const base = baseId.value ?? '';
  const Suggestions = part.value?.Suggestions;
  const fetch = () => void search().then(one => (part.value = one), () => undefined);
  /** Counts up with what is typed, and when nothing is offered any more: what offers may come later than that. */
  const typed = useRef(0);
  const close = () => {
    typed.current++;
    part.value?.close();
  };
  const run = (wanted: string) => {
    close();
    isEdited.current = false;
    store.awaited.value = true;
    search().then(
      one => one.find(wanted, base),
      () => {
        // Without what understands it, it is a query as it stands.
        go({ query: wanted.trim() });
        store.awaited.value = false;
      },
    );
  };
  const take = ({ text: wanted, isWhole }: { text: string; isWhole: boolean }) => {
    text.value = wanted;
    isEdited.current = false;
    close();
    if (isWhole) go({ query: wanted });
    else part.value?.offer(wanted, base);
  };
  const keys = (event: KeyboardEvent) => {
    const one = part.value;
    if (!one) return;
    const choice = one.choice();
    if ((event.key === 'ArrowDown' && one.move(1)) || (event.key === 'ArrowUp' && one.move(-1))) event.preventDefault();
    else if (event.key === 'Enter' && choice) {
      event.preventDefault();
      take(choice);
    } else if (event.key === 'Escape' && one.groups.value.length > 0) {
      // The first Escape closes the list, and the next one leaves the field.
      event.preventDefault();
      event.stopPropagation();
      one.close();
    }
  };
  const isOpen = (part.value?.groups.value.length ?? 0) > 0;
  const active = part.value?.chosen.value ?? -1;
  return (
    <>
    <form
      class="query"
      role="search"
      onSubmit={event => {
        event.preventDefault();
        run(text.value);
      }}
    >
      <label class="hidden" for="query">
        {t('query.label')}
      </label>
      <div class="query-field">
        <input
          id="query"
          type="search"
          role="combobox"
          list={undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder={t('query.example')}
          value={text.value}
          aria-invalid={fault?.fault ? 'true' : 'false'}
          aria-describedby="query-state"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-expanded={isOpen}
          aria-controls={isOpen ? 'query-list' : undefined}
          aria-activedescendant={isOpen && active >= 0 ? `query-option-${active}` : undefined}
          onFocus={fetch}
          onBlur={close}
          onKeyDown={keys}
          onInput={event => {
            text.value = event.currentTarget.value;
            isEdited.current = true;
            const own = ++typed.current;
            void search().then(one => own === typed.current && one.offer(text.value, base), () => undefined);
          }}
        />
        {Suggestions && <Suggestions take={take} />}
      </div>
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
          <>
            {t('query.running', { n: progress.found })} <Searching />
          </>
        ) : total !== null ? (
          <>
            {query.value !== '' && all !== null ? t('games.of', { n: total, all }) : t('games', { n: total })}
            {progress && !progress.whole && <> · {t('query.part')}</>}
          </>
        ) : null}
        {meant.value?.query === query.value && (
          <span class="note">
            {t('query.meant', { text: meant.value.text })}{' '}
            <button type="button" class="plain" onClick={() => run(`"${meant.value?.text.replaceAll('"', '')}"`)}>
              {t('query.as-text')}
            </button>
          </span>
        )}
        {store.notes.value.map(note => (
          <span key={note} class="note">
            {note.split('`').map((part, at) => (at % 2 ? <code>{part}</code> : part))}
          </span>
        ))}
      </p>
    </form>
    {wanted.value.has('builder') && <Builder />}
    </>
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
