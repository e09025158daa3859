/** Repairing: a sound copy of what is left of a damaged database, with what was found, what is gone and what is whole. */

import { useSignal } from '@preact/signals';
import { baseId } from '../address';
import { nameOf } from '../library/name';
import * as library from '../library/store';
import { t } from '../words';
import { FormatFields, useChosen } from './formats';
import { Jobs, useWriting } from './report';

export function Repair() {
  const id = baseId.value;
  const base = library.bases.value?.find(one => one.id === id);
  const chosen = useChosen();
  const damaged = useSignal('');
  const writing = useWriting();
  const from = (base?.path || base?.name || damaged.value).replace(/\.[^./\\]*$/, '');
  const start = (dry: boolean, download: boolean) =>
    writing.start({
      ...(id === null ? { damaged: damaged.value } : { sources: [id] }),
      path: chosen.path.value,
      settings: chosen.settings.value,
      repair: true,
      download,
      dry,
    });
  return (
    <main class="convert library" id="main">
      <h1>{t('repair.title')}</h1>
      <p class="quiet">{t('repair.help')}</p>
      <form
        onSubmit={event => {
          event.preventDefault();
          const wanted = event.submitter?.id;
          start(wanted === 'examine', wanted === 'fetch');
        }}
      >
        {id === null ? (
          <label>
            {t('repair.damaged.path')}
            <input name="damaged" required value={damaged.value} onInput={event => (damaged.value = event.currentTarget.value)} spellcheck={false} autocomplete="off" />
          </label>
        ) : (
          <p dir="auto">
            <b>{base && nameOf(base)}</b> <span class="quiet">{base?.path}</span>
          </p>
        )}
        <FormatFields chosen={chosen} from={`${from}-repaired`} />
        <p class="row">
          <button type="submit" id="examine">
            {t('repair.examine')}
          </button>
          {!library.readOnly.value && (
            <button type="submit" id="do-repair">
              {t('repair.do')}
            </button>
          )}
          <button type="submit" id="fetch">
            {t('convert.where.download')}
          </button>
        </p>
      </form>
      <Jobs writing={writing} kinds={['repair', 'examination']} />
    </main>
  );
}
