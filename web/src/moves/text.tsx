/** The moves as text: inline, or the main line in two columns with what is said of it between the rows. */

import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import * as board from '../board/store';
import { fenOf, pathsOf } from '../game/tree';
import type { Comment, Game, Node } from '../game/tree';
import { Position } from '../ui/position';
import { figurines, language, shownSan, t } from '../words';
import { DEEPEST, blocksOf } from './blocks';
import { DIAGRAMS, glyph } from './nags';
import { branches, isFresh, isTalkedOf, numberOf, offsetOf, walk, walkGame } from './walk';
import type { Step } from './walk';

/** Moves of games that are drawn whole; of larger ones a part around the reader is drawn, of two pages or so: what is drawn is looked
 * through and painted with every change. */
const MOST = 4_000;
const BEFORE = 120;
/** The reader's part moves on in steps of so many moves, so that most steps draw nothing anew. */
const PART = 80;
/** What is drawn behind the reader's part, brackets counted. */
const BEHIND = 80;
/** Brackets that are drawn one by one. */
const MANY = 40;
/** Characters of a comment that are shown before one asks for more. */
const LONG = 5_000;

/** Where the drawn part of a game begins. */
export function partOf(game: Game, order: number): number {
  return game.nodes.length <= MOST ? 0 : Math.max(0, Math.floor(order / PART) * PART - BEFORE);
}

interface Asked {
  game: Game;
  /** Where the drawn part begins, where the game is too large to be drawn at once. */
  part: number;
  folded: boolean;
  unfold: () => void;
  /** The way to the reader, which stays open. */
  way: ReadonlySet<Node>;
}

export function Inline({ game, part, folded, unfold, way }: Asked) {
  const { nodes } = game;
  const steps = useMemo(() => walkGame(game, folded, way), [nodes, folded, way]);
  const first = useMemo(() => firstOf(steps, part), [steps, part]);
  // However many brackets stand between them, all moves of the reader's part are drawn.
  const last = useMemo(() => Math.min(steps.length, steps.length <= MOST ? MOST : firstOf(steps, part + BEFORE + PART) + BEHIND), [steps, part]);
  return (
    <>
      {first > 0 && <Beyond to={nearest(steps, first - 1, -1)} />}
      {blocksOf(steps.slice(first, last)).map(block => (
        <div key={block.key} role="presentation" class={`block level-${block.level}${block.isStart ? ' start' : ''}`}>
          {drawn(block.steps, game, unfold)}
        </div>
      ))}
      {last < steps.length && <Beyond to={nearest(steps, last, 1)} />}
    </>
  );
}

/** The step with which the drawn part begins. Moves are read in the order in which they are written, but for those behind a variation. */
function firstOf(steps: Step[], part: number): number {
  if (steps.length <= MOST) return 0;
  let first = 0;
  let most = 0;
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'move' && step.node.order <= part && step.node.order >= most) {
      most = step.node.order;
      first = at;
    }
  }
  return first;
}

/** The nearest move from a step on. */
function nearest(steps: Step[], from: number, by: 1 | -1): Step | undefined {
  let at = from;
  while (steps[at] && steps[at]?.kind !== 'move') at += by;
  return steps[at];
}

/** Leads to the part of the game beside the one that is drawn. */
function Beyond({ to }: { to: Step | undefined }) {
  return (
    <button class="beyond" onClick={() => to?.kind === 'move' && board.stand(to.node)}>
      {t('moves.beyond')}
    </button>
  );
}

/** Moves as they were drawn last: those that are the same are not drawn anew. */
const kept = new WeakMap<Node, { key: string; element: JSX.Element }>();

function drawn(steps: Step[], game: Game, unfold: () => void): JSX.Element[] {
  const offset = offsetOf(game);
  const path = pathsOf();
  const letters = `${language.value} ${figurines.value}`;
  /** The move after which a variation ends. */
  let last = -1;
  let depth = 0;
  return steps.map(step => {
    if (step.kind === 'close')
      return <Closing key={`c${last}`} count={step.count} inline={Math.max(0, Math.min(step.count, depth - DEEPEST))} />;
    // Steps are walked for the list of moves; what is said of a move may have changed since.
    const node = game.nodes[step.node.order] ?? step.node;
    if (step.kind === 'folded')
      return (
        <button key={`f${node.id}`} class="unfold" aria-label={t('moves.unfold')} onClick={unfold}>
          …
        </button>
      );
    last = node.id;
    depth = node.depth;
    const { white, text } = numberOf(node, offset);
    const number = white || isFresh(node) ? text : '';
    const way = path(node);
    const key = `${node.order} ${node.depth} ${node.index > 0} ${number} ${way} ${letters}`;
    const before = kept.get(node);
    if (before?.key === key) return before.element;
    const element = (
      <span key={node.id}>
        {node.index > 0 && <span class={node.depth > DEEPEST ? 'bracket' : 'bracket silent'}> (</span>}
        <Comments all={node.before} />
        {number && <span class="number">{number} </span>}
        <Move node={node} order={node.order} depth={node.depth} path={way} /> <After node={node} />
      </span>
    );
    kept.set(node, { key, element });
    return element;
  });
}

/** The ends of variations: in a book those of paragraphs are not seen, and copied all the same. */
function Closing({ count, inline }: { count: number; inline: number }) {
  return (
    <>
      {inline > 0 && <span class="bracket end">{closing(inline)}</span>}
      {count > inline && <span class="bracket silent">{closing(count - inline)}</span>}
    </>
  );
}

/** The brackets that end variations; many of them are counted. */
const closing = (count: number): string => (count > MANY ? `) × ${count} ` : ') '.repeat(count));

/** What can change while the node stays is told beside it: who is told the same draws nothing anew. */
function Move({ node, order, depth, path }: { node: Node; order: number; depth: number; path: string }) {
  return (
    <a
      class={`move depth-${Math.min(depth, 3)}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected="false"
      data-order={order}
      href={`?at=${path}`}
      onClick={event => {
        event.preventDefault();
        board.stand(node);
      }}
    >
      {shownSan(node.san)}
      {node.nags.length > 0 && <Signs nags={node.nags} />}
    </a>
  );
}

/** Annotation symbols: those of the move stand at it, those of the position a little apart. */
function Signs({ nags }: { nags: number[] }) {
  return (
    <span class={`nag${nags.some(nag => nag === 2 || nag === 4 || nag === 6) ? ' bad' : nags.some(nag => nag === 1 || nag === 3) ? ' good' : ''}`}>
      {nags.filter(nag => !DIAGRAMS.includes(nag)).map(glyph).join('')}
    </span>
  );
}

/** What stands behind a move. */
function After({ node }: { node: Node }) {
  return (
    <>
      {node.nags.some(nag => DIAGRAMS.includes(nag)) && (
        <span class="diagram">
          <Position fen={fenOf(node)} last={node.uci} isFlipped={board.flipped.value} />
        </span>
      )}
      <Comments all={node.comments} />
      {node.raw.map((text, at) => (
        <code key={at} class="raw" title={t('moves.raw')}>
          {text.length > LONG ? `${text.slice(0, LONG)}…` : text}
        </code>
      ))}
    </>
  );
}

export function Comments({ all }: { all: Comment[] }) {
  return <>{all.map((comment, at) => comment.text && <Text key={at} text={comment.text} />)}</>;
}

function Text({ text }: { text: string }) {
  const whole = useSignal(text.length <= LONG);
  return (
    <span class="comment" dir="auto">
      {whole.value ? text : text.slice(0, LONG)}{' '}
      {!whole.value && (
        <button class="unfold" onClick={() => (whole.value = true)}>
          {t('moves.more', { n: text.length - LONG })}
        </button>
      )}
    </span>
  );
}

/** A row of two moves, or what is said between the rows. */
type Line = { kind: 'row'; number: string; white: Node | null; black: Node | null } | { kind: 'aside'; node: Node };

function linesOf(game: Game): Line[] {
  const offset = offsetOf(game);
  const lines: Line[] = [];
  for (let node = game.root.children[0]; node; node = node.children[0]) {
    const { white, text } = numberOf(node, offset);
    const last = lines[lines.length - 1];
    if (!white && last?.kind === 'row' && last.black === null) last.black = node;
    else lines.push({ kind: 'row', number: text.replace('…', '.'), white: white ? node : null, black: white ? null : node });
    if (isTalkedOf(node)) lines.push({ kind: 'aside', node });
  }
  return lines;
}

/** The main line in columns. Of games that are too large for that the text is inline. */
export function Columns(asked: Asked) {
  const { game, folded, unfold, way } = asked;
  if (game.nodes.length > MOST) return <Inline {...asked} />;
  const path = pathsOf();
  return (
    <div class="columns" role="presentation">
      {linesOf(game).map(line => {
        if (line.kind === 'row') {
          const { white, black } = line;
          return (
            <div class="pair" role="presentation" key={`r${(white ?? black)?.id}`}>
              <span class="number">{line.number}</span>
              <span>{white ? <Move node={white} order={white.order} depth={white.depth} path={path(white)} /> : '…'}</span>
              <span>{black ? <Move node={black} order={black.order} depth={black.depth} path={path(black)} /> : white?.children.length ? '…' : ''}</span>
            </div>
          );
        }
        const { node } = line;
        const others = branches(node).flatMap((other): Step[] => [{ kind: 'move', node: other }, { kind: 'close', count: 1 }]);
        const opened = folded ? others.filter((step, at) => way.has(stepNode(step) ?? stepNode(others[at - 1]) ?? node)) : others;
        return (
          <p class="aside" key={`a${node.id}`}>
            <After node={node} />
            {drawn(walk(opened, folded, way), game, unfold)}
            {opened.length < others.length && (
              <button class="unfold" aria-label={t('moves.unfold')} onClick={unfold}>
                …
              </button>
            )}
          </p>
        );
      })}
    </div>
  );
}

const stepNode = (step: Step | undefined): Node | null => (step?.kind === 'move' ? step.node : null);
