/** A table: columns with their names, and rows. A column that can be sorted by says how it is sorted. */

import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  key: string;
  label: ComponentChildren;
  /** What is told of the column where its name is short. */
  title?: string;
  /** Whether it holds figures. */
  isFigure?: boolean;
  /** Whether it names its row. */
  isName?: boolean;
  show: (row: Row) => ComponentChildren;
}

interface Asked<Row> {
  caption?: ComponentChildren;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row, at: number) => string | number;
  class?: string;
  /** The column by which it is sorted, and whether downwards. */
  /** The row under the pointer, or none. */
  onPoint?: (row: Row | null) => void;
  sorted?: { key: string; isDown: boolean };
  onSort?: (key: string) => void;
}

export function Table<Row>({ caption, columns, rows, keyOf, class: more, onPoint, sorted, onSort }: Asked<Row>) {
  return (
    <table class={`table ${more ?? ''}`}>
      {caption && <caption dir="auto">{caption}</caption>}
      <thead>
        <tr>
          {columns.map(({ key, label, title, isFigure }) => {
            const isSorted = sorted?.key === key;
            return (
              <th
                key={key}
                scope="col"
                class={isFigure ? 'end' : ''}
                title={title}
                {...(onSort ? { 'aria-sort': isSorted ? (sorted.isDown ? 'descending' : 'ascending') : 'none' } : {})}
              >
                {onSort ? (
                  <button type="button" class="button plain" onClick={() => onSort(key)}>
                    {label} <span aria-hidden="true">{isSorted ? (sorted.isDown ? '▾' : '▴') : ''}</span>
                  </button>
                ) : (
                  label
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={keyOf(row, at)} {...(onPoint ? { onPointerEnter: () => onPoint(row), onPointerLeave: () => onPoint(null) } : {})}>
            {columns.map(({ key, isFigure, isName, show }) =>
              isName ? (
                <th key={key} scope="row" dir="auto">
                  {show(row)}
                </th>
              ) : (
                <td key={key} class={isFigure ? 'end' : ''} dir="auto">
                  {show(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
