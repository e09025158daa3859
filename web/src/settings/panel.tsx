/** The settings of this browser: language, pieces, colours, sound; and where everything else is set. */

import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, post } from '../api';
import { useShown } from '../dialog';
import type { Engine } from '../engine/store';
import { Dialog } from '../ui/dialog';
import { figurines, language, languages, setFigurines, setLanguage, t } from '../words';
import type { Key, Language } from '../words';
import { Login } from './login';
import * as store from './store';
import type { PlacesAnswer } from '../answers';

type Places = PlacesAnswer;

const places = signal<Places | null>(null);
const engines = signal<Engine[]>([]);
/** Why the engines cannot be told. */
const trouble = signal<string | null>(null);

export function Settings() {
  useShown('settings');
  useEffect(() => {
    ask<Places>('places').then(found => (places.value = found), () => undefined);
    ask<Engine[]>('engines').then(
      found => (engines.value = found),
      (error: Error) => (trouble.value = error.message),
    );
  }, []);
  return (
    <Dialog id="settings" title={t('settings.title')}>
      <form method="dialog">
        <label>
          {t('settings.language')}
          <select value={language.value} onChange={event => void setLanguage(event.currentTarget.value as Language)}>
            {languages.map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={figurines.value} onChange={event => setFigurines(event.currentTarget.checked)} /> {t('settings.figurines')}
        </label>
        <Choice label="settings.theme" all={store.THEMES} name="theme" value={store.theme} />
        <Choice label="settings.squares" all={store.SQUARES} name="squares" value={store.squares} />
        <Choice label="settings.pieces" all={store.PIECES} name="pieces" value={store.pieces} />
        <Choice label="settings.density" all={store.DENSITIES} name="density" value={store.density} />
        <Choice label="settings.moves" all={store.MOVES} name="new" value={store.newMoves} />
        <label>
          <input type="checkbox" checked={store.sound.value} onChange={event => (store.sound.value = event.currentTarget.checked)} /> {t('settings.sound')}
        </label>
        <Invitation />
        <Login />
        <Elsewhere />
        <button type="submit">{t('close')}</button>
      </form>
    </Dialog>
  );
}

function Choice<T extends string>({ label, all, name, value }: { label: Key; all: readonly T[]; name: string; value: { value: T } }) {
  return (
    <label>
      {t(label)}
      <select value={value.value} onChange={event => (value.value = event.currentTarget.value as T)}>
        {all.map(one => (
          <option key={one} value={one}>
            {t(`${name}.${one}` as Key)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The printed address lets one browser in; this lets in another. */
function Invitation() {
  const url = useSignal<string | null>(null);
  const trouble = useSignal<string | null>(null);
  const invite = () =>
    post<{ url: string }>('invitations', {}).then(
      found => (url.value = found.url),
      (error: Error) => (trouble.value = error.message),
    );
  return (
    <section>
      <button type="button" id="invite" onClick={() => void invite()}>
        {t('settings.invite')}
      </button>
      <div role="status">
        {url.value && (
          <label>
            {t('settings.invited')}
            <input id="invitation" type="text" readOnly value={url.value} onFocus={event => event.currentTarget.select()} />
          </label>
        )}
      </div>
      {trouble.value && <p class="trouble">{trouble.value}</p>}
    </section>
  );
}

/** What is set in files: it is shown, and nothing that would be run or opened is set from a browser. */
function Elsewhere() {
  const found = places.value;
  if (!found) return null;
  const rows: [Key, string[]][] = [
    ['settings.engines', engines.value.map(one => `${one.name}: ${one.program}`)],
    ['settings.engines.file', [found.engines ?? '']],
    ['settings.folders', found.folders],
    ['settings.file', [found.settings ?? '']],
    ['settings.data', [found.data ?? '']],
  ];
  return (
    <section>
      <h3>{t('settings.elsewhere')}</h3>
      {trouble.value && <p class="trouble">{trouble.value}</p>}
      <dl class="places">
        {rows.map(([label, values]) => (
          <div key={label}>
            <dt>{t(label)}</dt>
            <dd>
              {values.every(value => value === '')
                ? t('square.none')
                : values.map(value => (
                    <div key={value} dir="auto">
                      {value}
                    </div>
                  ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
