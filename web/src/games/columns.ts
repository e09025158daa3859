/** The columns of the list, and which of them the user has chosen. */

import { computed, effect, signal } from '@preact/signals';
import type { Row } from '../api';
import type { Key } from '../words';

export interface Column {
  field: string;
  label: Key;
  /** What tells two columns of one heading apart where they are chosen. */
  whose?: Key;
  width: string;
  show: (row: Row) => string;
  end?: boolean;
  /** What is shown of it where there is no room for all. */
  narrow?: { width: string; show: (row: Row) => string };
}

export const COLUMNS: Column[] = [
  { field: 'number', label: 'column.number', width: '3.6rem', show: row => String(row.number), end: true },
  { field: 'white', label: 'column.white', width: 'minmax(6rem, 2fr)', show: row => row.white },
  { field: 'white-elo', label: 'column.elo', whose: 'colour.white', width: '2.2rem', show: row => String(row.whiteElo ?? ''), end: true },
  { field: 'black', label: 'column.black', width: 'minmax(6rem, 2fr)', show: row => row.black },
  { field: 'black-elo', label: 'column.elo', whose: 'colour.black', width: '2.2rem', show: row => String(row.blackElo ?? ''), end: true },
  { field: 'result', label: 'column.score', width: '2.1rem', show: row => row.result.replace('1/2-1/2', '½-½') },
  { field: 'date', label: 'column.date', width: '5.4rem', show: row => row.date.replaceAll('.??', ''), narrow: { width: '2.3rem', show: row => row.date.slice(0, 4) } },
  { field: 'eco', label: 'column.eco', width: '2.5rem', show: row => row.eco },
  { field: 'event', label: 'column.event', width: 'minmax(8rem, 2fr)', show: row => row.event },
  { field: 'site', label: 'column.site', width: 'minmax(6rem, 1fr)', show: row => row.site },
  { field: 'round', label: 'column.round', width: '3rem', show: row => row.round },
  { field: 'plies', label: 'column.moves', width: '3.2rem', show: row => moves(row.plies), end: true },
];

const moves = (plies: number | null): string => (plies === null ? '' : String(Math.ceil(plies / 2)));

const USUAL = ['number', 'white', 'white-elo', 'black', 'black-elo', 'result', 'date', 'eco', 'event'];

const remembered = (): string[] => {
  const kept = (localStorage.getItem('columns') ?? '').split(' ').filter(name => COLUMNS.some(one => one.field === name));
  return kept.length > 0 ? kept : USUAL;
};

/** The fields that are shown. */
export const chosen = signal<string[]>(remembered());

effect(() => localStorage.setItem('columns', chosen.value.join(' ')));

/** How many digits the numbers of games have. */
export const digits = signal(6);

/** Numbers of games are as wide as the longest of them. */
export const widthOf = (column: Column): string => (column.field === 'number' ? `${Math.max(2, digits.value) * 0.52 + 0.35}rem` : column.width);

/** What a column wants at least, in rem. */
const least = (column: Column): number => Number.parseFloat(widthOf(column).replace('minmax(', ''));

/** Which columns stay where there is no room for all: nothing is cut, and what is wanted less goes first. */
const FIRST = ['white', 'black', 'result', 'white-elo', 'black-elo', 'date', 'eco', 'number', 'event', 'round', 'plies', 'site'];

const GAP = 0.3;
/** The box to select, and the edges of a row. */
const BESIDE = 2.2;

/** How wide the list is, in rem. */
export const room = signal(100);

/** The columns that are shown, in their order. */
export const shown = computed<Column[]>(() => {
  let left = room.value - BESIDE;
  const fits = new Map<string, Column>();
  for (const field of FIRST) {
    const column = COLUMNS.find(one => one.field === field);
    if (!column || !chosen.value.includes(field)) continue;
    const { narrow } = column;
    // Where a date has no room a year may have it, and where that has none a number.
    const found = [column, ...(narrow ? [{ ...column, ...narrow }] : [])].find(one => least(one) + GAP <= left || fits.size < 2);
    if (!found) continue;
    left -= least(found) + GAP;
    fits.set(field, found);
  }
  return COLUMNS.flatMap(one => fits.get(one.field) ?? []);
});

/** Shows a column or hides it; the last one stays. */
export function toggle(field: string): void {
  const now = chosen.value;
  const next = now.includes(field) ? now.filter(one => one !== field) : [...now, field];
  if (next.length > 0) chosen.value = next;
}
