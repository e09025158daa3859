/** What this browser has seen of bases: it is told of those that are not open now. */

import type { Base } from '../api';

export interface Seen {
  format: string;
  games: number | null;
  years: [string | null, string | null] | null;
}

const KEY = 'seen';
const MOST = 100;

function read(): Map<string, Seen> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
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
    known.delete(path);
    known.set(path, { format, games, years });
  }
  try {
    localStorage.setItem(KEY, JSON.stringify([...known].slice(-MOST)));
  } catch {
    // A browser without room remembers nothing.
  }
}

export const seen = (path: string): Seen | null => read().get(path) ?? null;
