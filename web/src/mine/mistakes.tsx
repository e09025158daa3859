/** Where mistakes are made: tables, of which each number leads to its games, and each row to the positions. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { openingQuery } from '../about/query';
import { PLAIN, addressOf, follow } from '../address';
import { queryString } from '../api';
import { useAnswer } from '../research/asking';
import { GameLink } from '../research/parts';
import { Working } from '../research/working';
import { language, number, t } from '../words';
import { m, valueName } from './words';
import type { Word } from './words';
import type { MistakeCountAnswer, MistakeGroupAnswer, MistakePlaceAnswer, MistakeRowAnswer, MistakesAnswer } from '../answers';

/** Places of a row that are shown. */
const MOST = 60;

/** Pawns lost in a move. */
const lost = ({ loss, moves }: MistakeCountAnswer): string =>
  moves === 0 ? '–' : (loss / moves / 100).toLocaleString(language.value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** The query for the games of some places. */
const gamesOf = (places: MistakePlaceAnswer[]): string => `number:${[...new Set(places.map(place => place.number))].sort((a, b) => a - b).join(',')}`;

export function Mistakes({ base, name }: { base: string; name: string }) {
  const asking = useAnswer<MistakesAnswer>(`bases/${encodeURIComponent(base)}/mistakes?${queryString({ name })}`);
  const found = asking.told.value;
  return (
    <section class="mistakes" aria-label={m('mistakes')}>
      <h2>{m('mistakes')}</h2>
      <Working asking={asking} />
      {found && found.games === 0 && <p role="status">{m('mistakes.none')}</p>}
      {found && found.games > 0 && (
        <>
          <p role="status">
            {m('mistakes.of', { n: found.games })}
            {found.without_evaluations > 0 && <span class="quiet"> · {m('mistakes.without', { n: found.without_evaluations })}</span>}
            {found.rating !== null && <> · {m('rating', { n: String(found.rating) })}</>}
            {' · '}
            {m('lost')} {lost(found.all)} ({m('others')}: {lost(found.others)})
          </p>
          <p class="quiet">{m('others.note')}</p>
          <div class="tables">
            {found.groups.map(group => group.rows.length > 0 && <Group key={group.by} base={base} group={group} />)}
          </div>
        </>
      )}
    </section>
  );
}

function To({ base, query, children }: { base: string; query: string | null; children: ComponentChildren }) {
  if (query === null) return <>{children}</>;
  const to = { ...PLAIN, base, query };
  return (
    <a href={addressOf(to)} onClick={follow(to)}>
      {children}
    </a>
  );
}

function Group({ base, group }: { base: string; group: MistakeGroupAnswer }) {
  const open = useSignal<string | null>(null);
  return (
    <table data-name={`mistakes-${group.by}`}>
      <caption>{m(`by.${group.by}` as Word)}</caption>
      <thead>
        <tr>
          <th scope="col">{t('stats.what')}</th>
          <th scope="col">{m('moves')}</th>
          <th scope="col">?!</th>
          <th scope="col">?</th>
          <th scope="col">??</th>
          <th scope="col" title={m('lost')}>
            {m('lost.short')}
          </th>
          <th scope="col" title={m('others.note')}>
            {m('others')}
          </th>
        </tr>
      </thead>
      <tbody>
        {group.rows.map(row => (
          <Line key={row.value} base={base} by={group.by} row={row} isOpen={open.value === row.value} onOpen={() => (open.value = open.value === row.value ? null : row.value)} />
        ))}
      </tbody>
    </table>
  );
}

interface Shown {
  base: string;
  by: string;
  row: MistakeRowAnswer;
  isOpen: boolean;
  onOpen: () => void;
}

function Line({ base, by, row, isOpen, onOpen }: Shown) {
  const { own, others, places } = row;
  const of = (judgement: string) => places.filter(place => place.judgement === judgement);
  const query = (judgement: string) => (of(judgement).length > 0 ? gamesOf(of(judgement)) : null);
  const label = valueName(row.value);
  return (
    <>
      <tr>
        <th scope="row" dir="auto">
          {places.length > 0 && (
            <button class="plain fold" aria-expanded={isOpen} aria-label={`${t(isOpen ? 'hide' : 'show')}: ${label}`} onClick={onOpen}>
              {isOpen ? '▾' : '▸'}
            </button>
          )}
          <To base={base} query={by === 'opening' && row.value !== '?' ? openingQuery(row.value) : null}>
            {label}
          </To>
        </th>
        <td>{number(own.moves)}</td>
        <td>{number(own.inaccuracies)}</td>
        <td>
          <To base={base} query={query('mistake')}>
            {number(own.mistakes)}
          </To>
        </td>
        <td>
          <To base={base} query={query('blunder')}>
            {number(own.blunders)}
          </To>
        </td>
        <td>{lost(own)}</td>
        <td>{lost(others)}</td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7} class="places">
            {places.slice(0, MOST).map(place => (
              <span key={`${place.number} ${place.ply}`}>
                <GameLink base={base} game={place.number} at={place.ply}>
                  {number(place.number)}
                  {place.ply % 2 === 1 ? `, ${(place.ply + 1) / 2}.` : `, ${place.ply / 2}…`}
                  {place.judgement === 'blunder' ? '??' : '?'}
                </GameLink>{' '}
              </span>
            ))}
            {places.length > MOST && '…'}
          </td>
        </tr>
      )}
    </>
  );
}
