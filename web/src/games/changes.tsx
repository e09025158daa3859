/** Changes of the database itself: games deleted and brought back, sorted, compacted, described; the last change undone. */

import { useSignal } from '@preact/signals';
import { begin } from '../annotate/store';
import { history } from '../annotate/api';
import type { Step } from '../annotate/api';
import { baseId } from '../address';
import * as library from '../library/store';
import { Popup } from '../ui/menu';
import { t } from '../words';
import * as changing from './changing';
import * as selection from './selection';

export function Changes() {
  const id = baseId.value ?? '';
  const base = library.bases.value?.find(one => one.id === id);
  const past = useSignal<Step[] | null>(null);
  if (!base?.editable || library.readOnly.value) return null;
  const chosen = [...selection.selected.value];
  const act = (wished: object) => {
    past.value = null;
    return changing.act(wished);
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
      <Popup label={t('changes.title')}>
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
              {changing.KEYS.map(([key, label]) => (
                <option key={key} value={key}>
                  {t(label)}
                </option>
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
              else history(id).then(found => (past.value = found.changes), (error: unknown) => (changing.trouble.value = String(error)));
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
      </Popup>
      {changing.told.value && (
        <span role="status" dir="auto">
          {changing.told.value}
        </span>
      )}
      {changing.trouble.value && (
        <span class="trouble" role="alert">
          {changing.trouble.value}
        </span>
      )}
    </>
  );
}
