/** What engines think of the position on the board: their lines, the evaluation as a bar, the best move, a threat. */

import { follow, gameNumber } from '../address';
import { session, wish } from '../annotate/store';
import * as board from '../board/store';
import { number, shownSan, t } from '../words';
import * as store from './store';
import type { Line } from './store';

/** An evaluation seen from White. */
function scoreOf(line: Line | undefined): string {
  const score = line?.score;
  if (!score) return '';
  if (score.mate !== undefined) return `#${score.mate}`;
  const pawns = (score.cp ?? 0) / 100;
  return `${pawns > 0 ? '+' : ''}${pawns.toFixed(2)}`;
}

/** White's part of the bar, in per cent. */
function partOf(line: Line | undefined): number {
  const score = line?.score;
  if (!score) return 50;
  if (score.mate !== undefined) return score.mate > 0 ? 100 : 0;
  return 100 / (1 + Math.exp(-0.00368208 * (score.cp ?? 0)));
}

export function Engine() {
  if (gameNumber.value === null && board.game.value === null) return null;
  const first = store.told.value.get(store.chosen.value[0] ?? '');
  return (
    <section class="engine" aria-label={t('engine.title')}>
      <div class="row">
        <button aria-expanded={store.open.value} onClick={store.toggle}>
          {t('engine.title')}
        </button>
        {store.open.value && <b class="score">{scoreOf(first?.lines[0])}</b>}
      </div>
      {store.open.value && (
        <>
          <div class="bar" role="img" aria-label={scoreOf(first?.lines[0]) || t('engine.title')}>
            <i style={{ width: `${partOf(first?.lines[0])}%` }} />
          </div>
          {store.chosen.value.map(name => (
            <Thinking key={name} name={name} />
          ))}
          <Wishes best={first?.lines[0]?.moves[0]} />
          <Settings />
        </>
      )}
    </section>
  );
}

/** Plays moves of a line: into the game that is annotated as one change, for each is granted by the server; else beside the game. */
function play(moves: string[]): void {
  if (session.peek()) void wish({ kind: 'line', moves });
  else moves.forEach(one => board.playTyped(one));
}

/** One engine with its lines. */
function Thinking({ name }: { name: string }) {
  const now = store.told.value.get(name);
  const trouble = store.trouble.value.get(name) ?? now?.message;
  return (
    <>
      <p class="quiet">
        {store.chosen.value.length > 1 && <bdi>{now?.engine ?? name} </bdi>}
        {now && now.depth > 0 && t('engine.depth', { depth: now.depth, speed: number(now.speed) })}
      </p>
      {trouble && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      <ol>
        {now?.lines.map((line, at) => (
          <li key={at}>
            <b>{scoreOf(line)}</b>{' '}
            {line.moves.slice(0, 12).map((move, ply) => (
              <button key={ply} class="plain" disabled={store.threat.value} onClick={() => play(line.moves.slice(0, ply + 1))}>
                {shownSan(move)}
              </button>
            ))}
            {session.value && !store.threat.value && (
              <button onClick={() => void wish({ kind: 'line', moves: line.moves.slice(0, 12) })}>{t('engine.insert')}</button>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function Wishes({ best }: { best: string | undefined }) {
  return (
    <div class="row">
      <label>
        {t('engine.lines')}{' '}
        <select value={store.count.value} onChange={event => (store.count.value = Number(event.currentTarget.value))}>
          {[1, 2, 3, 4, 5, 6, 7, 8].map(one => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button disabled={best === undefined || store.threat.value} onClick={() => best !== undefined && board.playTyped(best)}>
        {t('engine.best')}
      </button>
      <button aria-pressed={store.threat.value} onClick={() => (store.threat.value = !store.threat.value)}>
        {t('engine.threat')}
      </button>
      <button aria-pressed={store.drawn.value} onClick={() => store.setDrawn(!store.drawn.value)}>
        {t('engine.arrows')}
      </button>
      {gameNumber.value !== null && (
        <a href={`${location.pathname}?panel=analyse`} onClick={follow({ panel: 'analyse' })}>
          {t('analyse.title')}
        </a>
      )}
    </div>
  );
}

const HASHES = [16, 64, 256, 1_024, 4_096];

/** Which engines think, and with how much. Their programs are shown, and set in the settings file alone. */
function Settings() {
  const all = store.engines.value;
  const first = all[0];
  if (!first) return null;
  const chosen = store.chosen.value.map(name => name || first.name);
  return (
    <details class="settings">
      <summary>{t('engine.settings')}</summary>
      {all.length > 1 && (
        <fieldset>
          <legend>{t('engine.which')}</legend>
          {all.map(one => (
            <label key={one.name} title={one.program}>
              <input type="checkbox" checked={chosen.includes(one.name)} onChange={event => store.choose(one.name, event.currentTarget.checked)} /> {one.name}
            </label>
          ))}
        </fieldset>
      )}
      <div class="row">
        <label>
          {t('engine.threads')}{' '}
          <select name="threads" value={store.threads.value} onChange={event => (store.threads.value = Number(event.currentTarget.value))}>
            <option value={0}>–</option>
            {Array.from({ length: Math.min(first.threads, 64) }, (_, at) => (
              <option key={at}>{at + 1}</option>
            ))}
          </select>
        </label>
        <label>
          {t('engine.hash')}{' '}
          <select name="hash" value={store.hash.value} onChange={event => (store.hash.value = Number(event.currentTarget.value))}>
            <option value={0}>–</option>
            {HASHES.filter(one => one <= first.hash).map(one => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}
