/** Changes of the database itself: games deleted and brought back, sorted, compacted, described; the last change undone. */

import { useSignal } from '@preact/signals';
import { begin } from '../annotate/store';
import { change, history } from '../annotate/api';
import type { Done, Step } from '../annotate/api';
import { baseId } from '../address';
import { reload } from '../library/changed';
import * as library from '../library/store';
import * as live from '../live';
import { t } from '../words';
import * as selection from './selection';

const KEYS = ['date', 'white', 'black', 'event', 'site', 'round', 'result', 'eco', 'rating', 'length'];

export function Changes() {
  const id = baseId.value ?? '';
  const base = library.bases.value?.find(one => one.id === id);
  const told = useSignal<string | null>(null);
  const trouble = useSignal<string | null>(null);
  const past = useSignal<Step[] | null>(null);
  if (!base?.editable || library.readOnly.value) return null;
  const chosen = [...selection.selected.value];
  const act = async (wished: object) => {
    told.value = trouble.value = past.value = null;
    // What this tab has done itself needs no notice.
    const stop = live.onChange(one => {
      if (one === id) queueMicrotask(() => library.seen(id));
    });
    setTimeout(stop, 3_000);
    try {
      const done: Done = await change(id, wished);
      told.value = [t('changes.done', { n: done.games }), done.wish, ...done.notes].join(' · ');
      selection.clear();
      reload(id);
    } catch (error) {
      trouble.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <>
      <button onClick={() => begin(0)}>{t('games.new')}</button>
      {chosen.length > 0 && (
        <>
          <button onClick={() => void act({ kind: 'delete', games: chosen })}>{t('changes.delete')}</button>
          <button onClick={() => void act({ kind: 'undelete', games: chosen })}>{t('changes.undelete')}</button>
        </>
      )}
      <details class="menu">
        <summary>{t('changes.title')}</summary>
        <div class="changes">
          <button onClick={() => void act({ kind: 'undo' })}>{t('changes.undo')}</button>
          <button onClick={() => void act({ kind: 'compact' })}>{t('changes.compact')}</button>
          <form
            onSubmit={event => {
              event.preventDefault();
              void act({ kind: 'sort', keys: [String(new FormData(event.currentTarget).get('key'))] });
            }}
          >
            <select name="key" aria-label={t('changes.sort')}>
              {KEYS.map(key => (
                <option key={key}>{key}</option>
              ))}
            </select>
            <button type="submit">{t('changes.sort')}</button>
          </form>
          {chosen.length > 0 && (
            <form
              onSubmit={event => {
                event.preventDefault();
                const letters = String(new FormData(event.currentTarget).get('letters'));
                const [set = '', clear = ''] = letters.split('-');
                void act({ kind: 'flags', games: chosen, set, clear });
              }}
            >
              <input name="letters" aria-label={t('changes.flags')} placeholder={t('changes.flags')} autocomplete="off" />
              <button type="submit">{t('changes.flags.set')}</button>
            </form>
          )}
          <form
            onSubmit={event => {
              event.preventDefault();
              void act({ kind: 'describe', description: String(new FormData(event.currentTarget).get('description')) });
            }}
          >
            <input name="description" aria-label={t('changes.description')} placeholder={t('changes.description')} />
            <button type="submit">{t('changes.describe')}</button>
          </form>
          <button
            aria-expanded={past.value !== null}
            onClick={() => {
              if (past.value) past.value = null;
              else history(id).then(found => (past.value = found.changes), (error: unknown) => (trouble.value = String(error)));
            }}
          >
            {t('edit.history')}
          </button>
          {past.value && (
            <ol>
              {past.value.length === 0 && <li class="quiet">{t('edit.history.none')}</li>}
              {past.value.map(one => (
                <li key={one.id}>
                  {one.when} <span dir="auto">{one.wish}</span>
                </li>
              ))}
            </ol>
          )}
        </div>
      </details>
      {told.value && (
        <span role="status" dir="auto">
          {told.value}
        </span>
      )}
      {trouble.value && (
        <span class="trouble" role="alert">
          {trouble.value}
        </span>
      )}
    </>
  );
}
