/** In the place of an answer that is waited for: how long it takes, and Stop; afterwards the way to ask again. */

import { Button } from '../ui/button';
import { Progress } from '../ui/progress';
import { t } from '../words';
import { progressOf } from '../works';
import type { Asking } from './asking';

export function Working({ asking }: { asking: Asking<unknown> }) {
  const { told, trouble, stopped, stop, again, name } = asking;
  if (trouble.value !== null)
    return (
      <p class="trouble" role="alert">
        {trouble.value}
      </p>
    );
  if (told.value !== null) return null;
  if (!stopped.value) return <Progress key={name.value} label={t('working')} look={progressOf(name.value)} onStop={stop} />;
  return (
    <p role="status">
      {t('stopped')} <Button onClick={() => again.value++}>{t('part.again')}</Button>
    </p>
  );
}
