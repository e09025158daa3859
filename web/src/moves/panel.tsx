/** The moves of a game: inline or in columns, with variations, comments, signs and damage. */

import { computed, effect, signal, useSignalEffect } from '@preact/signals';
import { Fragment } from 'preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { AboutLink } from '../about/link';
import { gameNumber } from '../address';
import type { About } from '../address';
import * as board from '../board/store';
import { shortened, tag } from '../game/tree';
import type { Game, Node } from '../game/tree';
import { opening } from '../explorer/store';
import { Button } from '../ui/button';
import { t } from '../words';
import { later } from '../later';
import { Columns, Comments, Inline, partOf } from './text';

const Save = later(async () => (await import('./save')).Save, null);
const Graph = later(async () => (await import('./graph')).Graph, null);

/** Whether variations are shown as dots. */
const folded = signal(false);
/** Whether the main line stands in columns. */
const columns = signal(localStorage.getItem('moves') === 'columns');

effect(() => localStorage.setItem('moves', columns.value ? 'columns' : 'inline'));

const NONE: ReadonlySet<Node> = new Set();

/** The way to the reader, where variations are folded. */
const way = computed<ReadonlySet<Node>>(() => {
  if (!folded.value) return NONE;
  const nodes = new Set<Node>();
  for (let at: Node | null = board.node.value; at; at = at.parent) nodes.add(at);
  return nodes;
});

/** Where the part of a large game begins that is drawn. */
const part = computed(() => (board.game.value ? partOf(board.game.value, board.node.value?.order ?? 0) : 0));

/** The game, with what is told beside its text; how it is annotated, where it may be. */
export function Moves({ onAnnotate, children }: { onAnnotate: (() => void) | null; children?: ComponentChildren }) {
  const game = board.game.value;
  const trouble = board.trouble.value;
  if (trouble) return <p class="trouble">{trouble}</p>;
  if (!game) return gameNumber.value === null ? <p class="quiet empty">{t('moves.choose')}</p> : <p class="quiet">{t('loading')}</p>;
  return (
    <section class="moves" aria-label={t('moves.title')}>
      <div class="book">
        <div>
          <Header game={game} onAnnotate={onAnnotate} />
          <Graph />
        </div>
        <Text game={game} />
        {game.findings.length > 0 && (
          <ul class="findings plain">
            {game.findings.map((found, at) => (
              <li key={at} class={found.severity}>
                {found.message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {children}
    </section>
  );
}

/** The text stays as it is while the reader steps through it: the mark of the move is put on it afterwards. */
function Text({ game }: { game: Game }) {
  const box = useRef<HTMLDivElement>(null);
  /** The move that was brought into sight last: it is not looked for anew when something is said of it. */
  const seen = useRef<Element | null>(null);
  /** The reader has scrolled away from it. */
  const isElsewhere = useRef(false);
  const mark = () => {
    const order = board.scratch.value?.shown ? -1 : (board.node.value?.order ?? -1);
    const now = box.current?.querySelector(`[data-order="${order}"]`) ?? null;
    for (const old of box.current?.querySelectorAll('[aria-current]') ?? []) {
      if (old === now) continue;
      old.removeAttribute('aria-current');
      old.setAttribute('aria-selected', 'false');
    }
    if (now && now.getAttribute('aria-current') === null) {
      now.setAttribute('aria-current', 'true');
      now.setAttribute('aria-selected', 'true');
    }
    if (now === seen.current) return;
    now?.scrollIntoView({ block: 'nearest' });
    seen.current = now;
    isElsewhere.current = false;
  };
  useSignalEffect(mark);
  useLayoutEffect(mark);
  // What comes later, above the text or below it, must not push the move out of sight.
  useEffect(() => {
    const book = box.current?.parentElement;
    if (!book) return;
    const leave = () => (isElsewhere.current = true);
    const events = ['wheel', 'touchmove', 'pointerdown'];
    for (const event of events) book.addEventListener(event, leave, { passive: true });
    const watch = new ResizeObserver(() => isElsewhere.current || seen.current?.scrollIntoView({ block: 'nearest' }));
    for (const one of [book, box.current?.previousElementSibling]) if (one) watch.observe(one);
    return () => {
      watch.disconnect();
      for (const event of events) book.removeEventListener(event, leave);
    };
  }, []);
  const asked = { game, part: part.value, folded: folded.value, unfold: () => (folded.value = false), way: way.value };
  return (
    <div class="text" ref={box} role="tree" aria-label={t('moves.title')}>
      <Comments all={game.root.comments} />
      {game.root.raw.map((text, at) => (
        <code key={at} class="raw" title={t('moves.raw')}>
          {shortened(text)}
        </code>
      ))}
      {columns.value ? <Columns {...asked} /> : <Inline {...asked} />}
      <span class="result"> {game.result.replace('1/2-1/2', '½–½')}</span>
    </div>
  );
}

/** What is told of a game in one line; each text is a direction of its own. */
function Facts({ game }: { game: Game }) {
  const links: [string, About['kind'] | null][] = [
    ['Event', 'event'],
    ['Site', 'site'],
    ['Round', null],
    ['Date', null],
    ['ECO', 'opening'],
    ['Annotator', 'annotator'],
  ];
  const known = links.flatMap(([name, kind]) => {
    const value = tag(game, name);
    const text = shortened(name === 'Date' ? value.replaceAll('.??', '') : value);
    return text && text !== '?' && text !== '????' ? [{ kind, value, text }] : [];
  });
  return (
    <>
      {known.map(({ kind, value, text }, at) => (
        <Fragment key={at}>
          {at > 0 && ' · '}
          <bdi>
            {kind ? (
              <AboutLink kind={kind} name={value}>
                {text}
              </AboutLink>
            ) : (
              text
            )}
          </bdi>
        </Fragment>
      ))}
    </>
  );
}

function Header({ game, onAnnotate }: { game: Game; onAnnotate: (() => void) | null }) {
  return (
    <header>
      <div class="acts">
        {onAnnotate && (
          <Button icon="edit" onClick={onAnnotate}>
            {t('edit.begin')}
          </Button>
        )}
        <Button icon="fold" label={t('moves.fold')} aria-pressed={folded.value} onClick={() => (folded.value = !folded.value)} />
        <Button icon="columns" label={t('moves.columns')} aria-pressed={columns.value} onClick={() => (columns.value = !columns.value)} />
        <Save />
      </div>
      <h2>
        {(['White', 'Black'] as const).map((side, at) => (
          <Fragment key={side}>
            {at > 0 && ' – '}
            <bdi>
              <AboutLink kind="player" name={tag(game, side)}>
                {shortened(tag(game, side)) || '?'}
              </AboutLink>
            </bdi>
          </Fragment>
        ))}
      </h2>
      <p class="quiet">
        <Facts game={game} />
      </p>
      <Opening />
    </header>
  );
}

/** What the opening is called, where the explorer knows the position or one before it. */
function Opening() {
  const found = opening.value;
  return (
    <p class="opening" aria-live="off">
      {found ? (
        <>
          <span class="quiet">{found.eco}</span> {found.name}
        </>
      ) : (
        ' '
      )}
    </p>
  );
}
