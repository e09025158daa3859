/** The explorer: moves with bars, how often, how they scored; games of the strong, latest games; filters. */

import type { ExplorerGame, ExplorerMove } from '../api';
import { baseId, go, panel } from '../address';
import * as board from '../board/store';
import { shortened } from '../game/tree';
import { bases } from '../library/store';
import { number, shownSan, t } from '../words';
import * as store from './store';

export function Explorer() {
  const closed = panel.value === 'closed';
  return (
    <section class="explorer" aria-label={t('explorer.title')}>
      <header>
        <h2>{t('explorer.title')}</h2>
        <button aria-expanded={!closed} onClick={() => go({ panel: closed ? '' : 'closed' }, true)}>
          {t(closed ? 'show' : 'hide')}
        </button>
      </header>
      {!closed && <Content />}
    </section>
  );
}

function Content() {
  const answers = store.answers.value;
  if (answers.length === 0) return <p class="quiet">{t('loading')}</p>;
  const [first] = answers;
  return (
    <>
      <p class="opening">{first?.explored?.opening ? `${first.explored.opening.eco} ${first.explored.opening.name}` : ' '}</p>
      <div class="beside">
        {answers.map(one => (
          <Answer key={one.base} answer={one} named={answers.length > 1} />
        ))}
      </div>
      <Filters />
      {answers.map(one => (
        <div key={one.base}>
          <Shown title={t('explorer.top')} base={one.base} games={one.explored?.topGames ?? []} />
          <Shown title={t('explorer.latest')} base={one.base} games={one.explored?.recentGames ?? []} />
        </div>
      ))}
    </>
  );
}

function Answer({ answer, named }: { answer: store.Answer; named: boolean }) {
  const found = answer.explored;
  const name = bases.value?.find(base => base.id === answer.base)?.name ?? '';
  return (
    <div class="answer">
      {named && <h3 dir="auto">{name}</h3>}
      {answer.trouble && <p class="trouble">{answer.trouble}</p>}
      {found && !found.whole && <p class="quiet">{t('query.part')}</p>}
      {found && found.moves.length === 0 && <p class="quiet">{t('explorer.none')}</p>}
      {found && found.moves.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('explorer.move')}</th>
              <th scope="col">{t('explorer.games')}</th>
              <th scope="col" title={t('explorer.score')}>
                <span class="hidden">{t('explorer.score')}</span>
                <span aria-hidden="true">+ = −</span>
              </th>
              <th scope="col">{t('column.elo')}</th>
              <th scope="col">{t('explorer.performance')}</th>
              <th scope="col">{t('explorer.last')}</th>
            </tr>
          </thead>
          <tbody>
            {found.moves.map(move => (
              <Move key={move.uci} move={move} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Move({ move }: { move: ExplorerMove }) {
  const ended = Math.max(1, move.white + move.draws + move.black);
  const share = (part: number) => Math.round((100 * part) / ended);
  const hover = (on: boolean) => () => (store.hovered.value = on ? move.uci : null);
  return (
    <tr onPointerEnter={hover(true)} onPointerLeave={hover(false)}>
      <th scope="row">
        <button onClick={() => board.playTyped(move.san)} onFocus={hover(true)} onBlur={hover(false)} title={move.opening?.name ?? ''}>
          {shownSan(move.san)}
        </button>
      </th>
      <td class="end">{number(move.games)}</td>
      <td>
        <span
          class="bar"
          role="img"
          aria-label={t('explorer.bar', { white: share(move.white), draws: share(move.draws), black: share(move.black) })}
        >
          <i class="white" style={{ flexGrow: move.white }} />
          <i class="draw" style={{ flexGrow: move.draws }} />
          <i class="black" style={{ flexGrow: move.black }} />
        </span>
      </td>
      <td class="end">{move.averageRating ?? ''}</td>
      <td class="end">{move.performance ?? ''}</td>
      <td class="end">{move.lastPlayed?.slice(0, 4) ?? ''}</td>
    </tr>
  );
}

function Filters() {
  const set = (name: string) => (event: Event) => {
    const value = (event.currentTarget as HTMLInputElement).value.trim();
    store.filter.value = { ...store.filter.value, [name]: value };
  };
  const now = store.filter.value;
  const others = (bases.value ?? []).filter(base => base.id !== baseId.value);
  return (
    <details class="filters">
      <summary>{t('explorer.filter')}</summary>
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
              <bdi>{base.name}</bdi>
            </label>
          ))}
        </fieldset>
      )}
    </details>
  );
}

function Shown({ title, base, games }: { title: string; base: string; games: ExplorerGame[] }) {
  if (games.length === 0) return null;
  return (
    <div class="shown">
      <h3>{title}</h3>
      <ul>
        {games.map(game => (
          <li key={game.id}>
            <a
              href={`?game=${game.id}`}
              onClick={event => {
                event.preventDefault();
                const other = base === baseId.value ? {} : { base, query: '', sort: '' };
                go({ ...other, game: Number(game.id), path: '' });
              }}
              dir="auto"
            >
              <bdi>{shortened(game.white.name) || '?'}</bdi> – <bdi>{shortened(game.black.name) || '?'}</bdi>
            </a>{' '}
            <span class="quiet">
              {game.result.replace('1/2-1/2', '½–½')} {game.year || ''}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
