/** The query that finds the games of what a page is about. */

import type { About } from '../address';

/** A text in quotes, whatever signs it has. */
export const inQuotes = (text: string): string => `"${text.replace(/["\\]/g, sign => `\\${sign}`)}"`;

/** A code of ECO, or its beginning. */
export const ECO = /^[A-E]\d{0,2}$/;

/** Words that no name of an opening is told from others by. */
const CONNECT = /[\s,:;()/-]+/;

/** An opening by its code, or by the words of its name: each base and each book puts them together in its own way. */
export function openingQuery(name: string): string {
  const [code = '', ...rest] = name.trim().split(' ');
  if (ECO.test(code) && rest.length === 0) return `eco:${code}`;
  const words = (ECO.test(code) ? rest.join(' ') : name).split(CONNECT).filter(word => word !== '');
  return words.map(word => `opening:${/^[\p{L}\d'.]+$/u.test(word) ? word : inQuotes(word)}`).join(' ');
}

export function queryAbout({ kind, name }: About): string {
  if (kind === 'opening') return openingQuery(name);
  // A player is found in all forms of the name; everything else by the whole of it.
  return kind === 'player' ? `player:${inQuotes(name)}` : `${kind}=${inQuotes(name)}`;
}
