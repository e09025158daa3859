/** What belongs to the field for queries while it is used. */

import { baseId, go } from '../address';
import { meaningOf } from './meaning';
import type { Names } from './meaning';
import { meant } from './meant';
import { awaited } from './store';
import { certainNamesOf } from './suggestions';

export { Suggestions, choice, chosen, close, groups, move, offer } from './suggest';

/** Names that were asked for once are not asked for again. */
function remembering(names: Names): Names {
  const known = new Map<string, Promise<string[]>>();
  return (tag, start) => {
    const key = `${tag} ${start}`;
    const found = known.get(key) ?? names(tag, start);
    known.set(key, found);
    return found;
  };
}

/** Counts up with each search: the last one counts. */
let last = 0;

/** Searches for what a text means; it stands in the field as the query that it became. */
export async function find(text: string, base: string): Promise<void> {
  const own = ++last;
  awaited.value = true;
  const query = await meaningOf(text, remembering(certainNamesOf(base))).catch(() => text.trim());
  if (own !== last) return;
  if (baseId.peek() === base) {
    meant.value = query === text.trim() ? null : { text: text.trim(), query };
    go({ query });
  }
  awaited.value = false;
}
