/** The keys of the app, Lichess's where it has them. */

import { go } from '../address';
import { ASKING, dialog } from '../dialog';
import * as edit from '../annotate/store';
import { plays } from '../board/playing';
import { nextPreset } from '../layout/store';
import { step } from '../layout/tabs';
import { PALETTE } from '../moves/nags';
import * as board from '../board/store';
import type { Key } from '../words';
import { guardTyping } from './typing';

const focusOn = (selector: string): void => {
  document.querySelector<HTMLElement>(selector)?.focus();
};

/** The comment before a move: its field is shown while something is typed into it. */
const focusBefore = (): void => {
  const field = document.querySelector<HTMLElement>('#comment-before');
  const label = field?.closest<HTMLElement>('.remark');
  if (label) label.dataset['asked'] = '';
  field?.focus();
};

/** What changes the game, while it is annotated. */
const editing = (act: () => unknown) => (): void => {
  if (edit.session.value) act();
};

const steps = (by: 1 | -1) => (): void => void import('../games/steps').then(one => one.stepGame(by));

/** Places of a game that have keys: a capital letter goes back. */
const JUMPS = [['w', 'comment'], ['s', 'sign'], ['v', 'variation'], ['x', 'blunder']] as const;

export const KEYS: { keys: string[]; label: Key; act: (name: string) => void }[] = [
  { keys: ['ArrowRight', 'k'], label: 'key.next', act: board.next },
  { keys: ['ArrowLeft', 'j'], label: 'key.previous', act: board.previous },
  { keys: ['ArrowUp', 'Home', '0'], label: 'key.first', act: board.first },
  { keys: ['ArrowDown', 'End', '$'], label: 'key.last', act: board.last },
  { keys: ['Shift+ArrowDown'], label: 'key.variation', act: () => board.sibling(1) },
  { keys: ['Shift+ArrowUp'], label: 'key.other', act: () => board.sibling(-1) },
  { keys: ['Shift+ArrowLeft'], label: 'key.leave', act: board.leave },
  { keys: ['n', 'PageDown'], label: 'key.next-game', act: steps(1) },
  { keys: ['N', 'PageUp'], label: 'key.previous-game', act: steps(-1) },
  { keys: ['a'], label: 'key.play', act: () => void import('../board/replay').then(() => (plays.value = !plays.value)) },
  ...JUMPS.map(([key, kind]) => ({
    keys: [key, key.toUpperCase()],
    label: `key.next-${kind}` as Key,
    act: (name: string): void => void import('../board/jumps').then(one => one.jump(kind, name === key ? 1 : -1)),
  })),
  { keys: ['y'], label: 'key.next-novelty', act: () => void import('../board/jumps').then(one => one.jumpToNovelty()) },
  { keys: ['f'], label: 'key.flip', act: () => (board.flipped.value = !board.flipped.value) },
  { keys: ['/'], label: 'key.search', act: () => focusOn('#query') },
  { keys: ['m'], label: 'key.type', act: () => focusOn('#typed') },
  { keys: ['g'], label: 'key.list', act: () => focusOn('.games .scroll') },
  { keys: ['b'], label: 'key.board', act: () => focusOn('.squares-grid [tabindex="0"]') },
  { keys: ['Escape'], label: 'key.scratch', act: board.dropScratch },
  { keys: ['h'], label: 'key.home', act: () => go({ base: null, game: null, path: '', query: '', sort: '', panel: '' }) },
  { keys: [','], label: 'key.tab.previous', act: () => step(-1) },
  { keys: ['.'], label: 'key.tab.next', act: () => step(1) },
  { keys: ['l'], label: 'key.layout', act: nextPreset },
  { keys: ['e'], label: 'edit.begin', act: () => edit.begin() },
  { keys: ['1', '2', '3', '4', '5', '6', '7', '8'], label: 'edit.signs', act: () => undefined },
  { keys: ['c'], label: 'edit.after', act: editing(() => focusOn('#comment-after')) },
  { keys: ['C'], label: 'edit.before', act: editing(focusBefore) },
  { keys: ['u', 'Ctrl+z'], label: 'edit.undo', act: editing(() => edit.wish({ kind: 'undo' })) },
  { keys: ['U', 'Ctrl+y'], label: 'edit.redo', act: editing(() => edit.wish({ kind: 'redo' })) },
  { keys: ['p'], label: 'edit.promote', act: editing(() => edit.wish({ kind: 'promote' })) },
  { keys: ['d'], label: 'edit.demote', act: editing(() => edit.wish({ kind: 'demote' })) },
  { keys: ['Delete'], label: 'edit.remove', act: editing(() => edit.wish({ kind: 'remove' })) },
  { keys: ['Ctrl+s'], label: 'edit.save', act: editing(() => edit.save()) },
  { keys: ['?'], label: 'key.help', act: () => dialog('help') },
];

/** Listens to keys wherever nothing else wants them. */
export function listenToKeys(): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.altKey) return;
    // What lies over the page has the keys; the browser closes it with Escape.
    if (document.querySelector('.popup:popover-open')) return;
    const control = event.ctrlKey || event.metaKey;
    const target = event.target as HTMLElement | null;
    if (target?.closest(`input, select, textarea, ${ASKING}`)) {
      if (event.key === 'Escape' && target.matches('input, textarea, select')) target.blur();
      // Who saves while typing saves what is typed: a tag is told when its field is left.
      if (control && event.key === 's' && edit.session.value && !target.closest(ASKING)) {
        event.preventDefault();
        if (target.matches('input')) {
          target.blur();
          target.focus();
        }
        void edit.save();
      }
      return;
    }
    const shift = event.shiftKey && event.key.startsWith('Arrow');
    const name = control ? `Ctrl+${event.key}` : shift ? `Shift+${event.key}` : event.key;
    if (control && !edit.session.value) return;
    const sign = /^[1-8]$/.test(name) ? PALETTE[Number(name) - 1] : undefined;
    if (sign !== undefined && edit.session.value) void edit.wish({ kind: 'nag', nag: sign });
    const found = KEYS.find(one => one.keys.includes(name));
    if (found) {
      event.preventDefault();
      found.act(name);
    }
  };
  const unguarded = guardTyping();
  addEventListener('keydown', listen);
  return () => {
    removeEventListener('keydown', listen);
    unguarded();
  };
}
