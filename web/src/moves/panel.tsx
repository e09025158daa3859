/** The moves of a game, inline: the main line in rows of text, variations in their place, comments, signs and damage. */

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { baseId, gameNumber } from '../address';
import * as board from '../board/store';
import { shortened, tag } from '../game/tree';
import type { Comment, Game, Node } from '../game/tree';
import { shownSan, t } from '../words';
import { Graph } from './graph';
import { glyph } from './nags';

/** Nodes that are drawn at once at most; of larger games the part around the reader. */
const MOST = 4_000;

/** Whether variations are shown as dots. */
const folded = signal(false);

export function Moves() {
  const game = board.game.value;
  const trouble = board.trouble.value;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const current = box.current?.querySelector<HTMLElement>('[aria-current]');
    current?.scrollIntoView({ block: 'nearest' });
  }, [board.node.value]);
  if (trouble) return <p class="trouble">{trouble}</p>;
  if (!game) return gameNumber.value === null ? <p class="quiet empty">{t('moves.choose')}</p> : <p class="quiet">{t('loading')}</p>;
  return (
    <section class="moves" aria-label={t('moves.title')}>
      <Header game={game} />
      <Graph />
      <div class="text" ref={box} role="tree" aria-label={t('moves.title')}>
        <Comments all={game.root.comments} />
        {line(game, game.root)}
        <span class="result"> {game.result.replace('1/2-1/2', '½–½')}</span>
      </div>
      {game.findings.length > 0 && (
        <ul class="findings">
          {game.findings.map((found, at) => (
            <li key={at} class={found.severity}>
              {found.message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Header({ game }: { game: Game }) {
  const about = [tag(game, 'Event'), tag(game, 'Site'), tag(game, 'Round'), tag(game, 'Date').replaceAll('.??', '')];
  const base = baseId.value ?? '';
  return (
    <header>
      <h2>
        <bdi>{shortened(tag(game, 'White'))}</bdi> – <bdi>{shortened(tag(game, 'Black'))}</bdi>
      </h2>
      <p class="quiet" dir="auto">
        {[...about.map(shortened).filter(text => text && text !== '?' && text !== '????'), tag(game, 'ECO')].filter(Boolean).join(' · ')}
      </p>
      <p class="quiet">
        <button
          aria-pressed={folded.value}
          onClick={() => (folded.value = !folded.value)}
        >
          {t('moves.fold')}
        </button>{' '}
        <a href={`/api/v1/bases/${encodeURIComponent(base)}/games/${game.number}/pgn`} download={`game-${game.number}.pgn`}>
          PGN
        </a>
      </p>
    </header>
  );
}

/** The moves from a node on, walked without recursion. */
function line(game: Game, root: Node): JSX.Element[] {
  const parts: JSX.Element[] = [];
  const starts = game.start.split(' ');
  const offset = (Number(starts[5] ?? 1) - 1) * 2 + (starts[1] === 'b' ? 1 : 0);
  // A step of the walk: a move to show, and then what follows it; or the bracket that ends a variation.
  const open: ({ node: Node; fresh: boolean } | 'close')[] = [];
  // Where variations are folded, those that lead to the reader stay open.
  const way = new Set<Node>();
  for (let at: Node | null = board.node.value; at; at = at.parent) way.add(at);
  const push = (at: Node, fresh: boolean) => {
    const main = at.children[0];
    if (main) open.push({ node: main, fresh });
  };
  push(root, true);
  let count = 0;
  for (let step = open.pop(); step && count < MOST; step = open.pop()) {
    if (step === 'close') {
      parts.push(<span key={`c${count}-${open.length}`}>) </span>);
      continue;
    }
    const { node, fresh } = step;
    count++;
    parts.push(<Move key={node.path} node={node} offset={offset} fresh={fresh} />);
    const siblings = node.parent?.children[0] === node ? (node.parent.children.slice(1) ?? []) : [];
    const talked = node.comments.length > 0 || siblings.length > 0;
    push(node, talked);
    const opened = folded.value ? siblings.filter(one => way.has(one)) : siblings;
    if (opened.length < siblings.length) {
      parts.push(
        <button key={`f${node.path}`} class="unfold" aria-label={t('moves.unfold')} onClick={() => (folded.value = false)}>
          …
        </button>,
      );
    }
    for (const other of [...opened].reverse()) {
      open.push('close', { node: other, fresh: true });
    }
  }
  return parts;
}

function Move({ node, offset, fresh }: { node: Node; offset: number; fresh: boolean }) {
  const ply = node.ply + offset;
  const white = ply % 2 === 1;
  const number = Math.ceil(ply / 2);
  const isBranch = node.parent !== null && node.parent.children[0] !== node;
  const depth = lineDepth(node);
  const current = board.node.value === node && !board.scratch.value;
  return (
    <>
      {isBranch && <span class="bracket"> (</span>}
      <Comments all={node.before} />
      {(white || fresh) && <span class="number">{white ? `${number}. ` : `${number}… `}</span>}
      <a
        class={`move depth-${Math.min(depth, 3)}`}
        role="treeitem"
        aria-level={depth + 1}
        {...(current ? { 'aria-current': 'true' as const, 'aria-selected': true } : { 'aria-selected': false })}
        href={`?at=${node.path}`}
        onClick={event => {
          event.preventDefault();
          board.stand(node);
        }}
      >
        {shownSan(node.san)}
        {node.nags.map(glyph).join('')}
      </a>{' '}
      <Comments all={node.comments} />
      {node.raw.map((text, at) => (
        <code key={at} class="raw" title={t('moves.raw')}>
          {text}
        </code>
      ))}
    </>
  );
}

/** How many variations a move stands in. */
function lineDepth(node: Node): number {
  // The path has two more parts for each branch.
  return (node.path.split('.').length - 1) / 2;
}

function Comments({ all }: { all: Comment[] }) {
  return (
    <>
      {all
        .filter(comment => comment.text)
        .map((comment, at) => (
          <span key={at} class="comment" dir="auto">
            {comment.text}{' '}
          </span>
        ))}
    </>
  );
}
