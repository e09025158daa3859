/** The list of games: pages of rows that are fetched when they come into sight, of a base or of a search. */

import { effect, signal } from '@preact/signals';
import * as api from '../api';
import { baseId, query, sort } from '../address';

/** Rows of one request. */
const PAGE = 200;
/** Pages that are kept; the oldest goes first. */
const KEPT = 64;

export const total = signal<number | null>(null);
/** What a search says while it goes on. */
export const progress = signal<{ found: number; asked: number; of: number | null; done: boolean; whole: boolean } | null>(null);
export const fault = signal<{ message: string; fault: api.QueryFault | null } | null>(null);
/** Counts up with each page that has come, so that the list draws itself again. */
export const arrived = signal(0);

let pages = new Map<number, api.Row[]>();
let asked = new Map<number, AbortController>();
let view: string | null = null;
let base: string | null = null;
let running: AbortController | null = null;

function reset(): void {
  running?.abort();
  for (const request of asked.values()) request.abort();
  running = null;
  pages = new Map();
  asked = new Map();
  view = null;
  total.value = null;
  progress.value = null;
  fault.value = null;
}

/** Follows the address: another base, query or order is another list. */
effect(() => {
  const [id, text, order] = [baseId.value, query.value, sort.value];
  reset();
  base = id;
  if (id === null) return;
  if (text === '' && order === '') void page(0);
  else void run(id, text, order);
});

async function run(id: string, text: string, order: string): Promise<void> {
  const control = new AbortController();
  running = control;
  progress.value = { found: 0, asked: 0, of: null, done: false, whole: true };
  try {
    for await (const line of api.search(id, text, order, control.signal)) {
      if (control.signal.aborted) return;
      if (line.kind === 'view') view = line.view;
      else if (line.kind === 'rows') {
        if (!pages.has(0)) pages.set(0, line.rows);
        total.value = Math.max(total.value ?? 0, line.rows.length);
        arrived.value++;
      } else if (line.kind === 'found') {
        progress.value = { found: line.found, asked: line.asked, of: line.total, done: false, whole: true };
        if (order === '') total.value = line.found;
      } else {
        // The first page may have come before it was full.
        pages.delete(0);
        total.value = line.found;
        progress.value = { found: line.found, asked: line.found, of: null, done: true, whole: line.whole };
        arrived.value++;
      }
    }
  } catch (error) {
    if (control.signal.aborted) return;
    fault.value = {
      message: error instanceof Error ? error.message : String(error),
      fault: error instanceof api.Refused ? error.fault : null,
    };
    progress.value = null;
    total.value = 0;
  }
}

/** Ends a search; what it has found stays. */
export function cancel(): void {
  running?.abort();
  const now = progress.value;
  if (now && !now.done) progress.value = { ...now, done: true, whole: false };
}

/** The row at a place of the list; asks for its page where it is not here yet. */
export function row(at: number): api.Row | null {
  const index = Math.floor(at / PAGE);
  const known = pages.get(index);
  const found = known?.[at - index * PAGE];
  if (!found) void page(index);
  return found ?? null;
}

async function page(index: number): Promise<void> {
  if (base === null || asked.has(index)) return;
  if (view === null && (query.peek() !== '' || sort.peek() !== '')) return;
  const request = new AbortController();
  asked.set(index, request);
  const from = index * PAGE;
  try {
    const answer =
      view === null
        ? await api.rows(base, from, PAGE, request.signal)
        : await api.viewRows(view, from, PAGE, request.signal);
    pages.set(index, answer.rows);
    const oldest = pages.keys().next().value;
    if (pages.size > KEPT && oldest !== undefined) pages.delete(oldest);
    if (view === null) total.value = answer.total;
    arrived.value++;
  } catch (error) {
    if (!request.signal.aborted)
      fault.value = { message: error instanceof Error ? error.message : String(error), fault: null };
  } finally {
    asked.delete(index);
  }
}
