/** What is told of games: their number, and tables or pictures of them. */

import type { About } from '../address';
import { queryString } from '../api';
import { Working } from '../research/working';
import { Plot } from '../statistics/plot';
import { Rows } from '../statistics/table';
import type { Table } from '../statistics/table';
import type { Counted } from '../statistics/terms';
import { t } from '../words';
import { useAsked } from './asked';
import { queryAbout } from './query';

export interface Subject {
  base: string;
  name: string;
  kind: About['kind'];
}

/** Tables that tell little of one player, event or opening. */
const LITTLE = ['lengths', 'differences'];

/** Scales stand as pictures, trees and names as tables. */
export function Tables({ tables, of, without = [] }: { tables: Table[]; of: Counted; without?: string[] }) {
  return (
    <div class="tables">
      {tables.map(table => {
        if (table.rows.length === 0 || without.includes(table.name) || LITTLE.includes(table.name)) return null;
        const isScale = ['years', 'ratings'].includes(table.name) && table.rows.length > 1;
        return isScale ? <Plot key={table.name} {...table} of={of} /> : <Rows key={table.name} table={table} of={of} />;
      })}
    </div>
  );
}

/** Sites and annotators have no more than that. */
export function Told({ base, name, kind }: Subject) {
  const among = queryAbout({ kind, name });
  const asking = useAsked<{ games: number; statistics: Table[] }>(
    `bases/${encodeURIComponent(base)}/statistics?${queryString({ query: among })}`,
  );
  const found = asking.told.value;
  return (
    <>
      <Working asking={asking} />
      {found && (
        <>
          <p role="status">{t('games', { n: found.games })}</p>
          <Tables tables={found.statistics} of={{ base, among }} without={[`${kind}s`]} />
        </>
      )}
    </>
  );
}
