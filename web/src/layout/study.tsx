/** The workspace: the list, the board, and beside it what is read and asked of the position, with bars between them. */

import type { ComponentChildren } from 'preact';
import { gameNumber, panel } from '../address';
import { begin, session, trouble } from '../annotate/store';
import { Board } from '../board/panel';
import { Engine } from '../engine/panel';
import { Games } from '../games/panel';
import { later } from '../later';
import * as library from '../library/store';
import { Moves } from '../moves/panel';
import { Splitter } from '../ui/splitter';
import { Tabs } from '../ui/tabs';
import { t } from '../words';
import type { Key } from '../words';
import { BOUNDS } from './remembered';
import * as store from './store';
import { beside, tabs } from './tabs';

const Explorer = later(async () => (await import('../explorer/panel')).Explorer, null);
const Strip = later(async () => (await import('./strip')).Strip, null);
const Annotate = later(async () => (await import('../annotate/panel')).Annotate, 'section');
const Repertoire = later(async () => (await import('../repertoire/page')).Repertoire, 'section');
const Beside = later(async () => (await import('./beside')).Beside, 'section');

const NAMES: Record<store.Pane, Key> = { list: 'games.title', moves: 'moves.title', engine: 'engine.title', explorer: 'explorer.title' };

function Pane({ name, children }: { name: store.Pane; children: ComponentChildren }) {
  return (
    <div id={`pane-${name}`} class={`pane ${name}-pane`} data-sheet={store.sheet.value === name ? '' : undefined}>
      {children}
    </div>
  );
}

/** The moves, and beside them the work on the game while it is annotated. */
function Text() {
  const isAnnotated = session.value !== null;
  return (
    <Moves onAnnotate={isAnnotated || library.readOnly.value ? null : () => begin()}>
      {!isAnnotated && trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      {isAnnotated && <Annotate />}
    </Moves>
  );
}

/** The bar beside a pane. */
function Bar({ pane, share, orientation, isReversed }: { pane: store.Pane; share: 'list' | 'wide' | 'side' | 'explorer'; orientation: 'vertical' | 'horizontal'; isReversed?: boolean }) {
  const [least, most] = BOUNDS[share];
  return (
    <Splitter
      label={t('layout.width', { pane: t(NAMES[pane]) })}
      controls={`pane-${pane}`}
      orientation={orientation}
      value={store.layout.value[share]}
      least={least}
      most={most}
      usual={store.LAYOUTS[store.preset.value][share]}
      isReversed={isReversed ?? false}
      onChange={value => store.arrange({ [share]: value })}
    />
  );
}

export function Study({ title }: { title: string }) {
  const isListing = store.isListing.value;
  const hasRepertoire = store.hasRepertoire.value;
  // What is trained is not told by others.
  const isAsked = hasRepertoire && panel.value !== 'repertoire';
  const hasGame = gameNumber.value !== null || hasRepertoire;
  const hasOther = !isListing && beside.value !== '';
  const hasList = isListing || (store.isShown('list') && !hasOther && !hasRepertoire);
  const hasMoves = !isListing && (store.isShown('moves') || session.value !== null || hasRepertoire);
  const hasEngine = hasGame && !isAsked && store.isShown('engine');
  const hasExplorer = isListing || (!isAsked && store.isShown('explorer'));
  const hasSide = hasMoves || hasEngine || hasExplorer;
  const { list, wide, side, explorer } = store.layout.value;
  const shares = { '--list': String(isListing ? wide : list), '--side': String(side), '--explorer': String(explorer) };
  const kind = ['study', isListing ? 'no-game' : '', hasList ? '' : 'no-list', hasSide ? '' : 'no-side', session.value ? 'annotating' : '', hasOther ? 'with-other' : ''];
  const panes = store.PANES.filter(one => (isListing ? one === 'list' || one === 'explorer' : (one !== 'engine' || hasGame) && (!hasRepertoire || one === 'moves' || (one !== 'list' && !isAsked))));
  return (
    <>
    {tabs.value.length > 1 && <Strip />}
    <main class={kind.filter(Boolean).join(' ')} id="main" style={shares}>
      <h1 class="hidden">{title}</h1>
      {hasList && (
        <Pane name="list">
          <Games />
        </Pane>
      )}
      {hasList && <Bar pane="list" share={isListing ? 'wide' : 'list'} orientation="vertical" />}
      <Board />
      {hasOther && <Beside />}
      {hasSide && !isListing && <Bar pane="moves" share="side" orientation="vertical" isReversed />}
      {hasSide && (
        <div class="side">
          {hasMoves && (
            <Pane name="moves">
              {hasRepertoire ? <Repertoire /> : <Text />}
            </Pane>
          )}
          {hasEngine && (
            <Pane name="engine">
              <Engine />
            </Pane>
          )}
          {hasExplorer && hasMoves && <Bar pane="explorer" share="explorer" orientation="horizontal" isReversed />}
          {hasExplorer && (
            <Pane name="explorer">
              <Explorer />
            </Pane>
          )}
        </div>
      )}
      <Tabs
        class="dock"
        label={t('layout.panes')}
        tabs={panes.map(name => ({ id: name, label: t(NAMES[name]) }))}
        chosen={panes.includes(store.sheet.value) ? store.sheet.value : (panes[0] ?? 'list')}
        onChoose={id => (store.sheet.value = id as store.Pane)}
        panelOf={id => `pane-${id}`}
      />
    </main>
    </>
  );
}
