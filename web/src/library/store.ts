/** The databases that the server shows. */

import { signal } from '@preact/signals';
import * as api from '../api';
import * as live from '../live';
import { t } from '../words';
import * as work from '../work';

export const bases = signal<api.Base[] | null>(null);
export const readOnly = signal(true);
/** The databases that were opened last, the newest first. */
export const recent = signal<api.Opened[]>([]);
export const trouble = signal<string | null>(null);
export const findings = signal<{ base: string; found: api.Finding[]; more: number } | null>(null);
/** How much damage the check of a base has found; more where not everything was told. */
export const checked = signal<ReadonlyMap<string, number>>(new Map());
export const busy = signal<ReadonlySet<string>>(new Set());

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reading the list, which pages do by themselves: it takes away no failure of what the reader has wished. */
const LIST = 'library';
let failed = '';

async function during(id: string, work: () => Promise<void>): Promise<void> {
  busy.value = new Set([...busy.value, id]);
  if (id !== LIST || failed === LIST) trouble.value = null;
  try {
    await work();
  } catch (error) {
    failed = id;
    trouble.value = message(error);
  } finally {
    busy.value = new Set([...busy.value].filter(one => one !== id));
  }
}

/** How often the list was changed by what was opened, changed or closed. */
let changes = 0;

export const load = (): Promise<void> =>
  during(LIST, async () => {
    let before, answer;
    // What was opened while the answer was on its way is not in it.
    do {
      before = changes;
      answer = await api.bases();
    } while (before !== changes);
    readOnly.value = answer.readOnly;
    bases.value = answer.bases;
    recent.value = await api.recent();
  });

/** Bases whose years were asked for. */
const surveyed = new Set<string>();

/** Asks for the years of bases that do not tell them, one after another, while nothing else is wanted. */
export async function survey(): Promise<void> {
  for (const { id, years } of bases.peek() ?? []) {
    if (years !== null || surveyed.has(id)) continue;
    surveyed.add(id);
    const found = await api.years(id).catch(() => null);
    bases.value = (bases.peek() ?? []).map(one => (one.id === id && found ? { ...one, years: found.years } : one));
  }
}

/** Shows bases that the server has opened or changed; answers with the first one. */
export function took(opened: api.Base[]): string | null {
  const known = new Map((bases.value ?? []).map(base => [base.id, base]));
  for (const base of opened) known.set(base.id, base);
  changes++;
  bases.value = [...known.values()];
  return opened[0]?.id ?? null;
}

/** What wants a password before it opens. The password itself is kept nowhere here. */
export const locked = signal<{ name: string; open: (password: string) => Promise<string | null> } | null>(null);

/** Opens something; answers with the base to show. Where a password is wanted it is asked for. */
async function opening(name: string, ask: (init: RequestInit, password?: string) => Promise<api.Base[]>, password?: string): Promise<string | null> {
  let id: string | null = null;
  await during('open', async () => {
    locked.value = null;
    try {
      id = took(await work.during(`${t('library.open')}: ${name}`, init => ask(init, password)));
    } catch (error) {
      if (error instanceof api.Refused && error.more['password'] === true) {
        locked.value = { name, open: word => opening(name, ask, word) };
        // That it is locked is no fault; a password that does not fit is.
        if (password === undefined) return;
      }
      throw error;
    }
  });
  return id;
}

/** Opens what lies at a path. */
export const open = (path: string): Promise<string | null> => opening(path, (init, password) => api.openBase(path, password, init));

/** Opens copies of files. */
export const drop = (files: File[]): Promise<string | null> =>
  opening(files.map(file => file.name).join(', '), (init, password) => api.upload(files, password, init));

/** Opens the games to begin with. */
export const sample = (): Promise<string | null> => opening('sample.pgn', init => api.post<api.Base[]>('sample', {}, init));

/** Makes the index of a base; the live socket tells how far it has come. */
export const index = (id: string): Promise<void> =>
  during(id, async () => {
    const job = await live.ended(await api.makeIndex(id));
    if (job.state === 'failed') throw new Error(job.refusal ? await api.said(job.refusal) : job.state);
    took([await api.base(id)]);
  });

function left(id: string): void {
  changes++;
  bases.value = (bases.peek() ?? []).filter(base => base.id !== id);
  void api.recent().then(all => (recent.value = all), () => undefined);
}

/** Closes a base; its files stay as they are. */
export const close = (id: string): Promise<void> =>
  during(id, async () => {
    await api.closeBase(id);
    left(id);
  });

/** Stops what is under way for a base. */
export const stop = (job: string): Promise<void> =>
  during('stop', async () => {
    await api.stopJob(job);
  });

/** Bases whose games have changed since this tab has read them. */
export const changed = signal<ReadonlySet<string>>(new Set());

live.onChange((id, why, isOwn) => {
  if (!bases.value?.some(base => base.id === id)) return;
  surveyed.delete(id);
  if (why === 'closed') {
    left(id);
    return;
  }
  if (why !== 'index') checked.value = new Map([...checked.value].filter(([one]) => one !== id));
  if (why !== 'index' && !isOwn) changed.value = new Set([...changed.value, id]);
  void api.base(id).then(
    one => took([one]),
    // One that is gone keeps its place, and says so.
    (error: unknown) => (bases.value = (bases.peek() ?? []).map(one => (one.id === id ? { ...one, trouble: message(error) } : one))),
  );
});

/** The tab shows the base as it is now. */
export function seen(id: string): void {
  changed.value = new Set([...changed.value].filter(one => one !== id));
}

/** Takes all games out of the clipboard base. */
export const emptyClipboard = (id: string): Promise<void> =>
  during(id, async () => {
    took([await api.emptyClipboard()]);
  });

export const check = (id: string): Promise<void> =>
  during(id, async () => {
    const name = bases.peek()?.find(base => base.id === id)?.name ?? '';
    const answer = await work.during(`${t('library.check')}: ${name}`, init => api.checkBase(id, init));
    findings.value = { base: id, found: answer.findings, more: answer.more };
    const damage = answer.findings.filter(one => one.severity === 'damage').length;
    if (answer.whole || damage > 0) checked.value = new Map([...checked.value, [id, damage]]);
  });
