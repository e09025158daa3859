/** Training: what is asked, how it was answered, and the keys. */

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask, queryString } from '../api';
import { baseId } from '../address';
import type { TrainingCountsAnswer } from '../answers';
import * as library from '../library/store';
import { Button } from '../ui/button';
import { language, shownSan } from '../words';
import { choiceOf } from './choices';
import * as training from './training';
import { r } from './words';

const RATINGS = ['hard', 'good', 'easy'] as const;

/** Keys while a move is asked. */
function onKey(event: KeyboardEvent): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const target = event.target as HTMLElement | null;
  if (target?.closest('input, select, textarea, dialog, .popup')) return;
  const rating = RATINGS[Number(event.key) - 1];
  const stage = training.stage.peek();
  if (rating) training.rating.value = rating;
  else if (event.key === 'r' && stage === 'asked') void training.answer(null);
  else if (event.key === 'z' && stage === 'asked') void training.skip();
  else if ((event.key === 'n' || (['Enter', ' '].includes(event.key) && !target?.closest('button, a'))) && (stage === 'wrong' || stage === 'ends')) void training.proceed();
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** A time as the language writes it. */
const timeOf = (text: string): string => new Date(text).toLocaleString(language.value, { dateStyle: 'medium', timeStyle: 'short' });

/** Nothing is asked any more: when it goes on, and how to go on now. */
function Over({ id }: { id: string }) {
  const counts = useSignal<TrainingCountsAnswer | null>(null);
  useEffect(() => {
    const { color } = choiceOf(id);
    ask<TrainingCountsAnswer>(`bases/${encodeURIComponent(id)}/repertoire/due?${queryString({ color })}`).then(
      told => (counts.value = told),
      () => undefined,
    );
  }, [id]);
  const told = counts.value;
  return (
    <>
      {told && told.all === 0 && <p>{r('train.empty')}</p>}
      {told && told.all > 0 && (
        <p>
          {r('due', { n: told.due })}, {r('due.new', { n: told.new })}
          {told.next && ` · ${r('train.next', { time: timeOf(told.next) })}`}
        </p>
      )}
      {told && told.all > 0 && (
        <p class="row">
          <Button kind="main" onClick={() => void training.begin(id, { ahead: true })}>
            {r(told.due + told.new > 0 ? 'train.again' : 'train.ahead')}
          </Button>
        </p>
      )}
    </>
  );
}

export function Train() {
  const id = baseId.value ?? '';
  const box = useRef<HTMLElement>(null);
  const stage = training.stage.value;
  const isReadOnly = library.readOnly.value;
  useEffect(() => {
    if (!isReadOnly) void training.begin(id);
    addEventListener('keydown', onKey, { capture: true });
    return () => {
      removeEventListener('keydown', onKey, { capture: true });
      training.end();
    };
  }, [id, isReadOnly]);
  // What goes on has the focus, unless somebody types.
  useEffect(() => {
    const field = document.activeElement?.closest('input, .squares-grid');
    if (!field && (stage === 'wrong' || stage === 'ends')) box.current?.querySelector<HTMLElement>('.go-on')?.focus();
  }, [stage]);
  // Until the library is known it is not known either whether the server may be changed.
  if (isReadOnly) return library.bases.value && <p>{r('train.read-only')}</p>;
  const [now, question, verdict] = [training.now.value, training.question.value, training.verdict.value];
  const line = question ? training.lineOf(question) : '';
  return (
    <section class="here training" aria-label={r('tab.train')} ref={box}>
      {now && now.all > 0 && (
        <p class="quiet">
          {r('train.progress', { right: now.right, wrong: now.wrong })} · {r('train.left', { n: now.left })}
        </p>
      )}
      {question && stage !== 'over' && <p class="line-so-far">{line || r('start')}</p>}
      <p class={`verdict ${stage}`} role="status">
        {stage === 'none' && training.trouble.value === null && r('train.begins')}
        {(stage === 'asked' || stage === 'busy') && verdict?.right && question && !question.begins && `${r('train.right')} `}
        {stage === 'asked' && r('train.asked')}
        {stage === 'wrong' && verdict && r('train.wrong', { moves: verdict.moves.map(one => shownSan(one.san)).join(', ') })}
        {stage === 'ends' && (verdict?.right ? `${r('train.right')} ${r('train.ends')}` : r('train.ends'))}
        {stage === 'over' && r(now?.all === 0 ? 'train.nothing' : 'train.over')}
      </p>
      {training.trouble.value && (
        <p class="trouble" role="alert">
          {training.trouble.value}
        </p>
      )}
      {(stage === 'wrong' || stage === 'ends') && (
        <p class="row">
          <Button kind="main" class="go-on" onClick={() => void training.proceed()}>
            {r(stage === 'wrong' ? 'train.go-on' : 'train.next-line')} <kbd>N</kbd>
          </Button>
        </p>
      )}
      {(stage === 'asked' || stage === 'busy') && (
        <>
          <p class="row" role="group" aria-label={r('rating')}>
            {RATINGS.map((one, at) => (
              <Button key={one} aria-pressed={training.rating.value === one} onClick={() => (training.rating.value = one)}>
                {r(`rating.${one}`)} <kbd>{at + 1}</kbd>
              </Button>
            ))}
          </p>
          <p class="row">
            <Button onClick={() => void training.answer(null)}>
              {r('train.show')} <kbd>R</kbd>
            </Button>
            <Button onClick={() => void training.skip()}>
              {r('train.skip')} <kbd>Z</kbd>
            </Button>
          </p>
        </>
      )}
      {stage === 'over' && <Over id={id} />}
      <p class="quiet help">{r('train.help')}</p>
    </section>
  );
}
