/** What a database is fed from: renewed now, or by a schedule while the program runs. */

import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { ask, post } from '../api';
import type { Job } from '../api';
import { reload } from '../library/changed';
import { Progress } from '../library/progress';
import * as library from '../library/store';
import * as live from '../live';
import { reportOf } from '../report';
import type { Reported } from '../report';
import { GameLink } from '../research/parts';
import { words } from '../research/asking';
import { language, t } from '../words';
import { m } from './words';
import type { FetchConflictAnswer, RenewalAnswer, SourcesAnswer } from '../answers';

/** The hours that are offered between two renewals. */
const HOURS = [0, 1, 6, 24, 168] as const;

export function Sources({ base, found, onNew }: { base: string; found: Signal<SourcesAnswer | null>; onNew: () => void }) {
  const brought = useSignal<Reported<RenewalAnswer> | null>(null);
  const trouble = useSignal<string | null>(null);
  const of = `bases/${encodeURIComponent(base)}`;
  const failed = (error: unknown) => (trouble.value = words(error));
  const look = () => ask<SourcesAnswer>(`${of}/sources`).then(now => (found.value = now));
  const renew = async (account?: { site: string; name: string }) => {
    trouble.value = brought.value = null;
    try {
      const job = await live.ended(await post<Job>(`${of}/renew`, account ? { account } : {}));
      const told = await reportOf<RenewalAnswer>(job.id);
      brought.value = told;
      reload(base);
      await look();
      if (told.report?.sources.some(one => one.added + one.renewed > 0)) onNew();
    } catch (error) {
      failed(error);
    }
  };
  const told = found.value;
  if (!told) return null;
  const isFed = told.sources.length > 0;
  if (!isFed && !told.may_add) return <p class="quiet">{m('sources.none')}</p>;
  const running = [...live.jobs.value.values()].find(job => job.kind === 'renew' && job.base === base && job.state === 'running');
  const when = told.last === null ? null : new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(told.last * 1000);
  const hours = told.hours ?? 0;
  return (
    <section aria-label={m('sources')}>
      {isFed && (
        <p>
          {m('sources')}: <b dir="auto">{told.sources.map(one => one.source).join(', ')}</b>
          {when && <span class="quiet"> · {m('renewed', { when })}</span>}
        </p>
      )}
      {told.possible && (
        <div class="row">
          <button class="button" disabled={running !== undefined} onClick={() => void renew()}>
            {m('renew')}
          </button>
          <label>
            {m('schedule')}{' '}
            <select onChange={event => void post<SourcesAnswer>(`${of}/sources`, { hours: Number(event.currentTarget.value) }).then(now => (found.value = now), failed)}>
              {HOURS.map(one => (
                <option key={one} value={one} selected={one === hours}>
                  {m(`schedule.${one}`)}
                </option>
              ))}
              {!HOURS.some(one => one === hours) && (
                <option value={hours} selected>
                  {m('schedule.hours', { n: hours })}
                </option>
              )}
            </select>
          </label>
        </div>
      )}
      {told.may_add && (
        <details open={!isFed}>
          <summary>{m('add')}</summary>
          <form
            onSubmit={event => {
              event.preventDefault();
              const asked = new FormData(event.currentTarget);
              void renew({ site: String(asked.get('site')), name: String(asked.get('name')).trim() });
            }}
          >
            <label>
              {m('add.site')}
              <select name="site">
                <option value="lichess">Lichess</option>
                <option value="chesscom">chess.com</option>
              </select>
            </label>
            <label>
              {m('add.account')}
              <input name="name" required maxLength={50} autocomplete="off" spellcheck={false} />
            </label>
            <button type="submit" disabled={running !== undefined}>
              {m('add.fetch')}
            </button>
          </form>
        </details>
      )}
      {running && (
        <p>
          <Progress job={running} /> <button onClick={() => void library.stop(running.id)}>{t('query.stop')}</button>
        </p>
      )}
      <div role="status">
        {brought.value?.job.message && <p class="trouble">{brought.value.job.message}</p>}
        {brought.value?.report?.sources.map(one => (
          <p key={one.source}>
            <span dir="auto">{one.source}</span>: {m('brought', { n: one.added })}
            {one.renewed > 0 && <>, {m('updated', { n: one.renewed })}</>}
            {one.refused > 0 && <>, {m('refused', { n: one.refused })}</>}
            {one.error && <span class="trouble"> {one.error}</span>}
            {one.notes.map((note, at) => (
              <span key={at} class="quiet" dir="auto">
                {' · '}
                {note}
              </span>
            ))}
          </p>
        ))}
        {brought.value?.report?.sources.flatMap(one => one.conflicts.map(conflict => <Conflict key={conflict.chapter} base={base} conflict={conflict} />))}
      </div>
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
    </section>
  );
}

/** A chapter that was changed there and here: both versions. */
function Conflict({ base, conflict }: { base: string; conflict: FetchConflictAnswer }) {
  return (
    <details class="conflict">
      <summary>
        {m('conflict')}{' '}
        <GameLink base={base} game={conflict.number}>
          {m('conflict.game', { n: conflict.number })}
        </GameLink>{' '}
        <span class="quiet" dir="auto">
          {conflict.chapter}
        </span>
      </summary>
      <ul>
        {conflict.differences.map((one, at) => (
          <li key={at} dir="auto">
            {one}
          </li>
        ))}
      </ul>
      <h3>{m('conflict.here')}</h3>
      <pre dir="auto">{conflict.here}</pre>
      <h3>{m('conflict.there')}</h3>
      <pre dir="auto">{conflict.there}</pre>
    </details>
  );
}
