/** A new, empty database: where it lies, of which format it is, and what the format is told. */

import { useSignal } from '@preact/signals';
import type { Base } from '../api';
import { post } from '../api';
import { go } from '../address';
import * as library from '../library/store';
import { words } from '../research/asking';
import { t } from '../words';
import { FormatFields, useChosen } from './formats';

export function New() {
  const chosen = useChosen();
  const trouble = useSignal<string | null>(null);
  const other = library.bases.value?.find(one => one.path && !one.clipboard)?.path ?? '';
  const make = async () => {
    trouble.value = null;
    try {
      const made = await post<Base[]>('new', { path: chosen.path.value.trim(), settings: chosen.settings.value });
      const id = library.took(made);
      if (id !== null) go({ base: id, game: null, path: '', query: '', sort: '', panel: '' });
    } catch (error) {
      trouble.value = words(error);
    }
  };
  return (
    <main class="convert library" id="main">
      <h1>{t('new.title')}</h1>
      <p class="quiet">{t('new.help')}</p>
      <form
        onSubmit={event => {
          event.preventDefault();
          void make();
        }}
      >
        <FormatFields chosen={chosen} from={other.replace(/[^/\\]*$/, t('new.name'))} which={format => format.edit} label="new.path" />
        <p>
          <button type="submit">{t('new.do')}</button>
        </p>
      </form>
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
    </main>
  );
}
