/** What is done with the position on the board: set up another one, look for it, take a picture of it. */

import { go } from '../address';
import { dialog } from '../dialog';
import { save } from '../save';
import { t } from '../words';
import * as store from './store';

export function Tools() {
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest('details')?.removeAttribute('open');
  // What draws is fetched when a picture is wanted.
  const picture = async () => {
    const drawing = await import('./diagram');
    return { ...drawing, svg: drawing.diagram(store.fen.value, store.flipped.value) };
  };
  const acts = [
    { label: 'board.edit', act: () => dialog('editor') },
    { label: 'board.find', act: () => go({ query: `position:"${store.fen.value}"`, game: null, path: '' }) },
    { label: 'board.copy', act: () => void navigator.clipboard?.writeText(store.fen.value) },
    { label: 'board.svg', act: () => void picture().then(({ svg }) => save(svg, 'image/svg+xml', 'diagram.svg')) },
    { label: 'board.png', act: () => void picture().then(async ({ svg, png }) => save(await png(svg, 1024), 'image/png', 'diagram.png')) },
    { label: 'board.print', act: () => print() },
  ] as const;
  return (
    <details class="menu up">
      <summary>{t('board.position')}</summary>
      <ul>
        {acts.map(one => (
          <li key={one.label}>
            <button
              type="button"
              onClick={event => {
                close(event);
                one.act();
              }}
            >
              {t(one.label)}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
