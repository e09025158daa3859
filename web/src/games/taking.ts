/** What is done with the games that are selected: they are copied, or saved as one file. */

import * as api from '../api';
import { fetched, summary } from '../findings';
import { took } from '../library/store';
import { save } from '../save';
import { t } from '../words';
import { during } from '../work';
import { copied, selected, trouble } from './selection';

/** Copies the selected games into the clipboard base. */
export async function copy(base: string): Promise<void> {
  trouble.value = null;
  try {
    const answer = await during(t('games.copy'), init => api.copyGames(base, [...selected.value], init), false);
    took([answer.base]);
    copied.value = answer.copied;
    // What the clipboard base has no place for is told.
    if (answer.losses.length > 0) {
      await fetched();
      trouble.value = answer.losses.map(one => summary(one.kind, one.summary)).join('; ');
    }
  } catch (error) {
    trouble.value = error instanceof Error ? error.message : String(error);
  }
}

/** Saves the selected games as one PGN file. */
export async function exportPgn(base: string, name: string): Promise<void> {
  trouble.value = null;
  try {
    const games = [...selected.value].sort((one, other) => one - other);
    save(await during(t('games.export'), init => api.pgnOf(base, games, init)), 'application/x-chess-pgn', name);
  } catch (error) {
    trouble.value = error instanceof Error ? error.message : String(error);
  }
}
