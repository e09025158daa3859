/** The library: databases as cards, opening by path, by drop and by paste. */

import { useEffect, useRef } from 'preact/hooks';
import type { Base } from '../api';
import { follow, go } from '../address';
import { number, t } from '../words';
import * as store from './store';

export function Library() {
  useEffect(() => void store.load(), []);
  const bases = store.bases.value;
  return (
    <main class="library" id="main">
      <h1>{t('library.title')}</h1>
      <OpenForm />
      {store.trouble.value && (
        <p class="trouble" role="alert">
          {store.trouble.value}
        </p>
      )}
      {bases === null ? (
        <p class="quiet">{t('loading')}</p>
      ) : bases.length === 0 ? (
        <section class="empty">
          <h2>{t('library.empty')}</h2>
          <p>{t('library.empty.help')}</p>
        </section>
      ) : (
        <ul class="cards">
          {bases.map(base => (
            <Card key={base.id} base={base} />
          ))}
        </ul>
      )}
      <Findings />
    </main>
  );
}

function OpenForm() {
  const path = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const show = (id: string | null) => {
    if (id !== null) go({ base: id, game: null, path: '', query: '', sort: '', panel: '' });
  };
  return (
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
      <button type="button" onClick={() => files.current?.click()}>
        {t('library.choose')}
      </button>
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
  );
}

function Card({ base }: { base: Base }) {
  const busy = store.busy.value.has(base.id);
  const [first, last] = base.years ?? [null, null];
  const years = [first?.slice(0, 4), last?.slice(0, 4)].filter(year => year && year !== '????');
  const to = { base: base.id, game: null, path: '', query: '', sort: '', panel: '' };
  return (
    <li class="card">
      <a href={`/base/${encodeURIComponent(base.id)}`} onClick={follow(to)}>
        <h2 dir="auto">{base.name}</h2>
      </a>
      <p class="quiet">
        {base.format}
        {base.games !== null && <> · {t('games', { n: base.games })}</>}
        {years.length > 0 && <> · {[...new Set(years)].join('–')}</>}
      </p>
      <p class="path quiet" dir="auto">
        {base.path}
      </p>
      <p>
        {base.findings.damage > 0 ? (
          <span class="badge damage">{t('library.damaged', { n: base.findings.damage })}</span>
        ) : (
          <span class="badge">{t('library.opened')}</span>
        )}{' '}
        <span class={`badge index-${base.index}`} title={base.indexNote ?? ''}>
          {t(`index.${base.index}`)}
        </span>
      </p>
      <p class="actions">
        {(base.index === 'none' || base.index === 'stale') && !store.readOnly.value && (
          <button disabled={busy} onClick={() => void store.index(base.id)}>
            {t('library.index')}
          </button>
        )}
        <button disabled={busy} onClick={() => void store.check(base.id)}>
          {t('library.check')}
        </button>
        {busy && (
          <span class="quiet" role="status">
            {t('working')}
          </span>
        )}
      </p>
    </li>
  );
}

function Findings() {
  const findings = store.findings.value;
  if (!findings) return null;
  const { found, more, base } = findings;
  return (
    <section class="findings" aria-live="polite">
      <h2>{t('check.title')}</h2>
      {found.length === 0 ? (
        <p>{t('check.none')}</p>
      ) : (
        <ul>
          {found.map((one, at) => (
            <li key={at} class={one.severity}>
              <details>
                <summary>
                  <strong>{t(`severity.${one.severity}`)}</strong> {one.message}{' '}
                  {one.game !== null && (
                    <a
                      href={`/base/${encodeURIComponent(base)}/game/${one.game}`}
                      onClick={follow({ base, game: one.game, path: '' })}
                    >
                      {t('game.number', { n: number(one.game) })}
                    </a>
                  )}
                </summary>
                <p class="page">{one.page}</p>
              </details>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="quiet">{t('check.more', { n: more })}</p>}
    </section>
  );
}
