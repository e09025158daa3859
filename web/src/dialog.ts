/** Shows a dialog of the page. */

import { signal } from '@preact/signals';

/** How often help was asked for: it is fetched with the first time. */
export const helped = signal(0);

export function dialog(id: string): void {
  if (id === 'help') helped.value++;
  const element = document.getElementById(id);
  if (element instanceof HTMLDialogElement && !element.open) element.showModal();
}
