/** Where games left the repertoire: the last ones of a database. */

import { useSignal } from '@preact/signals';
import { queryString } from '../api';
import { baseId } from '../address';
import type { RepertoireGamesAnswer } from '../answers';
import { titleOf } from '../library/name';
import * as library from '../library/store';
import { useAnswer } from '../research/asking';
import { GameLink, Said } from '../research/parts';
import { choiceOf } from './choices';
import { Exit } from './exit';
import { lineOf } from './gaps';
import { percent } from './lines';
import * as store from './store';
import { r } from './words';

const LAST = 20;
/** Positions of the summary that are shown. */
const LINES = 8;

export function Check() {
  const id = baseId.value ?? '';
  const all = library.bases.value ?? [];
  const others = all.filter(one => one.id !== id);
  const asked = useSignal<{ of: string; player: string; last: number } | null>(null);
  const { color } = choiceOf(id);
  const asking = useAnswer<RepertoireGamesAnswer>(asked.value && `bases/${encodeURIComponent(id)}/repertoire/check?${queryString({ ...asked.value, color })}`);
  const told = asked.value === null ? null : asking.told.value;
  return (
    <section class="here" aria-label={r('tab.check')}>
      <form
        class="choices"
        onSubmit={event => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const player = String(form.get('player') ?? '').trim();
          localStorage.setItem('repertoire-player', player);
          asked.value = { of: String(form.get('of') ?? ''), player, last: Number(form.get('last')) || LAST };
        }}
      >
        <label>
          {r('check.of')}
          <select name="of" required>
            {others.map(one => (
              <option key={one.id} value={one.id}>
                {titleOf(one, all)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {r('check.player')}
          <input name="player" defaultValue={localStorage.getItem('repertoire-player') ?? ''} autocomplete="off" spellcheck={false} />
        </label>
        <label>
          {r('check.last')}
          <input name="last" type="number" min={1} max={500} defaultValue={String(LAST)} required />
        </label>
        <button type="submit" class="button main" disabled={others.length === 0}>
          {r('check.do')}
        </button>
      </form>
      {asked.value && <Said asking={asking} notes={told?.notes ?? []} />}
      {told && <p role="status">{r('check.found', { n: told.count })}</p>}
      {told && told.lines.length > 1 && (
        <ul class="conflicts">
          {told.lines.slice(0, LINES).map((line, at) => (
            <li key={at}>
              {line.fen === null ? (
                r('end.elsewhere')
              ) : (
                <button class="button plain" onClick={() => store.show(line.line, line.fen ?? '')}>
                  {lineOf(line.line) || r('start')}
                </button>
              )}{' '}
              <span class="quiet">
                {r('games.of', { n: line.games })} · {r('check.left', { me: line.me, opponent: line.opponent, ended: line.line_end, inside: line.inside })} {percent(line.score)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {told && (
        <ol class="conflicts games-left">
          {told.games.map(one => (
            <li key={one.game.number}>
              <GameLink base={asked.value?.of ?? ''} game={one.game.number} at={one.ply}>
                <span dir="auto">
                  {one.game.white || '?'} – {one.game.black || '?'} {one.game.result.replace('1/2-1/2', '½–½')}
                </span>
              </GameLink>{' '}
              <span class="quiet">{one.game.date.replaceAll('.??', '')}</span>
              <br />
              <Exit of={one} base={id} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
