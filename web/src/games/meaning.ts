/** What somebody means who types words in place of a query: a player, an opening, a line, a position. What is found becomes a query. */

import { ECO, inQuotes, openingQuery } from '../about/query';
import { lineOf, numbered } from '../game/line';
import { positionOf } from '../game/position';

/** Names of a base that begin with a text, or one of whose words does. */
export type Names = (tag: 'White' | 'Event' | 'Site' | 'Opening', start: string) => Promise<string[]>;

/** Signs of the query language: who writes these knows what is meant. */
const SIGNS = /[:=<>~"()[\]{}@$|&]/;
const WORDS = /^(and|or|not)$/i;

const FEN = /^[pnbrqkPNBRQK1-8]+(\/[pnbrqkPNBRQK1-8]+){7}( [wb]( (-|[KQkqA-Ha-h]+)( (-|[a-h][36])( \d+ \d+)?)?)?)?$/;

/** A text as it is compared: without case, accents and signs. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]/g, '')
    .toLowerCase();

const wordsOf = (text: string): string[] => plain(text).split(/[^\p{L}\p{N}]+/u).filter(word => word !== '');

/** Whether each word of a text is a whole word of a name. */
export const hasWords = (name: string, text: string): boolean => {
  const own = new Set(wordsOf(name));
  const wanted = wordsOf(text);
  return wanted.length > 0 && wanted.every(word => own.has(word));
};

/** Names with whole words first, then those that begin so. */
export const ranked = (names: string[], text: string): string[] => {
  const begins = plain(text.trim());
  const rank = (name: string) => (hasWords(name, text) ? 0 : 2) + (plain(name).startsWith(begins) ? 0 : 1);
  return [...names].sort((a, b) => rank(a) - rank(b));
};

/** A value behind a term, in quotes where it is more than a word. */
export const value = (text: string): string => (/^[\p{L}\p{N}.'-]+$/u.test(text) ? text : inQuotes(text));

/** Whether a text is the surname of somebody, or more of the name than that. A given name alone finds nobody. */
function isNameOf(name: string, text: string): boolean {
  if (!hasWords(name, text)) return false;
  const [surname = ''] = name.split(',');
  const own = name.includes(',') ? wordsOf(surname) : wordsOf(name).slice(-1);
  const typed = new Set(wordsOf(text));
  return own.every(word => typed.has(word));
}

/** The line that a text is, as a query has it. */
export function lineQuery(text: string): string | null {
  const line = lineOf(text);
  return line && `line:"${line.map((move, ply) => numbered(move.san, ply)).join(' ')}"`;
}

/** The position that a text is; the numbers of moves mean nothing there. */
export function positionQuery(text: string): string | null {
  const trimmed = text.trim();
  if (!FEN.test(trimmed)) return null;
  const parts = trimmed.split(' ');
  const whole = [...parts, ...['w', '-', '-', '0', '1'].slice(parts.length - 1)].join(' ');
  return positionOf(whole) ? `position:"${parts.slice(0, 4).join(' ')}"` : null;
}

/** What one word is by its form alone. */
function formOf(word: string): string | null {
  if (ECO.test(word) && word.length > 1) return `eco:${word}`;
  const [, from, to] = /^([A-E]\d\d?)(?:-|\.\.)([A-E]\d\d?)$/.exec(word) ?? [];
  if (from && to) return `eco:${from}..${to}`;
  if (/^(1-0|0-1|1\/2-1\/2)$/.test(word)) return `result:${word}`;
  const [, first, last] = /^((?:1[5-9]|20)\d\d)(?:(?:-|\.\.)((?:1[5-9]|20)\d\d))?$/.exec(word) ?? [];
  return first ? `year:${first}${last ? `..${last}` : ''}` : null;
}

/** The same of a whole text of one word. */
export const formText = (text: string): string | null => formOf(text.trim());

/** Whether the words of a text stand in a name one after another, whatever is between them. */
function hasInOrder(name: string, text: string): boolean {
  const own = wordsOf(name);
  let from = 0;
  return wordsOf(text).every(word => (from = own.indexOf(word, from) + 1) > 0);
}

/** What words are together by the names of the base; null where they are nothing of it. */
async function nameOf(words: string[], names: Names, isLoose: boolean): Promise<string | null> {
  const text = words.join(' ');
  const [players, openings] = await Promise.all([names('White', words[0] ?? ''), names('Opening', text)]);
  const more = words.length > 1 ? await names('White', words[words.length - 1] ?? '') : [];
  if ([...players, ...more].some(name => isNameOf(name, text))) return `player:${value(text)}`;
  const opening = ranked(openings, text).find(name => isLoose || hasInOrder(name, text));
  if (opening !== undefined && hasWords(opening, text) && (words.length > 1 || plain(opening).startsWith(plain(text)))) {
    // The words as they are typed find more than the whole of one name.
    const own = plain(opening);
    return openingQuery(words.every(word => own.includes(plain(word)) && opening.toLowerCase().includes(word.toLowerCase())) ? text : opening);
  }
  const events = await names('Event', words[0] ?? '');
  if (events.some(name => hasWords(name, text))) return `event:${value(text)}`;
  return null;
}

/** Runs of words that are something, one after another, the longest first; null where a word is left over in any way. The words of an
 * opening may stand in another order where all of them are nothing else: `tal sicilian` is a player in an opening, and no variation of Tal. */
async function namesOf(words: string[], names: Names, isLoose: boolean): Promise<string[] | null> {
  const [first] = words;
  if (first === undefined) return [];
  const form = formOf(first);
  const stop = words.findIndex(word => formOf(word) !== null);
  for (let end = form !== null ? 1 : stop < 0 ? words.length : stop; end > 0; end--) {
    const term = form ?? (await nameOf(words.slice(0, end), names, isLoose));
    const rest = term && (await namesOf(words.slice(end), names, isLoose));
    if (rest) return [term, ...rest];
  }
  return null;
}

/** Words that are looked at one by one: nobody types more names than that. */
const MOST = 8;

/** The query that a text means; the text itself where it is one already, or means nothing that is known. */
export async function meaningOf(text: string, names: Names): Promise<string> {
  const trimmed = text.trim();
  const whole = positionQuery(trimmed) ?? lineQuery(trimmed);
  if (whole !== null) return whole;
  const words = trimmed.split(/\s+/).filter(word => word !== '');
  if (words.length === 0 || words.length > MOST || SIGNS.test(trimmed) || words.some(word => WORDS.test(word))) {
    // A line may stand behind names, and has signs of its own.
    if (!/\s1\./.test(trimmed)) return trimmed;
  }
  const from = words.findIndex(word => /^1\.+/.test(word));
  const line = from > 0 ? lineQuery(words.slice(from).join(' ')) : null;
  const before = line === null ? words : words.slice(0, from);
  if (before.length > MOST || before.some(word => SIGNS.test(word) || WORDS.test(word))) return trimmed;
  const found = (await namesOf(before, names, false)) ?? (await namesOf(before, names, true));
  return found === null ? trimmed : [...found, ...(line ? [line] : [])].join(' ');
}
