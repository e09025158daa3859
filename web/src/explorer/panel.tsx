/** The explorer: moves with bars, how often, how they scored; games of the strong, latest games; filters. */

import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ExplorerGame, ExplorerMove } from '../api';
import { addressOf, baseId, follow, go, panel, place, placeAfter } from '../address';
import { openTab } from '../layout/tabs';
import * as board from '../board/store';
import { later } from '../later';
import { shortened } from '../game/tree';
import { titleOf } from '../library/name';
import { bases } from '../library/store';
import { Button } from '../ui/button';
import { Progress } from '../ui/progress';
import { Table } from '../ui/table';
import type { Column } from '../ui/table';
import { number, shownSan, t } from '../words';
import * as store from './store';

const Filters = later(async () => (await import('./filters')).Filters, null);
const Books = later(async () => (await import('./books')).Books, null);

export function Explorer() {
  const closed = panel.value === 'closed';
  return (
    <section class="explorer" aria-label={t('explorer.title')}>
      <header>
        <h2>{t('explorer.title')}</h2>
        {!closed && <Filters />}
        {panel.value !== 'repertoire' && (
          <button aria-expanded={!closed} onClick={() => go({ panel: closed ? '' : 'closed' }, true)}>
            {t(closed ? 'show' : 'hide')}
          </button>
        )}
      </header>
      {!closed && <Content />}
    </section>
  );
}

/** Milliseconds after which an answer is late. */
const LATE = 1_000;

/** In the place of an answer that is late: how long it takes, and the way to stop it. */
function Waiting() {
  const isLate = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isLate.value = true), LATE);
    return () => clearTimeout(timer);
  }, []);
  return isLate.value ? <Progress label={t('working')} onStop={store.stop} before={LATE} /> : null;
}

function Content() {
  const answers = store.answers.value;
  const found = store.opening.value;
  // A book has no games.
  const games = answers.filter(one => !one.explored?.books);
  return (
    <>
      {store.waiting.value > 0 && <Waiting key={board.fen.value} />}
      {store.stopped.value && (
        <p role="status">
          {t('stopped')} <Button onClick={store.again}>{t('part.again')}</Button>
        </p>
      )}
      <p class="opening">{found ? `${found.eco} ${found.name}` : ' '}</p>
      <div class="beside">
        {games.map(one => (
          <Answer key={one.base} answer={one} named={answers.length > 1} />
        ))}
      </div>
      {games.length < answers.length && <Books />}
      {answers.map(one => (
        <div key={one.base}>
          <Shown title={t('explorer.top')} base={one.base} games={one.explored?.topGames ?? []} />
          <Shown title={t('explorer.latest')} base={one.base} games={one.explored?.recentGames ?? []} />
        </div>
      ))}
    </>
  );
}

/** Per cent that a part of a bar has to have for its figure to fit. */
const LEGIBLE = 14;

const share = (move: ExplorerMove, part: number): number => Math.round((100 * part) / Math.max(1, move.white + move.draws + move.black));

/** The results as a bar, with the per cent in its parts. */
function Bar({ move }: { move: ExplorerMove }) {
  const parts = [
    ['white', move.white],
    ['draw', move.draws],
    ['black', move.black],
  ] as const;
  const [white, draws, black] = parts.map(([, part]) => share(move, part)) as [number, number, number];
  return (
    <span class="bar" role="img" aria-label={t('explorer.bar', { white, draws, black })}>
      {parts.map(([name, part]) => (
        <i key={name} class={name} style={{ flexGrow: part }}>
          {share(move, part) >= LEGIBLE && `${share(move, part)}%`}
        </i>
      ))}
    </span>
  );
}

const COLUMNS = (isOld: boolean): Column<ExplorerMove>[] => [
  { key: 'move', label: t('explorer.move'), isName: true, show: move => <Move move={move} isOld={isOld} /> },
  { key: 'games', label: t('explorer.games'), isFigure: true, show: move => number(move.games) },
  {
    key: 'score',
    label: (
      <>
        <span class="hidden">{t('explorer.score')}</span>
        <span aria-hidden="true">+ = −</span>
      </>
    ),
    title: t('explorer.score'),
    show: move => <Bar move={move} />,
  },
  { key: 'elo', label: t('column.elo'), isFigure: true, show: move => move.averageRating ?? '' },
  { key: 'performance', label: t('explorer.performance'), isFigure: true, show: move => move.performance ?? '' },
  { key: 'last', label: t('explorer.last'), isFigure: true, show: move => move.lastPlayed?.slice(0, 4) ?? '' },
];

function Answer({ answer, named }: { answer: store.Answer; named: boolean }) {
  const found = answer.explored;
  const base = bases.value?.find(one => one.id === answer.base);
  const name = base ? titleOf(base, bases.value ?? []) : '';
  // Moves of the position before stand here until those of the new one come.
  const isOld = answer.fen !== board.fen.value;
  const box = useRef<HTMLDivElement>(null);
  const had = box.current?.contains(document.activeElement);
  // Who goes from move to move with the keyboard stays among them, though the one that was played has gone.
  useLayoutEffect(() => {
    if (had && !box.current?.contains(document.activeElement)) box.current?.querySelector<HTMLElement>('tbody button')?.focus();
  });
  return (
    <div class="answer" ref={box} aria-busy={isOld}>
      {named && <h3 dir="auto">{name}</h3>}
      {answer.trouble && <p class="trouble">{answer.trouble}</p>}
      {found && !found.whole && <p class="quiet">{t('query.part')}</p>}
      {found && found.moves.length === 0 && <p class="quiet">{t('explorer.none')}</p>}
      {found && found.moves.length > 0 && <Table columns={COLUMNS(isOld)} rows={found.moves} keyOf={move => move.uci} onPoint={move => (store.hovered.value = move?.uci ?? null)} />}
    </div>
  );
}

function Move({ move, isOld }: { move: ExplorerMove; isOld: boolean }) {
  const hover = (on: boolean) => () => (store.hovered.value = on ? move.uci : null);
  // A move of another position may be legal here too, and is not the one that was meant.
  const play = () => void (isOld || board.playTyped(move.san));
  return (
    <button class="button plain" aria-disabled={isOld} onClick={play} onFocus={hover(true)} onBlur={hover(false)} title={move.opening?.name ?? ''}>
      {shownSan(move.san)}
    </button>
  );
}

function Shown({ title, base, games }: { title: string; base: string; games: ExplorerGame[] }) {
  if (games.length === 0) return null;
  const other = base === baseId.value ? {} : { base, query: '', sort: '' };
  const to = (game: ExplorerGame) => placeAfter(place.value, { ...other, game: Number(game.id), path: '' });
  return (
    <div class="shown">
      <h3>{title}</h3>
      <ul>
        {games.map(game => (
          <li key={game.id}>
            <a
              href={addressOf(to(game))}
              onClick={follow(to(game))}
              onAuxClick={event => {
                event.preventDefault();
                openTab(to(game));
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
