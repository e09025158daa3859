/** What is said of the move that led to the position. */

import { shownSan, t } from '../words';
import * as store from './store';

export function lastMove(): string {
  const tried = store.scratch.value;
  const move = tried?.shown ? tried.moves[tried.shown - 1] : store.node.value;
  return move?.san ? shownSan(move.san) : t('say.start');
}
