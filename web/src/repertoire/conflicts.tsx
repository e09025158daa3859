/** Where the repertoire contradicts itself; each leads to its position. */

import { queryString } from '../api';
import { baseId } from '../address';
import type { RepertoireConflictsAnswer } from '../answers';
import { useAnswer } from '../research/asking';
import { Said } from '../research/parts';
import { shownSan } from '../words';
import { choiceOf } from './choices';
import { lineOf } from './gaps';
import { percent } from './lines';
import * as store from './store';
import { r } from './words';

type Conflict = RepertoireConflictsAnswer['conflicts'][number];

/** What is in conflict, in a sentence. */
function sentence(one: Conflict): string {
  const moves = one.moves.map(move => shownSan(move.san) + (one.kind === 'score' ? ` (${percent(move.score)})` : ''));
  return r(`conflict.${one.kind}`, { moves: moves.join(', '), worse: moves[0] ?? '', better: moves[1] ?? '' });
}

export function Conflicts() {
  const id = baseId.value ?? '';
  const choice = choiceOf(id);
  const version = store.tree.value?.count ?? 0;
  const asking = useAnswer<RepertoireConflictsAnswer>(`bases/${encodeURIComponent(id)}/repertoire/conflicts?${queryString({ ...store.asked(choice), v: version })}`);
  const told = asking.told.value;
  return (
    <section class="here" aria-label={r('tab.conflicts')}>
      <Said asking={asking} notes={[]} />
      {choice.reference === '' && <p class="quiet">{r('conflicts.reference')}</p>}
      {told && told.conflicts.length === 0 && <p role="status">{r('conflicts.none')}</p>}
      {told && (
        <ul class="conflicts">
          {told.conflicts.map((one, at) => (
            <li key={at}>
              <button class="button plain" onClick={() => store.show(one.line, one.fen)}>
                {lineOf(one.line) || r('start')}
              </button>{' '}
              {sentence(one)}
            </li>
          ))}
        </ul>
      )}
      {told && !told.whole && <p class="quiet">{r('more', { n: told.count - told.conflicts.length })}</p>}
    </section>
  );
}
