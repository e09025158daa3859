/** What an open engine tells: its lines, what can be wished of it, and its settings. */

import { follow, gameNumber } from '../address';
import { session, wish } from '../annotate/store';
import * as board from '../board/store';
import { playText } from '../game/position';
import { Button } from '../ui/button';
import { Popup } from '../ui/menu';
import { Position } from '../ui/position';
import { shownSan, t } from '../words';
import { scoreOf } from './score';
import * as store from './store';
import type { Line } from './store';

/** Moves of a line that are shown. */
const SHOWN = 12;

export function Thinking() {
  const first = store.told.value.get(store.chosen.value[0] ?? '');
  return (
    <>
      <Settings />
      {store.chosen.value.map(name => (
        <One key={name} name={name} />
      ))}
      <Wishes best={first?.fen === board.fen.value ? first.lines[0]?.moves[0] : undefined} />
      <Peek />
    </>
  );
}

/** Plays moves of a line: into the game that is annotated as one change, for each is granted by the server; else beside the game. */
function play(moves: string[]): void {
  store.peeked.value = null;
  if (session.peek()) void wish({ kind: 'line', moves });
  else moves.forEach(one => board.playTyped(one));
}

/** The board under the pointer. */
function Peek() {
  const at = store.peeked.value;
  if (!at) return null;
  return (
    <div class="peek" style={{ left: `${Math.max(4, Math.min(at.x, innerWidth - 196))}px`, top: `${at.y + 190 > innerHeight ? at.y - 206 : at.y + 8}px` }}>
      <Position fen={at.fen} last={at.last} isFlipped={board.flipped.value} />
    </div>
  );
}

/** Shows the position behind the first moves of a line beside what is pointed at. */
function peek(fen: string, moves: string[], host: Element): void {
  let last = '';
  for (const move of moves) {
    const played = playText(fen, move);
    if (!played) return;
    ({ fen, uci: last } = played);
  }
  const box = host.getBoundingClientRect();
  store.peeked.value = { fen, last, x: box.left, y: box.bottom };
}

/** One engine with its lines. */
function One({ name }: { name: string }) {
  const now = store.told.value.get(name);
  const trouble = store.trouble.value.get(name) ?? now?.message;
  const isStale = now !== undefined && now.fen !== board.fen.value;
  return (
    <>
      {store.chosen.value.length > 1 && (
        <p class="quiet">
          <bdi>{now?.engine ?? name} </bdi>
        </p>
      )}
      {trouble && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      <ol class={isStale ? 'stale' : ''} style={{ minHeight: `${store.count.value * 1.75}rem` }}>
        {now?.lines.map((line, at) => (
          <Thought key={at} line={line} fen={now.fen} isStale={isStale} />
        ))}
      </ol>
    </>
  );
}

/** One line: each move can be played, and is shown on a small board under the pointer. */
function Thought({ line, fen, isStale }: { line: Line; fen: string; isStale: boolean }) {
  const [, side, , , , begins] = fen.split(' ');
  const offset = (Number(begins ?? 1) - 1) * 2 + (side === 'b' ? 1 : 0) + (store.threat.value ? 1 : 0);
  const moves = line.moves.slice(0, SHOWN);
  const isIdle = isStale || store.threat.value;
  return (
    <li>
      <b class={line.score && ('mate' in line.score ? line.score.mate : line.score.cp) < 0 ? 'black' : 'white'}>{scoreOf(line.score)}</b>
      <span class="line" onPointerLeave={() => (store.peeked.value = null)}>
        {moves.map((move, at) => {
          const ply = offset + at;
          const numbered = ply % 2 === 0 ? `${ply / 2 + 1}.` : at === 0 ? `${(ply + 1) / 2}…` : '';
          const show = (event: Event) => !isIdle && peek(fen, moves.slice(0, at + 1), event.currentTarget as Element);
          return (
            <span key={at}>
              {numbered && <span class="quiet">{numbered}</span>}
              <button
                class="plain"
                disabled={isIdle}
                onPointerEnter={show}
                onFocus={show}
                onBlur={() => (store.peeked.value = null)}
                onClick={() => play(line.moves.slice(0, at + 1))}
              >
                {shownSan(move)}
              </button>
            </span>
          );
        })}
      </span>
      {session.value && !store.threat.value && (
        <Button icon="new" label={t('engine.insert')} disabled={isStale} onClick={() => void wish({ kind: 'line', moves: line.moves.slice(0, SHOWN) })} />
      )}
    </li>
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
      <Button disabled={best === undefined || store.threat.value} onClick={() => best !== undefined && board.playTyped(best)}>
        {t('engine.best')}
      </Button>
      <Button aria-pressed={store.threat.value} onClick={() => (store.threat.value = !store.threat.value)}>
        {t('engine.threat')}
      </Button>
      <Button aria-pressed={store.drawn.value} onClick={() => store.setDrawn(!store.drawn.value)}>
        {t('engine.arrows')}
      </Button>
      {gameNumber.value !== null && (
        <a class="button plain" href={`${location.pathname}?panel=analyse`} onClick={follow({ panel: 'analyse' })}>
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
    <Popup class="settings" label={t('engine.settings')} icon="settings" alone>
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
    </Popup>
  );
}
