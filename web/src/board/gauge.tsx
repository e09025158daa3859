/** The evaluation beside the board: what the engine thinks of the position, else what the game says of it. */

import { flipped, node, scratch } from './store';
import { best } from '../engine/store';
import { scoreOf, shareOf } from '../engine/score';
import type { Score } from '../engine/score';
import { t } from '../words';

/** The evaluation that stands in the game, where no move is tried beside it. */
function written(): Score | null {
  const here = node.value;
  if (scratch.value?.shown || !here?.evaluation) return null;
  const { cp, mate } = here.evaluation;
  if (mate === 0) return null;
  return mate !== undefined ? { mate } : cp !== undefined ? { cp } : null;
}

/** The figure at the end of the side that is better: its length alone, and short. */
const short = (score: Score): string => ('mate' in score ? `#${Math.abs(score.mate)}` : Math.abs(score.cp / 100).toFixed(1));

export function Gauge() {
  const score = best.value ?? written();
  const share = shareOf(score);
  return (
    <div
      class={`gauge${flipped.value ? ' flipped' : ''}${score ? '' : ' empty'}`}
      role="img"
      aria-label={`${t('graph.evaluation')}: ${score ? scoreOf(score) : t('square.none')}`}
    >
      <i style={{ height: `${share}%` }} />
      {score && <span class={share >= 50 ? 'low' : 'high'}>{short(score)}</span>}
    </div>
  );
}
