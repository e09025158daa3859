/** Long work: how far it is, how long it has taken and will take, and the way to stop it. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { number, t } from '../words';
import { Button } from './button';

/** Minutes and seconds. */
export const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

interface Asked {
  label: string;
  /** What is done, and all of it where that is known. */
  done?: number | null;
  total?: number | null;
  onStop: () => void;
}

export function Progress({ label, done, total, onStop }: Asked) {
  const seconds = useSignal(0);
  useEffect(() => {
    const began = performance.now();
    const timer = setInterval(() => (seconds.value = (performance.now() - began) / 1000), 1000);
    return () => clearInterval(timer);
  }, []);
  const isKnown = typeof done === 'number' && typeof total === 'number' && total > 0;
  const share = isKnown ? Math.min(1, done / total) : 0;
  const left = share > 0.02 ? (seconds.value / share) * (1 - share) : null;
  return (
    <div class="working">
      <span role="status">{label}</span>
      <progress aria-label={label} {...(isKnown ? { value: share, max: 1 } : {})} />
      <span class="quiet" aria-hidden="true">
        {isKnown && `${number(Math.round(share * 100))} % · `}
        {clock(seconds.value)}
        {left !== null && ` · ${t('progress.left', { time: clock(left) })}`}
      </span>
      <Button onClick={onStop}>{t('query.stop')}</Button>
    </div>
  );
}
