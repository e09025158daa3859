/** Where a game left the repertoires that were used. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, queryString } from '../api';
import { placeOf } from '../address';
import type { RepertoireGameAnswer, RepertoireGamesAnswer } from '../answers';
import { titleOf } from '../library/name';
import * as library from '../library/store';
import { words } from '../research/asking';
import { GameLink } from '../research/parts';
import { choices } from './choices';
import { Exit } from './exit';
import { r } from './words';

export function Where({ game }: { game: string }) {
  const { base, game: number } = placeOf(game);
  const all = library.bases.value ?? [];
  const found = useSignal<ReadonlyMap<string, RepertoireGameAnswer>>(new Map());
  const trouble = useSignal<string | null>(null);
  const asked = choices.value.filter(choice => choice.base !== base && all.some(one => one.id === choice.base));
  const wanted = asked.map(choice => `${choice.base} ${choice.color}`).sort().join('\n');
  useEffect(() => {
    found.value = new Map();
    trouble.value = null;
    const control = new AbortController();
    for (const choice of asked) {
      const parameters = queryString({ of: base, games: number, color: choice.color });
      ask<RepertoireGamesAnswer>(`bases/${encodeURIComponent(choice.base)}/repertoire/check?${parameters}`, { signal: control.signal }).then(
        told => {
          const one = told.games[0];
          if (one) found.value = new Map([...found.peek(), [choice.base, one]]);
        },
        (error: unknown) => {
          if (!control.signal.aborted) trouble.value = words(error);
        },
      );
    }
    return () => control.abort();
  }, [game, wanted]);
  if (base === null || number === null) return null;
  const first = [...found.value.values()][0];
  return (
    <section class="where-left" aria-label={r('where.title')}>
      <h2>{r('where.title')}</h2>
      <p>
        <GameLink base={base} game={number}>
          <span dir="auto">{first ? `${first.game.white || '?'} – ${first.game.black || '?'} ${first.game.result}` : r('where.game', { n: number })}</span>
        </GameLink>
      </p>
      {asked.length === 0 && <p>{r('where.none')}</p>}
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      <dl>
        {asked.map(choice => {
          const told = found.value.get(choice.base);
          const shown = all.find(one => one.id === choice.base);
          return (
            <div key={choice.base}>
              <dt>
                <bdi>{shown ? titleOf(shown, all) : ''}</bdi>
              </dt>
              <dd>{told ? <Exit of={told} base={choice.base} /> : '…'}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
