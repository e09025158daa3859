/** An event: its cross-table, and what was played there. */

import { queryString } from '../api';
import { Working } from '../research/working';
import { Crosstable } from '../statistics/crosstable';
import type { EventsAnswer } from '../answers';
import { t } from '../words';
import { useAsked } from './asked';
import { Told } from './told';
import type { Subject } from './told';

export function Event({ base, name, kind }: Subject) {
  const asking = useAsked<EventsAnswer>(`bases/${encodeURIComponent(base)}/events?${queryString({ event: name })}`);
  const { told } = asking;
  // Events whose names only hold this one have pages of their own.
  const events = told.value?.events.filter(one => one.event === name) ?? [];
  return (
    <>
      <Working asking={asking} />
      {told.value && events.length === 0 && <p class="quiet">{t('about.no-table')}</p>}
      {events.map((event, at) => (
        <Crosstable key={at} event={event} base={base} />
      ))}
      <Told base={base} name={name} kind={kind} />
    </>
  );
}
