/** How many games of the reference are still inside at each ply, and who leaves there. */

import { queryString } from '../api';
import { baseId } from '../address';
import type { RepertoireCoverageAnswer, RepertoirePliesAnswer } from '../answers';
import { useAnswer } from '../research/asking';
import { Said } from '../research/parts';
import { Table } from '../ui/table';
import type { Column } from '../ui/table';
import { number } from '../words';
import { choiceOf } from './choices';
import * as store from './store';
import { r } from './words';

type Ply = RepertoireCoverageAnswer;

const share = ({ inside, games }: Ply): number => (games > 0 ? inside / games : 0);

/** A ply as the move that leads to it. */
const moveOf = (ply: number): string => (ply === 0 ? r('start') : `${Math.ceil(ply / 2)}${ply % 2 ? '.' : '…'}`);

/** The share that is inside, as a bar with its figure. */
function Inside({ of }: { of: Ply }) {
  const percent = Math.round(1_000 * share(of)) / 10;
  return (
    <span class="covered">
      <i style={{ inlineSize: `${percent}%` }} />
      <span>{number(percent)} %</span>
    </span>
  );
}

const COLUMNS = (): Column<Ply>[] => [
  { key: 'ply', label: r('coverage.after'), isName: true, show: one => moveOf(one.ply) },
  { key: 'inside', label: r('coverage.inside'), title: r('coverage.inside.help'), show: one => <Inside of={one} /> },
  { key: 'games', label: r('games'), title: r('coverage.games.help'), isFigure: true, show: one => number(one.games) },
  { key: 'opponent', label: r('coverage.opponent'), title: r('coverage.opponent.help'), isFigure: true, show: one => number(one.opponent) },
  { key: 'me', label: r('coverage.me'), title: r('coverage.me.help'), isFigure: true, show: one => number(one.me) },
  { key: 'ended', label: r('coverage.ended'), title: r('coverage.ended.help'), isFigure: true, show: one => number(one.line_end) },
];

export function Coverage() {
  const id = baseId.value ?? '';
  const choice = choiceOf(id);
  const version = store.tree.value?.count ?? 0;
  const asked = choice.reference === '' ? null : `bases/${encodeURIComponent(id)}/repertoire/coverage?${queryString({ ...store.asked(choice), v: version })}`;
  const asking = useAnswer<RepertoirePliesAnswer>(asked);
  const told = asking.told.value;
  if (asked === null) return <p>{r('reference.wanted')}</p>;
  return (
    <section class="here" aria-label={r('tab.coverage')}>
      <p class="quiet">{r('coverage.help')}</p>
      <Said asking={asking} notes={told?.notes ?? []} />
      {told && told.plies.length === 0 && <p role="status">{r('coverage.none')}</p>}
      {told && told.plies.length > 0 && (
        <div class="wide" tabIndex={0} role="group" aria-label={r('tab.coverage')}>
          <Table columns={COLUMNS()} rows={told.plies} keyOf={one => one.ply} />
        </div>
      )}
    </section>
  );
}
