/** Statistics of a base, of a player, of an event: what the commands `stats`, `player` and `crosstable` tell, as tables with bars. */

import { signal, useSignal } from '@preact/signals';
import { queryString } from '../api';
import { baseId, query } from '../address';
import { useAnswer } from '../research/asking';
import { Working } from '../research/working';
import { t } from '../words';
import { Crosstable } from './crosstable';
import type { EventAnswer } from '../answers';
import { Dossier } from './dossier';
import { Plot } from './plot';
import { Rows } from './table';
import type { Table } from './table';

interface Told {
  games?: number;
  statistics?: Table[];
  events?: EventAnswer[];
}

/** Whether tables are wanted in place of pictures. */
const tables = signal(localStorage.getItem('tables') === 'true');

type Asked = { path: string; values: Record<string, string> };

export function Statistics() {
  const id = baseId.value ?? '';
  const asked = useSignal<Asked>({ path: 'statistics', values: { query: query.value } });
  const { path, values } = asked.value;
  const address = `bases/${encodeURIComponent(id)}/${path}?${queryString(values)}`;
  const asking = useAnswer<Told>(address);
  const { told } = asking;
  const submit = (path: string, names: string[]) => (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    asked.value = { path, values: Object.fromEntries(names.map(name => [name, String(form.get(name) ?? '').trim()])) };
  };
  return (
    <main class="statistics library" id="main">
      <h1>{t('stats.title')}</h1>
      <div class="asked">
        <form onSubmit={submit('statistics', ['query', 'full'])}>
          <label>
            {t('stats.query')}
            <input name="query" value={values['query'] ?? ''} autocomplete="off" spellcheck={false} />
          </label>
          <label class="tick">
            <input type="checkbox" name="full" value="true" /> {t('stats.full')}
          </label>
          <button type="submit">{t('stats.count')}</button>
        </form>
        <form onSubmit={submit('player', ['name', 'against'])}>
          <label>
            {t('stats.player')}
            <input name="name" required autocomplete="off" />
          </label>
          <label>
            {t('stats.against')}
            <input name="against" autocomplete="off" />
          </label>
          <button type="submit">{t('stats.count')}</button>
        </form>
        <form onSubmit={submit('events', ['event'])}>
          <label>
            {t('stats.event')}
            <input name="event" required autocomplete="off" />
          </label>
          <button type="submit">{t('stats.count')}</button>
        </form>
      </div>
      <Working asking={asking} />
      {told.value && (
        <>
          <p role="status">
            {told.value.games !== undefined && t('games', { n: told.value.games })}{' '}
            <a href={`/api/v1/${address}&form=csv`} download={`${path}.csv`}>
              CSV
            </a>{' '}
            {path === 'statistics' && (
              <>
                <a href={`/api/v1/${address}&form=svg`} download="statistics.svg">
                  SVG
                </a>{' '}
                <a href={`/api/v1/${address}&form=png`} download="statistics.png">
                  PNG
                </a>
              </>
            )}
            {path === 'player' && !values['against'] && <Dossier base={id} name={values['name'] ?? ''} />}
          </p>
          {(told.value.statistics?.length ?? 0) > 0 && (
            <div class="row" role="group" aria-label={t('stats.shown')}>
              {([false, true] as const).map(one => (
                <button
                  key={String(one)}
                  aria-pressed={tables.value === one}
                  onClick={() => {
                    tables.value = one;
                    localStorage.setItem('tables', String(one));
                  }}
                >
                  {t(one ? 'stats.tables' : 'stats.plots')}
                </button>
              ))}
              <span class="legend" aria-hidden="true">
                <i class="won" /> + <i class="drawn" /> = <i class="lost" /> −
              </span>
            </div>
          )}
          <div class="tables">
            {told.value.statistics?.map(table => {
              const of = { base: id, among: values['query'] ?? '', player: values['name'] ?? '', against: values['against'] ?? '' };
              const isTree = table.rows.some(row => row.depth > 0);
              return tables.value || isTree ? <Rows key={table.name} table={table} of={of} /> : <Plot key={table.name} {...table} of={of} />;
            })}
          </div>
          {told.value.events?.map((event, at) => <Crosstable key={at} event={event} base={id} />)}
        </>
      )}
    </main>
  );
}
