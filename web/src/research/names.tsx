/** Names in several spellings: which is right is chosen, and the base is put right in one change that can be undone. */

import { useSignal } from '@preact/signals';
import { post, queryString } from '../api';
import { baseId, query } from '../address';
import { reload } from '../library/changed';
import * as library from '../library/store';
import { t } from '../words';
import { during } from '../work';
import { useAnswer, words } from './asking';
import { Asked, Said } from './parts';
import type { NameAnswer, NameCorrectionsAnswer, NameGroupAnswer, NameVariantAnswer, SpellingsAnswer } from '../answers';

type Named = NameAnswer;

type Group = NameGroupAnswer;

type Told = SpellingsAnswer;

type Done = NameCorrectionsAnswer;

const keyOf = (group: Group, name: string): string => `${group.kind} ${group.keep.name} ${name}`;

export function Names() {
  const id = baseId.value ?? '';
  const base = library.bases.value?.find(one => one.id === id);
  const among = useSignal(query.value);
  const asking = useAnswer<Told>(`bases/${encodeURIComponent(id)}/names?${queryString({ query: among.value })}`);
  const { told, again } = asking;
  /** The variants that are to be put right, and the names that are right where others were proposed. */
  const wrong = useSignal<ReadonlySet<string>>(new Set());
  const right = useSignal<ReadonlyMap<number, string>>(new Map());
  const done = useSignal<string | null>(null);
  const failed = useSignal<string | null>(null);
  const may = Boolean(base?.editable) && !library.readOnly.value;
  const found = told.value;
  const keep = (group: Group, at: number): string => right.value.get(at) ?? group.keep.name;
  const wanted = (found?.groups ?? []).flatMap((group, at) => {
    const all = [group.keep, ...group.variants].map(one => one.name).filter(name => name !== keep(group, at));
    const variants = all.filter(name => wrong.value.has(keyOf(group, name)));
    return variants.length > 0 ? [{ kind: group.kind, keep: keep(group, at), variants }] : [];
  });
  const count = wanted.reduce((sum, one) => sum + one.variants.length, 0);
  const forget = () => {
    wrong.value = new Set();
    right.value = new Map();
  };
  const correct = async () => {
    done.value = failed.value = null;
    try {
      const answer = await during(t('names.title'), init => post<Done>(`bases/${encodeURIComponent(id)}/names`, { names: wanted }, init), false);
      done.value = [t('changes.done', { n: answer.games }), ...answer.notes].join(' · ');
      forget();
      reload(id);
      again.value++;
    } catch (error) {
      failed.value = words(error);
    }
  };
  const choose = (group: Group, at: number, name: string) => {
    right.value = new Map([...right.value, [at, name]]);
    // Who says which one is right means that the others are not.
    const others = [group.keep, ...group.variants].map(one => one.name).filter(one => one !== name);
    wrong.value = new Set([...wrong.value, ...others.map(one => keyOf(group, one))]);
  };
  const tick = (key: string) => {
    const next = new Set(wrong.value);
    if (!next.delete(key)) next.add(key);
    wrong.value = next;
  };
  return (
    <main class="research library" id="main">
      <h1>{t('names.title')}</h1>
      <Asked
        query={among.value}
        onAsk={form => {
          among.value = String(form.get('query') ?? '').trim();
          forget();
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
            {found.count === 0 ? t('names.none') : t('names.found', { n: found.count })}
            {found.count > found.groups.length && <span class="quiet"> {t('stats.of', { n: found.groups.length, all: found.count })}</span>}
          </p>
          {may && count > 0 && (
            <p>
              <button onClick={() => void correct()}>{t('names.correct', { n: count })}</button>
            </p>
          )}
          <ol class="groups">
            {found.groups.map((group, at) => (
              <li key={`${group.kind} ${group.keep.name}`}>
                <fieldset>
                  <legend>{t(`names.${group.kind}`)}</legend>
                  <ul>
                    {([group.keep, ...group.variants] as (NameAnswer | NameVariantAnswer)[]).map(one => {
                      const isRight = keep(group, at) === one.name;
                      const key = keyOf(group, one.name);
                      return (
                        <li key={one.name}>
                          {may && (
                            <label class="tick" title={t('names.right')}>
                              <input type="radio" name={`group-${at}`} checked={isRight} onChange={() => choose(group, at, one.name)} />{' '}
                              <span class="hidden">{t('names.right')}</span>
                            </label>
                          )}
                          <bdi class={isRight ? 'right' : ''}>{one.name}</bdi> <Known named={one} />
                          {may && !isRight && (
                            <label class="tick">
                              <input type="checkbox" checked={wrong.value.has(key)} onChange={() => tick(key)} /> {t('names.becomes', { name: keep(group, at) })}
                            </label>
                          )}
                          {'how' in one && (
                            <p class="quiet" dir="auto">
                              {[one.how, ...one.evidence, ...one.or.map(other => `≟ ${other}`)].join(' · ')}
                            </p>
                          )}
                        </li>
                      );
                    })}
                  </ul>
                </fieldset>
              </li>
            ))}
          </ol>
        </>
      )}
    </main>
  );
}

/** In how many games, when, how strong. */
function Known({ named }: { named: Named }) {
  const span = (from: number, to: number) => (from === to ? String(from) : `${from}–${to}`);
  return (
    <span class="quiet">
      {t('games', { n: named.games })}
      {named.years && <> · {span(...named.years)}</>}
      {named.elos && <> · Elo {span(...named.elos)}</>}
    </span>
  );
}
