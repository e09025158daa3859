/** Conversion, merging and splitting: what is copied, into what, what would be lost, how far it has come, what was lost. */

import { useSignal } from '@preact/signals';
import { baseId } from '../address';
import * as library from '../library/store';
import { titleOf } from '../library/name';
import { t } from '../words';
import { FormatFields, useChosen } from './formats';
import { Jobs, useWriting } from './report';

const SPLITS = ['player', 'white', 'black', 'event', 'site', 'eco', 'opening', 'year', 'result'] as const;

/** Where the copy goes. */
type Where = 'new' | 'append' | 'split' | 'download';

export function Convert() {
  const id = baseId.value ?? '';
  const base = library.bases.value?.find(one => one.id === id);
  const chosen = useChosen();
  const sources = useSignal<ReadonlySet<string>>(new Set([id]));
  const where = useSignal<Where>(library.readOnly.value ? 'download' : 'new');
  const split = useSignal('');
  const writing = useWriting();
  const start = (form: HTMLFormElement, dry: boolean) => {
    const values = new FormData(form);
    writing.start({
      sources: [...sources.value],
      path: chosen.path.value,
      ...(where.value === 'split' && chosen.format.value ? { format: chosen.format.value } : {}),
      settings: chosen.settings.value,
      verify: values.get('verify') === 'on',
      skip_deleted: values.get('deleted') === 'on',
      unique: values.get('unique') === 'on' ? 'game' : '',
      ...(where.value === 'split' ? { split: split.value === 'number' ? String(values.get('number')) : split.value } : {}),
      append: where.value === 'append',
      download: where.value === 'download',
      dry,
    });
  };
  const from = (base?.path || base?.name || '').replace(/\.[^./\\]*$/, '');
  const wheres: Where[] = library.readOnly.value ? ['download'] : ['new', 'append', 'split', 'download'];
  return (
    <main class="convert library" id="main">
      <h1>{t('convert.title')}</h1>
      <form
        onSubmit={event => {
          event.preventDefault();
          start(event.currentTarget, event.submitter?.id === 'rehearse');
        }}
      >
        <fieldset>
          <legend>{t('convert.sources')}</legend>
          {library.bases.value?.map(one => (
            <label key={one.id}>
              <input
                type="checkbox"
                checked={sources.value.has(one.id)}
                onChange={event => {
                  const next = new Set(sources.value);
                  if (event.currentTarget.checked) next.add(one.id);
                  else next.delete(one.id);
                  sources.value = next;
                }}
              />{' '}
              <bdi title={one.path}>{titleOf(one, library.bases.value ?? [])}</bdi> <span class="quiet">{one.format}</span>
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend>{t('convert.where')}</legend>
          {wheres.map(one => (
            <label key={one}>
              <input type="radio" name="where" value={one} checked={where.value === one} onChange={() => (where.value = one)} /> {t(`convert.where.${one}`)}
            </label>
          ))}
        </fieldset>
        {where.value === 'split' && (
          <label>
            {t('convert.split')}
            <select name="split" required value={split.value} onChange={event => (split.value = event.currentTarget.value)}>
              <option value="" />
              {SPLITS.map(one => (
                <option key={one} value={one}>
                  {t(`split.${one}`)}
                </option>
              ))}
              <option value="number">{t('split.number')}</option>
            </select>
          </label>
        )}
        {where.value === 'split' && split.value === 'number' && (
          <label>
            {t('split.number.games')}
            <input name="number" type="number" min={1} required value={1000} />
          </label>
        )}
        <FormatFields chosen={chosen} from={`${from}${where.value === 'download' ? '' : '-copy'}`} isFolder={where.value === 'split'} />
        {(where.value === 'new' || where.value === 'download') && (
          <label class="tick">
            <input type="checkbox" name="verify" /> {t('convert.verify')}
          </label>
        )}
        <label class="tick">
          <input type="checkbox" name="deleted" /> {t('convert.deleted')}
        </label>
        <label class="tick">
          <input type="checkbox" name="unique" /> {t('convert.unique')}
        </label>
        <p class="row">
          <button type="submit" id="rehearse">
            {t('convert.rehearse')}
          </button>
          <button type="submit" id="do-convert">
            {t('convert.do')}
          </button>
        </p>
      </form>
      <Jobs writing={writing} kinds={['convert', 'rehearsal']} />
    </main>
  );
}
