/** Statistics of a base, of a player, of an event: what the commands `stats`, `player` and `crosstable` tell, as tables with bars. */

import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, askText, queryString } from '../api';
import { baseId, follow, query } from '../address';
import { words } from '../research/asking';
import { save } from '../save';
import { number, t } from '../words';
import { Plot } from './plot';
import { Rows } from './table';
import type { Table } from './table';

interface Player {
  rank: number;
  name: string;
  elo: number | null;
  points: number;
  performance: number | null;
  results: { number: number; opponent: number; points: number; color: string }[];
}

interface Event {
  event: string;
  first: string;
  last: string;
  players: Player[];
}

interface Told {
  games?: number;
  statistics?: Table[];
  events?: Event[];
}

/** Whether tables are wanted in place of pictures. */
const tables = signal(localStorage.getItem('tables') === 'true');

type Asked = { path: string; values: Record<string, string> };

export function Statistics() {
  const id = baseId.value ?? '';
  const asked = useSignal<Asked>({ path: 'statistics', values: { query: query.value } });
  const told = useSignal<Told | null>(null);
  const trouble = useSignal<string | null>(null);
  const { path, values } = asked.value;
  const address = `bases/${encodeURIComponent(id)}/${path}?${queryString(values)}`;
  useEffect(() => {
    const control = new AbortController();
    told.value = trouble.value = null;
    ask<Told>(address, { signal: control.signal }).then(
      found => (told.value = found),
      (error: unknown) => {
        if (!control.signal.aborted) trouble.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => control.abort();
  }, [address]);
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
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      {told.value === null && trouble.value === null && <p class="quiet">{t('loading')}</p>}
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

/** The dossier of a player: it is asked for here, so that nothing is saved but a dossier. */
function Dossier({ base, name }: { base: string; name: string }) {
  const trouble = useSignal<string | null>(null);
  const busy = useSignal(false);
  const make = async (form: 'html' | 'markdown') => {
    trouble.value = null;
    busy.value = true;
    try {
      const text = await askText(`bases/${encodeURIComponent(base)}/dossier?${queryString({ name, form })}`);
      save(text, form === 'html' ? 'text/html' : 'text/markdown', `dossier.${form === 'html' ? 'html' : 'md'}`);
    } catch (error) {
      trouble.value = words(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <>
      {t('stats.dossier')}:{' '}
      {(['html', 'markdown'] as const).map(form => (
        <button key={form} disabled={busy.value} onClick={() => void make(form)}>
          {form === 'html' ? 'HTML' : 'Markdown'}
        </button>
      ))}
      {trouble.value && (
        <span class="trouble" role="alert">
          {trouble.value}
        </span>
      )}
    </>
  );
}

const point = (points: number): string => (points === 0.5 ? '½' : String(points));

function Crosstable({ event, base }: { event: Event; base: string }) {
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={event.event}>
      <table class="crosstable">
        <caption dir="auto">
          {event.event} <span class="quiet">{[...new Set([event.first, event.last])].join(' – ')}</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">{t('stats.player')}</th>
            <th scope="col">Elo</th>
            {event.players.map((_, at) => (
              <th scope="col" key={at}>
                {at + 1}
              </th>
            ))}
            <th scope="col">{t('stats.points')}</th>
          </tr>
        </thead>
        <tbody>
          {event.players.map((player, at) => (
            <tr key={at}>
              <td>{at + 1}</td>
              <th scope="row" dir="auto">
                {player.name}
              </th>
              <td>{player.elo ?? ''}</td>
              {event.players.map((_, other) => (
                <td key={other}>
                  {player.results
                    .filter(result => result.opponent === other + 1)
                    .map(result => (
                      <a
                        key={result.number}
                        href={`/base/${encodeURIComponent(base)}/game/${result.number}`}
                        onClick={follow({ base, game: result.number, path: '', query: '', sort: '', panel: '' })}
                      >
                        {point(result.points)}
                      </a>
                    ))}
                </td>
              ))}
              <td>{number(player.points)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
