/** Games that are open at once: each tab is an address, and the one that is chosen is where the user is. */

import { computed, effect, signal } from '@preact/signals';
import { addressOf, go, place, placeOf } from '../address';
import type { Place } from '../address';
import * as board from '../board/store';
import { shortened, tag } from '../game/tree';
import { afterPaint } from '../painted';

export interface GameTab {
  id: string;
  address: string;
  /** The players, as soon as they are known. */
  title: string;
}

/** Tabs that are kept at most. */
const MOST = 24;

const isTab = (one: unknown): one is GameTab =>
  typeof one === 'object' && one !== null && ['id', 'address', 'title'].every(name => typeof (one as Record<string, unknown>)[name] === 'string');

function remembered(): GameTab[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem('tabs') ?? '[]');
    return Array.isArray(kept) ? kept.filter(isTab).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export const tabs = signal<GameTab[]>(remembered());
export const chosen = signal(sessionStorage.getItem('tab') ?? '');

effect(() => {
  const [all, one] = [tabs.value, chosen.value];
  afterPaint('tabs', () => {
    sessionStorage.setItem('tabs', JSON.stringify(all));
    sessionStorage.setItem('tab', one);
  });
});

const fresh = (): string => `t${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`;

/** What a tab shows, whatever the reader does with it: the base and the game. */
const sameGame = (one: string, other: string): boolean => {
  const [a, b] = [placeOf(one), placeOf(other)];
  return a.base === b.base && a.game === b.game && a.panel.split('-')[0] === b.panel.split('-')[0];
};

/** The tab that is chosen goes where the user goes; who comes to the game of another tab has chosen that one. */
effect(() => {
  const now = place.value;
  if (now.base === null || (now.game === null && now.about === null && now.panel !== '' && !now.panel.startsWith('edit'))) return;
  const address = addressOf(now);
  const all = tabs.peek();
  const mine = all.find(one => one.id === chosen.peek());
  if (!mine) {
    const id = fresh();
    chosen.value = id;
    tabs.value = [{ id, address, title: '' }, ...all].slice(0, MOST);
    return;
  }
  if (mine.address === address) return;
  const other = all.find(one => one !== mine && now.game !== null && sameGame(one.address, address));
  if (other) chosen.value = other.id;
  const id = other?.id ?? mine.id;
  tabs.value = all.map(one => (one.id === id ? { ...one, address, title: sameGame(one.address, address) ? one.title : '' } : one));
});

/** The players are told when the game has come. */
effect(() => {
  const game = board.game.value;
  const now = place.peek();
  if (!game || game.number !== now.game) return;
  const title = ['White', 'Black'].map(side => shortened(tag(game, side)).split(',')[0] || '?').join(' – ');
  const all = tabs.peek();
  if (all.some(one => one.id === chosen.peek() && one.title !== title)) tabs.value = all.map(one => (one.id === chosen.peek() ? { ...one, title } : one));
});

/** Opens a place in a tab behind the chosen one; the user stays where they are. */
export function openTab(to: Place): void {
  const address = addressOf(to);
  const all = tabs.peek();
  if (all.some(one => sameGame(one.address, address))) return;
  const at = all.findIndex(one => one.id === chosen.peek()) + 1;
  tabs.value = [...all.slice(0, at), { id: fresh(), address, title: '' }, ...all.slice(at)].slice(0, MOST);
}

export function chooseTab(id: string): void {
  const tab = tabs.peek().find(one => one.id === id);
  if (!tab || id === chosen.peek()) return;
  chosen.value = id;
  go(placeOf(tab.address));
}

/** Closes a tab; the last one stays. */
export function closeTab(id: string): void {
  const all = tabs.peek();
  if (all.length < 2) return;
  const at = all.findIndex(one => one.id === id);
  const next = all[at + 1] ?? all[at - 1];
  if (id === chosen.peek() && next) chooseTab(next.id);
  tabs.value = tabs.peek().filter(one => one.id !== id);
}

/** The next tab, or the one before. */
export function step(by: 1 | -1): void {
  const all = tabs.peek();
  const at = all.findIndex(one => one.id === chosen.peek());
  const to = all[(at + by + all.length) % all.length];
  if (to) chooseTab(to.id);
}

/** What is shown beside the chosen game. */
export const beside = computed(() => place.value.beside);

/** Shows a tab's game beside the chosen one, or none any more. */
export const showBeside = (address: string): void => go({ beside: address });
