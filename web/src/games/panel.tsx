/** The list of games: any size, scrolled without end, by mouse and by keyboard. */

import { useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Row } from '../api';
import { baseId, gameNumber, go, query, sort, place, placeAfter } from '../address';
import type { Place } from '../address';
import { openTab } from '../layout/tabs';
import { later } from '../later';
import { bases } from '../library/store';
import { rowHeight } from '../settings/store';
import { t } from '../words';
import * as columns from './columns';
import * as preview from './previewed';
import { QueryBar } from './query';
import * as selection from './selection';
import { stepped } from './stepped';
import * as store from './store';
import * as wish from './wish';
import * as where from './where-store';

const Where = later(async () => (await import('./where')).Where, null);

const REM = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
/** Browsers cap how high an element may be: beyond this the scroll is scaled. */
const HIGHEST = 8_000_000;

const Tools = later(async () => (await import('./tools')).Tools, null);
const Preview = later(async () => (await import('./preview')).Preview, 'section');

export function Games() {
  if (baseId.value === null) return null;
  return (
    <section class="games" aria-label={t('games.title')}>
      <QueryBar />
      <div class="tools">
        <Tools />
      </div>
      <List />
      {preview.open.value && <Preview />}
      {where.asked.value && <Where />}
    </section>
  );
}

function List() {
  const box = useRef<HTMLDivElement>(null);
  /** Where the box has scrolled to, and the row that stands at its top, in rows and parts of them. */
  const top = useSignal(0);
  const place = useSignal(0);
  const view = useSignal(400);
  const focus = useSignal(0);
  void store.arrived.value;
  const total = store.total.value;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() => {
      // The heading stays over the rows, and takes its part.
      view.value = element.clientHeight - ((element.firstElementChild as HTMLElement | null)?.offsetHeight ?? 0);
      columns.room.value = element.clientWidth / REM;
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = 0;
    place.value = 0;
    focus.value = 0;
  }, [baseId.value, query.value, sort.value]);

  // Pixels of a row: they grow with the text, and as densely as the user wants them.
  const HEIGHT = rowHeight.value;
  columns.digits.value = String(bases.value?.find(base => base.id === baseId.value)?.games ?? 99_999).length;
  const columnsNow = columns.shown.value;
  const count = total ?? 0;
  const full = count * HEIGHT;
  const high = Math.min(full, HIGHEST);
  const rows = Math.ceil(view.value / HEIGHT) + 1;
  const scaled = full > HIGHEST;
  const lastPlace = Math.max(0, count - view.value / HEIGHT);
  const exact = Math.min(place.value, lastPlace);
  const first = Math.max(0, Math.floor(exact) - 4);
  const last = Math.min(count, Math.floor(exact) + rows + 4);
  const shift = top.value - (exact - first) * HEIGHT;

  const scrollTo = (at: number) => {
    const element = box.current;
    if (!element) return;
    const seen = view.value / HEIGHT;
    if (at >= exact && at <= exact + seen - 3) return;
    place.value = Math.max(0, Math.min(lastPlace, at > exact ? at - seen + 3 : at));
    settle();
  };
  /** Puts the bar where the rows are. */
  const settle = () => {
    const element = box.current;
    if (!element) return;
    const goal = scaled ? (place.value / Math.max(1, lastPlace)) * (high - view.value) : place.value * HEIGHT;
    // What is set is rounded; the rows stay where they are.
    element.scrollTop = goal;
    top.value = element.scrollTop;
  };
  /** Where the height is scaled, short ways are gone row by row, and long ones by their share. */
  const scrolled = () => {
    const now = box.current?.scrollTop ?? 0;
    const by = now - top.value;
    if (by === 0) return;
    const most = high - view.value;
    if (!scaled) place.value = now / HEIGHT;
    else if (now <= 0 || now >= most - 1 || Math.abs(by) > view.value * 2) place.value = (now / most) * lastPlace;
    else place.value = Math.max(0, Math.min(lastPlace, place.value + by / HEIGHT));
    top.value = now;
  };
  const keys = (event: KeyboardEvent) => {
    const page = Math.max(1, rows - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -count,
      End: total ?? Infinity,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      // How long a list is that has not come yet, nobody knows.
      focus.value = Math.max(0, Math.min((total ?? Infinity) - 1, focus.value + step));
      if (event.shiftKey && count > 0) void selection.extend(focus.value);
      scrollTo(focus.value);
    } else if (event.key === ' ' && event.target === box.current) {
      event.preventDefault();
      if (count > 0) void selection.toggle(focus.value);
    } else if (event.key === 'Enter' && event.target === box.current) {
      if (event.ctrlKey || event.metaKey) act(row => openTab(placeOfRow(row)));
      else
        act(row => {
          show(row);
          // The arrow keys now step through the game; `g` leads back.
          document.querySelector<HTMLElement>('.board')?.focus();
        });
    }
  };
  /** Does something with the row in focus; where it has not come yet, when it comes. */
  const act = (does: (row: Row) => void) => {
    if (total !== 0) wish.make(does, looked);
  };
  /** Asks for the ways of the row under the pointer, or of that in focus. */
  const ask = (event: MouseEvent) => {
    const line = (event.target as Element).closest('[role=row][id]');
    const [x, y] = [event.clientX, event.clientY];
    if (line) focus.value = Number(line.id.slice('row-'.length));
    else if (count === 0) return;
    event.preventDefault();
    wish.make(row => (where.asked.value = { row, x, y }), store.row(focus.value));
  };
  // The row in focus stays in sight when the box becomes lower.
  const before = useRef(0);
  useLayoutEffect(() => {
    const [seen, at] = [before.current / HEIGHT, focus.value];
    if (view.value < before.current && at >= Math.floor(exact) && at < exact + seen) scrollTo(at);
    before.current = view.value;
  }, [view.value]);
  // A game that is stepped to comes into sight.
  useSignalEffect(() => {
    const at = stepped.value;
    if (at === null) return;
    focus.value = at;
    scrollTo(at);
  });
  // Steps that were made before the list was there.
  useLayoutEffect(() => {
    if (count === 0) return;
    focus.value = Math.min(focus.value, count - 1);
    scrollTo(focus.value);
  }, [count === 0]);
  // The row in focus is the one to preview; it may come later than the focus.
  const looked = total ? store.row(Math.min(focus.value, count - 1)) : null;
  useLayoutEffect(() => {
    preview.row.value = looked;
    wish.meet(looked);
  }, [looked, store.awaited.value]);
  const shown: number[] = [];
  for (let at = first; at < last; at++) shown.push(at);
  return (
    <div class="list" style={{ '--columns': ['1.4rem', ...columnsNow.map(columns.widthOf)].join(' ') }}>
      <div
        class="scroll"
        ref={box}
        role="grid"
        aria-label={t('games.title')}
        aria-rowcount={count + 1}
        aria-multiselectable="true"
        tabIndex={0}
        {...(shown.includes(focus.value) ? { 'aria-activedescendant': `row-${focus.value}` } : {})}
        onKeyDown={keys}
        onContextMenu={ask}
        onScroll={scrolled}
        onScrollEnd={() => scaled && settle()}
      >
        <Heading />
        <div class="space" role="rowgroup" style={{ height: `${high}px` }}>
          <div class="window" role="presentation" style={{ transform: `translateY(${shift}px)` }}>
            {shown.map(at => (
              <Line key={at} at={at} row={store.row(at)} focused={at === focus.value} high={HEIGHT} look={() => (focus.value = at)} />
            ))}
          </div>
        </div>
        {total === 0 && !store.fault.value && <p class="empty">{t(query.value ? 'games.none' : 'games.empty')}</p>}
        {total === null && <p class="empty quiet">{t('loading')}</p>}
      </div>
    </div>
  );
}

/** The game of a row as a place of its own. */
const placeOfRow = (row: Row): Place => placeAfter(place.peek(), { game: row.number, path: row.ply ? String(row.ply) : '', panel: '' });

function show(row: Row): void {
  const path = row.ply ? String(row.ply) : '';
  go({ game: row.number, path });
}

function Heading() {
  const [descending, field] = sort.value.startsWith('-') ? [true, sort.value.slice(1)] : [false, sort.value];
  return (
    <div class="row heading" role="row">
      <span role="columnheader">
        <span class="hidden">{t('games.select')}</span>
      </span>
      {columns.shown.value.map(column => (
        <span
          role="columnheader"
          key={column.field}
          aria-sort={column.field === field ? (descending ? 'descending' : 'ascending') : 'none'}
        >
          <button
            class={column.end ? 'end' : ''}
            onClick={() => {
              // Up, down, and as the games stand.
              const next = column.field !== field ? column.field : descending ? '' : `-${column.field}`;
              go({ sort: next });
            }}
          >
            {t(column.label)}
            {column.field === field && <span aria-hidden="true">{descending ? ' ▾' : ' ▴'}</span>}
          </button>
        </span>
      ))}
    </div>
  );
}

interface LineProps {
  at: number;
  row: Row | null;
  focused: boolean;
  high: number;
  look: () => void;
}

function Line({ at, row, focused, high, look }: LineProps) {
  const selected = row !== null && selection.selected.value.has(row.number);
  const open = () => wish.make(one => openTab(placeOfRow(one)), row);
  const press = (event: MouseEvent) => {
    look();
    if (event.shiftKey) void selection.extend(at);
    else if (event.ctrlKey || event.metaKey) open();
    else wish.make(show, row);
  };
  const current = row !== null && row.number === gameNumber.value;
  return (
    <div
      id={`row-${at}`}
      class={`row${focused ? ' focused' : ''}${row?.deleted ? ' deleted' : ''}`}
      role="row"
      aria-rowindex={at + 2}
      aria-selected={selected}
      {...(current ? { 'aria-current': 'true' as const } : {})}
      style={{ height: `${high}px` }}
      onClick={press}
      onMouseDown={event => {
        // The middle button opens a tab, and scrolls nothing.
        if (event.button === 1) event.preventDefault();
      }}
      onAuxClick={event => {
        if (event.button !== 1) return;
        look();
        open();
      }}
    >
      <span
        role="gridcell"
        class="tick"
        onClick={event => {
          event.stopPropagation();
          look();
          void (event.shiftKey ? selection.extend(at) : selection.toggle(at));
        }}
      >
        {selected ? '☑' : '☐'}
      </span>
      {columns.shown.value.map(column => (
        <span role="gridcell" key={column.field} class={column.end ? 'end' : ''} dir="auto">
          {row ? column.show(row) : ''}
        </span>
      ))}
    </div>
  );
}
