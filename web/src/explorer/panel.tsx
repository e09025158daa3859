/** The explorer: moves with bars, how often, how they scored; games of the strong, latest games; filters. */

import type { ExplorerGame, ExplorerMove } from '../api';
import { go, panel } from '../address';
import * as board from '../board/store';
import { shortened } from '../game/tree';
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
  const found = store.explored.value;
  const trouble = store.trouble.value;
  if (trouble) return <p class="trouble">{trouble}</p>;
  if (!found) return <p class="quiet">{t('loading')}</p>;
  return (
    <>
      <p class="opening">
        {found.opening ? `${found.opening.eco} ${found.opening.name}` : ' '}
        {!found.whole && <span class="quiet"> · {t('query.part')}</span>}
      </p>
      {found.moves.length === 0 ? (
        <p class="quiet">{t('explorer.none')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('explorer.move')}</th>
              <th scope="col">{t('explorer.games')}</th>
              <th scope="col">{t('explorer.score')}</th>
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
      <Filters />
      <Shown title={t('explorer.top')} games={found.topGames} />
      <Shown title={t('explorer.latest')} games={found.recentGames} />
    </>
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
    </details>
  );
}

function Shown({ title, games }: { title: string; games: ExplorerGame[] }) {
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
                go({ game: Number(game.id), path: '' });
              }}
              dir="auto"
            >
              <bdi>{shortened(game.white.name)}</bdi> – <bdi>{shortened(game.black.name)}</bdi>
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
