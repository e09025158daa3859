/** What a job has found. */

import * as api from './api';

/** A job with what it has found. Why it failed is told in the language of the app. */
export interface Reported<T> {
  job: api.Job;
  report: T | null;
}

export async function reportOf<T>(job: string): Promise<Reported<T>> {
  const told = await api.ask<Reported<T>>(`jobs/${job}/report`);
  if (told.job.refusal) told.job.message = await api.said(told.job.refusal);
  return told;
}
