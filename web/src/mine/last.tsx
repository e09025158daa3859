/** The last games, and where they left a repertoire of those that are used in this browser. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { inQuotes } from '../about/query';
import { PLAIN, addressOf, follow } from '../address';
import { askText, queryString, viewRows } from '../api';
import type { Row } from '../api';
import { titleOf } from '../library/name';
import * as library from '../library/store';
import { choices } from '../repertoire/choices';
import { Exit } from '../repertoire/exit';
import { useAnswer, words } from '../research/asking';
import { GameLink, Said } from '../research/parts';
import { t } from '../words';
import { m } from './words';
import type { RepertoireGamesAnswer, SearchLineAnswer } from '../answers';

const LAST = 20;

export function Last({ base, name }: { base: string; name: string }) {
  const all = library.bases.value ?? [];
  const known = choices.value.filter(choice => choice.base !== base && all.some(one => one.id === choice.base));
  const wanted = useSignal<string | null>(null);
  const chosen = known.find(choice => choice.base === (wanted.value ?? known[0]?.base));
  const to = { ...PLAIN, base, query: `player:${inQuotes(name)}`, sort: '-date' };
  return (
    <section aria-label={m('last')}>
      <h2>{m('last')}</h2>
      <div class="row">
        <a class="button" href={addressOf(to)} onClick={follow(to)}>
          {t('about.games')}
        </a>
        {known.length > 0 && (
          <label>
            {m('repertoire')}{' '}
            <select onChange={event => (wanted.value = event.currentTarget.value)}>
              {known.map(choice => {
                const one = all.find(one => one.id === choice.base);
                return (
                  <option key={choice.base} value={choice.base} selected={choice.base === chosen?.base}>
                    {one ? titleOf(one, all) : choice.base}
                  </option>
                );
              })}
              <option value="" selected={!chosen}>
                {m('repertoire.none')}
              </option>
            </select>
          </label>
        )}
      </div>
      {chosen ? <Left key={chosen.base} base={base} name={name} repertoire={chosen.base} color={chosen.color} /> : <Newest base={base} query={to.query} />}
    </section>
  );
}

function Line({ base, game, at }: { base: string; game: Pick<Row, 'number' | 'white' | 'black' | 'result' | 'date'>; at?: number | null }) {
  return (
    <>
      <GameLink base={base} game={game.number} at={at ?? null}>
        <span dir="auto">
          {game.white || '?'} – {game.black || '?'} {game.result.replace('1/2-1/2', '½–½')}
        </span>
      </GameLink>{' '}
      <span class="quiet">{game.date.replaceAll('.??', '')}</span>
    </>
  );
}

function Left({ base, name, repertoire, color }: { base: string; name: string; repertoire: string; color: string }) {
  const asking = useAnswer<RepertoireGamesAnswer>(
    `bases/${encodeURIComponent(repertoire)}/repertoire/check?${queryString({ of: base, player: name, last: LAST, color })}`,
  );
  const told = asking.told.value;
  return (
    <>
      <Said asking={asking} notes={told?.notes ?? []} />
      {told && told.games.length === 0 && <p role="status">{t('games', { n: 0 })}</p>}
      <ol class="games-left">
        {told?.games.map(one => (
          <li key={one.game.number}>
            <Line base={base} game={one.game} at={one.ply} />
            <br />
            <Exit of={one} base={repertoire} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The newest games: the first rows of a search, which is kept for them. */
async function newest(base: string, query: string, signal: AbortSignal): Promise<Row[]> {
  const lines = await askText(`bases/${encodeURIComponent(base)}/search?${queryString({ query, sort: '-date' })}`, { signal });
  const [first = ''] = lines.split('\n', 1);
  const line = JSON.parse(first) as SearchLineAnswer;
  return line.kind === 'view' ? (await viewRows(line.view, 0, LAST, signal)).rows : [];
}

function Newest({ base, query }: { base: string; query: string }) {
  const rows = useSignal<Row[] | null>(null);
  const trouble = useSignal<string | null>(null);
  useEffect(() => {
    const control = new AbortController();
    newest(base, query, control.signal).then(
      found => (rows.value = found),
      (error: unknown) => {
        if (!control.signal.aborted) trouble.value = words(error);
      },
    );
    return () => control.abort();
  }, [base, query]);
  if (trouble.value)
    return (
      <p class="trouble" role="alert">
        {trouble.value}
      </p>
    );
  if (!rows.value) return <p role="status">{t('loading')}</p>;
  return (
    <ol class="games-left">
      {rows.value.map(row => (
        <li key={row.number}>
          <Line base={base} game={row} />
          {row.eco && <span class="quiet"> · {row.eco}</span>}
        </li>
      ))}
    </ol>
  );
}
