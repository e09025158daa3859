/** What is shown for the address of a database that is not open. */

import { follow } from '../address';
import { t } from '../words';
import { later } from '../later';

const Recent = later(async () => (await import('./recent')).Recent, null);

export function Missing() {
  const home = { base: null, game: null, path: '', query: '', sort: '', panel: '' };
  return (
    <main class="library" id="main">
      <section class="empty">
        <h1>{t('base.missing')}</h1>
        <p>{t('base.missing.help')}</p>
        <p>
          <a class="button" href="/" onClick={follow(home)}>
            {t('library.title')}
          </a>
        </p>
      </section>
      <Recent />
    </main>
  );
}
