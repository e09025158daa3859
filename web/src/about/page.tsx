/** The page about one player, event, opening, site or annotator of a base. */

import { about, baseId, follow, PLAIN, addressOf } from '../address';
import type { About as Subject } from '../address';
import { shortened } from '../game/tree';
import { t } from '../words';
import { Event } from './event';
import { kindName } from './kinds';
import { Opening } from './opening';
import { Player } from './player';
import { queryAbout } from './query';
import { Told } from './told';

const PAGES = { player: Player, event: Event, opening: Opening, site: Told, annotator: Told };

export function About() {
  const subject = about.value;
  const base = baseId.value ?? '';
  if (!subject) return null;
  const Shown = PAGES[subject.kind];
  return (
    <main class="about statistics library" id="main">
      <p class="quiet">{t(kindName(subject.kind))}</p>
      <h1 dir="auto">{shortened(subject.name)}</h1>
      <Games base={base} subject={subject} />
      <Shown key={subject.name} base={base} name={subject.name} kind={subject.kind} />
    </main>
  );
}

/** The way to the games in the list. */
function Games({ base, subject }: { base: string; subject: Subject }) {
  const query = queryAbout(subject);
  const to = { ...PLAIN, base, query };
  return (
    <p>
      <a class="button" href={addressOf(to)} onClick={follow(to)}>
        {t('about.games')}
      </a>{' '}
      <code>{query}</code>
    </p>
  );
}
