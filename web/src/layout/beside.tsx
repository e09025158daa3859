/** A second game or position beside the one that is worked on: it has a reader of its own, whose place is in the address, too. */

import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { addressOf, follow, go, place, placeOf } from '../address';
import * as api from '../api';
import { fenOf, nodeAt, pathOf, shortened, tag, treeOf } from '../game/tree';
import type { Game, Node } from '../game/tree';
import { blocksOf } from '../moves/blocks';
import { glyph } from '../moves/nags';
import { isFresh, numberOf, offsetOf, walkGame } from '../moves/walk';
import { Button } from '../ui/button';
import { Position } from '../ui/position';
import { shownSan, t } from '../words';

/** Moves that are drawn: what is read beside another game is a look, and not the work. */
const MOST = 1_000;

const flipped = signal(false);

export function Beside() {
  const game = useSignal<Game | null>(null);
  const trouble = useSignal<string | null>(null);
  const there = placeOf(place.value.beside);
  const { base, game: number } = there;
  useEffect(() => {
    const control = new AbortController();
    game.value = trouble.value = null;
    if (base === null || number === null) return;
    api.game(base, number, control.signal).then(
      json => (game.value = treeOf(json)),
      (error: unknown) => {
        if (!control.signal.aborted) trouble.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => control.abort();
  }, [base, number]);
  const now = game.value;
  const node = now ? nodeAt(now, there.path) : null;
  const stand = (to: Node | null | undefined) => to && go({ beside: addressOf({ ...there, path: pathOf(to) }) }, true);
  const keys = (event: KeyboardEvent) => {
    const to: Record<string, Node | null | undefined> = { ArrowRight: node?.children[0], ArrowLeft: node?.parent, Home: now?.root, End: node && lastOf(node) };
    if (!(event.key in to)) return;
    stand(to[event.key]);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class="other" aria-label={t('tabs.beside')} tabIndex={0} onKeyDown={keys}>
      <header>
        <h2>
          <bdi>{now ? shortened(tag(now, 'White')) : ''}</bdi> – <bdi>{now ? shortened(tag(now, 'Black')) : ''}</bdi>
        </h2>
        <a class="button" href={addressOf({ ...there, beside: '' })} onClick={follow({ ...there, beside: addressOf({ ...place.value, beside: '' }) })}>
          {t('tabs.swap')}
        </a>
        <Button icon="close" kind="plain" label={t('tabs.alone')} onClick={() => go({ beside: '' })} />
      </header>
      {trouble.value && <p class="trouble">{trouble.value}</p>}
      {node && now && (
        <>
          <div class="squares">
            <Position fen={fenOf(node)} last={node.uci} isFlipped={flipped.value} label={`${t('board.title')}: ${fenOf(node)}`} />
          </div>
          <p class="row">
            <Button icon="first" label={t('move.first')} onClick={() => stand(now.root)} />
            <Button icon="previous" label={t('move.previous')} onClick={() => stand(node.parent)} />
            <Button icon="next" label={t('move.next')} onClick={() => stand(node.children[0])} />
            <Button icon="last" label={t('move.last')} onClick={() => stand(lastOf(node))} />
            <Button icon="flip" label={t('board.flip')} aria-pressed={flipped.value} onClick={() => (flipped.value = !flipped.value)} />
          </p>
          <Notation game={now} here={node} stand={stand} />
        </>
      )}
    </section>
  );
}

function lastOf(node: Node): Node {
  let at = node;
  while (at.children[0]) at = at.children[0];
  return at;
}

function Notation({ game, here, stand }: { game: Game; here: Node; stand: (to: Node) => void }) {
  const offset = offsetOf(game);
  return (
    <div class="text">
      {blocksOf(walkGame(game, false, new Set()).slice(0, MOST)).map(block => (
        <div key={block.key} class={`block level-${block.level}${block.isStart ? ' start' : ''}`}>
          {block.steps.map((step, at) => {
            if (step.kind !== 'move') return null;
            const { node } = step;
            const { white, text } = numberOf(node, offset);
            return (
              <span key={at}>
                {(white || isFresh(node)) && <span class="number">{text} </span>}
                <button class={`move depth-${Math.min(node.depth, 3)}`} {...(node === here ? { 'aria-current': 'true' as const } : {})} onClick={() => stand(node)}>
                  {shownSan(node.san)}
                  {node.nags.map(glyph).join('')}
                </button>{' '}
                {node.comments.map((comment, index) => comment.text && <span key={index} class="comment" dir="auto">{shortened(comment.text)} </span>)}
              </span>
            );
          })}
        </div>
      ))}
    </div>
  );
}
