/** The commands of the text field that change the database which is shown, or copy games out of it. */

import { fetched, summary } from '../findings';
import { copyGames } from '../api';
import { history } from '../annotate/api';
import { baseId } from '../address';
import * as library from '../library/store';
import { t } from '../words';
import { KEYS, act } from './changing';

/** Games that one command names at most. */
const MOST = 5_000;
/** Changes of the past that are read at once. */
const PAST = 5;

/** Numbers of games: `3`, `1,4-6`. */
function numbers(text: string): number[] | null {
  const all: number[] = [];
  for (const part of text.split(',')) {
    const [, from, to] = /^\s*(\d{1,9})(?:-(\d{1,9}))?\s*$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to ?? from)];
    if (!from || last < first || all.length + last - first >= MOST) return null;
    for (let game = first; game <= last; game++) all.push(game);
  }
  return all;
}

const COMMANDS: [RegExp, (found: RegExpMatchArray) => Promise<string> | null][] = [
  [/^(delete|undelete) ([\d, -]+)$/i, found => {
    const games = numbers(found[2] ?? '');
    return games && act({ kind: (found[1] ?? '').toLowerCase(), games });
  }],
  [/^flags ([\d,-]+) ([A-Za-z0-9]*)(?:-([A-Za-z0-9]+))?$/i, found => {
    const games = numbers(found[1] ?? '');
    return games && act({ kind: 'flags', games, set: found[2] ?? '', clear: found[3] ?? '' });
  }],
  [/^sort (\S+)$/i, found => {
    const key = (found[1] ?? '').toLowerCase();
    return KEYS.some(([name]) => name === key) ? act({ kind: 'sort', keys: [key] }) : null;
  }],
  [/^compact$/i, () => act({ kind: 'compact' })],
  [/^describe (.+)$/i, found => act({ kind: 'describe', description: found[1] ?? '' })],
  [/^revert$/i, () => act({ kind: 'undo' })],
  [/^changes$/i, async () => {
    const { changes } = await history(baseId.peek() ?? '');
    return changes.slice(0, PAST).map(one => `${one.when} ${one.wish}`).join('; ') || t('edit.history.none');
  }],
  [/^copy ([\d, -]+)$/i, found => {
    const games = numbers(found[1] ?? '');
    return games && copied(games);
  }],
];

async function copied(games: number[]): Promise<string> {
  const answer = await copyGames(baseId.peek() ?? '', games);
  library.took([answer.base]);
  if (answer.losses.length > 0) await fetched();
  return [t('games.copied', { n: answer.copied }), ...answer.losses.map(one => summary(one.kind, one.summary))].join('; ');
}

/** Does a command; what is said then, or nothing where it is none of these. */
export function command(text: string): Promise<string> | null {
  if (baseId.peek() === null || library.readOnly.peek()) return null;
  for (const [pattern, doing] of COMMANDS) {
    const found = text.match(pattern);
    if (found) return doing(found);
  }
  return null;
}
