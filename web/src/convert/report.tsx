/** Jobs that write a database: how far they have come, and what they tell when they have ended. */

import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import * as api from '../api';
import { summary } from '../findings';
import * as library from '../library/store';
import * as live from '../live';
import { Progress } from '../library/progress';
import { reportOf } from '../report';
import type { Reported } from '../report';
import { words } from '../research/asking';
import { number, t } from '../words';
import type { ConversionAnswer } from '../answers';

type Report = ConversionAnswer;

type Shown = Reported<Report>;

export interface Writing {
  trouble: Signal<string | null>;
  shown: Signal<Shown | null>;
  show: (job: api.Job) => Promise<unknown>;
  start: (asked: object) => void;
}

/** Starts jobs, and shows what the last one of them tells. */
export function useWriting(): Writing {
  const trouble = useSignal<string | null>(null);
  const shown = useSignal<Shown | null>(null);
  const failed = (error: unknown) => (trouble.value = words(error));
  const show = (job: api.Job) => reportOf<Report>(job.id).then(found => (shown.value = found), failed);
  const start = (asked: object) => {
    trouble.value = shown.value = null;
    api
      .post<api.Job>('conversions', asked)
      .then(job => live.ended(job))
      .then(job => {
        void library.load();
        return show(job);
      })
      .catch(failed);
  };
  return { trouble, shown, show, start };
}

export function Jobs({ writing, kinds }: { writing: Writing; kinds: string[] }) {
  const jobs = [...live.jobs.value.values()].filter(job => kinds.includes(job.kind));
  return (
    <>
      {writing.trouble.value && (
        <p class="trouble" role="alert">
          {writing.trouble.value}
        </p>
      )}
      {jobs.length > 0 && (
        <section>
          <h2>{t('convert.jobs')}</h2>
          <ul class="jobs">
            {jobs.map(job => (
              <li key={job.id}>
                <span dir="auto">{job.what}</span>{' '}
                {job.state === 'running' ? (
                  <>
                    <Progress job={job} />{' '}
                    <button onClick={() => void library.stop(job.id)}>{t('query.stop')}</button>
                  </>
                ) : (
                  <>
                    <span class="quiet">{t(`job.${job.state}`)}</span> <button onClick={() => void writing.show(job)}>{t('convert.report')}</button>
                  </>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {writing.shown.value && <Told {...writing.shown.value} />}
    </>
  );
}

const REPAIRS = ['repair', 'examination'];

function Told({ job, report }: Shown) {
  const sources = report?.sources ?? [];
  const losses = sources.flatMap(source => source.losses);
  const found = sources.flatMap(source => source.diagnostics);
  const differences = sources.flatMap(source => source.unreported_differences ?? []);
  const damaged = sources.reduce((sum, source) => sum + source.damaged_games, 0);
  const read = sources.reduce((sum, source) => sum + source.games, 0);
  const isRepair = REPAIRS.includes(job.kind);
  return (
    <section class="report" role="status">
      <h2>{t('convert.report')}</h2>
      {job.message && <p class="trouble">{job.message}</p>}
      {job.state === 'stopped' && <p>{t('job.stopped')}</p>}
      {report && (
        <>
          <p>
            {t('games', { n: report.games })}
            {['convert', 'repair'].includes(job.kind) && <span dir="auto"> · {report.target}</span>}
            {report.double !== undefined && report.double > 0 && <> · {t('convert.double', { n: report.double })}</>}
          </p>
          {report.downloads && (
            <p class="row">
              {report.downloads.map((name, at) => (
                <a key={name} class="button" href={`/api/v1/jobs/${job.id}/files/${at}`} download={name}>
                  {t('convert.download', { name })}
                </a>
              ))}
            </p>
          )}
          {isRepair && (
            <>
              <h3>{t('repair.whole')}</h3>
              <p>{t('repair.whole.games', { n: read - damaged })}</p>
              <h3>{t('repair.found')}</h3>
              {damaged > 0 && <p>{t('repair.damaged', { n: damaged })}</p>}
            </>
          )}
          {found.length > 0 && (
            <ul>
              {found.map((one, at) => (
                <li key={at} class={one.severity}>
                  <strong>{t(`severity.${one.severity}`)}</strong> {summary(one.code, one.summary)} <b>{number(one.count)}</b>
                  <Examples all={one.examples.map(({ game, message }) => [game, message])} />
                </li>
              ))}
            </ul>
          )}
          {isRepair && found.length === 0 && <p>{t('check.none')}</p>}
          {isRepair && <h3>{t('repair.gone')}</h3>}
          {losses.length === 0 && job.state === 'done' && <p>{t(damaged > 0 || found.some(one => one.severity === 'damage') ? 'repair.unknown' : 'convert.nothing')}</p>}
          <ul>
            {losses.map((loss, at) => (
              <li key={at}>
                {summary(loss.kind, loss.summary)} <b>{number(loss.count)}</b>
                <Examples all={loss.examples.map(({ game, detail }) => [game, detail])} />
              </li>
            ))}
          </ul>
          {[...report.notes, ...report.failed.map(one => `${one.source}: ${one.error}`), ...differences].map((note, at) => (
            <p key={at} dir="auto">
              {note}
            </p>
          ))}
        </>
      )}
    </section>
  );
}

function Examples({ all }: { all: [number | null, string][] }) {
  if (all.length === 0) return null;
  return (
    <ul class="quiet">
      {all.slice(0, 5).map(([game, text], at) => (
        <li key={at} dir="auto">
          {game !== null && `${game}: `}
          {text}
        </li>
      ))}
    </ul>
  );
}
