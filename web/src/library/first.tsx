/** The first steps, where no database is open yet. */

import { go } from '../address';
import { dialog } from '../dialog';
import { t } from '../words';
import * as store from './store';

const STEPS = ['first.open', 'first.click', 'first.search', 'first.edit', 'first.safe'] as const;

export function FirstSteps() {
  const show = (id: string | null) => {
    if (id !== null) go({ base: id, game: null, path: '', query: '', sort: '', panel: '' });
  };
  return (
    <section class="empty">
      <h2>{t('library.empty')}</h2>
      <p>{t('library.empty.help')}</p>
      {!store.readOnly.value && (
        <p>
          <button onClick={() => void store.sample().then(show)}>{t('first.sample')}</button>
        </p>
      )}
      <h3>{t('first.title')}</h3>
      <ol>
        {STEPS.map(step => (
          <li key={step}>{t(step)}</li>
        ))}
      </ol>
      <p>
        <button onClick={() => dialog('help')}>{t('help.title')}</button>
      </p>
    </section>
  );
}
