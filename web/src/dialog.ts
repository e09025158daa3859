/** Dialogs over the page, and questions within it. */

import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Dialogs that were asked for: they are fetched with the first time. */
export const wanted = signal<ReadonlySet<string>>(new Set());

export function dialog(id: string): void {
  if (!wanted.value.has(id)) wanted.value = new Set([...wanted.value, id]);
  const element = document.getElementById(id);
  if (element instanceof HTMLDialogElement && !element.open) element.showModal();
}

/** Shows a dialog as soon as it has been fetched. */
export const useShown = (id: string): void => useEffect(() => dialog(id), []);

/** Where keys belong to what is asked, and not to the board. */
export const ASKING = 'dialog[open], [role=dialog], [role=alertdialog], [popover]';

/** The box of a question that is open while `asked` is something: it takes the focus at once, so that the next key is for it, and
 * gives it back to where it was. */
export function useQuestion(asked: unknown, first?: string) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!asked) return;
    const before = document.activeElement;
    const inner = box.current;
    (first ? inner?.querySelector<HTMLElement>(first) : inner)?.focus();
    return () => {
      const now = document.activeElement;
      if ((now === document.body || inner?.contains(now)) && before instanceof HTMLElement) before.focus();
    };
  }, [asked]);
  return box;
}
