/** Changes of the database that is shown, and what came of the last one. */

import { effect, signal } from '@preact/signals';
import { change } from '../annotate/api';
import { baseId } from '../address';
import { reload } from '../library/changed';
import * as live from '../live';
import { t } from '../words';
import type { Key } from '../words';
import { during } from '../work';
import * as selection from './selection';

/** What a database is sorted by. */
export const KEYS: [string, Key][] = [
  ['date', 'column.date'],
  ['white', 'column.white'],
  ['black', 'column.black'],
  ['event', 'column.event'],
  ['site', 'column.site'],
  ['round', 'column.round'],
  ['result', 'column.result'],
  ['eco', 'column.eco'],
  ['rating', 'column.elo'],
  ['length', 'column.moves'],
];

export const told = signal<string | null>(null);
export const trouble = signal<string | null>(null);

function forget(): void {
  told.value = trouble.value = null;
}

/** What came of a change of one database is not said of another one. */
effect(() => {
  void baseId.value;
  forget();
});

/** Makes a change; answers with what is said of it. */
export async function act(wished: object): Promise<string> {
  const id = baseId.peek() ?? '';
  forget();
  try {
    const done = await during(t('changes.title'), init => change(id, wished, init), false);
    // What this tab has done itself needs no notice.
    if (done.baseVersion !== null) live.mine(id, done.baseVersion);
    const said = [t('changes.done', { n: done.games }), done.wish, ...done.notes].join(' · ');
    selection.clear();
    reload(id);
    told.value = said;
    return said;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    trouble.value = said;
    return said;
  }
}
