/** What the server is asked while a game is annotated. The rules of editing are the library's: here are only wishes. */

import { ask, post, remove } from '../api';
import type { Difference } from '../game/difference';
import type { Mark } from '../game/tree';

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
  undo: string | null;
  redo: string | null;
  /** The move where the editor stands, by its number in reading order. */
  at: number;
  /** Why the last change is not written down. */
  trouble: string | null;
  /** The whole game, or what has changed in it. */
  game?: unknown;
  difference?: Difference;
}

export type Draft = Pick<Session, 'id' | 'base' | 'name' | 'path' | 'number' | 'title'>;

/** What can be changed at a move. */
export interface Here {
  before: string | null;
  after: string | null;
  nags: number[];
  marks: Mark[];
}

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
export const here = (id: string, order: number): Promise<Here> => ask(`${at(id)}/here?at=${order}`);
export const wish = (id: string, order: number, version: number, wished: Wish): Promise<Session> =>
  post(`${at(id)}/wishes`, { at: order, version, wish: wished });
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
}

/** A change of a database in its history. */
export interface Step {
  id: number;
  when: string;
  wish: string;
}

export const change = (base: string, wished: unknown): Promise<Done> => post(`bases/${base}/change`, { change: wished });
export const history = (base: string): Promise<{ changes: Step[] }> => ask(`bases/${base}/history`);
