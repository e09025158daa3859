/** What is looked for goes on as long as its page is shown, and ends with it. */

import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask } from '../api';
import { named } from '../work';

export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface Asking<T> {
  told: Signal<T | null>;
  trouble: Signal<string | null>;
  /** Counts up when it is to be asked anew. */
  again: Signal<number>;
  /** Whether somebody has stopped it; the server stops with whom it works for. */
  stopped: Signal<boolean>;
  stop: () => void;
  /** What the work is called that is done now. */
  name: Signal<string>;
}

/** The answer to an address of the server, and what went wrong; asked anew whenever `again` counts up. */
export function useAnswer<T>(address: string | null): Asking<T> {
  const told = useSignal<T | null>(null);
  const trouble = useSignal<string | null>(null);
  const stopped = useSignal(false);
  const again = useSignal(0);
  const name = useSignal('');
  const running = useRef<AbortController | null>(null);
  useEffect(() => {
    told.value = trouble.value = null;
    stopped.value = false;
    if (address === null) return;
    const control = new AbortController();
    running.current = control;
    const work = named(control.signal);
    name.value = work.name;
    ask<T>(address, work.init).then(
      found => (told.value = found),
      (error: unknown) => {
        if (!control.signal.aborted) trouble.value = words(error);
      },
    );
    return () => control.abort();
  }, [address, again.value]);
  const stop = () => {
    running.current?.abort();
    stopped.value = true;
  };
  return { told, trouble, again, stopped, stop, name };
}
