/** What this browser has seen of bases: it is told of those that are not open now. */

import type { Base } from '../api';

export interface Seen {
  format: string;
  games: number | null;
  years: [string | null, string | null] | null;
  /** What its last check has found, and when that was. */
  checked?: { damage: number; when: number };
}

const KEY = 'seen';
const MOST = 100;

/** What was read last, and what came of it: a page of many cards asks for each. */
let last: [string, Map<string, Seen>] = ['', new Map()];

function read(): Map<string, Seen> {
  const text = localStorage.getItem(KEY) ?? '[]';
  if (text !== last[0]) last = [text, parsed(text)];
  return new Map(last[1]);
}

function parsed(text: string): Map<string, Seen> {
  try {
    const kept: unknown = JSON.parse(text);
    const all = (Array.isArray(kept) ? kept : []) as [unknown, Seen | null][];
    return new Map(all.filter((one): one is [string, Seen] => Array.isArray(one) && typeof one[0] === 'string' && typeof one[1]?.format === 'string'));
  } catch {
    return new Map();
  }
}

/** Remembers what bases hold, those that were seen last. */
export function remember(bases: readonly Base[]): void {
  const known = read();
  for (const { path, copy, trouble, format, games, years } of bases) {
    if (copy || trouble !== undefined || path === '') continue;
    const checked = known.get(path)?.checked;
    known.delete(path);
    known.set(path, { format, games, years, ...(checked ? { checked } : {}) });
  }
  write(known);
}

/** Remembers what a check has found; nothing any more where the base has changed since. */
export function rememberCheck(path: string, damage: number | null): void {
  const known = read();
  const one = known.get(path);
  if (!one) return;
  const { checked: _, ...rest } = one;
  known.set(path, damage === null ? rest : { ...rest, checked: { damage, when: Date.now() } });
  write(known);
}

function write(known: Map<string, Seen>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...known].slice(-MOST)));
  } catch {
    // A browser without room remembers nothing.
  }
}

export function seen(path: string): Seen | null {
  const one = read().get(path);
  if (!one) return null;
  // What no check can have said is nothing.
  const { checked, ...rest } = one;
  return typeof checked?.damage === 'number' && typeof checked.when === 'number' ? { ...rest, checked } : rest;
}
