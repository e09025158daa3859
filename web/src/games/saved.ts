/** Queries that the user keeps in this browser, each with a name. */

import { effect, signal } from '@preact/signals';

export interface Kept {
  name: string;
  query: string;
}

const MOST = 50;

/** What was kept; queries that were kept before they had names are named by themselves. */
function remembered(): Kept[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem('queries') ?? '[]');
    const all: unknown[] = Array.isArray(kept) ? kept : [];
    return all
      .map(one => (typeof one === 'string' ? { name: one, query: one } : (one as Kept | null)))
      .filter((one): one is Kept => typeof one?.name === 'string' && typeof one.query === 'string' && one.query !== '')
      .slice(0, MOST);
  } catch {
    return [];
  }
}

export const queries = signal<Kept[]>(remembered());

effect(() => localStorage.setItem('queries', JSON.stringify(queries.value)));

/** Keeps a query under a name; another one of that name, and the same under another one, go. */
export function keep(query: string, name = ''): void {
  const kept = { name: name.trim() || query, query };
  if (query) queries.value = [kept, ...queries.value.filter(one => one.query !== query && one.name !== kept.name)].slice(0, MOST);
}

export function forget(query: string): void {
  queries.value = queries.value.filter(one => one.query !== query);
}
