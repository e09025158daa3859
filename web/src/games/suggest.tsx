/** The list below the field for queries: what is offered, in groups. The field has the focus all the time. */

import { signal } from '@preact/signals';
import { t } from '../words';
import type { Group, Suggestion } from './suggestions';
import { suggestionsFor } from './suggestions';

/** Milliseconds after a key until names are asked for. */
const PAUSE = 120;

export const groups = signal<Group[]>([]);
/** The place of the one that is chosen among all; none is until an arrow key was pressed. */
export const chosen = signal(-1);

let request: AbortController | null = null;
let waiting: ReturnType<typeof setTimeout> | null = null;

const all = (): Suggestion[] => groups.value.flatMap(group => group.all);

/** Closes the list; what was asked for does not open it any more. */
export function close(): void {
  request?.abort();
  if (waiting !== null) clearTimeout(waiting);
  groups.value = [];
  chosen.value = -1;
}

/** Offers what fits to a text, when the one who types pauses. */
export function offer(text: string, base: string): void {
  request?.abort();
  if (waiting !== null) clearTimeout(waiting);
  chosen.value = -1;
  if (text.trim() === '') return close();
  const control = new AbortController();
  request = control;
  waiting = setTimeout(() => {
    suggestionsFor(text, base, control.signal).then(
      found => {
        // Who chooses among what is offered already gets what was chosen.
        if (!control.signal.aborted && chosen.peek() < 0) groups.value = found;
      },
      () => undefined,
    );
  }, PAUSE);
}

/** Moves the choice; true where there is a list in which it could move. */
export function move(by: 1 | -1): boolean {
  const count = all().length;
  if (count === 0) return false;
  // Before the first one and behind the last one stands the text itself.
  chosen.value = ((chosen.value + 1 + by + count + 1) % (count + 1)) - 1;
  document.getElementById(`query-option-${chosen.value}`)?.scrollIntoView({ block: 'nearest' });
  return true;
}

/** The one that is chosen. */
export const choice = (): Suggestion | null => all()[chosen.value] ?? null;

export function Suggestions({ take }: { take: (one: Suggestion) => void }) {
  let at = -1;
  if (groups.value.length === 0) return null;
  return (
    <div class="suggestions" id="query-list" role="listbox" aria-label={t('query.offered')}>
      {groups.value.map(({ kind, all }) => (
        <div role="group" key={kind} aria-labelledby={`query-group-${kind}`}>
          <p class="quiet" id={`query-group-${kind}`} role="presentation">
            {t(kind === 'kept' ? 'saved.title' : `query.offered.${kind}`)}
          </p>
          {all.map(one => {
            at++;
            return (
              <div
                key={one.text}
                id={`query-option-${at}`}
                role="option"
                aria-selected={chosen.value === at}
                dir="auto"
                // The field keeps the focus.
                onMouseDown={event => event.preventDefault()}
                onClick={() => take(one)}
              >
                <span>{one.label}</span>
                {one.label !== one.text && <code>{one.text}</code>}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
