/** Each state is an address: base, what of it a page is about, query, order, game, half-move, moves that are tried, and panel. Back works,
 * and links can be shared. */

import { batch, computed, signal } from '@preact/signals';
import { afterPaint, settle } from './painted';

/** What has a page of its own in a base. */
export const KINDS = ['player', 'event', 'opening', 'site', 'annotator'] as const;

export interface About {
  kind: (typeof KINDS)[number];
  name: string;
}

export interface Place {
  base: string | null;
  about: About | null;
  game: number | null;
  /** The path in the tree of moves: half-moves, and which branch was taken where it was not the first. */
  path: string;
  /** A position that is looked at where no game is shown; the start of the game where there is none. */
  fen: string;
  /** Moves that are tried from there, by their squares with `-` between them. */
  tried: string;
  query: string;
  sort: string;
  panel: string;
  /** The address of the game or position that is shown beside this one. */
  beside: string;
}

/** A part of an address as text; what is no text in such a part stands for itself, and names no base. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The place that an address is. */
export const placeOf = (address: string): Place => read(new URL(address, location.origin));

const read = (url: URL): Place => {
  const [, first, base, second, last = ''] = url.pathname.split('/');
  const hasBase = first === 'base' && base !== undefined && base !== '';
  const number = second === 'game' ? Number(last) : NaN;
  const kind = KINDS.find(one => one === second);
  return {
    base: hasBase ? decoded(base) : null,
    about: hasBase && kind && last !== '' ? { kind, name: decoded(last) } : null,
    game: hasBase && Number.isInteger(number) && number > 0 ? number : null,
    path: url.searchParams.get('at') ?? '',
    fen: url.searchParams.get('fen') ?? '',
    tried: url.searchParams.get('try') ?? '',
    query: url.searchParams.get('q') ?? '',
    sort: url.searchParams.get('sort') ?? '',
    panel: url.searchParams.get('panel') ?? '',
    beside: url.searchParams.get('beside') ?? '',
  };
};

/** The address of a place. */
export function addressOf(place: Place): string {
  let path = '/';
  if (place.base !== null) {
    path = `/base/${encodeURIComponent(place.base)}`;
    if (place.game !== null) path += `/game/${place.game}`;
    else if (place.about) path += `/${place.about.kind}/${encodeURIComponent(place.about.name)}`;
  }
  const parameters = new URLSearchParams();
  if (place.query) parameters.set('q', place.query);
  if (place.sort) parameters.set('sort', place.sort);
  if (place.path) parameters.set('at', place.path);
  if (place.fen) parameters.set('fen', place.fen);
  if (place.tried) parameters.set('try', place.tried);
  if (place.panel) parameters.set('panel', place.panel);
  if (place.beside) parameters.set('beside', place.beside);
  const search = parameters.toString();
  return search ? `${path}?${search}` : path;
}

/** Where the user is. */
export const place = signal<Place>(read(new URL(location.href)));

/** Nothing of a base, but the base: what it changes is all that is left of another place. */
export const PLAIN = { about: null, game: null, path: '', fen: '', tried: '', query: '', sort: '', panel: '', beside: '' } as const;

export const baseId = computed(() => place.value.base);
export const gameNumber = computed(() => place.value.game);
export const query = computed(() => place.value.query);
export const sort = computed(() => place.value.sort);
export const panel = computed(() => place.value.panel);
export const about = computed(() => place.value.about);
export const tried = computed(() => place.value.tried);
export const fen = computed(() => place.value.fen);

/** The place that a change leads to. A page about something is left for a game, a list or a panel; a position that was set up and tried
 * moves are left with the place where they were. */
export function placeAfter(now: Place, change: Partial<Place>): Place {
  const leaves = ['base', 'game', 'query', 'panel', 'path'].some(key => key in change);
  const moves = ['base', 'game', 'path', 'about'].some(key => key in change);
  const isOther = moves || 'fen' in change;
  const ends = 'base' in change && change.base === null;
  return { ...now, ...(leaves ? { about: null } : {}), ...(moves ? { fen: '' } : {}), ...(isOther ? { tried: '' } : {}), ...(ends ? { beside: '' } : {}), ...change };
}

/** Goes to a place; a step in a game replaces the address, everything else is a place that Back returns from. */
export function go(change: Partial<Place>, replace = false): void {
  const next = placeAfter(place.peek(), change);
  const address = addressOf(next);
  if (address === addressOf(place.peek())) return;
  // A step in a game is on the screen first; moves that are tried are kept at once.
  if (replace && 'path' in change) afterPaint('address', () => history.replaceState(null, '', addressOf(place.peek())));
  else if (replace) history.replaceState(null, '', address);
  else {
    settle();
    history.pushState(null, '', address);
  }
  batch(() => {
    place.value = next;
  });
}

addEventListener('popstate', () => {
  place.value = read(new URL(location.href));
});

/** Follows a link within the app. */
export const follow = (change: Partial<Place>) => (event: MouseEvent) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(change);
};
