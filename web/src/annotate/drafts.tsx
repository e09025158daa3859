/** Games with changes that no database holds yet: they are offered again, whatever has ended the work on them. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { go } from '../address';
import * as library from '../library/store';
import { t } from '../words';
import * as api from './api';

/** Goes on with a draft. */
export async function resume(draft: api.Draft): Promise<void> {
  if (!library.bases.value?.some(base => base.id === draft.base) && (await library.open(draft.path)) === null) return;
  const panel = draft.number > 0 ? 'edit' : `edit-${draft.id}`;
  go({ base: draft.base, game: draft.number > 0 ? draft.number : null, path: '', query: '', sort: '', panel });
}

export function Drafts() {
  const all = useSignal<api.Draft[]>([]);
  const load = () => void api.drafts().then(found => (all.value = found.drafts), () => undefined);
  useEffect(load, []);
  if (all.value.length === 0) return null;
  return (
    <section class="drafts">
      <h2>{t('drafts.title')}</h2>
      <ul>
        {all.value.map(draft => (
          <li key={draft.id}>
            <span dir="auto">
              <bdi>{draft.title}</bdi> <span class="quiet">{draft.name}</span>
            </span>{' '}
            {!library.readOnly.value && (
              <>
                <button onClick={() => void resume(draft)}>{t('drafts.go')}</button>{' '}
                <button onClick={() => void api.discard(draft.id).then(load, load)}>{t('edit.discard')}</button>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
