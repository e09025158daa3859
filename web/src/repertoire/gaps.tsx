/** The opponent's moves that the repertoire does not answer, those that arise most often first. */

import { queryString } from '../api';
import { baseId } from '../address';
import type { RepertoireGapsAnswer } from '../answers';
import { useAnswer } from '../research/asking';
import { Said } from '../research/parts';
import { Table } from '../ui/table';
import type { Column } from '../ui/table';
import { number, shownSan } from '../words';
import { choiceOf } from './choices';
import { percent } from './lines';
import * as store from './store';
import { r } from './words';

type Gap = RepertoireGapsAnswer['gaps'][number];

/** A share that may be small. */
const share = (value: number): string => `${number(Math.round(value * 1_000) / 10)} %`;

const COLUMNS = (): Column<Gap>[] => [
  {
    key: 'move',
    label: r('gap'),
    isName: true,
    show: gap => (
      <button class="button plain" onClick={() => store.show(gap.line, gap.fen, [gap.uci])}>
        <span class="quiet">{lineOf(gap.line)} </span>
        {numbered(gap.fen)}
        {shownSan(gap.san)}
      </button>
    ),
  },
  { key: 'arises', label: r('arises'), title: r('arises.help'), isFigure: true, show: gap => share(gap.frequency) },
  { key: 'games', label: r('games'), isFigure: true, show: gap => number(gap.games) },
  { key: 'share', label: r('share'), title: r('share.help'), isFigure: true, show: gap => share(gap.games / Math.max(1, gap.of)) },
  { key: 'score', label: r('score'), title: r('score.help'), isFigure: true, show: gap => percent(gap.score) },
];

/** A line in the letters of the language. */
export const lineOf = (line: string): string =>
  line
    .split(' ')
    .map(word => word.replace(/^(\d+\.+)?(.*)$/, (_, before: string | undefined, san: string) => (before ?? '').replace('...', '…') + shownSan(san)))
    .join(' ');

/** The number of the next move. */
const numbered = (fen: string): string => `${fen.split(' ')[5] ?? '1'}${fen.split(' ')[1] === 'b' ? '…' : '.'}`;

export function Gaps() {
  const id = baseId.value ?? '';
  const choice = choiceOf(id);
  const version = store.tree.value?.count ?? 0;
  const asked = choice.reference === '' ? null : `bases/${encodeURIComponent(id)}/repertoire/gaps?${queryString({ ...store.asked(choice), v: version })}`;
  const asking = useAnswer<RepertoireGapsAnswer>(asked);
  const told = asking.told.value;
  if (asked === null) return <p>{r('reference.wanted')}</p>;
  return (
    <section class="here" aria-label={r('tab.gaps')}>
      <p class="quiet">{r('gaps.help')}</p>
      <Said asking={asking} notes={[]} />
      {told && told.gaps.length === 0 && <p role="status">{r('gaps.none')}</p>}
      {told && told.gaps.length > 0 && (
        <>
          <div class="wide" tabIndex={0} role="group" aria-label={r('tab.gaps')}>
            <Table columns={COLUMNS()} rows={told.gaps} keyOf={(gap, at) => `${at} ${gap.uci}`} />
          </div>
          {!told.whole && <p class="quiet">{r('more', { n: told.count - told.gaps.length })}</p>}
        </>
      )}
    </section>
  );
}
