/** What a page asks the server once for what it is about. */

import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';

export interface Asked<T> {
  told: Signal<T | null>;
  trouble: Signal<string | null>;
}

/** Asks at an address; another one is asked anew, and who leaves is not waited for. */
export function useAsked<T>(path: string): Asked<T> {
  const told = useSignal<T | null>(null);
  const trouble = useSignal<string | null>(null);
  useEffect(() => {
    const control = new AbortController();
    told.value = trouble.value = null;
    ask<T>(path, { signal: control.signal }).then(
      found => (told.value = found),
      (error: unknown) => {
        if (!control.signal.aborted) trouble.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => control.abort();
  }, [path]);
  return { told, trouble };
}
