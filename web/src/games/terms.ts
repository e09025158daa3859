/** What the field for queries offers while one types: names of terms, and some values that are fixed. */

import terms from './terms.json';

/** Each stands there with a query that has it, which the tests read. */
const ALL = Object.keys(terms);

/** The whole queries that a typed one may become; none while a text in quotes is being written. */
export function completions(text: string): string[] {
  if ((text.match(/"/g) ?? []).length % 2 === 1) return [];
  const [, before = '', word = ''] = /^(.*?)([a-z:/\d-]*)$/s.exec(text) ?? [];
  if (word === '') return [];
  return ALL.filter(term => term.startsWith(word) && term !== word)
    .slice(0, 12)
    .map(term => before + term);
}

/** A value as a query wants it: in quotes where it has more than letters and digits. */
export const quoted = (value: string): string =>
  /^[\p{L}\d.-]+$/u.test(value) ? value : `"${value.replace(/["\\]/g, sign => `\\${sign}`)}"`;
