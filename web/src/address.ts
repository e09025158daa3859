/** Each state is an address: base, query, order, game, half-move and panel. Back works, and links can be shared. */

import { batch, computed, signal } from '@preact/signals';

export interface Place {
  base: string | null;
  game: number | null;
  /** The path in the tree of moves: half-moves, and which branch was taken where it was not the first. */
  path: string;
  query: string;
  sort: string;
  panel: string;
}

/** A part of an address as text; what is no text in such a part stands for itself, and names no base. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const read = (url: URL): Place => {
  const [, kind, base, , game] = url.pathname.split('/');
  const number = Number(game);
  return {
    base: kind === 'base' && base ? decoded(base) : null,
    game: Number.isInteger(number) && number > 0 ? number : null,
    path: url.searchParams.get('at') ?? '',
    query: url.searchParams.get('q') ?? '',
    sort: url.searchParams.get('sort') ?? '',
    panel: url.searchParams.get('panel') ?? '',
  };
};

/** The address of a place. */
export function addressOf(place: Place): string {
  let path = '/';
  if (place.base !== null) {
    path = `/base/${encodeURIComponent(place.base)}`;
    if (place.game !== null) path += `/game/${place.game}`;
  }
  const parameters = new URLSearchParams();
  if (place.query) parameters.set('q', place.query);
  if (place.sort) parameters.set('sort', place.sort);
  if (place.path) parameters.set('at', place.path);
  if (place.panel) parameters.set('panel', place.panel);
  const search = parameters.toString();
  return search ? `${path}?${search}` : path;
}

/** Where the user is. */
export const place = signal<Place>(read(new URL(location.href)));

export const baseId = computed(() => place.value.base);
export const gameNumber = computed(() => place.value.game);
export const query = computed(() => place.value.query);
export const sort = computed(() => place.value.sort);
export const panel = computed(() => place.value.panel);

/** Goes to a place; a step in a game replaces the address, everything else is a place that Back returns from. */
export function go(change: Partial<Place>, replace = false): void {
  const next = { ...place.peek(), ...change };
  const address = addressOf(next);
  if (address === addressOf(place.peek())) return;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
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
