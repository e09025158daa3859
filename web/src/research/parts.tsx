/** What the pages that look through a base share: the query, what went wrong, links to games, notes. */

import type { ComponentChildren } from 'preact';
import { follow } from '../address';
import { number, t } from '../words';
import type { Asking } from './asking';
import { Working } from './working';
import type { BaseGameAnswer } from '../answers';

/** A game as the command line tells it. */
export type Game = BaseGameAnswer;

export function GameLink({ base, game, at, children }: { base: string; game: number; at?: number | null; children: ComponentChildren }) {
  const path = at ? String(at) : '';
  return (
    <a
      href={`/base/${encodeURIComponent(base)}/game/${game}${path && `?at=${path}`}`}
      onClick={follow({ base, game, path, query: '', sort: '', panel: '' })}
    >
      {children}
    </a>
  );
}

/** A game in two lines. */
export function Shown({ base, game }: { base: string; game: Game }) {
  const player = (name: string, elo: number | null) => (elo ? `${name} (${elo})` : name || '?');
  return (
    <>
      <GameLink base={base} game={game.number}>
        <span dir="auto">
          {player(game.white, game.white_elo)} – {player(game.black, game.black_elo)} {game.result}
        </span>
      </GameLink>
      <br />
      <span class="quiet" dir="auto">
        {t('game.number', { n: number(game.number) })} · {[game.event, game.site, game.round, game.date].filter(Boolean).join(' · ')}
        {game.plies !== null && <> · {t('plies', { n: game.plies })}</>}
      </span>
    </>
  );
}

/** A field for a query, beside whatever else is asked. */
export function Asked({ query, onAsk, children }: { query: string; onAsk: (form: FormData) => void; children?: ComponentChildren }) {
  return (
    <form
      class="asked"
      onSubmit={event => {
        event.preventDefault();
        onAsk(new FormData(event.currentTarget));
      }}
    >
      <label>
        {t('stats.query')}
        <input name="query" value={query} autocomplete="off" spellcheck={false} />
      </label>
      {children}
      <button type="submit">{t('research.look')}</button>
    </form>
  );
}

export function Said({ asking, failed, notes }: { asking: Asking<unknown>; failed?: string | null; notes: string[] }) {
  return (
    <>
      {failed && (
        <p class="trouble" role="alert">
          {failed}
        </p>
      )}
      <Working asking={asking} />
      {notes.map((note, at) => (
        <p key={at} class="quiet" dir="auto">
          {note}
        </p>
      ))}
    </>
  );
}
