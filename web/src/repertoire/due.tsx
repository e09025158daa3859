/** How much of the repertoires is due, with the way to train it. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, queryString } from '../api';
import { follow } from '../address';
import type { TrainingCountsAnswer } from '../answers';
import { titleOf } from '../library/name';
import * as library from '../library/store';
import { choices } from './choices';
import { r } from './words';

export function Due() {
  const counts = useSignal<ReadonlyMap<string, TrainingCountsAnswer>>(new Map());
  const all = library.bases.value;
  const open = choices.value.filter(choice => all?.some(base => base.id === choice.base));
  const wanted = open.map(choice => `${choice.base} ${choice.color}`).join('\n');
  useEffect(() => {
    const control = new AbortController();
    for (const { base, color } of open) {
      ask<TrainingCountsAnswer>(`bases/${encodeURIComponent(base)}/repertoire/due?${queryString({ color })}`, { signal: control.signal }).then(
        told => (counts.value = new Map([...counts.peek(), [base, told]])),
        // A base that makes no repertoire now says so on its own page.
        () => undefined,
      );
    }
    return () => control.abort();
  }, [wanted]);
  const shown = open.flatMap(choice => {
    const told = counts.value.get(choice.base);
    const base = all?.find(one => one.id === choice.base);
    return told && base && told.due + told.new > 0 ? [{ told, base }] : [];
  });
  if (shown.length === 0 || library.readOnly.value) return null;
  return (
    <section class="due" aria-label={r('due.title')}>
      <h2>{r('due.title')}</h2>
      <ul>
        {shown.map(({ told, base }) => (
          <li key={base.id}>
            <bdi>{titleOf(base, all ?? [])}</bdi>: {r('due', { n: told.due })}, {r('due.new', { n: told.new })}{' '}
            <a class="button" href={`/base/${encodeURIComponent(base.id)}?panel=repertoire-train`} onClick={follow({ base: base.id, game: null, path: '', query: '', sort: '', panel: 'repertoire-train' })}>
              {r('tab.train')}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
