/** The keys of the app, Lichess's where it has them. */

import { go } from '../address';
import { dialog } from '../dialog';
import * as board from '../board/store';
import type { Key } from '../words';

const focusOn = (selector: string): void => {
  document.querySelector<HTMLElement>(selector)?.focus();
};

export const KEYS: { keys: string[]; label: Key; act: () => void }[] = [
  { keys: ['ArrowRight', 'k'], label: 'key.next', act: board.next },
  { keys: ['ArrowLeft', 'j'], label: 'key.previous', act: board.previous },
  { keys: ['ArrowUp', 'Home', '0'], label: 'key.first', act: board.first },
  { keys: ['ArrowDown', 'End', '$'], label: 'key.last', act: board.last },
  { keys: ['Shift+ArrowDown'], label: 'key.variation', act: () => board.sibling(1) },
  { keys: ['Shift+ArrowUp'], label: 'key.other', act: () => board.sibling(-1) },
  { keys: ['Shift+ArrowLeft'], label: 'key.leave', act: board.leave },
  { keys: ['f'], label: 'key.flip', act: () => (board.flipped.value = !board.flipped.value) },
  { keys: ['/'], label: 'key.search', act: () => focusOn('#query') },
  { keys: ['m'], label: 'key.type', act: () => focusOn('#typed') },
  { keys: ['g'], label: 'key.list', act: () => focusOn('.games .scroll') },
  { keys: ['b'], label: 'key.board', act: () => focusOn('.squares-grid [tabindex="0"]') },
  { keys: ['Escape'], label: 'key.scratch', act: board.dropScratch },
  { keys: ['h'], label: 'key.home', act: () => go({ base: null, game: null, path: '', query: '', sort: '', panel: '' }) },
  { keys: ['?'], label: 'key.help', act: () => dialog('help') },
];

/** Listens to keys wherever nothing else wants them. */
export function listenToKeys(): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement | null;
    if (target?.closest('input, select, textarea, dialog[open]')) {
      if (event.key === 'Escape' && target.matches('input')) target.blur();
      return;
    }
    const name = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
    const found = KEYS.find(one => one.keys.includes(name));
    if (found) {
      event.preventDefault();
      found.act();
    }
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}
