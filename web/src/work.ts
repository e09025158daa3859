/** Work that the server does for this tab and that takes a while: each piece has a name, by which it is asked how far it has come. */

import { signal } from '@preact/signals';
import { t } from './words';

/** A piece of work under way. */
export interface Work {
  name: string;
  label: string;
  /** Nothing where the work is done to its end, whoever waits. */
  stop: (() => void) | null;
}

export const works = signal<readonly Work[]>([]);

let count = 0;

/** A name for a request, as the server is told it. */
export function named(signal: AbortSignal): { name: string; init: RequestInit } {
  const name = `w${++count}`;
  return { name, init: { signal, headers: { 'X-Tabiya-Work': name } } };
}

/** Does something that may take long: it is shown meanwhile with its bar, its time and the way to stop it. */
export async function during<T>(label: string, does: (init: RequestInit) => Promise<T>, canStop = true): Promise<T> {
  const control = new AbortController();
  const { name, init } = named(control.signal);
  const work = { name, label, stop: canStop ? () => control.abort() : null };
  works.value = [...works.peek(), work];
  try {
    return await does(init);
  } catch (error) {
    throw control.signal.aborted ? new Error(t('stopped')) : error;
  } finally {
    works.value = works.peek().filter(one => one !== work);
  }
}
