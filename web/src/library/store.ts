/** The databases that the server shows. */

import { signal } from '@preact/signals';
import * as api from '../api';

export const bases = signal<api.Base[] | null>(null);
export const readOnly = signal(true);
export const trouble = signal<string | null>(null);
export const findings = signal<{ base: string; found: api.Finding[]; more: number } | null>(null);
export const busy = signal<ReadonlySet<string>>(new Set());

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function during(id: string, work: () => Promise<void>): Promise<void> {
  busy.value = new Set([...busy.value, id]);
  trouble.value = null;
  try {
    await work();
  } catch (error) {
    trouble.value = message(error);
  } finally {
    busy.value = new Set([...busy.value].filter(one => one !== id));
  }
}

export const load = (): Promise<void> =>
  during('library', async () => {
    const answer = await api.bases();
    bases.value = answer.bases;
    readOnly.value = answer.readOnly;
  });

function take(opened: api.Base[]): string | null {
  const known = new Map((bases.value ?? []).map(base => [base.id, base]));
  for (const base of opened) known.set(base.id, base);
  bases.value = [...known.values()];
  return opened[0]?.id ?? null;
}

/** Opens what lies at a path; answers with the base to show. */
export async function open(path: string): Promise<string | null> {
  let id: string | null = null;
  await during('open', async () => {
    id = take(await api.openBase(path));
  });
  return id;
}

export async function drop(files: File[]): Promise<string | null> {
  let id: string | null = null;
  await during('open', async () => {
    id = take(await api.upload(files));
  });
  return id;
}

/** Makes the index of a base, and looks now and then how far it has come. */
export const index = (id: string): Promise<void> =>
  during(id, async () => {
    let job = await api.makeIndex(id);
    while (job.state === 'running') {
      await new Promise(resolve => setTimeout(resolve, 300));
      job = (await api.jobs()).find(one => one.id === job.id) ?? { ...job, state: 'failed', message: null };
    }
    if (job.state === 'failed') throw new Error(job.message ?? job.state);
    take([await api.base(id)]);
  });

export const check = (id: string): Promise<void> =>
  during(id, async () => {
    const answer = await api.checkBase(id);
    findings.value = { base: id, found: answer.findings, more: answer.more };
  });
