/** The tags of the game as a form, its result and its start. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, queryString } from '../api';
import * as board from '../board/store';
import { tag } from '../game/tree';
import { t } from '../words';
import * as desk from './desk';
import * as store from './store';

const ROSTER = ['Event', 'Site', 'Date', 'Round', 'White', 'Black'];
const USUAL = ['WhiteElo', 'BlackElo', 'ECO', 'Annotator'];
const RESULTS = ['*', '1-0', '0-1', '1/2-1/2'];
/** Tags whose values are names that a database knows. */
const OFFERED = ['White', 'Black', 'Event', 'Site', 'Round'];
const DERIVED = ['Result', 'FEN', 'SetUp'];
/** Who types quickly asks for the last letters alone. */
const MOMENT = 120;

/** Names of the whole database for what is typed. */
function useOffered(base: string, name: string, typed: string | null): string[] {
  const found = useSignal<string[]>([]);
  useEffect(() => {
    found.value = [];
    if (typed === null || !OFFERED.includes(name)) return;
    const control = new AbortController();
    const timer = setTimeout(() => {
      const address = `bases/${encodeURIComponent(base)}/complete?${queryString({ tag: name })}&start=${encodeURIComponent(typed)}`;
      ask<{ names: string[] }>(address, { signal: control.signal }).then(({ names }) => (found.value = names), () => undefined);
    }, MOMENT);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [base, name, typed]);
  return found.value;
}

export function Tags() {
  const game = board.game.value;
  const open = useSignal(false);
  if (!game) return null;
  const others = game.tags.map(([name]) => name).filter(name => !ROSTER.includes(name) && !USUAL.includes(name) && !DERIVED.includes(name));
  const names = [...new Set([...ROSTER, ...USUAL, ...others])];
  return (
    <details class="tags" open={open.value} onToggle={event => (open.value = event.currentTarget.open)}>
      <summary>{t('edit.tags')}</summary>
      {open.value && (
        <>
          {names.map(name => (
            <Field key={name} name={name} value={tag(game, name)} />
          ))}
          <label>
            <span>{t('edit.result')}</span>
            <select value={game.result} onChange={event => void desk.wish({ kind: 'result', result: event.currentTarget.value })}>
              {RESULTS.map(result => (
                <option key={result}>{result}</option>
              ))}
            </select>
          </label>
          <Another />
          <Start fen={tag(game, 'FEN')} />
        </>
      )}
    </details>
  );
}

function Field({ name, value }: { name: string; value: string }) {
  const typed = useSignal<string | null>(null);
  const all = useOffered(store.session.value?.base ?? '', name, typed.value);
  return (
    <label>
      <span>{name}</span>
      <input
        name={`tag-${name}`}
        value={typed.value ?? value}
        dir="auto"
        autocomplete="off"
        list={all.length > 0 ? `names-${name}` : undefined}
        onFocus={event => (typed.value = event.currentTarget.value)}
        onInput={event => (typed.value = event.currentTarget.value)}
        onBlur={() => (typed.value = null)}
        onChange={event => void desk.wish({ kind: 'tag', name, value: event.currentTarget.value })}
      />
      {all.length > 0 && (
        <datalist id={`names-${name}`}>
          {all.map(one => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}

/** A tag that the game has not yet. */
function Another() {
  return (
    <form
      class="row"
      onSubmit={event => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        void desk.wish({ kind: 'tag', name: String(form.get('name')), value: String(form.get('value')) });
        event.currentTarget.reset();
      }}
    >
      <input name="name" aria-label={t('edit.tag.name')} placeholder={t('edit.tag.name')} autocomplete="off" />
      <input name="value" aria-label={t('edit.tag.value')} placeholder={t('edit.tag.value')} autocomplete="off" />
      <button type="submit">{t('edit.tag.add')}</button>
    </form>
  );
}

function Start({ fen }: { fen: string }) {
  return (
    <form
      class="row"
      onSubmit={event => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = String(form.get('fen')).trim();
        void desk.wish({ kind: 'start', fen: text || null, cut: form.get('cut') === 'on' });
      }}
    >
      <input name="fen" aria-label={t('edit.start')} placeholder={t('edit.start')} value={fen} autocomplete="off" spellcheck={false} />
      <label>
        <input type="checkbox" name="cut" /> {t('edit.start.cut')}
      </label>
      <button type="submit">{t('edit.start.set')}</button>
    </form>
  );
}
