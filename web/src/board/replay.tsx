/** Playing a game through: by itself at a pace of one's own, from game to game, and from place to place. */

import { effect, signal } from '@preact/signals';
import { gameNumber } from '../address';
import { stepGame } from '../games/steps';
import { Button } from '../ui/button';
import { Popup, closePopup } from '../ui/menu';
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
  return (
    <Popup class="replay" label={t('replay.title')} icon="play">
      <Button
        icon={plays.value ? 'pause' : 'play'}
        aria-pressed={plays.value}
        onClick={event => {
          closePopup(event);
          plays.value = !plays.value;
        }}
      >
        {t(plays.value ? 'query.stop' : 'replay.play')} <kbd>a</kbd>
      </Button>
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
      <ul>
        {([1, -1] as const).map(by => (
          <li key={by}>
            <Button kind="plain" onClick={() => void stepGame(by)}>
              <kbd>{by > 0 ? 'n' : 'N'}</kbd> {t(by > 0 ? 'key.next-game' : 'key.previous-game')}
            </Button>
          </li>
        ))}
        {PLACES.map(({ kind, key, act }) => (
          <li key={kind}>
            <Button kind="plain" onClick={() => void act()}>
              <kbd>{key}</kbd> {t(`key.next-${kind}` as Key)}
            </Button>
          </li>
        ))}
      </ul>
    </Popup>
  );
}
