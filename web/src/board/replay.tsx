/** Playing a game through: by itself at a pace of one's own, from game to game, and from place to place. */

import { effect, signal } from '@preact/signals';
import { gameNumber } from '../address';
import { stepGame } from '../games/steps';
import { t } from '../words';
import type { Key } from '../words';
import { jump, jumpToNovelty } from './jumps';
import { plays } from './playing';
import * as board from './store';

const PACES = [0.5, 1, 2, 3, 5, 10];

/** Seconds for a move. */
const pace = signal(Number(localStorage.getItem('pace')) || 2);

effect(() => localStorage.setItem('pace', String(pace.value)));

/** Whether something follows the position on the board. */
function follows(): boolean {
  const line = board.scratch.peek();
  return line ? line.shown < line.moves.length : (board.node.peek()?.children.length ?? 0) > 0;
}

effect(() => {
  const [isOn, seconds] = [plays.value, pace.value];
  if (!isOn) return;
  const timer = setInterval(() => {
    if (follows()) board.next();
    if (!follows()) plays.value = false;
  }, seconds * 1000);
  return () => clearInterval(timer);
});

// Another game is looked at from its start.
let shown = gameNumber.peek();
effect(() => {
  if (gameNumber.value === shown) return;
  shown = gameNumber.value;
  plays.value = false;
});

const PLACES: { kind: string; key: string; act: () => unknown }[] = [
  { kind: 'comment', key: 'w', act: () => jump('comment', 1) },
  { kind: 'sign', key: 's', act: () => jump('sign', 1) },
  { kind: 'variation', key: 'v', act: () => jump('variation', 1) },
  { kind: 'blunder', key: 'x', act: () => jump('blunder', 1) },
  { kind: 'novelty', key: 'y', act: () => jumpToNovelty() },
];

export function Replay() {
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest('details')?.removeAttribute('open');
  return (
    <details class="menu up replay">
      <summary>{t('replay.title')}</summary>
      <ul>
        <li>
          <button
            type="button"
            aria-pressed={plays.value}
            onClick={event => {
              close(event);
              plays.value = !plays.value;
            }}
          >
            {t(plays.value ? 'replay.stop' : 'replay.play')} <kbd>a</kbd>
          </button>
        </li>
        <li>
          <label>
            {t('replay.pace')}{' '}
            <select value={pace.value} onChange={event => (pace.value = Number(event.currentTarget.value))}>
              {PACES.map(one => (
                <option key={one} value={one}>
                  {t('replay.seconds', { n: one })}
                </option>
              ))}
            </select>
          </label>
        </li>
        {([1, -1] as const).map(by => (
          <li key={by}>
            <button type="button" onClick={() => void stepGame(by)}>
              {t(by > 0 ? 'key.next-game' : 'key.previous-game')} <kbd>{by > 0 ? 'n' : 'N'}</kbd>
            </button>
          </li>
        ))}
        {PLACES.map(({ kind, key, act }) => (
          <li key={kind}>
            <button type="button" onClick={() => void act()}>
              {t(`key.next-${kind}` as Key)} <kbd>{key}</kbd>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
