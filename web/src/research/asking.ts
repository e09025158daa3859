/** What is looked for goes on as long as its page is shown, and ends with it. */

import { useSignal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';

export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The answer to an address of the server, and what went wrong; asked anew whenever `again` counts up. */
export function useAnswer<T>(address: string | null): { told: Signal<T | null>; trouble: Signal<string | null>; again: Signal<number> } {
  const told = useSignal<T | null>(null);
  const trouble = useSignal<string | null>(null);
  const again = useSignal(0);
  useEffect(() => {
    told.value = trouble.value = null;
    if (address === null) return;
    const control = new AbortController();
    ask<T>(address, { signal: control.signal }).then(
      found => (told.value = found),
      (error: unknown) => {
        if (!control.signal.aborted) trouble.value = words(error);
      },
    );
    return () => control.abort();
  }, [address, again.value]);
  return { told, trouble, again };
}
