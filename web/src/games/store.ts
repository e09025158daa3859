/** The list of games: pages of rows that are fetched when they come into sight, of a base or of a search. */

import { effect, signal } from '@preact/signals';
import * as api from '../api';
import { baseId, query, sort } from '../address';

/** Rows of one request. */
const PAGE = 200;
/** Pages that are asked for at once. */
const ASKED = 6;
/** Pages that are kept; the oldest goes first. */
const KEPT = 64;

export const total = signal<number | null>(null);
/** What a search says while it goes on. */
export const progress = signal<{ found: number; asked: number; of: number | null; done: boolean; whole: boolean } | null>(null);
export const fault = signal<{ message: string; fault: api.QueryFault | null } | null>(null);
/** What is to be said of a search: how it was understood, which names may have been meant. */
export const notes = signal<string[]>([]);
/** Whether what was typed is still looked up, and another list comes in the place of this one. */
export const awaited = signal(false);
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
  notes.value = [];
}

/** Counts up when the list is to be read anew. */
const times = signal(0);

/** Reads the list anew. */
export function again(): void {
  times.value++;
}

/** Follows the address: another base, query or order is another list. */
effect(() => {
  void times.value;
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
  let first: api.Row[] = [];
  try {
    for await (const line of api.search(id, text, order, control.signal)) {
      if (control.signal.aborted) return;
      if (line.kind === 'view') view = line.view;
      else if (line.kind === 'rows') {
        first = [...first, ...line.rows];
        pages.set(0, first);
        const isFirst = total.value === null;
        total.value = Math.max(total.value ?? 0, first.length);
        arrived.value++;
        // The first hit is not kept from the screen by those that come right behind it.
        if (isFirst) await drawn();
      } else if (line.kind === 'found') {
        progress.value = { found: line.found, asked: line.asked, of: line.total, done: false, whole: true };
        if (order === '') total.value = line.found;
      } else {
        // The first page may have ended before it was full; it stays until the whole one has come.
        if ((pages.get(0)?.length ?? 0) < Math.min(PAGE, line.found)) void page(0);
        total.value = line.found;
        notes.value = line.notes;
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

/** When what was changed is on the screen; a page that nobody sees is not drawn, and waits a moment only. */
function drawn(): Promise<void> {
  return new Promise(resolve => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100);
  });
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
  // The first rows of a search come by themselves.
  const isComing = index === 0 && progress.peek()?.done === false;
  if (!found && !isComing) void page(index);
  // The page beside it is fetched before it comes into sight.
  const beside = at % PAGE < PAGE / 2 ? index - 1 : index + 1;
  if (beside >= 0 && !isComing && beside * PAGE < (total.peek() ?? 0) && !pages.has(beside)) void page(beside);
  return found ?? null;
}

/** The numbers of the games at some places, whether their rows are here or not. */
export async function numbers(from: number, to: number): Promise<number[]> {
  const known: number[] = [];
  for (let at = from; at < to; at++) {
    const found = pages.get(Math.floor(at / PAGE))?.[at % PAGE];
    if (!found) break;
    known.push(found.number);
  }
  if (known.length === to - from) return known;
  // Without a query the list stands in the order of the numbers.
  if (view === null) return Array.from({ length: to - from }, (_, at) => from + at + 1);
  return (await api.viewNumbers(view, from, to - from)).numbers;
}

async function page(index: number): Promise<void> {
  if (base === null || asked.has(index)) return;
  if (view === null && (query.peek() !== '' || sort.peek() !== '')) return;
  const request = new AbortController();
  // Who drags the bar through the list asks for the last pages only.
  for (const [other, old] of asked) {
    if (asked.size < ASKED) break;
    old.abort();
    asked.delete(other);
  }
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
    if (asked.get(index) === request) asked.delete(index);
  }
}
