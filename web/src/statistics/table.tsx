/** A table of counts with scores: each number leads to its games, and what has rows below it is opened like a tree. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { AboutLink } from '../about/link';
import { follow } from '../address';
import type { About } from '../address';
import { queryString } from '../api';
import { number, t } from '../words';
import { queryOf, scoreOf, titleOf } from './terms';
import type { Counted, Part, Row } from './terms';
import type { TableAnswer } from '../answers';

export type Table = TableAnswer;

/** Tables whose rows have pages of their own; their numbers lead to games all the same. */
const KINDS: Partial<Record<string, About['kind']>> = {
  players: 'player',
  opponents: 'player',
  events: 'event',
  sites: 'site',
  annotators: 'annotator',
};

const PARTS: Part[] = ['games', 'wins', 'draws', 'losses'];

/** The rows of which all that stand above them in the tree are open. */
function visible(rows: Row[], open: ReadonlySet<number>): number[] {
  const shown: number[] = [];
  /** The depth below which nothing is shown. */
  let closed = Infinity;
  rows.forEach((row, at) => {
    if (row.depth > closed) return;
    closed = open.has(at) ? Infinity : row.depth;
    shown.push(at);
  });
  return shown;
}

export function Rows({ table, of }: { table: Table; of: Counted }) {
  const { base } = of;
  const open = useSignal<ReadonlySet<number>>(new Set());
  const most = Math.max(1, ...table.rows.map(row => row.games));
  const toggle = (at: number) => {
    const next = new Set(open.value);
    if (!next.delete(at)) next.add(at);
    open.value = next;
  };
  return (
    <table data-name={table.name}>
      <caption>
        {titleOf(table.title)}
        {table.distinct > table.rows.length && <span class="quiet"> {t('stats.of', { n: table.rows.length, all: table.distinct })}</span>}
      </caption>
      <thead>
        <tr>
          <th scope="col">{t('stats.what')}</th>
          <th scope="col">{t('games.title')}</th>
          <th scope="col">+</th>
          <th scope="col">=</th>
          <th scope="col">−</th>
          <th scope="col">{t('stats.score')}</th>
        </tr>
      </thead>
      <tbody>
        {visible(table.rows, open.value).map(at => {
          const row = table.rows[at];
          if (!row) return null;
          const isBranch = (table.rows[at + 1]?.depth ?? 0) > row.depth;
          const score = scoreOf(row);
          return (
            <tr key={at}>
              <th scope="row" dir="auto" style={{ paddingInlineStart: `${row.depth + 0.5}rem` }}>
                {isBranch && (
                  <button class="plain fold" aria-expanded={open.value.has(at)} aria-label={t(open.value.has(at) ? 'hide' : 'show')} onClick={() => toggle(at)}>
                    {open.value.has(at) ? '▾' : '▸'}
                  </button>
                )}
                {KINDS[table.name] && row.label && row.label !== of.player ? (
                  <AboutLink kind={KINDS[table.name] ?? 'player'} name={row.label} base={base}>
                    {row.label}
                  </AboutLink>
                ) : (
                  <To base={base} query={queryOf(table.name, row, 'games', of)}>
                    {row.label || '?'}
                  </To>
                )}
              </th>
              {PARTS.map(part => (
                <td key={part} {...(part === 'games' ? { class: 'bar', style: { backgroundSize: `${(100 * row.games) / most}% 100%` } } : {})}>
                  <To base={base} query={row[part] > 0 ? queryOf(table.name, row, part, of) : null}>
                    {number(row[part])}
                  </To>
                </td>
              ))}
              <td>{score === null ? '' : `${number(Math.round(score * 10) / 10)} %`}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function To({ base, query, children }: { base: string; query: string | null; children: ComponentChildren }) {
  if (query === null) return <>{children}</>;
  return (
    <a href={`/base/${encodeURIComponent(base)}?${queryString({ q: query })}`} onClick={follow({ base, query, game: null, path: '', sort: '', panel: '' })}>
      {children}
    </a>
  );
}
