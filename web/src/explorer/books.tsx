/** What the opening books say about the position on the board. */

import type { BookMoveAnswer, PositionBookAnswer } from '../answers';
import * as board from '../board/store';
import { Table } from '../ui/table';
import type { Column } from '../ui/table';
import { number, shownSan, t } from '../words';
import * as store from './store';

const SIGNS: Record<number, string> = { 1: '!', 2: '?', 3: '!!', 4: '??', 5: '!?', 6: '?!' };

/** What else a book says about a move. */
const said = (move: BookMoveAnswer): string =>
  [
    move.advice === 'play' && t('explorer.book.play'),
    move.advice === 'avoid' && t('explorer.book.avoid'),
    move.deleted && t('explorer.book.deleted'),
  ]
    .filter(Boolean)
    .join(', ');

const figure = (value: number | null | undefined) => (value == null ? '' : number(value));

function columns(isOld: boolean, moves: BookMoveAnswer[]): Column<BookMoveAnswer>[] {
  const all: Column<BookMoveAnswer>[] = [
    { key: 'weight', label: t('explorer.book.weight'), isFigure: true, show: move => figure(move.weight) },
    { key: 'games', label: t('explorer.games'), isFigure: true, show: move => figure(move.games) },
    {
      key: 'score',
      label: '+ = −',
      title: t('explorer.score'),
      isFigure: true,
      show: move => (move.games ? `${move.white} · ${move.draws} · ${move.black}` : ''),
    },
    { key: 'elo', label: t('column.elo'), isFigure: true, show: move => move.averageRating ?? '' },
    { key: 'priority', label: t('explorer.book.priority'), isFigure: true, show: move => move.priority ?? '' },
    { key: 'said', label: t('explorer.book.advice'), show: said },
  ];
  // A book of one kind says this, another that: what it does not say takes no room.
  const filled = all.filter(column => moves.some(move => column.show(move) !== ''));
  return [{ key: 'move', label: t('explorer.move'), isName: true, show: move => <Move move={move} isOld={isOld} /> }, ...filled];
}

function Move({ move, isOld }: { move: BookMoveAnswer; isOld: boolean }) {
  const hover = (on: boolean) => () => (store.hovered.value = on ? move.uci : null);
  const play = () => void (isOld || board.playTyped(move.san));
  return (
    <button class="button plain" aria-disabled={isOld} onClick={play} onFocus={hover(true)} onBlur={hover(false)} title={move.opening?.name ?? ''}>
      {shownSan(move.san)}
      {move.nag ? (SIGNS[move.nag] ?? '') : ''}
    </button>
  );
}

function Book({ book, isOld }: { book: PositionBookAnswer; isOld: boolean }) {
  // The path is long, and its last part is the name.
  const name = book.name.split(/[\\/]/).pop() ?? book.name;
  return (
    <div class="answer book" aria-busy={isOld}>
      <h3 dir="auto" title={book.name}>
        {t('explorer.book', { name })}
      </h3>
      {book.moves.length === 0 ? (
        <p class="quiet">{t('explorer.book.none')}</p>
      ) : (
        <Table columns={columns(isOld, book.moves)} rows={book.moves} keyOf={move => move.uci} onPoint={move => (store.hovered.value = move?.uci ?? null)} />
      )}
    </div>
  );
}

export function Books() {
  return (
    <div class="beside">
      {store.answers.value.flatMap(one =>
        (one.explored?.books ?? []).map(book => <Book key={`${one.base} ${book.name}`} book={book} isOld={one.fen !== board.fen.value} />),
      )}
    </div>
  );
}
