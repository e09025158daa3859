/** One's own games: what they are fed from, the record, the last games with where they left the repertoire, and the mistakes. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Tables } from '../about/told';
import { baseId } from '../address';
import { ask, queryString } from '../api';
import { useAnswer, words } from '../research/asking';
import { Working } from '../research/working';
import { number, t } from '../words';
import { Last } from './last';
import { Mistakes } from './mistakes';
import { Sources } from './sources';
import { m } from './words';
import type { PlayerAnswer, SourcesAnswer } from '../answers';

/** The tables that are shown, in their order. */
const TABLES = ['colors', 'speeds', 'months', 'openings-white', 'openings-black'];

/** The player whose games were shown last, in this browser. */
const KEY = 'repertoire-player';

export function Mine() {
  const base = baseId.value ?? '';
  const sources = useSignal<SourcesAnswer | null>(null);
  const trouble = useSignal<string | null>(null);
  const name = useSignal<string | null>(null);
  /** Counts up when there are new games. */
  const renewed = useSignal(0);
  useEffect(() => {
    ask<SourcesAnswer>(`bases/${encodeURIComponent(base)}/sources`).then(
      found => {
        sources.value = found;
        // Names that were chosen for another database are not meant where this one has accounts of its own.
        const players = found.sources.flatMap(one => one.player ?? []);
        const last = localStorage.getItem(KEY) ?? '';
        const own = players.find(player => player.toLowerCase() === last.toLowerCase()) ?? players[0] ?? last;
        if (name.peek() === null && own !== '') name.value = own;
      },
      (error: unknown) => (trouble.value = words(error)),
    );
  }, [base]);
  const players = [...new Set(sources.value?.sources.flatMap(one => one.player ?? []))];
  const onNew = () => {
    // Whoever begins with an account wants to see its games.
    name.value ??= sources.value?.sources.flatMap(one => one.player ?? [])[0] ?? null;
    renewed.value++;
  };
  return (
    <main class="statistics mine library" id="main">
      <h1>{t('mine.title')}</h1>
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      {sources.value && <Sources base={base} found={sources} onNew={onNew} />}
      <form
        onSubmit={event => {
          event.preventDefault();
          const wanted = String(new FormData(event.currentTarget).get('name') ?? '').trim();
          localStorage.setItem(KEY, wanted);
          name.value = wanted;
        }}
      >
        <label>
          {t('stats.player')}
          <input key={name.value} name="name" list="mine-players" defaultValue={name.value ?? ''} required autocomplete="off" spellcheck={false} />
        </label>
        <datalist id="mine-players">
          {players.map(player => (
            <option key={player} value={player} />
          ))}
        </datalist>
        <button type="submit">{t('show')}</button>
      </form>
      {name.value && <Games key={`${name.value} ${renewed.value}`} base={base} name={name.value} />}
    </main>
  );
}

function Games({ base, name }: { base: string; name: string }) {
  const asking = useAnswer<PlayerAnswer>(`bases/${encodeURIComponent(base)}/player?${queryString({ name, full: 'true' })}`);
  const found = asking.told.value;
  if (!found) return <Working asking={asking} />;
  const { games, wins, draws, losses } = found;
  if (games === 0) return <p role="status">{t('games', { n: 0 })}</p>;
  const decided = wins + draws + losses;
  const tables = TABLES.flatMap(wanted => found.statistics.filter(table => table.name === wanted));
  return (
    <>
      <section aria-label={m('record')}>
        <h2>{m('record')}</h2>
        <p class="record" role="status">
          {t('games', { n: games })} · +{number(wins)} ={number(draws)} −{number(losses)}
          {decided > 0 && <> · {number(Math.round((1000 * (wins + draws / 2)) / decided) / 10)} %</>}
        </p>
        <Tables tables={tables} of={{ base, among: '', player: name }} />
      </section>
      <Last base={base} name={name} />
      <Mistakes base={base} name={name} />
    </>
  );
}
