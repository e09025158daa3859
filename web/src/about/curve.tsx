/** The rating of a player over the years; each point leads to the games of its year. */

import { PLAIN, addressOf, follow } from '../address';
import type { RatingPeriodAnswer } from '../answers';
import { number, t } from '../words';
import { inQuotes } from './query';

type Rated = RatingPeriodAnswer;

const WIDTH = 640;
const HEIGHT = 180;
const LEFT = 44;
const FOOT = 22;
const TOP = 10;
/** Points that are drawn at most: more would lie over each other. */
const MOST = 160;

/** The year with its part that has passed; null where the date tells none. */
export function yearOf(date: string): number | null {
  const [, year, month, day] = /^(\d{4})(?:\.(\d\d|\?\?))?(?:\.(\d\d|\?\?))?$/.exec(date) ?? [];
  if (!year) return null;
  const part = (text: string | undefined, least: number) => (text && /\d/.test(text) ? Number(text) : least);
  return Number(year) + (part(month, 1) - 1) / 12 + (part(day, 1) - 1) / 372;
}

export function Curve({ rated, base, name }: { rated: Rated[]; base: string; name: string }) {
  const dated = rated.flatMap(({ date, elo }) => {
    const at = yearOf(date);
    return at === null ? [] : [{ at, elo, date }];
  });
  if (dated.length < 2) return null;
  const step = Math.max(1, Math.ceil(dated.length / MOST));
  const points = dated.filter((_, at) => at % step === 0 || at === dated.length - 1);
  const years = points.map(point => point.at);
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const elos = points.map(point => point.elo);
  const low = Math.floor(Math.min(...elos) / 50) * 50;
  const high = Math.max(low + 50, Math.ceil(Math.max(...elos) / 50) * 50);
  const x = (at: number) => LEFT + ((at - first) / Math.max(0.01, last - first)) * (WIDTH - LEFT - 8);
  const y = (elo: number) => TOP + ((high - elo) / (high - low)) * (HEIGHT - FOOT - TOP);
  const lines = [low, (low + high) / 2, high];
  const marks = [...new Set([first, (first + last) / 2, last].map(Math.floor))];
  return (
    <figure class="curve">
      <figcaption>{t('column.elo')}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={t('column.elo')}>
        {lines.map(elo => (
          <g key={elo}>
            <line x1={LEFT} x2={WIDTH} y1={y(elo)} y2={y(elo)} class="grid" />
            <text x={LEFT - 6} y={y(elo) + 4} text-anchor="end">
              {number(elo)}
            </text>
          </g>
        ))}
        {marks.map(year => (
          <text key={year} x={x(Math.max(first, year))} y={HEIGHT - 4} text-anchor={year === marks[0] ? 'start' : 'end'}>
            {year}
          </text>
        ))}
        <polyline points={points.map(point => `${x(point.at)},${y(point.elo)}`).join(' ')} />
        {points.map((point, at) => {
          const to = { ...PLAIN, base, query: `player:${inQuotes(name)} year:${Math.floor(point.at)}` };
          return (
            <a key={at} href={addressOf(to)} onClick={follow(to)} aria-label={`${point.date.replaceAll('.??', '')}: ${point.elo}`}>
              <title>{`${point.date.replaceAll('.??', '')}: ${point.elo}`}</title>
              <circle cx={x(point.at)} cy={y(point.elo)} r="3" />
              <circle cx={x(point.at)} cy={y(point.elo)} r="8" class="touch" />
            </a>
          );
        })}
      </svg>
    </figure>
  );
}
