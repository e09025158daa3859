/** A table as a picture of bars; each part of a bar leads to its games. */

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { follow } from '../address';
import { queryString } from '../api';
import { save } from '../save';
import { Menu, MenuItem } from '../ui/menu';
import { number, t } from '../words';
import { queryOf, titleOf } from './terms';
import type { Counted, Part, Row } from './terms';

const PARTS: { part: Part; fill: string }[] = [
  { part: 'wins', fill: '#f2f2ea' },
  { part: 'draws', fill: '#9aa0a6' },
  { part: 'losses', fill: '#33373d' },
];
/** Games that have no result. */
const REST = '#c9a24a';
/** Tables whose rows are a scale: their bars stand. */
const SCALES = ['years', 'ratings', 'lengths'];
const WIDTH = 440;
const HEIGHT = 190;
const LINE = 22;
const NAMES = 150;
const FOOT = 22;
/** Names that are longer are cut in the picture; the link tells them whole. */
const LONGEST = 22;
const MOST = 60;

interface Bar {
  row: Row;
  x: number;
  y: number;
  width: number;
  height: number;
}

const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

export function Plot({ name, title, rows: all, of }: { name: string; title: string; rows: Row[]; of: Counted }) {
  const host = useRef<SVGSVGElement>(null);
  const isScale = SCALES.includes(name);
  const top = all.filter(row => row.depth === 0);
  const rows = isScale ? top : top.slice(0, MOST);
  const most = Math.max(1, ...rows.map(row => row.games));
  const height = isScale ? HEIGHT : rows.length * LINE + 4;
  const wide = (WIDTH - 8) / Math.max(1, rows.length);
  const bars: Bar[] = rows.map((row, at) =>
    isScale
      ? { row, x: 4 + at * wide, y: 14, width: Math.max(1, wide - Math.min(2, wide / 4)), height: HEIGHT - FOOT - 14 }
      : { row, x: NAMES, y: 2 + at * LINE, width: WIDTH - NAMES - 56, height: LINE - 6 },
  );
  const text = (): string => {
    const copy = host.current?.cloneNode(true) as SVGSVGElement;
    // What leads nowhere outside of the app leads nowhere.
    for (const link of copy.querySelectorAll('a')) link.replaceWith(...link.childNodes);
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('color', '#222');
    copy.setAttribute('font-family', 'sans-serif');
    return copy.outerHTML;
  };
  const picture = async () => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text())}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 2 * WIDTH;
    canvas.height = 2 * height;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(blob => blob && save(blob, 'image/png', `${name}.png`), 'image/png');
  };
  return (
    <figure class="plot" data-name={name}>
      <figcaption>
        {titleOf(title)}
        <Menu label={t('plot.save', { what: titleOf(title) })} icon="save" alone>
          <MenuItem onChoose={() => save(text(), 'image/svg+xml', `${name}.svg`)}>SVG</MenuItem>
          <MenuItem onChoose={() => void picture()}>PNG</MenuItem>
          <MenuItem onChoose={() => save(csvOf(all), 'text/csv', `${name}.csv`)}>CSV</MenuItem>
        </Menu>
      </figcaption>
      <svg ref={host} viewBox={`0 0 ${WIDTH} ${height}`} role="group" aria-label={titleOf(title)} font-size="11">
        {bars.map((bar, at) => (
          <Shown key={at} bar={bar} most={most} stands={isScale} name={name} of={of} isNamed={!isScale || at % Math.ceil(rows.length / 8) === 0} />
        ))}
      </svg>
    </figure>
  );
}

function Shown({ bar, most, stands, name, of, isNamed }: { bar: Bar; most: number; stands: boolean; name: string; of: Counted; isNamed: boolean }) {
  const { row } = bar;
  const rest = row.games - row.wins - row.draws - row.losses;
  const whole = stands ? bar.height : bar.width;
  const told = `${row.label || '?'}: ${t('games', { n: row.games })}, +${number(row.wins)} =${number(row.draws)} −${number(row.losses)}`;
  let at = 0;
  const parts = [...PARTS.map(({ part, fill }) => ({ part, fill, games: row[part] })), { part: 'games' as Part, fill: REST, games: rest }]
    .filter(one => one.games > 0)
    .map(one => {
      const size = (whole * one.games) / most;
      const from = at;
      at += size;
      const place = stands
        ? { x: bar.x, y: bar.y + bar.height - from - size, width: bar.width, height: size }
        : { x: bar.x + from, y: bar.y, width: size, height: bar.height };
      return { ...one, place };
    });
  const link = stands
    ? { x: bar.x, y: 0, width: bar.width, height: Math.max(2, HEIGHT - FOOT - at) }
    : { x: 0, y: bar.y, width: NAMES - 4, height: bar.height };
  return (
    <g>
      <title>{told}</title>
      {parts.map(({ part, fill, place, games }) => (
        <Link key={part} to={queryOf(name, row, part, of)} base={of.base} told={`${row.label || '?'}: ${SIGNS[part]}${number(games)}`} stop={false}>
          <rect {...place} fill={fill} stroke="#777" stroke-width="0.6" />
        </Link>
      ))}
      {(isNamed || !stands) && (
        <text x={stands ? bar.x : NAMES - 6} y={stands ? HEIGHT - 7 : bar.y + 12} text-anchor={stands ? 'start' : 'end'} fill="currentColor" aria-hidden="true">
          {short((stands ? row.label.split('-')[0] : row.label) || '?')}
        </text>
      )}
      {!stands && (
        <text x={bar.x + at + 5} y={bar.y + 12} fill="currentColor" aria-hidden="true">
          {number(row.games)}
        </text>
      )}
      <Link to={queryOf(name, row, 'games', of)} base={of.base} told={told} stop>
        <rect {...link} fill="transparent" />
      </Link>
    </g>
  );
}

const SIGNS: Record<Part, string> = { games: '', wins: '+', draws: '=', losses: '−' };

/** A bar is one stop for the keyboard; its parts are for the pointer, and in the table for all. */
function Link({ to, base, told, stop, children }: { to: string | null; base: string; told: string; stop: boolean; children: ComponentChildren }) {
  if (to === null) return <>{children}</>;
  return (
    <a
      href={`/base/${encodeURIComponent(base)}?${queryString({ q: to })}`}
      tabIndex={stop ? 0 : -1}
      aria-label={told}
      onClick={follow({ base, query: to, game: null, path: '', sort: '', panel: '' })}
    >
      {children}
    </a>
  );
}

function csvOf(rows: Row[]): string {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return ['label,games,wins,draws,losses', ...rows.map(row => [cell(row.label), row.games, row.wins, row.draws, row.losses].join(','))].join('\n') + '\n';
}
