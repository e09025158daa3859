/** The tree of a repertoire as text: a line for each run of moves, branches moved to the right; each move leads to its position. */

import { computed } from '@preact/signals';
import { batch } from '@preact/signals';
import { go } from '../address';
import * as board from '../board/store';
import { playUci } from '../game/position';
import type { Played } from '../game/position';
import { START } from '../game/tree';
import { number, shownSan } from '../words';
import * as store from './store';
import { r } from './words';

/** Runs that are shown, and moves of a line at most. */
const MOST = 500;
const LONGEST = 300;
/** How far branches are moved to the right at most. */
const DEEPEST = 12;

interface Run {
  depth: number;
  start: string;
  /** The moves before it. */
  before: Played[];
  moves: Played[];
  /** The first of its moves as the repertoire has it. */
  first: store.Move;
  note: 'bad' | 'transposes' | null;
}

/** A place from which runs are still to be shown: a position, and the move with which the run begins, where there are several. */
interface Task {
  start: string;
  line: Played[];
  move: number | null;
  depth: number;
}

const runs = computed<{ all: Run[]; whole: boolean }>(() => {
  const known = store.nodes.value;
  const starts = (store.tree.value?.nodes ?? []).filter(node => node.position.line === '').map(node => node.position.fen);
  const tasks: Task[] = starts.map(start => ({ start, line: [], move: null, depth: 0 })).reverse();
  const all: Run[] = [];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    if (all.length >= MOST) return { all, whole: false };
    const { start, line: before, depth } = task;
    const moves: Played[] = [];
    let [chosen, first, note]: [number | null, store.Move | null, Run['note']] = [task.move, null, null];
    for (;;) {
      const line: Played[] = [...before, ...moves];
      const fen = line[line.length - 1]?.fen ?? start;
      const node = known.get(store.keyOf(fen));
      const next = node?.position.moves ?? [];
      if (!node || next.length === 0 || line.length > LONGEST) break;
      if (chosen === null && next.length > 1) {
        for (let at = next.length - 1; at >= 0; at--) tasks.push({ start, line, move: at, depth: depth + 1 });
        break;
      }
      const move: store.Move | undefined = next[chosen ?? 0];
      const played = move ? playUci(fen, move.uci) : null;
      if (!move || !played) break;
      chosen = null;
      first ??= move;
      moves.push(played);
      note = move.marks.includes('bad') ? 'bad' : move.transposes ? 'transposes' : null;
      if (note) break;
    }
    if (first) all.push({ depth, start, before, moves, first, note });
  }
  return { all, whole: true };
});

/** Goes to a position of a line. */
function stand(start: string, line: Played[]): void {
  batch(() => go({ fen: start === START ? '' : start, tried: line.map(move => move.uci).join('-') }, true));
}

function Words({ run }: { run: Run }) {
  const here = store.keyOf(board.fen.value);
  return (
    <>
      {run.moves.map((move, at) => {
        const before = [...run.before, ...run.moves.slice(0, at)];
        const fen = before[before.length - 1]?.fen ?? run.start;
        const isWhite = fen.split(' ')[1] !== 'b';
        const full = fen.split(' ')[5] ?? '1';
        const isHere = store.keyOf(move.fen) === here;
        return (
          <span key={at}>
            {(isWhite || at === 0) && <span class="quiet">{isWhite ? `${full}.` : `${full}…`}</span>}
            <button class="button plain" {...(isHere ? { 'aria-current': 'true' as const } : {})} onClick={() => stand(run.start, [...before, move])}>
              {shownSan(move.san)}
            </button>{' '}
          </span>
        );
      })}
    </>
  );
}

export function Tree() {
  const told = store.tree.value;
  if (!told) return null;
  const { all, whole } = runs.value;
  if (all.length === 0) return <p class="quiet">{r('tree.empty')}</p>;
  return (
    <section class="lines" aria-label={r('tree')}>
      <ul>
        {all.map((run, at) => (
          <li key={at} style={{ '--depth': String(Math.min(Math.max(0, run.depth - 1), DEEPEST)) }}>
            <Words run={run} />
            {run.first.games !== null && (
              <span class="quiet">
                {r('games.of', { n: run.first.games })}
                {run.first.score !== null && ` · ${number(Math.round(run.first.score))} %`}
              </span>
            )}
            {run.note === 'bad' && <span class="quiet"> {r('marked.bad')}</span>}
            {run.note === 'transposes' && <span class="quiet"> {r('tree.transposes')}</span>}
          </li>
        ))}
      </ul>
      {(!whole || !told.whole) && <p class="quiet">{r('tree.more')}</p>}
    </section>
  );
}
