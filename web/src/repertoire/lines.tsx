/** The moves of the repertoire in the position on the board, the line that is not in it yet, and the whole tree. */

import { baseId } from '../address';
import { hovered } from '../explorer/store';
import * as board from '../board/store';
import * as library from '../library/store';
import { Button } from '../ui/button';
import { Table } from '../ui/table';
import type { Column } from '../ui/table';
import { number, shownSan } from '../words';
import { choiceOf } from './choices';
import * as store from './store';
import { Tree } from './tree';
import { r } from './words';
import type { Word } from './words';

export const percent = (value: number | null): string => (value === null ? '' : `${number(Math.round(value))} %`);

/** What a move is marked as. */
export const marked = (move: store.Move): string => move.marks.map(mark => r(`mark.${mark}` as Word)).join(', ');

interface Sign {
  mark: 'good' | 'bad' | 'only' | 'skip';
  text: string;
  label: Word;
  /** What sets it, or takes it away. */
  change: (isSet: boolean) => store.Marks;
}

const SIGNS: Sign[] = [
  { mark: 'good', text: '!', label: 'mark.choose', change: isSet => ({ mark: isSet ? 'good' : 'plain' }) },
  { mark: 'bad', text: '?', label: 'mark.avoid', change: isSet => ({ mark: isSet ? 'bad' : 'plain' }) },
  { mark: 'only', text: '□', label: 'mark.set-only', change: isSet => ({ only: isSet }) },
  { mark: 'skip', text: '×', label: 'mark.set-skip', change: isSet => ({ skip: isSet }) },
];

/** A mark of a move: pressed where the move has it, and pressing it again takes it away. */
function Mark({ move, mark, text, label, change }: Sign & { move: store.Move }) {
  const isSet = move.marks.includes(mark);
  const says = r(label, { move: shownSan(move.san) });
  return (
    <Button kind="plain" aria-label={says} data-tip={says} aria-pressed={isSet} onClick={() => void store.add(board.fen.peek(), [move.uci], change(!isSet))}>
      {text}
    </Button>
  );
}

const COLUMNS = (isMine: boolean, hasReference: boolean, canChange: boolean, hasMarks: boolean): Column<store.Move>[] => {
  const columns: Column<store.Move>[] = [
    {
      key: 'move',
      label: r('move'),
      isName: true,
      show: move => (
        <button class="button plain" onClick={() => board.playTyped(move.san)}>
          {shownSan(move.san)}
        </button>
      ),
    },
  ];
  if (hasMarks) columns.push({ key: 'marks', label: r('marks'), show: marked });
  if (hasReference) {
    columns.push(
      { key: 'games', label: r('games'), isFigure: true, show: move => (move.games === null ? '' : number(move.games)) },
      { key: 'score', label: r('score'), title: r('score.help'), isFigure: true, show: move => percent(move.score) },
      { key: 'answered', label: r('answered'), title: r('answered.help'), isFigure: true, show: move => percent(answeredAfter(move)) },
    );
  }
  if (canChange) {
    const signs = isMine ? SIGNS : SIGNS.filter(sign => sign.mark === 'skip');
    columns.push({
      key: 'change',
      label: <span class="hidden">{r('marks')}</span>,
      show: move => (
        <span class="signs">
          {signs.map(sign => (
            <Mark key={sign.mark} move={move} {...sign} />
          ))}
        </span>
      ),
    });
  }
  return columns;
};

/** In how many per cent of the games after my move the opponent's move is answered. */
function answeredAfter(move: store.Move): number | null {
  for (const node of [store.nodes.value.get(store.keyOf(board.fen.value))]) {
    const after = node && store.after(node, move);
    const next = after === undefined ? undefined : store.nodes.value.get(store.keyOf(after));
    if (next) return next.answered;
  }
  return null;
}

/** The line on the board that the repertoire does not have, with the way to add it. */
function New() {
  const at = store.firstNew.value;
  const start = board.from.value;
  if (at < 0 || !store.tree.value) return null;
  const line = store.line.value;
  const before = line[at - 1]?.fen ?? start;
  const words = store.inWords(before, line.slice(at), shownSan);
  return (
    <p class="new-line">
      {r('new', { moves: words })}{' '}
      {!library.readOnly.value && (
        <Button kind="main" onClick={() => void store.addLine()}>
          {r('new.add', { n: line.length - at })}
        </Button>
      )}
    </p>
  );
}

/** What the last change has done, and the way back. */
function Done() {
  const done = store.added.value;
  if (store.undone.value) return <p role="status">{r('undone')}</p>;
  if (!done) return null;
  return (
    <p role="status">
      {done.added > 0 ? r('added', { n: done.added }) : r('changed')}{' '}
      {done.baseVersion !== null && <Button onClick={() => void store.undo()}>{r('undo')}</Button>}
    </p>
  );
}

export function Lines() {
  const told = store.tree.value;
  const node = store.nodes.value.get(store.keyOf(board.fen.value));
  const id = baseId.value ?? '';
  const hasReference = choiceOf(id).reference !== '';
  const isMine = board.turn.value === told?.color;
  const moves = node?.position.moves ?? [];
  return (
    <>
      <New />
      <Done />
      {told && (
        <section class="here" aria-label={r('here')}>
          {moves.length > 0 ? (
            <div class="wide" tabIndex={0} role="group" aria-label={r('here')}>
              <Table
                columns={COLUMNS(isMine, hasReference, !library.readOnly.value, moves.some(move => move.marks.length > 0))}
                rows={moves}
                keyOf={move => move.uci}
                onPoint={move => (hovered.value = move?.uci ?? null)}
              />
            </div>
          ) : (
            store.firstNew.value < 0 && <p class="quiet">{r(isMine ? 'here.none.me' : 'here.none.opponent')}</p>
          )}
          {node && node.answered !== null && !isMine && <p class="quiet">{r('here.answered', { percent: percent(node.answered), n: node.games ?? 0 })}</p>}
        </section>
      )}
      <Tree />
    </>
  );
}
