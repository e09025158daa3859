/** The app: which panels are shown where. It holds no truth: its state is the address and what the server said. */

import '@lichess-org/chessground/assets/chessground.base.css';
import '@lichess-org/chessground/assets/chessground.cburnett.css';
import './ui/theme.css';
import './ui/button.css';
import './ui/field.css';
import './ui/menu.css';
import './ui/dialog.css';
import './ui/tabs.css';
import './ui/splitter.css';
import './ui/tooltip.css';
import './ui/toast.css';
import './ui/table.css';
import './ui/tree.css';
import './ui/progress.css';
import './ui/position.css';
import './layout/layout.css';
import './layout/top.css';
import './layout/strip.css';
import './library/library.css';
import './games/games.css';
import './board/board.css';
import './board/pieces.css';
import './board/setup.css';
import './moves/moves.css';
import './explorer/explorer.css';
import './annotate/annotate.css';
import './engine/engine.css';
import './statistics/pages.css';
import './research/research.css';
import './about/about.css';
import './mine/mine.css';
import './repertoire/repertoire.css';
import './games/search.css';
import './layout/print.css';
import './ui/gallery.css';
import './ui/contrast.css';

import { computed, useSignal } from '@preact/signals';
import { render } from 'preact';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { about, baseId, follow, go, panel, place } from './address';
import { dialog, wanted } from './dialog';
import { Said } from './command/field';
import { listenToKeys } from './help/keys';
import { Missing } from './library/missing';
import { nameOf } from './library/name';
import { later } from './later';
import { Changed } from './library/changed';
import * as library from './library/store';
import { listen } from './live';
import { Study } from './layout/study';
import { applySettings } from './settings/store';
import { Button } from './ui/button';
import { Toasts } from './ui/toast';
import { Tooltips } from './ui/tooltip';
import { language, t } from './words';
import { works } from './work';
import type { Key } from './words';
import './safety';

const About = later(async () => (await import('./about/page')).About);
const Gallery = later(async () => (await import('./ui/gallery')).Gallery);
const Help = later(async () => (await import('./help/panel')).Help, 'dialog');
const Analyse = later(async () => (await import('./analyse/panel')).Analyse);
const LayoutMenu = later(async () => (await import('./layout/menu')).LayoutMenu, null);
const Home = later(async () => (await import('./layout/home')).Home);
const Convert = later(async () => (await import('./convert/panel')).Convert);
const Doubles = later(async () => (await import('./research/doubles')).Doubles);
const Mine = later(async () => (await import('./mine/page')).Mine);
const New = later(async () => (await import('./convert/new')).New);
const Puzzles = later(async () => (await import('./puzzles/panel')).Puzzles);
const Repertoires = later(async () => (await import('./repertoire/start')).Start);
const Repair = later(async () => (await import('./convert/repair')).Repair);
const Names = later(async () => (await import('./research/names')).Names);
const Novelties = later(async () => (await import('./research/novelties')).Novelties);
const Settings = later(async () => (await import('./settings/panel')).Settings, 'dialog');
const Works = later(async () => (await import('./works')).Works, null);
const Statistics = later(async () => (await import('./statistics/panel')).Statistics);

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
  const show = (id: string | null, game: number | null = null) => {
    if (id !== null) go({ base: id, game, path: '', query: '', sort: '', panel: '' });
  };
  useEffect(() => {
    // A game or a position that is pasted outside of a field is opened.
    const paste = (event: ClipboardEvent) => {
      const target = event.target;
      if (target instanceof Element && target.closest('input, textarea, select')) return;
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) void library.drop(files).then(id => show(id));
      // A game alone is shown at once.
      else {
        const text = event.clipboardData?.getData('text/plain') ?? '';
        void import('./library/paste').then(it => it.openPasted(text)).then(({ id, alone }) => show(id, alone ? 1 : null));
      }
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
        if (files.length > 0) void library.drop(files).then(id => show(id));
      }}
    >
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <Top />
      <Changed />
      <Page />
      <Said />
      <Toasts />
      {works.value.length > 0 && <Works />}
      <Tooltips />
      {wanted.value.has('help') && <Help />}
      {wanted.value.has('settings') && <Settings />}
    </div>
  );
}

/** The pages of a base beside its games, with what they are called. */
const PAGES: [string, Key, ComponentType][] = [
  ['statistics', 'stats.title', Statistics],
  ['mine', 'mine.title', Mine],
  ['novelties', 'novelties.title', Novelties],
  ['doubles', 'doubles.title', Doubles],
  ['names', 'names.title', Names],
  ['convert', 'convert.title', Convert],
  ['repair', 'repair.short', Repair],
  ['analyse', 'analyse.short', Analyse],
  ['puzzles', 'puzzles.title', Puzzles],
  ['repertoire', 'repertoire.title', Repertoires],
];

/** In the place of a page that offers what the library knows, until it is known; why it is not is told above. */
function Awaited() {
  return (
    <main class="library" id="main">
      <h1 class="hidden">{title()}</h1>
      {library.trouble.value === null && <p role="status">{t('loading')}</p>}
    </main>
  );
}

/** The page that shows the parts of the design system. */
const isGallery = computed(() => place.value.base === null && location.pathname === '/ui');

/** What the address asks for. */
function Page() {
  if (isGallery.value) return <Gallery />;
  const awaited = library.bases.value === null;
  if (baseId.value === null) {
    if (!['new', 'repair', 'repertoire'].includes(panel.value)) return <Home />;
    if (awaited) return <Awaited />;
    if (panel.value === 'repertoire') return <Repertoires />;
    return panel.value === 'new' ? <New /> : <Repair key="" />;
  }
  if (library.bases.value && !library.bases.value.some(one => one.id === baseId.value)) return <Missing />;
  if (about.value) return awaited ? <Awaited /> : <About />;
  const known = PAGES.find(([name]) => name === page());
  if (!known || page() === 'repertoire') return <Study title={title()} />;
  if (awaited) return <Awaited />;
  const Shown = known[2];
  return <Shown key={`${known[0]} ${baseId.value}`} />;
}

/** The page that the panel is a part of. */
const page = (): string => panel.value.split('-')[0] ?? '';

/** Whether list, board and notation are shown. */
const isWorkspace = (): boolean => !PAGES.some(([name]) => name === page());

/** The way to the pages of a base. */
function Pages() {
  const id = baseId.value ?? '';
  const pages: [string, Key][] = [['', 'games.title'], ...PAGES.map(([name, label]): [string, Key] => [name, label])];
  const bar = useRef<HTMLElement>(null);
  // A narrow window does not show all of them at once.
  useEffect(() => bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [page()]);
  return (
    <nav class="pages" ref={bar} aria-label={t('pages.title')}>
      {pages.map(([name, label]) => (
        <a
          key={name}
          href={`/base/${encodeURIComponent(id)}${name && `?panel=${name}`}`}
          aria-current={(panel.value === name || (name !== '' && page() === name)) && !about.value ? 'page' : undefined}
          onClick={follow({ game: null, path: '', panel: name })}
        >
          {t(label)}
        </a>
      ))}
    </nav>
  );
}

function title(): string {
  const base = library.bases.value?.find(one => one.id === baseId.value);
  return base ? `${nameOf(base)} – Tabiya` : 'Tabiya';
}

function Top() {
  const home = { base: null, game: null, path: '', query: '', sort: '', panel: '' };
  const base = library.bases.value?.find(one => one.id === baseId.value);
  return (
    <header class="top">
      <a class="home" href="/" onClick={follow(home)}>
        Tabiya
      </a>
      {!base && panel.value && (
        <a href="/" onClick={follow(home)}>
          {t('library.title')}
        </a>
      )}
      {base && (
        <nav aria-label={t('library.title')}>
          <a href="/" onClick={follow(home)}>
            {t('library.title')}
          </a>{' '}
          <span aria-hidden="true">›</span>{' '}
          <a href={`/base/${encodeURIComponent(base.id)}`} onClick={follow({ about: null, game: null, path: '', panel: '' })}>
            <b dir="auto" title={nameOf(base)}>
              {nameOf(base)}
            </b>
          </a>
        </nav>
      )}
      {base && <Pages />}
      <span class="acts">
        {base && isWorkspace() && <LayoutMenu />}
        <Button icon="help" label={t('help.title')} onClick={() => dialog('help')} />
        <Button icon="settings" label={t('settings.title')} onClick={() => dialog('settings')} />
      </span>
    </header>
  );
}

applySettings();
listen();
const root = document.getElementById('app');
if (root) render(<App />, root);
