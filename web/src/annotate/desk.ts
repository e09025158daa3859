/**
 * The game that is annotated. The page holds it (`edit/local.ts`): what is wished is there at once, and what the server answers
 * neither moves the reader nor touches what was typed since. Here is what goes to the server, and when.
 */

import { batch, computed, effect, signal } from '@preact/signals';
import { Refused } from '../api';
import { go, place } from '../address';
import * as board from '../board/store';
import { commentsAt } from '../edit/editor';
import type { Resolved, State } from '../edit/editor';
import { Local } from '../edit/local';
import type { Answered, Whole } from '../edit/local';
import { plainText } from '../edit/comments';
import { shown } from '../edit/nodes';
import { resolve } from '../edit/rules';
import { fenOf, nodeAt, pathOf, treeOf } from '../game/tree';
import type { Game, Node } from '../game/tree';
import { reload } from '../library/changed';
import * as live from '../live';
import { newMoves } from '../settings/store';
import { t } from '../words';
import * as api from './api';
import { shape } from './drawing';
import { asked, leave, refused, saved, session, trouble } from './store';
import { arrived, forget, isAway, keep, kept, sendAll, tab, unsent, unsentOf } from './unsent';

/** A game on which is worked: one that was left is sent to its end all the same. */
interface Desk {
  local: Local;
  told: api.Session;
}

let desk: Desk | null = null;
/** The game as it is here, for those who want more of it than its tree. */
export const held = signal<State | null>(null);

/** What is asked of the server goes one after another. */
let queue: Promise<unknown> = Promise.resolve();

function inTurn<T>(work: () => Promise<T>): Promise<T | null> {
  const next = queue.then(work).catch((error: unknown) => {
    trouble.value = error instanceof Error ? error.message : String(error);
    return null;
  });
  queue = next;
  return next;
}

/** When everything that was wished for has been answered, or the server is away. */
export function settled(): Promise<unknown> {
  flush();
  return queue;
}

/** Milliseconds until what did not arrive is sent again, at first and at most. */
const SOON = 500;
const LATE = 5_000;
let patience = SOON;
/** What was said of that: it is true no more when something arrives. */
let said: string | null = null;
let retry: ReturnType<typeof setTimeout> | null = null;

/** Comments are sent a moment after the first key that was not sent: who never pauses is saved too. */
const MOMENT = 400;
/** How often a game is asked for anew before a wish is given up that does not fit it. */
const MISSES = 4;
let waiting: ReturnType<typeof setTimeout> | null = null;
let isQueued = false;

/** Sends what waits. */
function flush(): void {
  if (waiting !== null) clearTimeout(waiting);
  waiting = null;
  const now = desk;
  if (!now || isQueued || now.local.isSettled) return;
  isQueued = true;
  void inTurn(() => {
    isQueued = false;
    return drain(now);
  });
}

/** Sends wishes until none waits; tells whether that is so. */
async function drain(now: Desk): Promise<boolean> {
  const { local } = now;
  for (let misses = 0; ; misses++) {
    const sent = local.batch();
    if (sent.length === 0) return local.isSettled;
    const { id } = now.told;
    let answered: Answered;
    let hasCome = true;
    try {
      const told = await api.wishes(id, local.version, sent);
      const { game, difference, granted, ...how } = told;
      now.told = how;
      answered = local.granted(granted ?? sent.length, told.version, told.at, { whole: game as Whole | undefined, difference });
    } catch (error) {
      const status = error instanceof Refused ? error.status : 0;
      if (error instanceof Refused && (status === 422 || (status === 409 && misses > MISSES))) {
        const refusal = local.refused();
        const { wish } = refusal;
        answered = refusal;
        say(wish && 'text' in wish && wish.text ? `${error.message}: ${wish.text}` : error.message);
      } else if (error instanceof Refused && (status === 409 || (status === 404 && now.told.number > 0 && misses <= MISSES))) {
        // Another tab was faster, or the answer to an earlier wish has not arrived; or the session has ended, and a new one begins.
        const coming = status === 404 ? api.begin(now.told.base, now.told.number) : api.one(id);
        const one = await coming.catch((again: unknown) => again);
        if (one instanceof Error || !isSession(one)) {
          local.failed();
          return missed(now, one);
        }
        const { game, ...how } = one;
        const isOwn = sent.some(wished => wished.seq <= (one.heard?.[wished.tab] ?? 0));
        forget(now.told);
        now.told = how;
        answered = local.synced(game as Whole, one.version, one.heard);
        hasCome = false;
        if (!isOwn) say(error.message);
      } else {
        local.failed();
        return missed(now, error);
      }
    }
    if (hasCome) misses = 0;
    patience = SOON;
    if (said !== null && trouble.peek() === said) trouble.value = null;
    said = null;
    keep(now.told, local);
    if (unsent.peek()?.id === id) unsent.value = null;
    for (const wish of answered.lost) lose(wish);
    if (desk === now) draw(answered.isOther, answered.lead);
  }
}

const isSession = (told: unknown): told is api.Session => typeof told === 'object' && told !== null && 'version' in told;

function say(message: string): void {
  trouble.value = message;
}

/** What cannot be put anywhere is told at least. */
const lose = (wish: api.Wish): void => say(t('edit.lost', { what: 'text' in wish ? wish.text : wish.kind }));

/** Wishes have not arrived: they are kept, and sent again where that may help. */
function missed(now: Desk, error: unknown): boolean {
  keep(now.told, now.local);
  const isBusy = error instanceof Refused && [408, 429, 500, 502, 503, 504].includes(error.status);
  if (!isAway(error) && !isBusy) throw error;
  if (isAway(error)) unsent.value = unsentOf(now.told, now.local);
  said = error instanceof Error ? error.message : String(error);
  trouble.value = said;
  if (error instanceof Refused && error.status === 401) return false;
  retry ??= setTimeout(() => {
    retry = null;
    again(now);
  }, patience);
  patience = Math.min(patience * 2, LATE);
  return false;
}

/** Sends once more what did not arrive. */
function again(now: Desk | null = desk): void {
  if (!now || now.local.isSettled) return;
  void inTurn(() => drain(now));
}

/** Sends what was kept of a game, where it is this page that holds the game. */
export function sendAgain(id: string): boolean {
  const isOpen = desk?.told.id === id && !desk.local.isSettled;
  if (isOpen) again();
  return isOpen;
}

// What was typed last goes along when the page goes; where it arrives twice it counts once.
addEventListener('pagehide', () => {
  if (desk && !desk.local.isSettled) api.wishLast(desk.told.id, desk.local.version, desk.local.unheard);
});

effect(() => {
  if (live.connected.value) again();
});

/** Shows the game as it is here. The reader stays at the same move, wherever that stands now; `lead` leads on who still is where it begins. */
function draw(isOther: boolean, lead: { from: number; to: number } | null = null): void {
  const now = desk;
  const former = board.game.peek();
  if (!now || !former) return;
  const here = board.node.peek();
  batch(() => {
    const { local, told } = now;
    const { done, undone } = local.now;
    session.value = {
      ...told,
      changed: told.changed || !local.isSettled,
      waits: !local.isSettled,
      undo: done?.head.wish ?? told.undo,
      redo: undone?.head.wish ?? (done && !local.isSettled ? null : told.redo),
    };
    if (!isOther) return;
    const wanted = lead && here?.id === lead.from ? lead.to : (here?.id ?? 0);
    const game = shown(former, local.now, wanted);
    held.value = local.now;
    board.game.value = game;
    board.dropScratch();
    stand(game, wanted, here);
  });
}

/** Puts the reader to a move; where it is no more, to the nearest one before it. */
function stand(game: Game, id: number, former: Node | null): void {
  const all = new Map(game.nodes.map(node => [node.id, node]));
  let found = all.get(id);
  for (let at = former; !found && at; at = at.parent) found = all.get(at.id);
  go({ path: pathOf(found ?? game.root) }, true);
}

/** Takes a session up and shows its game. */
function take(told: api.Session): void {
  const { game: whole, difference: _, ...how } = told;
  const local = new Local(whole as Whole, told.version, tab);
  desk = { local, told: how };
  const path = place.peek().path;
  batch(() => {
    board.annotator.value = { play, draw: one => void wish(shape(one)) };
    const read = treeOf(whole);
    const game = shown({ ...read, nodes: [] }, local.now, 0);
    held.value = local.now;
    board.game.value = game;
    board.dropScratch();
    session.value = how;
    go({ path: pathOf(nodeAt(game, path)) }, true);
  });
}

/** Takes up the game that is asked for, if it still is wanted when it comes. */
export async function start(ask: () => Promise<api.Session>, isWanted: () => boolean): Promise<void> {
  trouble.value = null;
  await inTurn(async () => {
    let told = await ask();
    const lost: api.Wish[] = [];
    for (const [key, all] of kept(told)) {
      told = await sendAll(told, all, wish => lost.push(wish));
      arrived(key);
    }
    // Who has gone elsewhere meanwhile does not want it any more.
    if (isWanted()) take(told);
    lost.forEach(lose);
  });
}

/** Puts the game away; what was changed stays as a draft. */
export function end(): void {
  if (!session.peek()) return;
  flush();
  desk = null;
  batch(() => {
    held.value = null;
    session.value = null;
    asked.value = null;
    refused.value = null;
    saved.value = false;
    trouble.value = null;
    board.annotator.value = null;
  });
  board.again();
}

/** The words of a comment where the reader stands; null where there is no such side. */
export const words = (side: 'before' | 'after') =>
  computed(() => {
    const [now, at] = [held.value, board.node.value];
    const comments = now && at && commentsAt(now.ops, at.id, side);
    return comments && comments.map(plainText).filter(Boolean).join(' ');
  });

const movesOf = (wished: api.Wish): string[] => (wished.kind === 'play' ? [wished.move] : wished.kind === 'line' ? wished.moves : []);

/** The moves of a wish behind a move of the game, as far as the rules allow them. */
function resolved(wished: api.Wish, at: Node): Resolved[] {
  const game = board.game.peek();
  const moves = movesOf(wished);
  return moves.length === 0 || game?.variant === 'other' ? [] : resolve(fenOf(at), moves, game?.variant === 'chess960');
}

/** Makes a wish for a move, or for the one where the reader stands. What this page knows is there at once; what only the server knows
 * when it has answered, and that is when the promise ends. */
export function wish(wished: api.Wish, at = board.node.peek()?.id): Promise<unknown> {
  const now = desk;
  const node = board.game.peek()?.nodes.find(one => one.id === at);
  if (!now || !node) return Promise.resolve();
  const { local } = now;
  const before = local.now;
  const to = local.wish(node.id, wished, resolved(wished, node));
  if (wished.kind !== 'comment') typed = null;
  saved.value = false;
  trouble.value = null;
  keep(now.told, local);
  const isKnown = local.now !== before;
  const follows = isKnown && board.node.peek()?.id === node.id;
  draw(isKnown, follows ? { from: node.id, to } : null);
  if (wished.kind === 'comment') waiting ??= setTimeout(flush, MOMENT);
  else flush();
  return isKnown ? Promise.resolve() : settled();
}

/** What becomes of such a move, in the order of the keys that choose it. */
export const WAYS = ['variation', 'main-line', 'overwrite'] as const;

/** A move of the board or of the keyboard. Where another one goes on from here it becomes a variation, which replaces nothing; who
 * wants to be asked is asked. */
export function play(move: string): void {
  if (newMoves.peek() === 'ask' && (board.node.peek()?.children.length ?? 0) > 0) asked.value = move;
  else void wish({ kind: 'play', move });
}

export function choose(how: api.How | null): void {
  const move = asked.peek();
  asked.value = null;
  if (how !== null && move !== null) void wish({ kind: 'play', move, how });
}

/** What was typed last, and the step that it has made: a comment that grows is one step. */
let typed: { key: string; step: State['done'] } | null = null;

export function comment(side: 'before' | 'after', text: string, at: number): void {
  const key = `${side} ${at}`;
  // Half of a sign is none, and nobody could read it.
  text = text.replace(/\p{Cs}/gu, '\ufffd');
  const before = desk?.local.now.done ?? null;
  // Where it made none, as with a letter that was taken back, the last step is another one's.
  const again = typed?.key === key && before !== null && typed.step === before;
  void wish({ kind: 'comment', side, text, again }, at);
  const now = desk?.local.now.done ?? null;
  typed = now !== (again ? before?.tail : before) ? { key, step: now } : null;
}

/** The next comment is a step of its own. */
export function typedAll(): void {
  typed = null;
  flush();
}

/** Sends everything first; what did not arrive is not left behind. */
async function sentAll(now: Desk): Promise<void> {
  if (!(await drain(now))) throw new Error(t('server.away'));
}

type How = { base?: string; new?: boolean; lossy?: api.Keeping };

async function saveNow(now: Desk, how: How): Promise<void> {
  const base = how.base ?? now.told.base;
  try {
    const { difference: _, game: __, ...done } = await api.save(now.told.id, how);
    const { told } = now;
    now.told = done;
    now.local.version = done.version;
    if (done.baseVersion !== undefined) live.mine(base, done.baseVersion);
    reload(base);
    if (desk !== now) return;
    batch(() => {
      draw(false);
      saved.value = now.local.isSettled;
      if (done.base !== told.base || done.number !== told.number) {
        go({ base: done.base, game: done.number, panel: 'edit', path: place.peek().path });
      }
    });
  } catch (error) {
    if (!(error instanceof Refused) || (error.status !== 409 && error.status !== 422)) throw error;
    refused.value = { how, refusal: error };
  }
}

/** Does something with the game as the server has it, when all of it is there. */
function withAll(work: (now: Desk) => Promise<unknown>): Promise<unknown> {
  const now = desk;
  if (!now) return Promise.resolve();
  if (waiting !== null) clearTimeout(waiting);
  waiting = null;
  return inTurn(async () => {
    refused.value = null;
    trouble.value = null;
    await sentAll(now);
    await work(now);
  });
}

export const save = (how: How = {}): Promise<unknown> => withAll(now => saveNow(now, how));

/** What stands in the base has been seen, and is replaced; where that cannot be said, nothing is saved. */
export const saveOver = (): Promise<unknown> =>
  withAll(async now => {
    await api.accept(now.told.id);
    await saveNow(now, {});
  });

/** Puts an earlier version of the game in its place. */
export const restore = (version: number): Promise<unknown> =>
  withAll(async ({ told }) => {
    await api.change(told.base, { kind: 'restore', number: told.number, version });
    reload(told.base);
    leave();
  });

export function discard(): Promise<unknown> {
  const now = desk;
  if (!now) return Promise.resolve();
  return inTurn(async () => {
    await api.discard(now.told.id);
    now.local.forget();
    keep(now.told, now.local);
    if (desk === now) leave();
  });
}

/** Whether the server has answered everything. */
export const isSettled = (): boolean => desk?.local.isSettled ?? true;

/** How often the server's game was another one than was shown here; for tests. */
export const corrections = (): number => desk?.local.corrections ?? 0;
