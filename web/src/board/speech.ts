/** What is said to those who listen, and the commands that they type where others click. */

import { signal } from '@preact/signals';
import { current } from '../explorer/store';
import { shownSan, t } from '../words';
import type { Key } from '../words';
import { nameOf, pieces } from './grid';
import * as store from './store';

const spoken = signal('');

const lastMove = (): string => {
  const tried = store.scratch.value;
  const move = tried?.shown ? tried.moves[tried.shown - 1] : store.node.value;
  return move?.san ? shownSan(move.san) : t('say.start');
};

/** Where the pieces of a kind stand: `p N`, `p n`. */
function places(sign: string): string {
  const squares = [...pieces(store.fen.value)].filter(([, man]) => man === sign).map(([square]) => square);
  return `${nameOf(sign)}: ${squares.join(', ') || t('square.none')}`;
}

/** What stands on a rank or a file: `s 1`, `s e`. */
function scan(line: string): string {
  const found = [...pieces(store.fen.value)].filter(([square]) => square.includes(line));
  return found.map(([square, man]) => `${square} ${nameOf(man)}`).join(', ') || t('square.none');
}

const COMMANDS: [RegExp, (found: RegExpMatchArray) => string | null][] = [
  [/^p ([kqrbnp])$/i, found => places(found[1] ?? 'K')],
  [/^s ([a-h1-8])$/i, found => scan((found[1] ?? '').toLowerCase())],
  [/^(l|last)$/i, () => lastMove()],
  [/^(best|x)$/i, () => {
    const best = current.value?.moves[0];
    return best ? t('say.played', { move: shownSan(best.san), n: best.games }) : t('explorer.none');
  }],
  [/^(m|moves)$/i, () => {
    const moves = current.value?.moves ?? [];
    return moves.map(move => t('say.played', { move: shownSan(move.san), n: move.games })).join('; ') || t('explorer.none');
  }],
  [/^(n|next)$/i, () => (store.next(), lastMove())],
  [/^(b|back)$/i, () => (store.previous(), lastMove())],
  [/^(start|first)$/i, () => (store.first(), t('say.start'))],
  [/^end$/i, () => (store.last(), lastMove())],
  [/^(up|out)$/i, () => (store.leave(), lastMove())],
  [/^(v|variation)$/i, () => (store.sibling(1), lastMove())],
  [/^(f|flip)$/i, () => {
    store.flipped.value = !store.flipped.value;
    return t('board.flip');
  }],
  [/^(t|turn)$/i, () => t(`turn.${store.turn.value}` as Key)],
];

/** A command, or a move; false where it is neither. */
function command(text: string): boolean {
  for (const [pattern, act] of COMMANDS) {
    const found = text.match(pattern);
    if (found) {
      const answer = act(found);
      if (answer !== null) spoken.value = answer;
      return true;
    }
  }
  if (!store.playTyped(text)) {
    spoken.value = t('say.no', { text });
    return false;
  }
  spoken.value = lastMove();
  return true;
}

export const say = {
  get value(): string {
    return spoken.value;
  },
  command,
};
