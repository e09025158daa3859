/** A search under way: how far it is, where that is known, and how long it has taken. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { clock } from '../ui/clock';
import { number, t } from '../words';
import * as store from './store';

export function Searching() {
  const seconds = useSignal(0);
  useEffect(() => {
    const began = performance.now();
    const timer = setInterval(() => (seconds.value = (performance.now() - began) / 1000), 1_000);
    return () => clearInterval(timer);
  }, []);
  const now = store.progress.value;
  if (!now || now.done || seconds.value < 1) return null;
  const share = now.of ? Math.min(1, now.asked / now.of) : null;
  return (
    <span class="quiet" aria-hidden="true">
      <progress aria-label={t('working')} {...(share === null ? {} : { value: share, max: 1 })} /> {share !== null && `${number(Math.round(100 * share))} % · `}
      {clock(seconds.value)}
    </span>
  );
}
