/** A player: the record, the rating over the years, openings as trees, opponents, events, the best wins, and the dossier. */

import { Working } from '../research/working';
import { PLAIN, addressOf, follow } from '../address';
import { queryString } from '../api';
import { Dossier } from '../statistics/dossier';
import { number, t } from '../words';
import { useAsked } from './asked';
import { Curve } from './curve';
import { AboutLink } from './link';
import { Tables } from './told';
import type { Subject } from './told';
import type { PlayerAnswer, PlayerGameAnswer } from '../answers';

/** Games that are shown of the best and the worst. */
const MOST = 10;

export function Player({ base, name }: Subject) {
  const asking = useAsked<PlayerAnswer>(`bases/${encodeURIComponent(base)}/player?${queryString({ name })}`);
  const found = asking.told.value;
  if (!found) return <Working asking={asking} />;
  const { games, wins, draws, losses } = found;
  const decided = wins + draws + losses;
  return (
    <>
      <p class="record" role="status">
        {t('games', { n: games })} · +{number(wins)} ={number(draws)} −{number(losses)}
        {decided > 0 && <> · {number(Math.round((1000 * (wins + draws / 2)) / decided) / 10)} %</>}
      </p>
      <p>
        <Dossier base={base} name={name} />
      </p>
      {found.ratings.length > 1 && <Curve rated={found.ratings} base={base} name={name} />}
      <Tables tables={found.statistics} of={{ base, among: '', player: name }} />
      <Games title={t('about.best')} games={found.best_wins} base={base} />
      <Games title={t('about.worst')} games={found.worst_losses} base={base} />
    </>
  );
}

function Games({ title, games, base }: { title: string; games: PlayerGameAnswer[]; base: string }) {
  if (games.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="about-games">
        {games.slice(0, MOST).map(game => {
          const to = { ...PLAIN, base, game: game.number };
          return (
            <li key={game.number}>
              <a href={addressOf(to)} onClick={follow(to)}>
                {t('game.number', { n: number(game.number) })}
              </a>{' '}
              <AboutLink kind="player" name={game.opponent} base={base}>
                <bdi>{game.opponent}</bdi>
              </AboutLink>{' '}
              <span class="quiet">
                {game.opponent_elo ?? ''} · <bdi>{game.event}</bdi> · <bdi>{game.date.replaceAll('.??', '')}</bdi>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
