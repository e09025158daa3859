/** What the server is asked while a game is annotated. The rules of editing are the library's: here are only wishes. */

import { ask, leaveBehind, post, remove } from '../api';
import type { Sent } from '../edit/local';
import type { ChangeAnswer, ChangeLossAnswer, DraftAnswer, DraftSubjectAnswer, DraftsAnswer, GameVersionAnswer, HistoryAnswer, HistoryChangeAnswer, VersionsAnswer } from '../answers';

/** A game that is annotated. */
export interface Session extends DraftAnswer {
  /** Whether some of the changes have not been answered yet. */
  waits?: boolean;
}

export type Draft = DraftSubjectAnswer;

export type How = 'variation' | 'main-line' | 'overwrite';

export type Wish =
  | { kind: 'play'; move: string; how?: How }
  | { kind: 'line'; moves: string[] }
  | { kind: 'promote' | 'promote-to-main' | 'promote-fully' | 'demote' | 'delete-line' | 'remove' | 'delete-after' | 'delete-before' }
  | { kind: 'comment'; side: 'before' | 'after'; text: string; again?: boolean }
  | { kind: 'nag'; nag: number }
  | { kind: 'mark'; colour: string; from: string; to: string | null }
  | { kind: 'tag'; name: string; value: string }
  | { kind: 'result'; result: string }
  | { kind: 'start'; fen: string | null; cut?: boolean }
  | { kind: 'undo' | 'redo' };

export type Keeping = 'refuse' | 'comment' | 'drop';

export type Loss = ChangeLossAnswer;

export type Version = GameVersionAnswer;

const at = (id: string): string => `edits/${encodeURIComponent(id)}`;

export const drafts = (): Promise<DraftsAnswer> => ask('edits');
export const begin = (base: string, number: number): Promise<Session> => post(`bases/${base}/games/${number}/edit`, {});
export const one = (id: string): Promise<Session> => ask(at(id));
export const discard = (id: string): Promise<unknown> => remove(at(id));
export const wishes = (id: string, version: number, all: Sent[]): Promise<Session> => post(`${at(id)}/wishes`, { version, wishes: all });
export const wishLast = (id: string, version: number, all: Sent[]): void => leaveBehind(`${at(id)}/wishes`, { version, wishes: all });
export const save = (id: string, how: { base?: string; new?: boolean; lossy?: Keeping }): Promise<Session> =>
  post(`${at(id)}/save`, how);
export const accept = (id: string): Promise<Session> => post(`${at(id)}/accept`, {});
export const versions = (base: string, number: number): Promise<VersionsAnswer> =>
  ask(`bases/${base}/games/${number}/versions`);

/** What a change of a database has done. */
export type Done = ChangeAnswer;

/** A change of a database in its history. */
export type Step = HistoryChangeAnswer;

export const change = (base: string, wished: unknown, init?: RequestInit): Promise<Done> => post(`bases/${base}/change`, { change: wished }, init);
export const history = (base: string): Promise<HistoryAnswer> => ask(`bases/${base}/history`);
