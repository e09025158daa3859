/** Queries that the user keeps in this browser. */

import { effect, signal } from '@preact/signals';

const MOST = 50;

const remembered = (): string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem('queries') ?? '[]');
    return Array.isArray(kept) ? kept.filter(one => typeof one === 'string').slice(0, MOST) : [];
  } catch {
    return [];
  }
};

export const queries = signal<string[]>(remembered());

effect(() => localStorage.setItem('queries', JSON.stringify(queries.value)));

export function keep(query: string): void {
  if (query) queries.value = [query, ...queries.value.filter(one => one !== query)].slice(0, MOST);
}

export function forget(query: string): void {
  queries.value = queries.value.filter(one => one !== query);
}
