/** The library: databases as cards, opening by path, by drop and by paste. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Base } from '../api';
import { follow, go } from '../address';
import { summary } from '../findings';
import { later } from '../later';
import { number, t } from '../words';
import type { Key } from '../words';
import { CommandField } from '../command/field';
import * as live from '../live';
import { Progress as Bar } from './progress';
import { Facts } from './facts';
import { nameOf, whereOf } from './name';
import { remember, rememberCheck, seen } from './seen';
import { State } from './state';
import * as store from './store';

// What is shown here is known when it is not open any more.
store.bases.subscribe(all => all && remember(all));

let checked: ReadonlyMap<string, number> = new Map();
store.checked.subscribe(now => {
  for (const { id, path } of store.bases.peek() ?? []) {
    const found = now.get(id);
    if (found !== undefined && found !== checked.get(id)) rememberCheck(path, found);
  }
  checked = now;
});

// What was found in other files than these are now is not said of them.
live.onChange((id, why) => {
  const base = store.bases.peek()?.find(one => one.id === id);
  if (base && why !== 'index' && why !== 'closed') rememberCheck(base.path, null);
});

/** Pages beside the databases. */
const PAGES: [string, Key][] = [['repertoire', 'repertoire.title'], ['new', 'new.title'], ['repair', 'repair.short']];

/** The library, with what else is offered on the first page. */
export function Library({ children }: { children?: ComponentChildren }) {
  useEffect(() => void store.load().then(store.survey), []);
  const bases = store.bases.value;
  return (
    <main class="library" id="main">
      <h1>{t('library.title')}</h1>
      <OpenForm />
      <Locked />
      {store.trouble.value && (
        <p class="trouble" role="alert">
          {store.trouble.value} <button onClick={() => (store.trouble.value = null)}>{t('close')}</button>
        </p>
      )}
      {bases === null ? (
        <p class="quiet">{t('loading')}</p>
      ) : bases.length === 0 ? (
        <FirstSteps />
      ) : (
        <ul class="cards">
          {bases.map(base => (
            <Card key={base.id} base={base} />
          ))}
        </ul>
      )}
      {children}
      <Recent />
      <Findings />
      <CommandField />
    </main>
  );
}

const show = (id: string | null) => {
  if (id !== null) go({ base: id, game: null, path: '', query: '', sort: '', panel: '' });
};

const Recent = later(async () => (await import('./recent')).Recent, null);
const FirstSteps = later(async () => (await import('./first')).FirstSteps, 'section');

/** Asks for the password of an archive. */
function Locked() {
  const locked = store.locked.value;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [locked]);
  if (!locked) return null;
  return (
    <form
      class="open"
      onSubmit={event => {
        event.preventDefault();
        const word = String(new FormData(event.currentTarget).get('password'));
        event.currentTarget.reset();
        void locked.open(word).then(show);
      }}
    >
      <label>
        {t('library.password', { name: locked.name })}
        <input ref={field} name="password" type="password" required autocomplete="off" />
      </label>
      <button type="submit">{t('library.open')}</button>
    </form>
  );
}

const Folders = later(async () => (await import('./folders')).Folders, null);

function OpenForm() {
  const browses = useSignal(false);
  const path = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  return (
    <>
    <form
      class="open"
      onSubmit={event => {
        event.preventDefault();
        const wanted = path.current?.value.trim();
        if (wanted) void store.open(wanted).then(show);
      }}
    >
      <label>
        {t('library.path')}
        <input ref={path} name="path" autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit">{t('library.open')}</button>
      <button type="button" aria-expanded={browses.value} onClick={() => (browses.value = !browses.value)}>
        {t('folders.title')}
      </button>
      <button type="button" onClick={() => files.current?.click()}>
        {t('library.choose')}
      </button>
      {PAGES.map(([name, label]) => (!store.readOnly.value || name !== 'new') && (
        <a key={name} class="button" href={`/?panel=${name}`} onClick={follow({ panel: name })}>
          {t(label)}
        </a>
      ))}
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t('library.choose')}
        onChange={() => {
          const chosen = [...(files.current?.files ?? [])];
          if (chosen.length > 0) void store.drop(chosen).then(show);
        }}
      />
    </form>
    {browses.value && <Folders />}
    </>
  );
}

function Card({ base }: { base: Base }) {
  const busy = store.busy.value.has(base.id);
  const found = store.checked.value.get(base.id) ?? null;
  const where = whereOf(base, store.bases.value ?? []);
  const to = { base: base.id, game: null, path: '', query: '', sort: '', panel: '' };
  // What could not be opened before has nothing to do with this database.
  const enter = (event: MouseEvent) => {
    store.trouble.value = null;
    follow(to)(event);
  };
  return (
    <li class="card">
      <a href={`/base/${encodeURIComponent(base.id)}`} onClick={enter}>
        <h2 dir="auto">
          {nameOf(base)}
          {where && (
            <>
              {' '}
              <bdi class="where-lies">{where}</bdi>
            </>
          )}
        </h2>
      </a>
      <Facts of={base} />
      <p class="path quiet" dir="auto" title={base.path}>
        {base.path}
      </p>
      <p>
        {base.copy && (
          <>
            <span class="badge copy" title={t('library.copy.help')}>
              {t('library.copy')}
            </span>{' '}
          </>
        )}
        {base.trouble ? (
          <span class="badge damage">{t('library.unreadable')}</span>
        ) : (
          <State damage={base.findings.damage} found={found} before={seen(base.path)?.checked} />
        )}{' '}
        {!base.trouble && (
          <span class={`badge index-${base.index}`} title={base.indexNote ?? ''}>
            {t(`index.${base.index}`)}
          </span>
        )}
      </p>
      {base.trouble && <p class="trouble">{base.trouble}</p>}
      <p class="actions">
        {(base.index === 'none' || base.index === 'stale') && !store.readOnly.value && (
          <button disabled={busy} onClick={() => void store.index(base.id)}>
            {t('library.index')}
          </button>
        )}
        {!base.trouble && (
          <button disabled={busy} onClick={() => void store.check(base.id)}>
            {t('library.check')}
          </button>
        )}
        {base.copy && !store.readOnly.value && (
          <a class="button" href={`/base/${encodeURIComponent(base.id)}?panel=convert`} onClick={follow({ ...to, panel: 'convert' })}>
            {t('library.keep')}
          </a>
        )}
        {base.clipboard && !store.readOnly.value && (base.games ?? 0) > 0 && (
          <button disabled={busy} onClick={() => void store.emptyClipboard(base.id)}>
            {t('clipboard.empty')}
          </button>
        )}
        <button disabled={busy || live.running(base.id) !== null} title={t('library.close.help')} onClick={() => void store.close(base.id)}>
          {t('library.close')}
        </button>
        <Progress base={base.id} busy={busy} />
      </p>
    </li>
  );
}

/** How far the work on a base has come. */
function Progress({ base, busy }: { base: string; busy: boolean }) {
  const job = live.running(base);
  if (!job) {
    return busy ? (
      <span class="quiet" role="status">
        {t('working')}
      </span>
    ) : null;
  }
  return (
    <span class="progress">
      <Bar job={job} />{' '}
      <button onClick={() => void store.stop(job.id)}>{t('query.stop')}</button>
    </span>
  );
}

function Findings() {
  const findings = store.findings.value;
  const box = useRef<HTMLElement>(null);
  // However many databases stand above it, what was asked for is in sight.
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [findings]);
  if (!findings) return null;
  const { found, more, base } = findings;
  const checked = store.bases.value?.find(one => one.id === base);
  return (
    <section class="findings" aria-live="polite" ref={box}>
      <h2>
        {t('check.title')}
        {checked && (
          <>
            {': '}
            <bdi>{nameOf(checked)}</bdi>
          </>
        )}
      </h2>
      {found.length === 0 ? (
        <p>{t('check.none')}</p>
      ) : (
        <ul>
          {found.map((one, at) => (
            <li key={at} class={one.severity}>
              <details>
                <summary>
                  <strong>{t(`severity.${one.severity}`)}</strong> {summary(one.code, one.summary)}{' '}
                  <span class="quiet" dir="auto">
                    {one.place}
                  </span>{' '}
                  {one.game !== null && (
                    <a
                      href={`/base/${encodeURIComponent(base)}/game/${one.game}`}
                      onClick={follow({ base, game: one.game, path: '' })}
                    >
                      {t('game.number', { n: number(one.game) })}
                    </a>
                  )}
                </summary>
                <p lang="en" dir="auto">
                  {one.message}
                </p>
                <p class="page" lang="en">
                  {one.page}
                </p>
              </details>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="quiet">{t('check.more', { n: more })}</p>}
    </section>
  );
}
