/** From one place of a game that has something to the next one, in the order in which it is read. */

import { baseId } from '../address';
import { ask, queryString } from '../api';
import { spoken } from '../command/field';
import type { Node } from '../game/tree';
import { numberOf, offsetOf } from '../moves/walk';
import { shownSan, t } from '../words';
import { during } from '../work';
import * as board from './store';

/** NAGs of mistakes and blunders. */
const BAD = [2, 4];
/** Hundredths of a pawn that the side which moved has lost by the evaluations. */
const LOST = 200;
/** The most that an evaluation counts: what is won or lost anyway stays so. */
const MOST = 1_000;

const worth = ({ cp, mate }: { cp?: number; mate?: number }): number =>
  mate !== undefined ? Math.sign(mate) * MOST : Math.max(-MOST, Math.min(MOST, cp ?? 0));

/** Whether a move loses much, by its sign or by the evaluations before and after it. */
export function isBlunder(node: Node, offset: number): boolean {
  if (node.nags.some(nag => BAD.includes(nag))) return true;
  const [now, before] = [node.evaluation, node.parent?.evaluation];
  if (!now || !before) return false;
  const side = (node.ply + offset) % 2 === 1 ? 1 : -1;
  return side * (worth(before) - worth(now)) >= LOST;
}

const KINDS: Record<string, (node: Node, offset: number) => boolean> = {
  comment: node => [...node.before, ...node.comments].some(comment => comment.text !== ''),
  sign: node => node.nags.length > 0,
  variation: node => node.index > 0,
  blunder: isBlunder,
};

function show(node: Node, offset: number): void {
  board.stand(node);
  const { text } = numberOf(node, offset);
  spoken.value = `${text} ${shownSan(node.san)}`;
}

/** Jumps to the next place of a kind, or to the one before. */
export const jump = board.inGame((kind: keyof typeof KINDS, by: 1 | -1): void => {
  const game = board.game.peek();
  const from = board.node.peek();
  const has = KINDS[kind];
  if (!game || !from || !has) return;
  const offset = offsetOf(game);
  for (let at = from.order + by; at > 0 && at < game.nodes.length; at += by) {
    const node = game.nodes[at];
    if (node && has(node, offset)) return show(node, offset);
  }
  spoken.value = t('jump.none');
});

/** Jumps to where the game leaves what was played before it in its base. */
export async function jumpToNovelty(): Promise<void> {
  const game = board.game.peek();
  const base = baseId.peek();
  if (!game || base === null || game.number === 0) return;
  try {
    const asked = queryString({ query: `number:${game.number}` });
    const { novelties } = await during(t('novelties.title'), init => ask<{ novelties: { ply: number }[] }>(`bases/${encodeURIComponent(base)}/novelties?${asked}`, init));
    const ply = novelties[0]?.ply;
    // Who has gone to another game does not want it any more.
    if (board.game.peek()?.number !== game.number) return;
    let node: Node | undefined = board.game.peek()?.root;
    for (let at = 0; node && ply !== undefined && at < ply; at++) node = node.children[0];
    if (ply && node) show(node, offsetOf(game));
    else spoken.value = t('jump.none');
  } catch (error) {
    spoken.value = error instanceof Error ? error.message : String(error);
  }
}
