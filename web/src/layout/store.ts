/** How the workspace is laid out: which panes are seen, and how wide they are; each use of the app has a layout of its own. */

import { computed, effect, signal } from '@preact/signals';
import { session } from '../annotate/store';
import { gameNumber, panel } from '../address';
import { remembered } from './remembered';
import type { Layout, Pane, Preset } from './remembered';

export { LAYOUTS, PANES, PRESETS } from './remembered';
export type { Layout, Pane, Preset } from './remembered';

const kept = remembered(localStorage.getItem('workspace'));

export const preset = signal<Preset>(kept.preset);
const layouts = signal(kept.layouts);

export const layout = computed<Layout>(() => layouts.value[preset.value]);

effect(() => localStorage.setItem('workspace', JSON.stringify({ preset: preset.value, layouts: layouts.value })));

/** Changes the layout that is used. */
export function arrange(change: Partial<Layout>): void {
  const name = preset.peek();
  layouts.value = { ...layouts.peek(), [name]: { ...layouts.peek()[name], ...change } };
}

export const isShown = (pane: Pane): boolean => layout.value.panes.includes(pane);

export function toggle(pane: Pane): void {
  const { panes } = layout.peek();
  arrange({ panes: panes.includes(pane) ? panes.filter(one => one !== pane) : [...panes, pane] });
}

const ORDER: Preset[] = ['browse', 'annotate', 'prepare', 'train'];

/** The next layout: all of them under one key. */
export function nextPreset(): void {
  preset.value = ORDER[(ORDER.indexOf(preset.peek()) + 1) % ORDER.length] ?? 'browse';
}

/** The layout from which annotating was begun. */
let before: Preset | null = null;

/** Who annotates has room for it, and comes back to the layout from before. */
effect(() => {
  const isAnnotating = session.value !== null;
  const now = preset.peek();
  if (isAnnotating && before === null) {
    before = now;
    if (now === 'browse' || now === 'train') preset.value = 'annotate';
  } else if (!isAnnotating && before !== null) {
    if (now === 'annotate') preset.value = before;
    before = null;
  }
});

/** Whether a repertoire stands beside the board. */
export const hasRepertoire = computed(() => panel.value.startsWith('repertoire'));

/** Whether the list leads: no game is there to be read. */
export const isListing = computed(() => gameNumber.value === null && session.value === null && !hasRepertoire.value);

/** The pane that a phone shows below the board. */
export const sheet = signal<Pane>('list');

/** Who chooses a game wants to read it. */
effect(() => {
  sheet.value = isListing.value ? 'list' : 'moves';
});
