/** The game that is annotated: what the server says of it, and the wishes that go there, one after another. */

import { batch, effect, signal } from '@preact/signals';
import { Refused } from '../api';
import { baseId, gameNumber, go, panel, place } from '../address';
import * as board from '../board/store';
import { changed } from '../game/difference';
import { pathOf, treeOf } from '../game/tree';
import { reload } from '../library/changed';
import * as library from '../library/store';
import * as live from '../live';
import * as api from './api';
import { isAway, keep } from './unsent';

export const session = signal<api.Session | null>(null);
/** What can be changed where the reader stands. */
export const here = signal<api.Here | null>(null);
export const trouble = signal<string | null>(null);
/** A move that was played where another one goes on: it is asked what becomes of that. */
export const asked = signal<string | null>(null);
/** Why the game was not saved, and what there is to choose. */
export const refused = signal<{ how: { base?: string; new?: boolean }; refusal: Refused } | null>(null);
/** Tells that the game was saved. */
export const saved = signal(false);

const EDIT = 'edit';

/** Wishes go one after another: each is made for the state that the one before has left. */
let queue: Promise<unknown> = Promise.resolve();

function inTurn<T>(work: () => Promise<T>): Promise<T | null> {
  const next = queue.then(work).catch((error: unknown) => {
    trouble.value = error instanceof Error ? error.message : String(error);
    return null;
  });
  queue = next;
  return next;
}

/** When everything that was wished for has been answered. */
export const settled = (): Promise<unknown> => queue;

const order = (): number => board.node.peek()?.order ?? 0;

function show(now: api.Session, follow = true): void {
  batch(() => {
    const { game: whole, difference, ...how } = now;
    session.value = how;
    const shown = board.game.peek();
    const game = whole !== undefined ? treeOf(whole) : difference && shown ? changed(shown, difference, now.at) : null;
    if (game) {
      board.game.value = game;
      board.scratch.value = null;
      const node = game.nodes[now.at];
      if (follow && node) go({ path: pathOf(node) }, true);
    }
  });
}

/** Begins to annotate the game that is shown, or a new one. */
export function begin(number = gameNumber.peek() ?? 0): void {
  if (session.peek() || library.readOnly.peek() || baseId.peek() === null) return;
  if (number > 0) go({ panel: EDIT }, true);
  else void start(() => api.begin(baseId.peek() ?? '', 0)).then(() => go({ panel: `${EDIT}-${session.peek()?.id ?? ''}`, game: null, path: '' }));
}

async function start(ask: () => Promise<api.Session>): Promise<void> {
  trouble.value = null;
  await inTurn(async () => {
    const begun = await ask();
    board.hands.value = play;
    show(begun, false);
  });
}

/** Ends it; what was changed stays as a draft. */
export function leave(): void {
  go({ panel: '' }, true);
}

function end(): void {
  if (!session.peek()) return;
  batch(() => {
    session.value = null;
    here.value = null;
    asked.value = null;
    refused.value = null;
    saved.value = false;
    trouble.value = null;
    board.hands.value = null;
  });
  board.again();
}

/** The address says whether a game is annotated. */
effect(() => {
  const [base, number, wanted] = [baseId.value, gameNumber.value, panel.value];
  if (library.readOnly.value) return;
  const now = session.peek();
  const id = wanted.startsWith(`${EDIT}-`) ? wanted.slice(EDIT.length + 1) : null;
  if (id !== null) {
    if (now?.id !== id) void start(() => api.one(id));
  } else if (wanted === EDIT && base !== null && number !== null) {
    if (now?.base !== base || now.number !== number) void start(() => api.begin(base, number));
  } else if (now) {
    end();
  }
});

/** Who steps on has not answered where a move goes. */
effect(() => {
  void board.node.value;
  asked.value = null;
});

/** What can be changed follows the reader. */
effect(() => {
  const now = session.value;
  const at = board.node.value;
  if (!now || !at || board.scratch.value) return;
  const id = now.id;
  void inTurn(async () => {
    const found = await api.here(id, at.order);
    if (board.node.peek()?.order === at.order) here.value = found;
  });
});

/** Sends a wish for a move, or for the one where the reader stands when the wishes before it have been answered. */
export function wish(wished: api.Wish, asked?: number): Promise<unknown> {
  return inTurn(async () => {
    const now = session.peek();
    if (!now) return;
    const at = asked ?? order();
    trouble.value = null;
    saved.value = false;
    try {
      show(await api.wish(now.id, at, now.version, wished));
    } catch (error) {
      // Another tab was faster: its changes are shown.
      if (error instanceof Refused && error.status === 409) show(await api.one(now.id), false);
      if (isAway(error)) keep(now, at, wished);
      throw error;
    }
  });
}

/** What becomes of such a move, in the order of the keys that choose it. */
export const WAYS = ['variation', 'main-line', 'overwrite'] as const;

/** A move of the board or of the keyboard: asks where it goes when another one goes on from here. */
export function play(move: string): void {
  if ((board.node.peek()?.children.length ?? 0) > 0) asked.value = move;
  else void wish({ kind: 'play', move });
}

export function choose(how: api.How | null): void {
  const move = asked.peek();
  asked.value = null;
  if (how !== null && move !== null) void wish({ kind: 'play', move, how });
}

/** What was typed last, so that a comment that grows is one step. */
let typed = '';

export function comment(side: 'before' | 'after', text: string, at: number): void {
  const key = `${side} ${at}`;
  void wish({ kind: 'comment', side, text, again: typed === key }, at);
  typed = key;
}

/** The next comment is a step of its own. */
export function typedAll(): void {
  typed = '';
}

export function save(how: { base?: string; new?: boolean; lossy?: api.Keeping } = {}): Promise<unknown> {
  return inTurn(async () => {
    const now = session.peek();
    if (!now) return;
    refused.value = null;
    trouble.value = null;
    const base = how.base ?? now.base;
    // What this tab has done itself needs no notice.
    const stop = live.onChange(id => {
      if (id === base) queueMicrotask(() => library.seen(id));
    });
    setTimeout(stop, 3_000);
    try {
      const done = await api.save(now.id, how);
      batch(() => {
        show(done);
        saved.value = true;
        reload(base);
        if (done.base !== now.base || done.number !== now.number) {
          go({ base: done.base, game: done.number, panel: EDIT, path: place.peek().path });
        }
      });
    } catch (error) {
      if (!(error instanceof Refused) || (error.status !== 409 && error.status !== 422)) throw error;
      refused.value = { how, refusal: error };
    }
  });
}

/** What stands in the base has been seen, and is replaced. */
export const saveOver = (): Promise<unknown> =>
  inTurn(async () => {
    const now = session.peek();
    if (now) show(await api.accept(now.id));
  }).then(() => save());

/** Puts an earlier version of the game in its place. */
export const restore = (version: number): Promise<unknown> =>
  inTurn(async () => {
    const now = session.peek();
    if (!now) return;
    await api.change(now.base, { kind: 'restore', number: now.number, version });
    reload(now.base);
    leave();
  });

export function discard(): Promise<unknown> {
  return inTurn(async () => {
    const now = session.peek();
    if (!now) return;
    await api.discard(now.id);
    leave();
  });
}
