/** What the server does for this tab, as long as it does it. What is done at once is not shown. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from './api';
import type { WorkProgressAnswer } from './answers';
import { Progress } from './ui/progress';
import { works } from './work';
import type { Work } from './work';
import { t } from './words';

/** Milliseconds after which work is long. */
const LONG = 700;

/** How far work has come, where the server knows it. */
export const progressOf = (name: string) => (): Promise<WorkProgressAnswer | null> => ask<WorkProgressAnswer>(`works/${name}`).catch(() => null);

function Shown({ work }: { work: Work }) {
  const isLong = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isLong.value = true), LONG);
    return () => clearTimeout(timer);
  }, []);
  if (!isLong.value) return null;
  return (
    <li>
      <Progress label={work.label} look={progressOf(work.name)} onStop={work.stop} before={LONG} />
    </li>
  );
}

export function Works() {
  return (
    <aside aria-label={t('working')}>
      <ul class="works">
        {works.value.map(work => (
          <Shown key={work.name} work={work} />
        ))}
      </ul>
    </aside>
  );
}
