/** The terms of the query language that find the games of a row. */

export interface Row {
  label: string;
  depth: number;
  games: number;
  wins: number;
  draws: number;
  losses: number;
}

/** A part of a row: all of its games, or those with one result. */
export type Part = 'games' | 'wins' | 'draws' | 'losses';

const quoted = (term: string) => (label: string) => `${term}="${label}"`;
const range = (low: (from: string) => string, high: (to: string) => string) => (label: string) => {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(label) ?? [];
  return from && to ? `${low(from)} ${high(to)}` : null;
};

const TERMS: Record<string, (label: string) => string | null> = {
  players: quoted('player'),
  opponents: quoted('player'),
  events: quoted('event'),
  sites: quoted('site'),
  annotators: quoted('annotator'),
  'time-controls': quoted('time-control'),
  titles: label => `title:"${label}"`,
  openings: label => (/^[A-E]\d{0,2}$/.test(label) ? `eco:${label}` : null),
  years: label => (/^\d{4}$/.test(label) ? `year:${label}` : null),
  lengths: range(from => `moves>=${from}`, to => `moves<=${to}`),
  ratings: range(from => `average-elo>=${from}`, to => `average-elo<${Number(to) + 1}`),
  results: () => '',
};

const RESULTS: Record<Part, string> = { games: '', wins: 'result:1-0', draws: 'result:1/2-1/2', losses: 'result:0-1' };

/** The query for the games of a part of a row, among those that were counted; null where there is none. */
export function queryOf(table: string, row: Row, part: Part, among: string): string | null {
  if ((!row.label && table !== 'results') || row.label.includes('"')) return null;
  const term = TERMS[table]?.(row.label);
  if (term === undefined || term === null) return null;
  // Wins of a player are the player's own.
  const own = table === 'players' && part !== 'draws' && part !== 'games';
  const wanted = own ? `${part === 'wins' ? 'winner' : 'loser'}="${row.label}"` : [term, RESULTS[part]].filter(Boolean).join(' ');
  return [among && `(${among})`, wanted].filter(Boolean).join(' ');
}

/** What the side whose wins are counted scored, in per cent. */
export function scoreOf({ wins, draws, losses }: Row): number | null {
  const decided = wins + draws + losses;
  return decided === 0 ? null : (100 * (wins + draws / 2)) / decided;
}
