/** A repertoire beside the board: its tree, what it does not answer, where games leave it, and its training. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { baseId, go, panel, place } from '../address';
import * as explorer from '../explorer/store';
import { later } from '../later';
import { titleOf } from '../library/name';
import * as library from '../library/store';
import { Button } from '../ui/button';
import { Progress } from '../ui/progress';
import { Tabs } from '../ui/tabs';
import { t } from '../words';
import { progressOf } from '../works';
import { choiceOf, choose } from './choices';
import type { Side } from './choices';
import { Lines } from './lines';
import * as store from './store';
import { r } from './words';
import type { Word } from './words';

const Gaps = later(async () => (await import('./gaps')).Gaps, 'section');
const Coverage = later(async () => (await import('./coverage')).Coverage, 'section');
const Conflicts = later(async () => (await import('./conflicts')).Conflicts, 'section');
const Check = later(async () => (await import('./check')).Check, 'section');
const Train = later(async () => (await import('./train')).Train, 'section');

const TABS: [string, Word][] = [['', 'tab.lines'], ['gaps', 'tab.gaps'], ['conflicts', 'tab.conflicts'], ['coverage', 'tab.coverage'], ['check', 'tab.check'], ['train', 'tab.train']];

const SHOWN: Record<string, () => preact.ComponentChildren> = {
  '': () => <Lines />,
  gaps: () => <Gaps />,
  conflicts: () => <Conflicts />,
  coverage: () => <Coverage />,
  check: () => <Check />,
  train: () => <Train />,
};

/** What a repertoire is compared with, and for which side it is. */
function Choices({ id }: { id: string }) {
  const choice = choiceOf(id);
  const all = library.bases.value ?? [];
  return (
    <form
      class="choices"
      onSubmit={event => {
        event.preventDefault();
        choose(id, { query: String(new FormData(event.currentTarget).get('query') ?? '').trim() });
        store.again();
      }}
    >
      <label>
        {r('side')}
        <select
          value={choice.color}
          onChange={event => {
            choose(id, { color: event.currentTarget.value as Side });
            store.again();
          }}
        >
          <option value="">{r('side.tag')}</option>
          <option value="white">{r('white')}</option>
          <option value="black">{r('black')}</option>
        </select>
      </label>
      <label>
        {r('reference')}
        <select
          value={all.some(one => one.id === choice.reference) ? choice.reference : ''}
          onChange={event => {
            choose(id, { reference: event.currentTarget.value });
            store.again();
          }}
        >
          <option value="">{r('reference.none')}</option>
          {all
            .filter(one => one.id !== id)
            .map(one => (
              <option key={one.id} value={one.id}>
                {titleOf(one, all)}
              </option>
            ))}
        </select>
      </label>
      {choice.reference !== '' && (
        <label>
          {r('reference.query')}
          <input name="query" defaultValue={choice.query} placeholder="elo>=2400 date>=2015" autocomplete="off" spellcheck={false} onBlur={event => event.currentTarget.value.trim() !== choice.query && event.currentTarget.form?.requestSubmit()} />
        </label>
      )}
    </form>
  );
}

/** Why the repertoire is not shown; where only the side is unknown, it is asked for. */
function Trouble({ id }: { id: string }) {
  const trouble = store.trouble.value;
  if (!trouble) return null;
  const wanted = trouble.code === 'unknown-side';
  return (
    <div class="trouble" role="alert">
      <p>{wanted ? r('side.ask') : trouble.message}</p>
      {wanted && (
        <p class="row">
          {(['white', 'black'] as const).map(color => (
            <button
              key={color}
              class="button"
              onClick={() => {
                choose(id, { color });
                store.again();
              }}
            >
              {r(color)}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

/** What the tree says of itself in a line. */
function Facts() {
  const told = store.tree.value;
  if (!told) return null;
  return (
    <p class="quiet facts">
      {r(told.color === 'white' ? 'for.white' : 'for.black')}
      {told.recognised && ` (${r('recognised')})`} · {r('positions', { n: told.count })}
      {told.notes.map((note, at) => (
        <span key={at} dir="auto">
          {' '}
          · {note}
        </span>
      ))}
    </p>
  );
}

/** Milliseconds after which reading it is long: with a large reference it is. */
const LONG = 700;

function Reading({ name }: { name: string }) {
  const isLong = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isLong.value = true), LONG);
    return () => clearTimeout(timer);
  }, []);
  return isLong.value ? <Progress label={t('working')} look={progressOf(name)} onStop={store.stop} before={LONG} /> : null;
}

export function Repertoire() {
  const id = baseId.value;
  const tab = panel.value.split('-')[1] ?? '';
  const isKnown = store.tree.value !== null;
  const reference = id === null ? '' : choiceOf(id).reference;
  // What was read as a repertoire is one of the user's.
  useEffect(() => {
    if (id !== null && isKnown) choose(id);
  }, [id, isKnown]);
  // The explorer shows the reference beside the repertoire.
  useEffect(() => {
    if (reference !== '') explorer.beside.value = [reference];
  }, [reference]);
  if (id === null) return null;
  const Shown = SHOWN[tab] ?? SHOWN[''];
  return (
    <section class="about-lines" aria-label={r('title')}>
      <Tabs
        class="parts"
        label={r('title')}
        tabs={TABS.map(([name, label]) => ({ id: name, label: r(label) }))}
        chosen={tab}
        onChoose={name => go({ panel: name === '' ? 'repertoire' : `repertoire-${name}`, beside: place.peek().beside })}
      />
      <Facts />
      {store.working.value !== null && <Reading key={store.working.value} name={store.working.value} />}
      {store.stopped.value && (
        <p role="status">
          {t('stopped')} <Button onClick={store.again}>{t('part.again')}</Button>
        </p>
      )}
      {tab !== 'train' && <Choices key={id} id={id} />}
      <Trouble id={id} />
      {Shown?.()}
    </section>
  );
}
