/** Where no repertoire is chosen: those that were used, a new one, and where a game left them. */

import { useSignal } from '@preact/signals';
import type { Base } from '../api';
import { post } from '../api';
import { follow, go, place } from '../address';
import { nameOf, titleOf } from '../library/name';
import * as library from '../library/store';
import { words } from '../research/asking';
import { t } from '../words';
import { choices, choose, forget } from './choices';
import { Due } from './due';
import { Where } from './where';
import { r } from './words';

export function Start() {
  const all = library.bases.value ?? [];
  const trouble = useSignal<string | null>(null);
  const known = choices.value.flatMap(choice => all.find(base => base.id === choice.base) ?? []);
  const others = all.filter(base => !base.clipboard && !known.includes(base));
  const open = (id: string) => go({ base: id, game: null, path: '', query: '', sort: '', panel: 'repertoire' });
  const make = async (form: FormData) => {
    trouble.value = null;
    const color = form.get('color') === 'black' ? 'black' : 'white';
    const path = String(form.get('path') ?? '').trim();
    try {
      const id = library.took(await post<Base[]>('repertoires', { color, path: path || undefined }));
      if (id === null) return;
      choose(id);
      open(id);
    } catch (error) {
      trouble.value = words(error);
    }
  };
  return (
    <main class="research library repertoire-start" id="main">
      <h1>{r('title')}</h1>
      <p class="quiet">{r('help')}</p>
      {place.value.beside !== '' && <Where game={place.value.beside} />}
      <Due />
      {known.length > 0 && (
        <section aria-label={r('known')}>
          <h2>{r('known')}</h2>
          <ul>
            {known.map(base => (
              <li key={base.id} class="row">
                <a href={`/base/${encodeURIComponent(base.id)}?panel=repertoire`} onClick={follow({ base: base.id, game: null, path: '', query: '', sort: '', panel: 'repertoire' })} dir="auto">
                  {titleOf(base, all)}
                </a>
                <button class="button plain" onClick={() => forget(base.id)}>
                  {r('forget')} <span class="hidden">{nameOf(base)}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {!library.readOnly.value && (
        <section aria-label={r('make')}>
          <h2>{r('make')}</h2>
          <form
            class="asked"
            onSubmit={event => {
              event.preventDefault();
              void make(new FormData(event.currentTarget));
            }}
          >
            <label>
              {r('side')}
              <select name="color">
                <option value="white">{r('white')}</option>
                <option value="black">{r('black')}</option>
              </select>
            </label>
            <label>
              {r('path')}
              <input name="path" placeholder={r('path.own')} autocomplete="off" spellcheck={false} />
            </label>
            <button type="submit">{r('make.do')}</button>
          </form>
        </section>
      )}
      {others.length > 0 && (
        <section aria-label={r('choose')}>
          <h2>{r('choose')}</h2>
          <form
            class="asked"
            onSubmit={event => {
              event.preventDefault();
              const id = String(new FormData(event.currentTarget).get('base') ?? '');
              if (id !== '') open(id);
            }}
          >
            <label>
              {t('library.title')}
              <select name="base">
                {others.map(base => (
                  <option key={base.id} value={base.id}>
                    {titleOf(base, all)}
                  </option>
                ))}
              </select>
            </label>
            <button type="submit">{r('choose.do')}</button>
          </form>
        </section>
      )}
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
    </main>
  );
}
