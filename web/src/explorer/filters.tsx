/** Which games the explorer counts, and which other bases it asks. */

import { baseId } from '../address';
import { titleOf } from '../library/name';
import { bases } from '../library/store';
import { Popup } from '../ui/menu';
import { t } from '../words';
import * as store from './store';

export function Filters() {
  const set = (name: string) => (event: Event) => {
    const value = (event.currentTarget as HTMLInputElement).value.trim();
    store.filter.value = { ...store.filter.value, [name]: value };
  };
  const now = store.filter.value;
  const others = (bases.value ?? []).filter(base => base.id !== baseId.value);
  return (
    <Popup class="filters" label={t('explorer.filter')}>
      <label>
        {t('explorer.player')} <input value={now.player ?? ''} onChange={set('player')} />
      </label>
      <label>
        {t('explorer.colour')}{' '}
        <select value={now.color ?? ''} onChange={set('color')}>
          <option value="">{t('colour.both')}</option>
          <option value="white">{t('colour.white')}</option>
          <option value="black">{t('colour.black')}</option>
        </select>
      </label>
      <label>
        {t('column.elo')} <input value={now.elo ?? ''} placeholder="2400-2900" onChange={set('elo')} />
      </label>
      <label>
        {t('explorer.since')} <input value={now.since ?? ''} placeholder="2010" onChange={set('since')} />
      </label>
      <label>
        {t('explorer.until')} <input value={now.until ?? ''} placeholder="2020.12" onChange={set('until')} />
      </label>
      <label>
        {t('query.label')} <input value={now.query ?? ''} onChange={set('query')} />
      </label>
      {others.length > 0 && (
        <fieldset>
          <legend>{t('explorer.beside')}</legend>
          {others.map(base => (
            <label key={base.id}>
              <input
                type="checkbox"
                checked={store.beside.value.includes(base.id)}
                onChange={() => store.toggle(base.id)}
              />{' '}
              <bdi title={base.path}>{titleOf(base, bases.value ?? [])}</bdi>
            </label>
          ))}
        </fieldset>
      )}
    </Popup>
  );
}
