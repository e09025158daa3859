/** What the server is asked, and what it answers: every action is one request that a command line could have made. */

import { t } from './words';

/** Marks requests that change something: no page of another site can send it. */
const MARK = { 'X-Tabiya': '1' };
/** Tells this tab from others, so that each gets its share of the server. */
const TAB = { 'X-Tabiya-Tab': crypto.getRandomValues(new Uint32Array(2)).join('-') };

export interface Base {
  id: string;
  name: string;
  path: string;
  format: string;
  games: number | null;
  years: [string | null, string | null] | null;
  index: 'fresh' | 'stale' | 'none' | 'impossible';
  indexNote: string | null;
  findings: { damage: number; warnings: number };
  /** Whether single games are found at once. */
  direct: boolean;
  /** Whether it is the base into which games are copied from everywhere. */
  clipboard: boolean;
  /** Whether it is a copy that a browser has handed over, kept as long as the server runs. */
  copy: boolean;
  /** Why it cannot be read any more. */
  trouble?: string;
  /** Whether it can be changed. */
  editable: boolean;
}

export interface Row {
  number: number;
  white: string;
  black: string;
  whiteElo: number | null;
  blackElo: number | null;
  result: string;
  date: string;
  event: string;
  site: string;
  round: string;
  eco: string;
  plies: number | null;
  deleted: boolean;
  /** The half-move where a query first holds. */
  ply?: number | null;
}

export interface Rows {
  total: number;
  from: number;
  rows: Row[];
}

/** An error of a query, at its place. */
export interface QueryFault {
  message: string;
  start: number;
  end: number;
  help: string | null;
}

export type SearchLine =
  | { kind: 'view'; view: string }
  | { kind: 'rows'; rows: Row[] }
  | { kind: 'found'; found: number; asked: number; total: number | null }
  | { kind: 'done'; found: number; whole: boolean; notes: string[] };

export interface ExplorerMove {
  uci: string;
  san: string;
  white: number;
  draws: number;
  black: number;
  games: number;
  averageRating?: number;
  performance?: number;
  lastPlayed: string | null;
  opening: Opening | null;
}

export interface Opening {
  eco: string;
  name: string;
}

export interface ExplorerGame {
  id: string;
  uci: string;
  white: { name: string; rating: number };
  black: { name: string; rating: number };
  winner: 'white' | 'black' | null;
  result: string;
  year: number;
}

export interface Explored {
  white: number;
  draws: number;
  black: number;
  games: number;
  moves: ExplorerMove[];
  topGames: ExplorerGame[];
  recentGames: ExplorerGame[];
  opening: Opening | null;
  whole: boolean;
  notes: string[];
}

export interface Finding {
  code: string;
  severity: 'note' | 'warning' | 'damage';
  message: string;
  game: number | null;
  ply: number | null;
  page: string;
}

export interface Job {
  id: string;
  kind: string;
  base: string;
  /** What it makes, where that is more than its kind says. */
  what: string;
  state: 'running' | 'done' | 'stopped' | 'failed';
  games: number;
  /** Work that is done, in units of its own, and all of it where that is known. */
  done: number;
  total: number | null;
  /** How long it has taken. */
  seconds: number;
  message: string | null;
}

/** What the server says when it refuses. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly fault: QueryFault | null = null,
    /** What else was told. */
    readonly more: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** The server is not there. */
class Away extends TypeError {}

async function reach(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(`/api/v1/${path}`, { ...init, headers: { ...init.headers, ...TAB } });
  } catch (error) {
    // Browsers have words of their own for this, in one language.
    throw error instanceof TypeError ? new Away(t('server.away')) : error;
  }
}

async function refusal(response: Response): Promise<Refused> {
  const body: unknown = await response.json().catch(() => null);
  if (body && typeof body === 'object' && 'error' in body) {
    const { error, fault } = body as { error: string; fault?: QueryFault };
    return new Refused(response.status, error, fault ?? null, body as Record<string, unknown>);
  }
  return new Refused(response.status, `${response.status} ${response.statusText}`);
}

export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await reach(path, init);
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}

/** The same for an answer that is text. */
export async function askText(path: string): Promise<string> {
  const response = await reach(path);
  if (!response.ok) throw await refusal(response);
  return response.text();
}

export const post = <T>(path: string, body: unknown): Promise<T> =>
  ask<T>(path, {
    method: 'POST',
    headers: { ...MARK, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** The same from a page that is about to go: it arrives all the same, and nobody hears the answer. */
export const leaveBehind = (path: string, body: unknown): void =>
  void fetch(`/api/v1/${path}`, { method: 'POST', keepalive: true, headers: { ...MARK, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }).catch(() => undefined);

export const remove = <T>(path: string): Promise<T> => ask<T>(path, { method: 'DELETE', headers: MARK });

/** The values of a query string; what is empty is left out. */
export function queryString(values: Record<string, string | number | null | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') parameters.set(name, String(value));
  }
  return parameters.toString();
}

export const bases = (): Promise<{ bases: Base[]; readOnly: boolean }> => ask('bases');
export const openBase = (path: string, password?: string): Promise<Base[]> => post('bases', { path, password });
export const base = (id: string): Promise<Base> => ask(`bases/${id}`);
export const closeBase = (id: string): Promise<{ closed: string }> => remove(`bases/${id}`);
export const years = (id: string): Promise<Pick<Base, 'years'>> => ask(`bases/${id}/years`);
export const makeIndex = (id: string): Promise<Job> => post(`bases/${id}/index`, {});
export const checkBase = (id: string): Promise<{ findings: Finding[]; more: number; whole: boolean }> =>
  post(`bases/${id}/check`, {});
/** A database that was opened in an earlier run, or in this one. */
export interface Opened {
  name: string;
  path: string;
  /** Its id where it is open. */
  base: string | null;
}

export const recent = (): Promise<Opened[]> => ask('recent');
export const copyGames = (from: string, games: number[]): Promise<{ copied: number; losses: { summary: string }[]; base: Base }> =>
  post('clipboard', { base: from, games });
export const emptyClipboard = (): Promise<Base> => remove('clipboard');

export const jobs = (): Promise<Job[]> => ask('jobs');
export const stopJob = (id: string): Promise<Job> => remove(`jobs/${id}`);

export const rows = (id: string, from: number, count: number, signal: AbortSignal): Promise<Rows> =>
  ask(`bases/${id}/rows?${queryString({ from, count })}`, { signal });
export const viewRows = (view: string, from: number, count: number, signal: AbortSignal): Promise<Rows> =>
  ask(`views/${view}/rows?${queryString({ from, count })}`, { signal });

/** The numbers alone of what a search has found. */
export const viewNumbers = (view: string, from: number, count: number): Promise<{ numbers: number[] }> =>
  ask(`views/${view}/numbers?${queryString({ from, count })}`);

export const game = (id: string, number: number, signal: AbortSignal): Promise<unknown> =>
  ask(`bases/${id}/games/${number}`, { signal });

/** The game as PGN text. */
export const pgn = (id: string, number: number): Promise<string> => askText(`bases/${id}/games/${number}/pgn`);

/** Several games as one PGN text. */
export async function pgnOf(id: string, games: number[]): Promise<Blob> {
  const response = await reach(`bases/${id}/pgn`, {
    method: 'POST',
    headers: { ...MARK, 'Content-Type': 'application/json' },
    body: JSON.stringify({ games }),
  });
  if (!response.ok) throw await refusal(response);
  return response.blob();
}

/** Files that were dropped or chosen become a copy that the server keeps while it runs. */
export async function upload(files: File[], password?: string): Promise<Base[]> {
  const form = new FormData();
  if (password) form.append('password', password);
  for (const file of files) form.append('file', file, file.name);
  return ask('uploads', { method: 'POST', headers: MARK, body: form });
}

export interface Filter {
  player?: string;
  color?: string;
  elo?: string;
  since?: string;
  until?: string;
  query?: string;
}

export const explore = (ids: string[], fen: string, filter: Filter, signal: AbortSignal): Promise<Explored> => {
  const parameters = queryString({ fen, ...filter });
  const chosen = ids.map(id => `base=${encodeURIComponent(id)}`).join('&');
  return ask(`explore?${chosen}&${parameters}`, { signal });
};

/** Lines of JSON, as they come. Leaving the loop, or the signal, stops the work. */
export async function* streamed<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
  const response = await reach(path, { signal });
  if (!response.ok || !response.body) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) yield JSON.parse(line) as T;
  }
}

/** The lines of a search. */
export const search = (id: string, query: string, sort: string, signal: AbortSignal): AsyncGenerator<SearchLine> =>
  streamed(`bases/${id}/search?${queryString({ query, sort })}`, signal);
