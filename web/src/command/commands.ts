/** Commands that are typed where others click, in the manner of Lichess's mode for the blind, and their answers. */

import { effect } from '@preact/signals';
import { baseId, gameNumber, go, panel, query } from '../address';
import type * as api from '../api';
import { command, played } from '../annotate/commands';
import { nameOf, pieces } from '../board/grid';
import { lastMove } from '../board/said';
import * as store from '../board/store';
import { answers } from '../explorer/store';
import { shortened, tag } from '../game/tree';
import { command as change } from '../games/commands';
import * as list from '../games/store';
import { nameOf as titleOf } from '../library/name';
import { openPasted } from '../library/paste';
import { bases, trouble as unread } from '../library/store';
import { shownSan, t } from '../words';
import type { Key } from '../words';
import { spoken } from './field';

/** Rows of the list that are read at once. */
const ROWS = 5;

/** What is said of the move. */
const commentsHere = (): string =>
  store.node.value?.comments.map(comment => comment.text).filter(Boolean).map(shortened).join(' ') || t('square.none');

/** The moves that the game has here: the main one, and those that replace it. */
const movesHere = (): string =>
  store.node.value?.children.map(child => shownSan(child.san)).join(', ') || t('square.none');

function whose(): string {
  const game = store.game.value;
  if (!game) return t('moves.choose');
  return ['White', 'Black', 'Result', 'Event', 'Date'].map(name => shortened(tag(game, name))).filter(Boolean).join(', ');
}

/** Where the pieces of a kind stand: `p N`, `p n`. */
function places(sign: string): string {
  const squares = [...pieces(store.fen.value)].filter(([, piece]) => piece === sign).map(([square]) => square);
  return `${nameOf(sign)}: ${squares.join(', ') || t('square.none')}`;
}

/** What stands on a rank or a file: `s 1`, `s e`. */
function scan(line: string): string {
  const found = [...pieces(store.fen.value)].filter(([square]) => square.includes(line));
  return found.map(([square, piece]) => `${square} ${nameOf(piece)}`).join(', ') || t('square.none');
}

/** Waits until something is there. */
function until<T>(look: () => T | null | undefined): Promise<T> {
  return new Promise(resolve => {
    let stop: (() => void) | null = null;
    let done = false;
    stop = effect(() => {
      const found = look();
      if (done || found === null || found === undefined) return;
      done = true;
      // The effect may see it at once, before its own end is known.
      queueMicrotask(() => stop?.());
      resolve(found);
    });
  });
}

/** What was played in the position on the board, when the explorer has it; nothing where nobody asks it. */
async function explored(): Promise<api.ExplorerMove[]> {
  const found = await until(() =>
    baseId.value === null || panel.value === 'closed' ? { explored: null } : answers.value.find(one => one.base === baseId.value && one.fen === store.fen.value),
  );
  return found.explored?.moves ?? [];
}

const BOARD: [RegExp, (found: RegExpMatchArray) => string | null | Promise<string>][] = [
  [/^p ([kqrbnp])$/i, found => places(found[1] ?? 'K')],
  [/^s ([a-h1-8])$/i, found => scan((found[1] ?? '').toLowerCase())],
  [/^(l|last)$/i, () => lastMove()],
  [/^(best|x)$/i, async () => {
    const [best] = await explored();
    return best ? t('say.played', { move: shownSan(best.san), n: best.games }) : t('explorer.none');
  }],
  [/^(m|moves)$/i, async () => {
    const moves = await explored();
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
  [/^(c|comment)$/i, () => commentsHere()],
  [/^(w|what)$/i, () => movesHere()],
  [/^(?:fen )?((?:[pnbrqk1-8]+\/){7}[pnbrqk1-8]+ .+)$/i, found => {
    void openPasted(found[1] ?? '');
    return t('board.set-up');
  }],
  [/^(i|info)$/i, () => whose()],
  [/^(t|turn)$/i, () => t(`turn.${store.turn.value}` as Key)],
];

async function openBase(name: string): Promise<string> {
  const wanted = name.toLowerCase();
  const found = bases.value?.find(base => titleOf(base).toLowerCase().includes(wanted));
  if (!found) return t('say.nobase', { name });
  go({ base: found.id, game: null, path: '', query: '', sort: '', panel: '' });
  const total = await until(() => list.total.value);
  return `${titleOf(found)}: ${t('games', { n: total })}`;
}

async function find(text: string): Promise<string> {
  if (baseId.value === null) return t('say.choose');
  if (query.value === text) list.again();
  go({ query: text, game: null, path: '' });
  const answer = await until(() => {
    const fault = list.fault.value;
    if (fault) return { fault: fault.message };
    return (list.progress.value === null || list.progress.value.done) && list.total.value !== null ? { total: list.total.value } : null;
  });
  return 'fault' in answer ? answer.fault : [t('games', { n: answer.total }), ...list.notes.value].join('; ');
}

async function rows(): Promise<string> {
  if (baseId.value === null) {
    return (bases.value ?? []).map(base => `${titleOf(base)}: ${t('games', { n: base.games ?? 0 })}`).join('; ') || t('library.empty');
  }
  const total = await until(() => list.total.value);
  const said: string[] = [];
  for (let at = 0; at < Math.min(ROWS, total); at++) {
    const row = await until(() => (list.arrived.value, list.row(at)));
    said.push(`${row.number}: ${shortened(row.white)} – ${shortened(row.black)}, ${row.result}, ${row.date}`);
  }
  return said.join('; ') || t('games.none');
}

async function openGame(number: number): Promise<string> {
  if (baseId.value === null) return t('say.choose');
  if (gameNumber.value !== number) go({ game: number, path: '' });
  return until(() => store.trouble.value ?? (store.game.value?.number === number ? whose() : null));
}

const ELSEWHERE: [RegExp, (found: RegExpMatchArray) => Promise<string>][] = [
  [/^open (.+)$/i, found => openBase(found[1] ?? '')],
  [/^find(?: (.*))?$/i, found => find((found[1] ?? '').trim())],
  [/^(?:list|ls)$/i, () => rows()],
  [/^game (\d{1,9})$/i, found => openGame(Number(found[1]))],
  [/^repertoire$/i, async () => {
    go({ game: null, path: '', query: '', sort: '', panel: 'repertoire' });
    return t('repertoire.title');
  }],
  [/^home$/i, () => {
    go({ base: null, game: null, path: '', query: '', sort: '', panel: '' });
    return rows();
  }],
];

/** Commands and moves go one after another: each is meant for what the one before has left. */
let queue: Promise<unknown> = Promise.resolve();

/** A command, or a move; false where it is neither. */
export async function run(text: string): Promise<boolean> {
  // Which databases there are, and whether they may be changed, is known before anything is done.
  await until(() => bases.value ?? unread.value);
  if (baseId.value !== null && panel.value.split('-')[0] === 'repertoire') {
    const said = await (await import('../repertoire/commands')).command(text);
    if (said !== null) {
      spoken.value = said;
      return true;
    }
  }
  // What is waited for here holds nothing else up.
  for (const [pattern, act] of ELSEWHERE) {
    const found = text.match(pattern);
    if (found) {
      spoken.value = await act(found);
      return true;
    }
  }
  const next = queue.then(() => here(text));
  queue = next.catch(() => undefined);
  return next;
}

async function here(text: string): Promise<boolean> {
  const done = (await command(text)) ?? (await change(text));
  if (done !== null) {
    spoken.value = done;
    return true;
  }
  for (const [pattern, act] of BOARD) {
    const found = text.match(pattern);
    if (found) {
      const answer = await act(found);
      if (answer !== null) spoken.value = answer;
      return true;
    }
  }
  if (!store.playTyped(text)) {
    spoken.value = t('say.no', { text: shortened(text) });
    return false;
  }
  spoken.value = await played();
  return true;
}
