/** The row of the list whose ways are asked for, and where on the screen. */

import { signal } from '@preact/signals';
import type { Row } from '../api';

export const asked = signal<{ row: Row; x: number; y: number } | null>(null);
