/** Doubles side by side: what speaks for it, which of both stays, and the others marked as deleted. */

import { useSignal } from '@preact/signals';
import { change } from '../annotate/api';
import { queryString } from '../api';
import { baseId, query } from '../address';
import { reload } from '../library/changed';
import * as library from '../library/store';
import { t } from '../words';
import { during } from '../work';
import { useAnswer, words } from './asking';
import { Asked, Said, Shown } from './parts';
import type { DuplicatesAnswer } from '../answers';

type Told = DuplicatesAnswer;

type Choice = 'keep' | 'drop' | 'both';

export function Doubles() {
  const id = baseId.value ?? '';
  const base = library.bases.value?.find(one => one.id === id);
  const among = useSignal(query.value);
  const asking = useAnswer<Told>(`bases/${encodeURIComponent(id)}/doubles?${queryString({ query: among.value })}`);
  const { told, again } = asking;
  /** What was chosen otherwise than it was proposed. */
  const chosen = useSignal<ReadonlyMap<number, Choice>>(new Map());
  const done = useSignal<string | null>(null);
  const failed = useSignal<string | null>(null);
  const may = Boolean(base?.editable) && !library.readOnly.value;
  const found = told.value;
  const choice = (at: number): Choice => chosen.value.get(at) ?? 'keep';
  const goes = found?.pairs.flatMap((pair, at) => (choice(at) === 'both' ? [] : [choice(at) === 'keep' ? pair.drop.number : pair.keep.number])) ?? [];
  /** A game that stays beside one double may not go because of another. */
  const games = [...new Set(goes)];
  const mark = async () => {
    done.value = failed.value = null;
    try {
      const answer = await during(t('doubles.title'), init => change(id, { kind: 'delete', games }, init), false);
      done.value = [t('changes.done', { n: answer.games }), answer.wish].join(' · ');
      chosen.value = new Map();
      reload(id);
      again.value++;
    } catch (error) {
      failed.value = words(error);
    }
  };
  return (
    <main class="research library" id="main">
      <h1>{t('doubles.title')}</h1>
      <Asked
        query={among.value}
        onAsk={form => {
          among.value = String(form.get('query') ?? '').trim();
          chosen.value = new Map();
        }}
      />
      <Said asking={asking} failed={failed.value} notes={found?.notes ?? []} />
      {done.value !== null && (
        <p role="status" dir="auto">
          {done.value}
        </p>
      )}
      {found && (
        <>
          <p>
            {found.count === 0 ? t('doubles.none') : t('doubles.found', { n: found.count })}
            {found.count > found.pairs.length && <span class="quiet"> {t('stats.of', { n: found.pairs.length, all: found.count })}</span>}
          </p>
          {may && games.length > 0 && (
            <p>
              <button onClick={() => void mark()}>{t('doubles.mark', { n: games.length })}</button>
            </p>
          )}
          <ol class="pairs">
            {found.pairs.map((pair, at) => (
              <li key={`${pair.keep.number}-${pair.drop.number}`}>
                <div class="two">
                  {(['keep', 'drop'] as const).map(side => (
                    <label key={side} class={choice(at) === side || choice(at) === 'both' ? 'stays' : 'goes'}>
                      {may && (
                        <input
                          type="radio"
                          name={`pair-${at}`}
                          checked={choice(at) === side}
                          onChange={() => (chosen.value = new Map([...chosen.value, [at, side]]))}
                        />
                      )}{' '}
                      <span>
                        <Shown base={id} game={pair[side]} />
                      </span>
                    </label>
                  ))}
                </div>
                {may && (
                  <label class="tick">
                    <input
                      type="radio"
                      name={`pair-${at}`}
                      checked={choice(at) === 'both'}
                      onChange={() => (chosen.value = new Map([...chosen.value, [at, 'both']]))}
                    />{' '}
                    {t('doubles.both')}
                  </label>
                )}
                <p class="quiet" dir="auto">
                  {[...pair.reasons, pair.stays].join(' · ')}
                </p>
              </li>
            ))}
          </ol>
        </>
      )}
    </main>
  );
}
