/** How far a job has come, and how long it will still take. */

import type { Job } from '../api';
import { clock } from '../ui/clock';
import { number, t } from '../words';

/** Seconds that are left, where enough is done to tell. */
function left(job: Job): number | null {
  if (!job.total || job.done <= 0 || job.seconds < 2) return null;
  return Math.ceil((job.seconds * Math.max(0, job.total - job.done)) / job.done);
}

export function Progress({ job }: { job: Job }) {
  const seconds = left(job);
  return (
    <>
      <progress aria-label={job.what || t('working')} {...(job.total ? { value: Math.min(job.done, job.total), max: job.total } : {})} />{' '}
      <span class="quiet">
        {job.total ? `${number(Math.round((100 * Math.min(job.done, job.total)) / job.total))} % · ` : ''}
        {t('games', { n: job.games })} · {clock(job.seconds)}
        {seconds !== null && <> · {seconds < 90 ? t('job.seconds', { n: seconds }) : t('job.minutes', { n: Math.round(seconds / 60) })}</>}
      </span>
    </>
  );
}
