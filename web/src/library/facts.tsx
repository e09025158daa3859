/** What is told of a base in one line: its format, how many games, of which years. */

import { t } from '../words';
import type { Seen } from './seen';

export function Facts({ of: { format, games, years } }: { of: Seen }) {
  const known = (years ?? []).map(year => year?.slice(0, 4)).filter(year => year && year !== '????');
  return (
    <p class="quiet">
      {format}
      {games !== null && <> · {t('games', { n: games })}</>}
      {known.length > 0 && <> · {[...new Set(known)].join('–')}</>}
    </p>
  );
}
