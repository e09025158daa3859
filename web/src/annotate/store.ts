/**
 * The game that is annotated, for the parts of the page that are always there. What works on it (`desk.ts`) is fetched when a game is
 * annotated for the first time.
 */

import { effect, signal } from '@preact/signals';
import { baseId, gameNumber, go, panel } from '../address';
import type { Refused } from '../api';
import * as board from '../board/store';
import * as library from '../library/store';
import * as api from './api';

export const session = signal<api.Session | null>(null);
export const trouble = signal<string | null>(null);
/** A move that was played where another one goes on: it is asked what becomes of that. */
export const asked = signal<string | null>(null);
/** Why the game was not saved, and what there is to choose. */
export const refused = signal<{ how: { base?: string; new?: boolean }; refusal: Refused } | null>(null);
/** Tells that the game was saved. */
export const saved = signal(false);

const EDIT = 'edit';

type Desk = typeof import('./desk');

let desk: Desk | null = null;
const fetched = async (): Promise<Desk> => (desk ??= await import('./desk'));

/** When the game is there that was to be annotated. */
let beginning: Promise<unknown> = Promise.resolve();
export const begun = (): Promise<unknown> => beginning;

function start(ask: () => Promise<api.Session>, isWanted: () => boolean): Promise<void> {
  trouble.value = null;
  const started = fetched().then(one => one.start(ask, isWanted));
  beginning = started.catch((error: unknown) => {
    trouble.value = error instanceof Error ? error.message : String(error);
  });
  return started;
}

/** Begins to annotate the game that is shown, or a new one. */
export function begin(number = gameNumber.peek() ?? 0): void {
  // Where the library is not known yet, the address waits for it.
  if (session.peek() || (library.bases.peek() && library.readOnly.peek()) || baseId.peek() === null) return;
  if (number > 0) go({ panel: EDIT }, true);
  else {
    const base = baseId.peek() ?? '';
    beginning = start(
      () => api.begin(base, 0),
      () => baseId.peek() === base,
    ).then(
      () => session.peek() && go({ panel: `${EDIT}-${session.peek()?.id ?? ''}`, game: null, path: '' }),
      () => undefined,
    );
  }
}

/** Ends it; what was changed stays as a draft. */
export function leave(): void {
  go({ panel: '' }, true);
}

/** The address says whether a game is annotated. */
effect(() => {
  const [base, number, wanted] = [baseId.value, gameNumber.value, panel.value];
  if (library.readOnly.value) return;
  const now = session.peek();
  const id = wanted.startsWith(`${EDIT}-`) ? wanted.slice(EDIT.length + 1) : null;
  const isWanted = () => baseId.peek() === base && gameNumber.peek() === number && panel.peek() === wanted;
  const isEdit = id !== null || (wanted === EDIT && base !== null && number !== null);
  if (isEdit && (id === null ? now?.base === base && now?.number === number : now?.id === id)) return;
  // What is typed from here on is meant for another game.
  desk?.end();
  if (id !== null) void start(() => api.one(id), isWanted);
  else if (isEdit) void start(() => api.begin(base ?? '', number ?? 0), isWanted);
});

/** Who steps on has not answered where a move goes. */
effect(() => {
  void board.node.value?.id;
  asked.value = null;
});

/** Makes a wish where the reader stands: see the desk. */
export const wish = (wished: api.Wish): Promise<unknown> => desk?.wish(wished) ?? Promise.resolve();
export const save = (): Promise<unknown> => desk?.save() ?? Promise.resolve();
/** Sends what was kept of a game, where it is this page that holds the game. */
export const sendAgain = (id: string): boolean => desk?.sendAgain(id) ?? false;
