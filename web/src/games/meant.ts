/** What was typed last where it became another query. */

import { signal } from '@preact/signals';

export const meant = signal<{ text: string; query: string } | null>(null);
