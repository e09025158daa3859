/** Long work: how far it is, how long it has taken and will take, and the way to stop it. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { number, t } from '../words';
import { Button } from './button';
import { clock } from './clock';

/** How far something has come: what is done, and all of it where that is known. */
export interface Done {
  done: number;
  total: number | null;
}

interface Asked {
  label: string;
  done?: number | null;
  total?: number | null;
  /** Asks how far it has come, where nobody tells. */
  look?: () => Promise<Done | null>;
  /** Nothing where it cannot be stopped. */
  onStop: (() => void) | null;
  /** Milliseconds that it has taken before it is shown. */
  before?: number;
}

/** Milliseconds between two looks. */
const LOOK = 1_000;

export function Progress({ label, done, total, look, onStop, before = 0 }: Asked) {
  const seconds = useSignal(before / 1000);
  const found = useSignal<Done | null>(null);
  useEffect(() => {
    const began = performance.now() - before;
    let isAsked = false;
    const tick = () => {
      seconds.value = (performance.now() - began) / 1000;
      // One look at a time: who is busy is not asked all the more.
      if (!look || isAsked) return;
      isAsked = true;
      void look().then(told => {
        isAsked = false;
        if (told) found.value = told;
      });
    };
    const timer = setInterval(tick, LOOK);
    if (before > 0) tick();
    return () => clearInterval(timer);
  }, []);
  const now = found.value ?? { done, total };
  const isKnown = typeof now.done === 'number' && typeof now.total === 'number' && now.total > 0;
  const share = isKnown ? Math.min(1, (now.done ?? 0) / (now.total ?? 1)) : 0;
  const left = share > 0.02 && share < 1 ? (seconds.value / share) * (1 - share) : null;
  return (
    <div class="working">
      <span role="status">{label}</span>
      <progress aria-label={label} {...(isKnown ? { value: share, max: 1 } : {})} />
      <span class="quiet" aria-hidden="true">
        {isKnown && `${number(Math.round(share * 100))} % · `}
        {clock(seconds.value)}
        {left !== null && ` · ${t('progress.left', { time: clock(left) })}`}
      </span>
      {onStop && <Button onClick={onStop}>{t('query.stop')}</Button>}
    </div>
  );
}
