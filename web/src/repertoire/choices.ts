/** The repertoires that were used in this browser, the last one first, each with its side and what it is compared with. */

import { effect, signal } from '@preact/signals';

export type Side = '' | 'white' | 'black';

export interface Choice {
  base: string;
  /** The side, where the database is not asked for it. */
  color: Side;
  /** The database whose games say what is played. */
  reference: string;
  /** Which of its games count. */
  query: string;
}

/** As many as are remembered. */
const MOST = 12;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function read(kept: string | null): Choice[] {
  try {
    const all: unknown = JSON.parse(kept ?? '[]');
    if (!Array.isArray(all)) return [];
    return all.flatMap((one: unknown) => {
      const it = one as Partial<Record<keyof Choice, unknown>> | null;
      const base = text(it?.base);
      const color = text(it?.color);
      if (base === '') return [];
      return [{ base, color: color === 'white' || color === 'black' ? color : '', reference: text(it?.reference), query: text(it?.query) }];
    });
  } catch {
    return [];
  }
}

export const choices = signal<Choice[]>(read(localStorage.getItem('repertoires')));

effect(() => {
  if (choices.value.length > 0) localStorage.setItem('repertoires', JSON.stringify(choices.value));
  else localStorage.removeItem('repertoires');
});

/** What was chosen for a repertoire. */
export const choiceOf = (base: string): Choice => choices.value.find(one => one.base === base) ?? { base, color: '', reference: '', query: '' };

/** Remembers what is chosen. */
export function choose(base: string, change: Partial<Choice> = {}): void {
  const now = { ...choiceOf(base), ...change };
  choices.value = [now, ...choices.peek().filter(one => one.base !== base)].slice(0, MOST);
}

/** A base is no repertoire any more. */
export function forget(base: string): void {
  choices.value = choices.peek().filter(one => one.base !== base);
}
