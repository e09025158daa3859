/** What is live: one socket a tab, on which the server tells how jobs come along and which databases have changed. */

import { effect, signal } from '@preact/signals';
import type { Job } from './api';
import * as api from './api';
import type { BaseChangeAnswer, LiveLineAnswer } from './answers';

/** Why a database is another one than before. */
export type Why = BaseChangeAnswer;

type Line = LiveLineAnswer;

/** Milliseconds until the next try, after the first failure and at most. */
const SOON = 500;
const LATE = 15_000;

export const jobs = signal<ReadonlyMap<string, Job>>(new Map());
/** Whether the server is heard. */
export const connected = signal(false);
/** Whether the server is away: it could not be reached when it was tried again. */
export const away = signal(false);

type Listener = (base: string, why: Why, isOwn: boolean) => void;

const listeners = new Set<Listener>();
/** The versions that were told last, so that what happened while nobody listened is noticed. */
let versions = new Map<string, number>();
let wait = SOON;

/** The versions that this tab has made itself, of which it knows already. */
const own = new Map<string, number>();

/** A version of a database is what this tab has made of it; every other one is told. */
export const mine = (base: string, version: number): void => void own.set(base, version);

/** Calls `listener` for each database that has changed; the answer ends that. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(base: string, version: number, why: Why): void {
  const before = versions.get(base);
  versions.set(base, version);
  if (before !== undefined && before !== version) for (const listener of listeners) listener(base, why, own.get(base) === version);
}

/** Takes a line of the socket. */
export function take(line: Line): void {
  if (line.kind === 'now') {
    jobs.value = new Map(line.jobs.map(job => [job.id, job]));
    for (const [base, version] of Object.entries(line.bases)) changed(base, version, 'files');
  } else if (line.kind === 'job') {
    jobs.value = new Map([...jobs.value, [line.job.id, line.job]]);
  } else {
    // A base that was opened after this tab began to listen has not been told before.
    if (!versions.has(line.base)) versions.set(line.base, line.version - 1);
    changed(line.base, line.version, line.why);
    if (line.why === 'closed') versions.delete(line.base);
  }
}

/** Listens, and again whenever the connection has ended, ever more seldom while the server is away. */
export function listen(): void {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/v1/live`);
  socket.onopen = () => {
    connected.value = true;
    away.value = false;
    wait = SOON;
  };
  socket.onmessage = event => take(JSON.parse(event.data as string) as Line);
  socket.onclose = () => {
    // A socket that was open is tried again before anything is said.
    if (!connected.value) away.value = true;
    connected.value = false;
    setTimeout(listen, wait);
    wait = Math.min(wait * 2, LATE);
  };
}

/** Waits until a job has ended; asks for it now and then where the socket is away. */
export function ended(first: Job): Promise<Job> {
  return new Promise(resolve => {
    let stop = (): void => {};
    const look = (job: Job | undefined): void => {
      if (!job || job.state === 'running') return;
      clearInterval(timer);
      stop();
      resolve(job);
    };
    const timer = setInterval(() => {
      if (connected.value) return;
      void api.jobs().then(all => look(all.find(one => one.id === first.id) ?? { ...first, state: 'failed' }), () => undefined);
    }, 1_000);
    stop = effect(() => look(jobs.value.get(first.id)));
    look(first);
  });
}

/** The job under way for a base. */
export const running = (base: string): Job | null =>
  [...jobs.value.values()].find(job => job.base === base && job.state === 'running') ?? null;
