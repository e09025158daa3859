/** What the server is asked, and what it answers: every action is one request that a command line could have made. */

import { t } from './words';
import type { BaseAnswer, BasesAnswer, ClosedAnswer, CopyAnswer, ExplorerAnswer, ExplorerGameAnswer, ExplorerMoveAnswer, FindingPageAnswer, FindingsAnswer, GameRowsAnswer, ListRowAnswer, NumbersAnswer, OpeningAnswer, QueryFaultAnswer, RecentBaseAnswer, RefusalAnswer, SearchLineAnswer, ServerJobAnswer, YearsAnswer } from './answers';

/** Marks requests that change something: no page of another site can send it. */
const MARK = { 'X-Tabiya': '1' };
/** Tells this tab from others, so that each gets its share of the server. */
const TAB = { 'X-Tabiya-Tab': crypto.getRandomValues(new Uint32Array(2)).join('-') };

export type Base = BaseAnswer;

export type Row = ListRowAnswer;

export type Rows = GameRowsAnswer;

/** An error of a query, at its place. */
export type QueryFault = QueryFaultAnswer;

export type SearchLine = SearchLineAnswer;

export type ExplorerMove = ExplorerMoveAnswer;

export type Opening = OpeningAnswer;

export type ExplorerGame = ExplorerGameAnswer;

export type Explored = ExplorerAnswer;

export type Finding = FindingPageAnswer;

export type Job = ServerJobAnswer;

/** What the server says when it refuses. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly fault: QueryFault | null = null,
    /** What else was told. */
    readonly more: Partial<RefusalAnswer> = {},
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

/** A refusal in the language of the app. */
export const said = (told: RefusalAnswer): Promise<string> =>
  import('./refusals').then(
    it => it.sentence(told),
    () => told.error,
  );

async function refusal(response: Response): Promise<Refused> {
  const body: unknown = await response.json().catch(() => null);
  if (body && typeof body === 'object' && 'error' in body) {
    const told = body as RefusalAnswer;
    return new Refused(response.status, await said(told), told.fault ?? null, told);
  }
  return new Refused(response.status, `${response.status} ${response.statusText}`);
}

export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await reach(path, init);
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}

/** The same for an answer that is text. */
export async function askText(path: string, init: RequestInit = {}): Promise<string> {
  const response = await reach(path, init);
  if (!response.ok) throw await refusal(response);
  return response.text();
}

/** What posts a value. */
const posting = (body: unknown, init: RequestInit = {}): RequestInit => ({
  ...init,
  method: 'POST',
  headers: { ...init.headers, ...MARK, 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

export const post = <T>(path: string, body: unknown, init?: RequestInit): Promise<T> => ask<T>(path, posting(body, init));

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

export async function bases(): Promise<BasesAnswer> {
  const told = await ask<BasesAnswer>('bases');
  for (const base of told.bases) if (base.refusal) base.trouble = await said(base.refusal);
  return told;
}
export const openBase = (path: string, password?: string, init?: RequestInit): Promise<Base[]> => post('bases', { path, password }, init);
export const base = (id: string): Promise<Base> => ask(`bases/${id}`);
export const closeBase = (id: string): Promise<ClosedAnswer> => remove(`bases/${id}`);
export const years = (id: string): Promise<YearsAnswer> => ask(`bases/${id}/years`);
export const makeIndex = (id: string): Promise<Job> => post(`bases/${id}/index`, {});
export const checkBase = (id: string, init?: RequestInit): Promise<FindingsAnswer> => post(`bases/${id}/check`, {}, init);
/** A database that was opened in an earlier run, or in this one. */
export type Opened = RecentBaseAnswer;

export const recent = (): Promise<Opened[]> => ask('recent');
export const copyGames = (from: string, games: number[], init?: RequestInit): Promise<CopyAnswer> => post('clipboard', { base: from, games }, init);
export const emptyClipboard = (): Promise<Base> => remove('clipboard');

export const jobs = (): Promise<Job[]> => ask('jobs');
export const stopJob = (id: string): Promise<Job> => remove(`jobs/${id}`);

export const rows = (id: string, from: number, count: number, signal: AbortSignal): Promise<Rows> =>
  ask(`bases/${id}/rows?${queryString({ from, count })}`, { signal });
export const viewRows = (view: string, from: number, count: number, signal: AbortSignal): Promise<Rows> =>
  ask(`views/${view}/rows?${queryString({ from, count })}`, { signal });

/** The numbers alone of what a search has found. */
export const viewNumbers = (view: string, from: number, count: number): Promise<NumbersAnswer> =>
  ask(`views/${view}/numbers?${queryString({ from, count })}`);

export const game = (id: string, number: number, signal: AbortSignal): Promise<unknown> =>
  ask(`bases/${id}/games/${number}`, { signal });

/** The game as PGN text. */
export const pgn = (id: string, number: number): Promise<string> => askText(`bases/${id}/games/${number}/pgn`);

/** Several games as one PGN text. */
export async function pgnOf(id: string, games: number[], init?: RequestInit): Promise<Blob> {
  const response = await reach(`bases/${id}/pgn`, posting({ games }, init));
  if (!response.ok) throw await refusal(response);
  return response.blob();
}

/** Files that were dropped or chosen become a copy that the server keeps while it runs. */
export async function upload(files: File[], password?: string, init: RequestInit = {}): Promise<Base[]> {
  const form = new FormData();
  if (password) form.append('password', password);
  for (const file of files) form.append('file', file, file.name);
  return ask('uploads', { ...init, method: 'POST', headers: { ...init.headers, ...MARK }, body: form });
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
