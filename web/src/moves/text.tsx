/** The moves as text: inline, or the main line in two columns with what is said of it between the rows. */

import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import * as board from '../board/store';
import { pathOf } from '../game/tree';
import type { Comment, Game, Node } from '../game/tree';
import { shownSan, t } from '../words';
import { glyph } from './nags';
import { branches, numberOf, offsetOf, walk, walkGame } from './walk';
import type { Step } from './walk';

/** Moves that are drawn at once at most; of larger games the part around the reader. */
const MOST = 4_000;
/** The reader's part moves on in steps of so many moves, so that most steps draw nothing anew. */
const PART = 1_000;
/** Brackets that are drawn one by one. */
const MANY = 40;
/** Characters of a comment that are shown before one asks for more. */
const LONG = 5_000;

/** Where the drawn part of a game begins. */
export function partOf(game: Game, order: number): number {
  return game.nodes.length <= MOST ? 0 : Math.max(0, Math.floor(order / PART) * PART - MOST / 2);
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
  const steps = walkGame(game, folded, way);
  const offset = offsetOf(game);
  if (steps.length <= MOST) return <>{drawn(steps, offset, unfold)}</>;
  // Moves are read in the order in which they are written, but for those behind a variation.
  let first = 0;
  let most = 0;
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'move' && step.node.order <= part && step.node.order >= most) {
      most = step.node.order;
      first = at;
    }
  }
  const last = Math.min(steps.length, first + MOST);
  return (
    <>
      {first > 0 && <Beyond to={steps.slice(0, first).findLast(isMove)} />}
      {drawn(steps.slice(first, last), offset, unfold)}
      {last < steps.length && <Beyond to={steps.slice(last).find(isMove)} />}
    </>
  );
}

const isMove = (step: Step): boolean => step.kind === 'move';

/** Leads to the part of the game beside the one that is drawn. */
function Beyond({ to }: { to: Step | undefined }) {
  return (
    <button class="beyond" onClick={() => to?.kind === 'move' && board.stand(to.node)}>
      {t('moves.beyond')}
    </button>
  );
}

function drawn(steps: Step[], offset: number, unfold: () => void): JSX.Element[] {
  return steps.map((step, at) => {
    if (step.kind === 'close') return <span key={`c${at}`}>{closing(step.count)}</span>;
    if (step.kind === 'folded')
      return (
        <button key={`f${step.node.order}`} class="unfold" aria-label={t('moves.unfold')} onClick={unfold}>
          …
        </button>
      );
    const { node, fresh } = step;
    const { white, text } = numberOf(node, offset);
    return (
      <span key={node.order}>
        {node.index > 0 && <span class="bracket"> (</span>}
        <Comments all={node.before} />
        {(white || fresh) && <span class="number">{text} </span>}
        <Move node={node} /> <After node={node} />
      </span>
    );
  });
}

/** The brackets that end variations; many of them are counted. */
const closing = (count: number): string => (count > MANY ? `) × ${count} ` : ') '.repeat(count));

function Move({ node }: { node: Node }) {
  return (
    <a
      class={`move depth-${Math.min(node.depth, 3)}`}
      role="treeitem"
      aria-level={node.depth + 1}
      aria-selected="false"
      data-order={node.order}
      href={`?at=${pathOf(node)}`}
      onClick={event => {
        event.preventDefault();
        board.stand(node);
      }}
    >
      {shownSan(node.san)}
      {node.nags.map(glyph).join('')}
    </a>
  );
}

/** What stands behind a move. */
function After({ node }: { node: Node }) {
  return (
    <>
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
    if (node.comments.some(comment => comment.text) || node.raw.length > 0 || branches(node).length > 0) lines.push({ kind: 'aside', node });
  }
  return lines;
}

/** The main line in columns. Of games that are too large for that the text is inline. */
export function Columns(asked: Asked) {
  const { game, folded, unfold, way } = asked;
  if (game.nodes.length > MOST) return <Inline {...asked} />;
  const offset = offsetOf(game);
  return (
    <div class="columns" role="presentation">
      {linesOf(game).map(line => {
        if (line.kind === 'row') {
          const { white, black } = line;
          return (
            <div class="pair" role="presentation" key={`r${(white ?? black)?.order}`}>
              <span class="number">{line.number}</span>
              <span>{white ? <Move node={white} /> : '…'}</span>
              <span>{black ? <Move node={black} /> : white?.children.length ? '…' : ''}</span>
            </div>
          );
        }
        const { node } = line;
        const others = branches(node).flatMap((other): Step[] => [{ kind: 'move', node: other, fresh: true }, { kind: 'close', count: 1 }]);
        const opened = folded ? others.filter((step, at) => way.has(stepNode(step) ?? stepNode(others[at - 1]) ?? node)) : others;
        return (
          <p class="aside" key={`a${node.order}`}>
            <After node={node} />
            {drawn(walk(opened, folded, way), offset, unfold)}
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
