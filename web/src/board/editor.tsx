/** The editor of positions: by drag, by keys, or as a FEN. What it makes is looked for in the base that is shown, or stands on the board. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { baseId, go } from '../address';
import { useShown } from '../dialog';
import { positionOf } from '../game/position';
import { START } from '../game/tree';
import { fromPosition, openText } from '../library/paste';
import { Dialog } from '../ui/dialog';
import { t } from '../words';
import { EMPTY, Setup, boardText, squaresOf } from './setup';
import * as store from './store';

const squares = signal(EMPTY);
const rest = signal('w - - 0 1');

/** The parts of a FEN behind the pieces; what is missing is as it mostly is. */
function take(fen: string): boolean {
  const [pieces = '', ...parts] = fen.trim().split(/\s+/);
  const found = squaresOf(pieces);
  if (found === EMPTY && pieces !== '8/8/8/8/8/8/8/8') return false;
  squares.value = found;
  rest.value = [...parts, ...['w', '-', '-', '0', '1'].slice(parts.length)].slice(0, 5).join(' ');
  return true;
}

const RIGHTS = [...'KQkq'];

export function Editor() {
  useShown('editor');
  // It begins with what is on the board, each time that it is opened.
  useEffect(() => {
    const element = document.getElementById('editor') as HTMLDialogElement | null;
    const begin = () => element?.open && take(store.fen.peek());
    const watch = new MutationObserver(begin);
    if (element) watch.observe(element, { attributeFilter: ['open'] });
    begin();
    return () => watch.disconnect();
  }, []);
  const fen = `${boardText(squares.value).replaceAll('.', '1')} ${rest.value.trim()}`;
  const isLegal = positionOf(fen) !== null;
  const [turn = 'w', castling = '-', passing = '-', ...counts] = rest.value.split(' ');
  const set = (side: string, rights: string, ep = passing) => (rest.value = [side, rights || '-', ep || '-', ...counts].join(' '));
  const toggle = (right: string) => {
    const has = castling.includes(right);
    set(turn, RIGHTS.filter(one => (one === right ? !has : castling.includes(one))).join(''));
  };
  const show = () => {
    // In a base it stays there; without one it becomes a base of its own.
    if (baseId.peek() !== null) store.setUpPosition(fen);
    else {
      void openText(fromPosition(fen)).then(id => {
        if (id !== null) go({ base: id, game: 1, path: '', query: '', sort: '', panel: '' });
      });
    }
  };
  return (
    <Dialog id="editor" class="builder" title={t('board.edit')}>
      <form method="dialog" onSubmit={show}>
        <Setup squares={squares} wild={false} flipped={store.flipped.value} />
        <label>
          <span>{t('setup.turn')}</span>
          <select value={turn} onChange={event => set(event.currentTarget.value, castling)}>
            <option value="w">{t('colour.white')}</option>
            <option value="b">{t('colour.black')}</option>
          </select>
        </label>
        <div class="rights" role="group" aria-label={t('setup.castling')}>
          <span>{t('setup.castling')}</span>
          {RIGHTS.map(right => (
            <label key={right}>
              <input type="checkbox" checked={castling.includes(right)} onChange={() => toggle(right)} />
              {t(right === right.toUpperCase() ? 'colour.white' : 'colour.black')} {right.toLowerCase() === 'k' ? 'O-O' : 'O-O-O'}
            </label>
          ))}
        </div>
        <label>
          <span>FEN</span>
          <input
            id="editor-fen"
            class="built"
            spellcheck={false}
            autocomplete="off"
            value={fen}
            aria-invalid={!isLegal}
            aria-describedby="editor-state"
            onFocus={event => event.currentTarget.select()}
            onChange={event => {
              if (!take(event.currentTarget.value)) event.currentTarget.value = fen;
            }}
            onPaste={event => {
              const text = event.clipboardData?.getData('text/plain') ?? '';
              // A whole FEN that is pasted is taken at once; a part of one is text in the field.
              if (text.includes('/') && take(text)) event.preventDefault();
            }}
            onKeyDown={event => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              take(event.currentTarget.value);
            }}
          />
        </label>
        <p id="editor-state" role="status" class="trouble">
          {isLegal ? '\u00a0' : t('setup.wrong')}
        </p>
        <p>
          {baseId.value !== null && (
            <>
              <button
                type="button"
                disabled={!isLegal}
                onClick={event => {
                  event.currentTarget.closest('dialog')?.close();
                  go({ query: `position:"${fen.split(' ').slice(0, 4).join(' ')}"`, game: null, path: '', panel: '', fen: fen === START ? '' : fen });
                }}
              >
                {t('setup.find')}
              </button>{' '}
            </>
          )}
          <button type="submit" disabled={!isLegal}>
            {t('setup.play')}
          </button>{' '}
          <button type="button" onClick={() => take(START)}>
            {t('setup.start')}
          </button>{' '}
          <button type="button" onClick={() => (squares.value = EMPTY)}>
            {t('setup.clear')}
          </button>{' '}
          <button type="button" onClick={event => event.currentTarget.closest('dialog')?.close()}>
            {t('close')}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
