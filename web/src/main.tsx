/** The app: which panels are shown where. It holds no truth: its state is the address and what the server said. */

import '@lichess-org/chessground/assets/chessground.base.css';
import '@lichess-org/chessground/assets/chessground.cburnett.css';
import './style/theme.css';
import './style/frame.css';
import './style/library.css';
import './style/games.css';
import './style/board.css';
import './style/moves.css';
import './style/setup.css';
import './style/print.css';
import './style/explorer.css';

import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { baseId, follow, gameNumber, go } from './address';
import { dialog } from './dialog';
import { Board } from './board/panel';
import { Explorer } from './explorer/panel';
import { Games } from './games/panel';
import { Help } from './help/panel';
import { listenToKeys } from './help/keys';
import { Library } from './library/panel';
import { openText, pgnOf } from './library/paste';
import * as library from './library/store';
import { Moves } from './moves/panel';
import { Settings } from './settings/panel';
import { applySettings } from './settings/store';
import { language, t } from './words';
import './safety';

function App() {
  const over = useSignal(false);
  useEffect(() => listenToKeys(), []);
  useEffect(() => {
    document.documentElement.lang = language.value;
    document.title = title();
  });
  useEffect(() => {
    void library.load();
  }, []);
  const show = (id: string | null) => {
    if (id !== null) go({ base: id, game: null, path: '', query: '', sort: '', panel: '' });
  };
  useEffect(() => {
    // A game or a position that is pasted outside of a field is opened.
    const paste = (event: ClipboardEvent) => {
      const target = event.target;
      if (target instanceof Element && target.closest('input, textarea, select')) return;
      const files = [...(event.clipboardData?.files ?? [])];
      const pgn = pgnOf(event.clipboardData?.getData('text/plain') ?? '');
      if (files.length > 0) void library.drop(files).then(show);
      else if (pgn !== null) void openText(pgn).then(show);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, []);
  return (
    <div
      class={`app${over.value ? ' over' : ''}`}
      onDragOver={event => {
        if (event.dataTransfer?.types.includes('Files')) {
          event.preventDefault();
          over.value = true;
        }
      }}
      onDragLeave={() => (over.value = false)}
      onDrop={event => {
        event.preventDefault();
        over.value = false;
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length > 0) void library.drop(files).then(show);
      }}
    >
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <Top />
      {baseId.value === null ? <Library /> : <Study />}
      <Help />
      <Settings />
    </div>
  );
}

function title(): string {
  const base = library.bases.value?.find(one => one.id === baseId.value);
  return base ? `${base.name} – Tabiya` : 'Tabiya';
}

function Top() {
  const home = { base: null, game: null, path: '', query: '', sort: '', panel: '' };
  const base = library.bases.value?.find(one => one.id === baseId.value);
  return (
    <header class="top">
      <a class="home" href="/" onClick={follow(home)}>
        Tabiya
      </a>
      {base && (
        <nav aria-label={t('library.title')}>
          <a href="/" onClick={follow(home)}>
            {t('library.title')}
          </a>{' '}
          <span aria-hidden="true">›</span> <b dir="auto">{base.name}</b>
        </nav>
      )}
      <span class="gap" />
      <button onClick={() => dialog('help')}>
        {t('help.title')}
      </button>
      <button onClick={() => dialog('settings')}>{t('settings.title')}</button>
    </header>
  );
}

function Study() {
  return (
    <main class={`study${gameNumber.value === null ? ' no-game' : ''}`} id="main">
      <h1 class="hidden">{title()}</h1>
      <Games />
      <Board />
      <div class="side">
        <Moves />
        <Explorer />
      </div>
    </main>
  );
}

applySettings();
const root = document.getElementById('app');
if (root) render(<App />, root);
