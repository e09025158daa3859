/** Shows a dialog of the page. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Dialogs that were asked for: they are fetched with the first time. */
export const wanted = signal<ReadonlySet<string>>(new Set());

export function dialog(id: string): void {
  if (!wanted.value.has(id)) wanted.value = new Set([...wanted.value, id]);
  const element = document.getElementById(id);
  if (element instanceof HTMLDialogElement && !element.open) element.showModal();
}

/** Shows a dialog as soon as it has been fetched. */
export const useShown = (id: string): void => useEffect(() => dialog(id), []);
