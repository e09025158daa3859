/** What the server is asked while a game is annotated. The rules of editing are the library's: here are only wishes. */

import { ask, leaveBehind, post, remove } from '../api';
import type { Difference, Sent } from '../edit/local';

/** A game that is annotated. */
export interface Session {
  id: string;
  base: string;
  name: string;
  path: string;
  /** 0 for a new game. */
  number: number;
  title: string;
  version: number;
  /** Whether there are changes that no base holds yet. */
  changed: boolean;
  /** Whether some of them have not been answered yet. */
  waits?: boolean;
  undo: string | null;
  redo: string | null;
  /** The move where the editor stands, by its number in reading order. */
  at: number;
  /** Why the last change is not written down. */
  trouble: string | null;
  /** The last wish of each tab that was granted. */
  heard?: Record<string, number>;
  /** How many of the wishes that were sent were granted. */
  granted?: number;
  /** The version of the base that a save has made. */
  baseVersion?: number;
  /** The whole game, or what has changed in it. */
  game?: unknown;
  difference?: Difference;
}

export type Draft = Pick<Session, 'id' | 'base' | 'name' | 'path' | 'number' | 'title'>;

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

export interface Loss {
  kind: string;
  summary: string;
  count: number;
  examples: string[];
}

export interface Version {
  version: number;
  when: string;
  wish: string;
  kind: 'game' | 'flags' | 'new';
  differences?: string[];
}

const at = (id: string): string => `edits/${encodeURIComponent(id)}`;

export const drafts = (): Promise<{ drafts: Draft[] }> => ask('edits');
export const begin = (base: string, number: number): Promise<Session> => post(`bases/${base}/games/${number}/edit`, {});
export const one = (id: string): Promise<Session> => ask(at(id));
export const discard = (id: string): Promise<unknown> => remove(at(id));
export const wishes = (id: string, version: number, all: Sent[]): Promise<Session> => post(`${at(id)}/wishes`, { version, wishes: all });
export const wishLast = (id: string, version: number, all: Sent[]): void => leaveBehind(`${at(id)}/wishes`, { version, wishes: all });
export const save = (id: string, how: { base?: string; new?: boolean; lossy?: Keeping }): Promise<Session> =>
  post(`${at(id)}/save`, how);
export const accept = (id: string): Promise<Session> => post(`${at(id)}/accept`, {});
export const versions = (base: string, number: number): Promise<{ versions: Version[] }> =>
  ask(`bases/${base}/games/${number}/versions`);

/** What a change of a database has done. */
export interface Done {
  games: number;
  wish: string;
  notes: string[];
  /** The version of the base that the change has made. */
  baseVersion?: number;
}

/** A change of a database in its history. */
export interface Step {
  id: number;
  when: string;
  wish: string;
}

export const change = (base: string, wished: unknown): Promise<Done> => post(`bases/${base}/change`, { change: wished });
export const history = (base: string): Promise<{ changes: Step[] }> => ask(`bases/${base}/history`);
