/** The board: chessground for those who look, a grid of buttons for those who listen. */

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key } from '@lichess-org/chessground/types';
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { destinations, isPromotion } from '../game/position';
import { shortened, tag } from '../game/tree';
import { AboutLink } from '../about/link';
import { CommandField } from '../command/field';
import { useQuestion, wanted } from '../dialog';
import { arrows } from '../engine/store';
import { hovered } from '../explorer/store';
import { Button } from '../ui/button';
import { later } from '../later';
import { shownSan, t } from '../words';
import { Captured } from './captured';
import { Gauge } from './gauge';
import { Grid } from './grid';
import * as store from './store';

const Editor = later(async () => (await import('./editor')).Editor, null);
const Tools = later(async () => (await import('./tools')).Tools, null);
const Replay = later(async () => (await import('./replay')).Replay, null);

/** The wheel turns moves over, where there are some; with Ctrl it is the browser's. */
const wheel = (event: WheelEvent) => {
  if (event.ctrlKey || event.deltaY === 0 || (!store.game.value && !store.scratch.value)) return;
  event.preventDefault();
  const { deltaY, deltaMode, timeStamp } = event;
  void import('./wheel').then(({ turn }) => turn({ deltaY, deltaMode, timeStamp }));
};

const COLOURS: Record<string, string> = { green: 'green', red: 'red', yellow: 'yellow', blue: 'blue' };

function shapes(): DrawShape[] {
  const drawn: DrawShape[] = [];
  if (!store.scratch.value?.shown) {
    for (const comment of store.node.value?.comments ?? []) {
      for (const mark of comment.marks) {
        const brush = COLOURS[mark.colour] ?? 'green';
        if (mark.square) drawn.push({ orig: mark.square as Key, brush });
        else if (mark.from && mark.to) drawn.push({ orig: mark.from as Key, dest: mark.to as Key, brush });
      }
    }
  }
  for (const { uci, brush } of arrows.value) drawn.push({ orig: uci.slice(0, 2) as Key, dest: uci.slice(2, 4) as Key, brush });
  const arrow = hovered.value;
  if (arrow) drawn.push({ orig: arrow.slice(0, 2) as Key, dest: arrow.slice(2, 4) as Key, brush: 'paleBlue' });
  return drawn;
}

export function Board() {
  const host = useRef<HTMLDivElement>(null);
  const board = useRef<Api | null>(null);
  const promotion = useSignal<{ from: string; to: string; fen: string } | null>(null);
  useEffect(() => {
    if (!host.current) return;
    const moved = (from: string, to: string) => {
      if (isPromotion(store.fen.value, from, to)) promotion.value = { from, to, fen: store.fen.value };
      else if (!store.playSquares(from + to)) draw();
    };
    board.current = Chessground(host.current, {
      coordinates: true,
      animation: { enabled: !matchMedia('(prefers-reduced-motion: reduce)').matches, duration: 90 },
      movable: { free: false, showDests: true },
      premovable: { enabled: false },
      drawable: {
        enabled: true,
        eraseOnMovablePieceClick: true,
        onChange: drawn => {
          const last = drawn[drawn.length - 1];
          const annotator = store.annotator.value;
          if (!annotator || !last) return;
          // What is drawn while the game is annotated belongs to it.
          board.current?.setShapes([]);
          annotator.draw(last);
        },
      },
      events: { move: moved },
    });
    // Since it was measured, it may have moved with what stands around it.
    host.current.addEventListener('pointerdown', () => board.current?.state.dom.bounds.clear(), true);
    draw();
    return () => board.current?.destroy();
  }, []);
  const draw = () => {
    const squares = store.lastMove.value.slice(0, 4);
    const last = squares && squares !== '0000' ? [squares.slice(0, 2), squares.slice(2)] : undefined;
    board.current?.set({
      fen: store.fen.value,
      orientation: store.flipped.value ? 'black' : 'white',
      turnColor: store.turn.value,
      check: false,
      ...(last ? { lastMove: last as Key[] } : { lastMove: [] }),
      movable: { color: store.turn.value, dests: destinations(store.fen.value) as Map<Key, Key[]> },
    });
    board.current?.setAutoShapes(shapes());
  };
  useSignalEffect(draw);
  // Who steps on has not promoted.
  const choice = promotion.value?.fen === store.fen.value ? promotion.value : null;
  const asking = useQuestion(choice, 'button');
  return (
    <section class="board" tabIndex={-1} aria-label={t('board.title')}>
      <div class="stand">
      <Player side={store.flipped.value ? 'White' : 'Black'} />
      <Gauge />
      <div class="squares" onWheel={wheel}>
        <div class="ground" ref={host} aria-hidden="true" />
        <Grid />
        {choice && (
          <div
            class="promotion"
            ref={asking}
            role="dialog"
            aria-label={t('board.promotion')}
            onKeyDown={event => {
              if (event.key !== 'Escape') return;
              promotion.value = null;
              draw();
            }}
          >
            {(['q', 'r', 'b', 'n'] as const).map(role => (
              <button
                key={role}
                onClick={() => {
                  promotion.value = null;
                  if (!store.playSquares(choice.from + choice.to + role)) draw();
                }}
              >
                {t(`piece.${role}`)}
              </button>
            ))}
          </div>
        )}
      </div>
      <Player side={store.flipped.value ? 'Black' : 'White'} />
      <Controls />
      </div>
      {wanted.value.has('editor') && <Editor />}
    </section>
  );
}

function Player({ side }: { side: 'White' | 'Black' }) {
  const game = store.game.value;
  const name = game ? tag(game, side) : '';
  const elo = game ? tag(game, `${side}Elo`) : '';
  const title = game ? tag(game, `${side}Title`) : '';
  const clock = clockOf(side);
  return (
    <p class={`player ${side.toLowerCase()}`}>
      <span dir="auto">
        {title && <b>{title} </b>}
        <bdi>
          <AboutLink kind="player" name={name}>
            {shortened(name) || ' '}
          </AboutLink>
        </bdi>
      </span>
      {elo && <span class="quiet"> {elo}</span>}
      <Captured start={game?.start ?? store.from.value} fen={store.fen.value} side={side} />
      {clock && <span class="clock">{clock}</span>}
    </p>
  );
}

/** The clock of a side after its last move up to here. */
function clockOf(side: 'White' | 'Black'): string {
  const starts = store.game.value?.start.split(' ')[1] === 'b' ? 1 : 0;
  for (let at = store.node.value; at?.parent; at = at.parent) {
    const mover = (at.ply + starts) % 2 === 1 ? 'White' : 'Black';
    if (mover === side && at.clock !== null) {
      const seconds = Math.max(0, Math.round(at.clock));
      const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
      return parts.map((part, index) => (index ? String(part).padStart(2, '0') : String(part))).join(':');
    }
  }
  return '';
}

function Controls() {
  return (
    <div class="controls">
      <span class="steps">
        <Button icon="first" label={t('move.first')} onClick={store.first} />
        <Button icon="previous" label={t('move.previous')} onClick={store.previous} />
        <Button icon="next" label={t('move.next')} onClick={store.next} />
        <Button icon="last" label={t('move.last')} onClick={store.last} />
      </span>
      <Button icon="flip" label={t('board.flip')} onClick={() => (store.flipped.value = !store.flipped.value)} aria-pressed={store.flipped.value} />
      <Replay />
      <Tools />
      <CommandField />
      {store.isSetUp.value && !store.scratch.value && (
        <p class="scratch">
          <span class="quiet">{t('board.set-up')}</span> <button onClick={store.dropScratch}>{t('setup.start')}</button>
        </p>
      )}
      {store.scratch.value && (
        <p class="scratch">
          <span class="quiet">{t('board.scratch')}</span>{' '}
          {store.scratch.value.moves.slice(0, store.scratch.value.shown).map(move => `${shownSan(move.san)} `)}
          <Button onClick={store.dropScratch}>{t('board.back')}</Button>
        </p>
      )}
    </div>
  );
}
