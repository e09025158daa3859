/** Whether the game plays by itself. */

import { signal } from '@preact/signals';

export const plays = signal(false);
