/** Offers what was typed while the server was away. */

import { useSignal } from '@preact/signals';
import { go } from '../address';
import * as library from '../library/store';
import { words } from '../research/asking';
import { t } from '../words';
import { sendAgain } from './store';
import { carrying, drop, send, unsent } from './unsent';

export function Kept() {
  const trouble = useSignal<string | null>(null);
  const kept = unsent.value;
  if (!kept) return null;
  const put = async () => {
    trouble.value = null;
    // The game that is open sends it by itself.
    if (sendAgain(kept.id)) return;
    try {
      const session = await send();
      if (!session) return;
      if (!library.bases.value?.some(base => base.id === session.base)) await library.open(session.path);
      const { base, number, id } = session;
      go({ base, game: number > 0 ? number : null, path: '', query: '', sort: '', panel: '' });
      go({ panel: number > 0 ? 'edit' : `edit-${id}` }, true);
    } catch (error) {
      trouble.value = words(error);
    }
  };
  return (
    <section class="kept" aria-label={t('unsent.title')}>
      <p role="status">
        <b>{t('unsent.title')}</b> <bdi>{kept.title}</bdi>: {t('unsent.count', { n: kept.wishes.length })}
      </p>
      <ul class="quiet">
        {kept.wishes.map(({ wish }, at) => (
          <li key={at} dir="auto">
            {'text' in wish ? wish.text : 'move' in wish ? wish.move : 'value' in wish ? `${wish.name} ${wish.value}` : wish.kind}
          </li>
        ))}
      </ul>
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      <p class="row">
        <button onClick={() => void put()}>{t('unsent.put')}</button>
        <button onClick={drop}>{t('unsent.drop')}</button>
      </p>
      <form
        class="row"
        onSubmit={event => {
          event.preventDefault();
          const to = carrying(String(new FormData(event.currentTarget).get('address')));
          if (to === null) trouble.value = t('unsent.no-address');
          else location.assign(to);
        }}
      >
        <label>
          {t('unsent.address')} <input name="address" type="url" required autocomplete="off" spellcheck={false} placeholder="http://127.0.0.1:…/?token=…" />
        </label>
        <button type="submit">{t('unsent.go')}</button>
      </form>
    </section>
  );
}
