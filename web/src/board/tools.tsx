/** What is done with the position on the board: set up another one, look for it, take a picture of it. */

import { signal } from '@preact/signals';
import { go } from '../address';
import { dialog } from '../dialog';
import { positionOf } from '../game/position';
import { fromPosition, openText } from '../library/paste';
import { save } from '../save';
import { t } from '../words';
import { diagram, png } from './diagram';
import { EMPTY, Setup, boardText, squaresOf } from './setup';
import * as store from './store';

const squares = signal(EMPTY);
const rest = signal('w - - 0 1');

export function Tools() {
  const close = (event: Event) => (event.currentTarget as HTMLElement).closest('details')?.removeAttribute('open');
  const picture = () => diagram(store.fen.value, store.flipped.value);
  const acts = [
    {
      label: 'board.edit',
      act: () => {
        squares.value = squaresOf(store.fen.value);
        rest.value = store.fen.value.split(' ').slice(1).join(' ');
        dialog('editor');
      },
    },
    { label: 'board.find', act: () => go({ query: `position:"${store.fen.value}"`, game: null, path: '' }) },
    { label: 'board.copy', act: () => void navigator.clipboard?.writeText(store.fen.value) },
    { label: 'board.svg', act: () => save(picture(), 'image/svg+xml', 'diagram.svg') },
    { label: 'board.png', act: () => void png(picture(), 1024).then(blob => save(blob, 'image/png', 'diagram.png')) },
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

/** The editor of positions; what it makes is opened as a base of its own. */
export function Editor() {
  const fen = `${boardText(squares.value).replaceAll('.', '1')} ${rest.value.trim()}`;
  const isLegal = positionOf(fen) !== null;
  const [turn = 'w', castling = '-'] = rest.value.split(' ');
  const set = (side: string, rights: string) => (rest.value = `${side} ${rights || '-'} - 0 1`);
  return (
    <dialog id="editor" class="builder" aria-labelledby="editor-title">
      <h2 id="editor-title">{t('board.edit')}</h2>
      <form
        method="dialog"
        onSubmit={() => {
          void openText(fromPosition(fen)).then(id => {
            if (id !== null) go({ base: id, game: 1, path: '', query: '', sort: '', panel: '' });
          });
        }}
      >
        <Setup squares={squares} wild={false} />
        <label>
          <span>{t('setup.turn')}</span>
          <select value={turn} onChange={event => set(event.currentTarget.value, castling)}>
            <option value="w">{t('colour.white')}</option>
            <option value="b">{t('colour.black')}</option>
          </select>
        </label>
        <label>
          <span>{t('setup.castling')}</span>
          <input value={castling} onInput={event => set(turn, event.currentTarget.value.trim())} />
        </label>
        <p class="built">
          <code>{fen}</code>
        </p>
        <p role="status" class="trouble">
          {isLegal ? ' ' : t('setup.wrong')}
        </p>
        <p>
          <button type="submit" disabled={!isLegal}>
            {t('setup.play')}
          </button>{' '}
          <button type="button" onClick={() => (squares.value = EMPTY)}>
            {t('setup.clear')}
          </button>{' '}
          <button type="button" onClick={event => event.currentTarget.closest('dialog')?.close()}>
            {t('close')}
          </button>
        </p>
      </form>
    </dialog>
  );
}
