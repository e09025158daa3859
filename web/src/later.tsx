/** Parts of the app that are fetched when they are first shown, so that the first page is there at once. */

import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from './words';

/** A component in whose place something is told until it has been fetched, or nothing where that is no place. */
export function later(fetch: () => Promise<ComponentType>, Place: 'main' | 'section' | 'dialog' | null = 'main'): ComponentType {
  const part = signal<ComponentType | null>(null);
  const missing = signal(false);
  const ask = () => {
    missing.value = false;
    fetch().then(
      one => (part.value = one),
      () => (missing.value = true),
    );
  };
  return () => {
    useEffect(() => {
      if (part.value === null) ask();
    }, []);
    const Part = part.value;
    if (Part !== null) return <Part />;
    if (Place === null) return null;
    return (
      <Place class="library" id={Place === 'main' ? 'main' : undefined}>
        <p role="status">{missing.value ? t('part.missing') : t('loading')}</p>
        {missing.value && <button onClick={ask}>{t('part.again')}</button>}
      </Place>
    );
  };
}
