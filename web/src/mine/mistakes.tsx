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
import type { GameNumbersAnswer, MistakeCountAnswer, MistakeGroupAnswer, MistakeRowAnswer, MistakesAnswer } from '../answers';

/** Places of a row that are shown. */
const MOST = 60;

/** Pawns lost in a move. */
const lost = ({ loss, moves }: MistakeCountAnswer): string =>
  moves === 0 ? '–' : (loss / moves / 100).toLocaleString(language.value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** The symbols of judgements. */
const SYMBOLS: Record<string, string> = { blunder: '??', mistake: '?', inaccuracy: '?!' };

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
            <To base={base} games={found.games_by_evaluations.with}>
              {m('mistakes.of', { n: found.games })}
            </To>
            {found.without_evaluations > 0 && (
              <span class="quiet">
                {' · '}
                <To base={base} games={found.games_by_evaluations.without}>
                  {m('mistakes.without', { n: found.without_evaluations })}
                </To>
              </span>
            )}
            {found.rating !== null && <> · {m('rating', { n: String(found.rating) })}</>}
            {' · '}
            {m('lost')}{' '}
            <To base={base} games={found.in_games.moves}>
              {lost(found.all)}
            </To>{' '}
            ({m('others')}:{' '}
            <To base={base} games={found.in_games.others}>
              {lost(found.others)}
            </To>
            )
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

/** A number that leads to its games, if there are any: to the first of them if they are too many to be named. */
function To({ base, games, children }: { base: string; games: GameNumbersAnswer[]; children: ComponentChildren }) {
  const named = games[0];
  if (!named || named.numbers === '') return <>{children}</>;
  const to = { ...PLAIN, base, query: `number:${named.numbers}` };
  return (
    <a href={addressOf(to)} onClick={follow(to)} title={named.whole ? undefined : m('games.first')}>
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
  const { own, others, places, in_games: games } = row;
  const opening = { ...PLAIN, base, query: openingQuery(row.value) };
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
          {by === 'opening' && row.value !== '?' ? (
            <a href={addressOf(opening)} onClick={follow(opening)}>
              {label}
            </a>
          ) : (
            label
          )}
        </th>
        <td>
          <To base={base} games={games.moves}>
            {number(own.moves)}
          </To>
        </td>
        <td>
          <To base={base} games={games.inaccuracies}>
            {number(own.inaccuracies)}
          </To>
        </td>
        <td>
          <To base={base} games={games.mistakes}>
            {number(own.mistakes)}
          </To>
        </td>
        <td>
          <To base={base} games={games.blunders}>
            {number(own.blunders)}
          </To>
        </td>
        <td>
          <To base={base} games={games.moves}>
            {lost(own)}
          </To>
        </td>
        <td>
          <To base={base} games={games.others}>
            {lost(others)}
          </To>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7} class="places">
            {places.slice(0, MOST).map(place => (
              <span key={`${place.number} ${place.ply}`}>
                <GameLink base={base} game={place.number} at={place.ply}>
                  {number(place.number)}
                  {place.ply % 2 === 1 ? `, ${(place.ply + 1) / 2}.` : `, ${place.ply / 2}…`}
                  {SYMBOLS[place.judgement]}
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
