/** What is wished of a row of the list that has not come yet: it is done when the row is there, unless the reader does something else before. */

import type { Row } from '../api';
import { awaited } from './store';

let wished: ((row: Row) => void) | null = null;

const drop = (): void => void (wished = null);

// Before the key or the press that makes a new wish.
for (const event of ['keydown', 'pointerdown', 'wheel', 'popstate', 'drop']) addEventListener(event, drop, { capture: true, passive: true });

/** Does something with a row; later where it is not here, or where another list is on its way. */
export function make(does: (row: Row) => void, row: Row | null): void {
  wished = does;
  meet(row);
}

/** The row is there for which something may be wished. */
export function meet(row: Row | null): void {
  if (row === null || wished === null || awaited.peek()) return;
  const does = wished;
  drop();
  does(row);
}
