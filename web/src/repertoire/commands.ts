/** The commands of the text field on the pages about repertoires: training is answered with moves, everything else by a word. */

import { baseId, go } from '../address';
import * as api from '../api';
import type { TrainingCountsAnswer } from '../answers';
import * as board from '../board/store';
import { spoken } from '../command/field';
import { playText } from '../game/position';
import { shownSan } from '../words';
import { choiceOf } from './choices';
import * as store from './store';
import * as training from './training';
import { r } from './words';
import type { Word } from './words';

const TABS: Record<string, Word> = { lines: 'tab.lines', gaps: 'tab.gaps', conflicts: 'tab.conflicts', coverage: 'tab.coverage', check: 'tab.check', train: 'tab.train' };

/** What was said while an answer was judged, and the next question was put. */
async function after(act: () => Promise<void>): Promise<string> {
  spoken.value = '';
  await act();
  return training.trouble.peek() ?? spoken.peek();
}

/** A word or a move of a training; nothing where it is neither. */
async function trained(text: string): Promise<string | null> {
  await training.whenSettled();
  const stage = training.stage.peek();
  if (/^(quit|done)$/i.test(text)) {
    go({ panel: 'repertoire' });
    return r('tab.lines');
  }
  if (/^(next|n)$/i.test(text) && (stage === 'wrong' || stage === 'ends')) return after(() => training.proceed());
  if (/^(again|train)$/i.test(text) && stage === 'over') return after(() => training.begin(baseId.peek() ?? '', { ahead: true }));
  if (stage !== 'asked' && stage !== 'wrong') return null;
  if (/^(\?|show)$/i.test(text)) return after(() => training.answer(null));
  if (/^skip$/i.test(text)) return after(() => training.skip());
  const [, move = '', rating] = text.match(/^(\S+)(?: (hard|good|easy))?$/i) ?? [];
  const played = playText(board.fen.peek(), move);
  if (!played) return null;
  if (rating) training.rating.value = rating.toLowerCase() as training.Rating;
  return after(() => training.answer(played.san));
}

/** What the repertoire has in the position on the board. */
function here(): string {
  const moves = store.nodes.peek().get(store.keyOf(board.fen.peek()))?.position.moves ?? [];
  return moves.map(move => [shownSan(move.san), ...move.marks.map(mark => r(`mark.${mark}` as Word))].join(' ')).join('; ') || r('here.none');
}

/** Does a command; what is said then, or nothing where it is none of these. */
export async function command(text: string): Promise<string | null> {
  const base = baseId.peek();
  if (base === null) return null;
  if (training.question.peek() !== null || training.stage.peek() === 'over') {
    const said = training.stage.peek() === 'none' ? null : await trained(text);
    if (said !== null) return said;
  }
  const tab = TABS[text.toLowerCase()];
  if (tab) {
    go({ panel: text.toLowerCase() === 'lines' ? 'repertoire' : `repertoire-${text.toLowerCase()}` });
    return r(tab);
  }
  if (/^(w|what|moves)$/i.test(text)) return here();
  if (/^add$/i.test(text)) {
    if (store.firstNew.peek() < 0) return r('here.known');
    await store.addLine();
    return store.trouble.peek()?.message ?? r('added', { n: store.added.peek()?.added ?? 0 });
  }
  if (/^undo$/i.test(text)) {
    await store.undo();
    return store.trouble.peek()?.message ?? r('undone');
  }
  if (/^due$/i.test(text)) {
    const { color } = choiceOf(base);
    const told = await api.ask<TrainingCountsAnswer>(`bases/${encodeURIComponent(base)}/repertoire/due?${api.queryString({ color })}`);
    return `${r('due', { n: told.due })}, ${r('due.new', { n: told.new })}`;
  }
  return null;
}
