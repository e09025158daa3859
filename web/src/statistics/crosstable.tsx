/** The cross-table of an event. */

import { AboutLink } from '../about/link';
import { follow } from '../address';
import type { EventAnswer } from '../answers';
import { number, t } from '../words';

type Event = EventAnswer;

const point = (points: number | null): string => (points === null ? '*' : points === 0.5 ? '½' : String(points));

export function Crosstable({ event, base }: { event: Event; base: string }) {
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={event.event}>
      <table class="crosstable">
        <caption dir="auto">
          <AboutLink kind="event" name={event.event} base={base}>
            <bdi>{event.event}</bdi>
          </AboutLink>{' '}
          <span class="quiet">{[...new Set([event.first, event.last])].join(' – ')}</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">{t('stats.player')}</th>
            <th scope="col">Elo</th>
            {event.players.map((_, at) => (
              <th scope="col" key={at}>
                {at + 1}
              </th>
            ))}
            <th scope="col">{t('stats.points')}</th>
          </tr>
        </thead>
        <tbody>
          {event.players.map((player, at) => (
            <tr key={at}>
              <td>{at + 1}</td>
              <th scope="row" dir="auto">
                <AboutLink kind="player" name={player.name} base={base}>
                  {player.name}
                </AboutLink>
              </th>
              <td>{player.elo ?? ''}</td>
              {event.players.map((_, other) => (
                <td key={other}>
                  {player.results
                    .filter(result => result.opponent === other + 1)
                    .map(result => (
                      <a
                        key={result.number}
                        href={`/base/${encodeURIComponent(base)}/game/${result.number}`}
                        onClick={follow({ base, game: result.number, path: '', query: '', sort: '', panel: '' })}
                      >
                        {point(result.points)}
                      </a>
                    ))}
                </td>
              ))}
              <td>{number(player.points)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
