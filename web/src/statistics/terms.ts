/** The terms of the query language that find the games of a row. */

import { t } from '../words';
import type { Key } from '../words';
import type { TableRowAnswer } from '../answers';

export type Row = TableRowAnswer;

/** A part of a row: all of its games, or those with one result. */
export type Part = 'games' | 'wins' | 'draws' | 'losses';

/** What was counted: the games of a base, or those that a query finds, or those of a player. */
export interface Counted {
  base: string;
  among: string;
  player?: string;
  against?: string;
}

/** The titles of tables, which the server has in English. */
const TITLES: Record<string, Key> = {
  Results: 'table.results',
  'Lengths in moves': 'table.lengths',
  Years: 'table.years',
  'Mean rating of both players': 'table.ratings',
  "White's Elo less Black's": 'table.differences',
  'Openings (ECO)': 'table.openings',
  'Most frequent players': 'table.players',
  'Most frequent events': 'table.events',
  'Most frequent sites': 'table.sites',
  'Time controls': 'table.time-controls',
  Terminations: 'table.terminations',
  'Most frequent annotators': 'table.annotators',
  Titles: 'table.titles',
  Names: 'table.names',
  Colours: 'table.colors',
  "Opponents' ratings": 'table.opponents-ratings',
  Opponents: 'table.opponents',
  Events: 'table.his-events',
  Speeds: 'table.speeds',
  Months: 'table.months',
  'Openings as White': 'table.openings-white',
  'Openings as Black': 'table.openings-black',
};

export const titleOf = (title: string): string => {
  const key = TITLES[title];
  return key ? t(key) : title;
};

const quoted = (term: string) => (label: string) => `${term}="${label}"`;
const range = (low: (from: string) => string, high: (to: string) => string) => (label: string) => {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(label) ?? [];
  return from && to ? `${low(from)} ${high(to)}` : null;
};
const opening = (label: string) => (/^[A-E]\d{0,2}$/.test(label) ? `eco:${label}` : null);

const TERMS: Record<string, (label: string) => string | null> = {
  players: quoted('player'),
  events: quoted('event'),
  sites: quoted('site'),
  annotators: quoted('annotator'),
  'time-controls': quoted('time-control'),
  titles: label => `title:"${label}"`,
  openings: opening,
  years: label => (/^\d{4}$/.test(label) ? `year:${label}` : null),
  lengths: range(from => `moves>=${from}`, to => `moves<=${to}`),
  ratings: range(from => `average-elo>=${from}`, to => `average-elo<${Number(to) + 1}`),
  results: () => '',
};

const RESULTS: Record<Part, string> = { games: '', wins: 'result:1-0', draws: 'result:1/2-1/2', losses: 'result:0-1' };

/** The query for the games of a part of a row; null where there is none. */
export function queryOf(table: string, row: Row, part: Part, of: Counted): string | null {
  if ((!row.label && !['results', 'speeds'].includes(table)) || row.label.includes('"')) return null;
  if (of.player) return ofPlayer(table, row.label, part, of.player, of.against ?? '');
  const term = TERMS[table]?.(row.label);
  if (term === undefined || term === null) return null;
  // Wins of a player are the player's own.
  const own = table === 'players' && part !== 'draws' && part !== 'games';
  const wanted = own ? `${part === 'wins' ? 'winner' : 'loser'}="${row.label}"` : [term, RESULTS[part]].filter(Boolean).join(' ');
  return [of.among && `(${of.among})`, wanted].filter(Boolean).join(' ');
}

/** The same for a table of a player, whose wins are the player's. */
function ofPlayer(table: string, label: string, part: Part, player: string, against: string): string | null {
  const name = (text: string) => `:"${text.replaceAll('"', '')}"`;
  const isBlack = table === 'openings-black' || (table === 'colors' && label === 'Black');
  const hasColour = table.startsWith('openings-') || table === 'colors';
  const [own, other] = hasColour ? (isBlack ? ['black', 'white'] : ['white', 'black']) : ['player', 'opponent'];
  const parts = [table === 'names' ? `player="${label}"` : `${own}${name(player)}`];
  if (table === 'opponents') parts.push(`opponent="${label}"`);
  if (against && table !== 'opponents') parts.push(`${other}${name(against)}`);
  if (table === 'ratings') {
    const [, from, to] = /^(\d+)-(\d+)$/.exec(label) ?? [];
    if (!from) return null;
    parts.push(`opponent-elo>=${from} opponent-elo<=${to}`);
  } else if (hasColour && table !== 'colors') {
    const term = opening(label);
    if (term === null) return null;
    parts.push(term);
  } else if (table === 'years' || table === 'events') {
    const term = TERMS[table]?.(label);
    if (!term) return null;
    parts.push(term);
  } else if (table === 'speeds') {
    parts.push(`speed:${label || 'unknown'}`);
  } else if (table === 'months') {
    parts.push(`date:${label}`);
  } else if (!['names', 'colors', 'opponents'].includes(table)) return null;
  if (part === 'draws') parts.push(RESULTS.draws);
  else if (part !== 'games') parts.push(`${part === 'wins' ? 'winner' : 'loser'}${table === 'names' ? `="${label}"` : name(player)}`);
  return parts.join(' ');
}

/** What the side whose wins are counted scored, in per cent. */
export function scoreOf({ wins, draws, losses }: Row): number | null {
  const decided = wins + draws + losses;
  return decided === 0 ? null : (100 * (wins + draws / 2)) / decided;
}
