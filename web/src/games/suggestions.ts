/** What is offered while somebody types into the field for queries, in groups. */

import { Refused, ask, queryString } from '../api';
import { openingQuery } from '../about/query';
import { formText, lineQuery, plain, positionQuery, ranked, value } from './meaning';
import type { Names } from './meaning';
import * as saved from './saved';
import { completions } from './terms';

export interface Suggestion {
  label: string;
  /** What stands in the field when it is chosen. */
  text: string;
  /** Whether it is searched at once: a term alone waits for its value. */
  isWhole: boolean;
}

export interface Group {
  kind: 'meaning' | 'players' | 'openings' | 'events' | 'kept' | 'terms';
  all: Suggestion[];
}

/** Of one kind at most. */
const MOST = 6;

const complete = async (base: string, tag: string, start: string, init: RequestInit = {}): Promise<string[]> =>
  start.trim() === '' ? [] : (await ask<{ names: string[] }>(`bases/${encodeURIComponent(base)}/complete?${queryString({ tag, start })}`, init)).names;

/** Names that the server completes; none where it has no time for them. */
export const namesOf =
  (base: string, signal: AbortSignal): Names =>
  (tag, start) =>
    complete(base, tag, start, { signal }).catch(() => []);

/** Milliseconds until a server that had no time, or was not reached, is asked again. */
const PAUSES = [200, 800, 3_000];

/** The same for what is searched: what the words of a query mean must not depend on how busy the server is. A server that knows no names
 * of a kind has none; one that does not answer at all is an error. */
export const certainNamesOf =
  (base: string): Names =>
  async (tag, start) => {
    for (let times = 0; ; times++) {
      try {
        return await complete(base, tag, start);
      } catch (error) {
        if (error instanceof Refused && error.status < 500 && error.status !== 429) return [];
        const pause = PAUSES[times];
        if (pause === undefined) throw error;
        await new Promise(resolve => setTimeout(resolve, pause));
      }
    }
  };

/** Terms whose values are names. */
const VALUES: Record<string, 'White' | 'Event' | 'Site' | 'Opening'> = {
  white: 'White',
  black: 'White',
  player: 'White',
  opponent: 'White',
  winner: 'White',
  loser: 'White',
  with: 'White',
  against: 'White',
  event: 'Event',
  site: 'Site',
  opening: 'Opening',
};

const whole = (label: string, text: string): Suggestion => ({ label, text, isWhole: true });

/** What a text is, of what stands before it. */
function split(text: string): { before: string; term: string; typed: string } {
  // A value in quotes may be open still.
  const [, before = '', term = '', typed = ''] = /^(.*?)(?:(?<=^|[\s(])([a-z-]+):"?)?([^\s":=<>~()][^":=<>~()]*|)$/su.exec(text) ?? [];
  return { before, term, typed };
}

/** The groups for a text; those that are empty are left out. */
export async function suggestionsFor(text: string, base: string, signal: AbortSignal): Promise<Group[]> {
  const names = namesOf(base, signal);
  const { before, term, typed } = split(text);
  const groups: Group[] = [];
  const group = (kind: Group['kind'], all: Suggestion[]) => {
    if (all.length > 0) groups.push({ kind, all: all.slice(0, MOST) });
  };
  const tag = VALUES[term];
  if (tag) {
    const found = ranked(await names(tag, typed), typed);
    const kind = tag === 'White' ? 'players' : tag === 'Opening' ? 'openings' : 'events';
    group(kind, found.map(name => whole(name, before + (tag === 'Opening' ? openingQuery(name) : `${term}:${value(name)}`))));
    return groups;
  }
  if (term === '' && typed.trim().length > 1) {
    const meant = before === '' ? (positionQuery(typed) ?? lineQuery(typed) ?? formText(typed)) : null;
    if (meant !== null) group('meaning', [whole(meant, meant)]);
    const [players, openings, events] = await Promise.all([names('White', typed), names('Opening', typed), names('Event', typed)]);
    group('players', ranked(players, typed).map(name => whole(name, `${before}player:${value(name)}`)));
    group('openings', ranked(openings, typed).map(name => whole(name, before + openingQuery(name))));
    group('events', ranked(events, typed).map(name => whole(name, `${before}event:${value(name)}`)));
  }
  const wanted = plain(text.trim());
  const isKept = (one: saved.Kept) => plain(one.name).includes(wanted) || plain(one.query).includes(wanted);
  if (wanted !== '') group('kept', saved.queries.peek().filter(isKept).map(one => whole(one.name, one.query)));
  group('terms', completions(text).map(one => ({ label: one, text: one, isWhole: !/[:=<>~]$/.test(one) })));
  return groups;
}
