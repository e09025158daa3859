/** The place in the list of the game that was stepped to last: the list brings it into sight. */

import { signal } from '@preact/signals';

export const stepped = signal<number | null>(null);
