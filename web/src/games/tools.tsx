/** What is done with the list: its columns, the preview, the games that are selected, changes of the database. */

import { baseId } from '../address';
import { readOnly } from '../library/store';
import { Button } from '../ui/button';
import { Popup } from '../ui/menu';
import { t } from '../words';
import { Changes } from './changes';
import * as columns from './columns';
import * as preview from './previewed';
import * as selection from './selection';
import * as taking from './taking';

export function Tools() {
  const count = selection.selected.value.size;
  const base = baseId.value ?? '';
  return (
    <>
      <Popup label={t('games.columns')}>
        <fieldset>
          <legend class="hidden">{t('games.columns')}</legend>
          {columns.COLUMNS.map(column => (
            <label key={column.field}>
              <input
                type="checkbox"
                checked={columns.chosen.value.includes(column.field)}
                onChange={() => columns.toggle(column.field)}
              />{' '}
              {t(column.label)}
              {column.whose && ` (${t(column.whose)})`}
            </label>
          ))}
        </fieldset>
      </Popup>
      <Button icon="preview" label={t('preview.title')} aria-pressed={preview.open.value} onClick={() => (preview.open.value = !preview.open.value)} />
      <Changes />
      {count > 0 && (
        <>
          <span role="status">
            {t('games.selected', { n: count })}
            {selection.copied.value !== null && ` · ${t('games.copied', { n: selection.copied.value })}`}
          </span>
          <button onClick={() => void taking.exportPgn(base, 'games.pgn')}>{t('games.export')}</button>
          {!readOnly.value && (
            <button onClick={() => void taking.copy(base)}>{t('games.copy')}</button>
          )}
          <button onClick={selection.clear}>{t('games.unselect')}</button>
        </>
      )}
      {selection.trouble.value && (
        <span class="trouble" role="alert">
          {selection.trouble.value}
        </span>
      )}
    </>
  );
}
