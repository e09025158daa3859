/** What is known of whether a database is damaged, and since when: what nobody has looked at is not called sound. */

import { language, t } from '../words';

interface Known {
  /** Damage that was found when it was opened. */
  damage?: number;
  /** Damage that a check of this run has found, where there was one. */
  found?: number | null;
  /** What an earlier check has found. */
  before?: { damage: number; when: number } | undefined;
}

const day = (when: number): string => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium' }).format(when);

export function State({ damage = 0, found = null, before }: Known) {
  const now = Math.max(damage, found ?? 0);
  if (now > 0) return <span class="badge damage">{t('library.damaged', { n: now })}</span>;
  if (found !== null) return <span class="badge sound">{t('library.sound')}</span>;
  if (!before) return <span class="badge unknown">{t('library.opened')}</span>;
  return (
    <span class={`badge ${before.damage > 0 ? 'damage' : 'unknown'}`}>
      {t('library.checked', { date: day(before.when) })}: {before.damage > 0 ? t('library.damaged', { n: before.damage }) : t('library.undamaged')}
    </span>
  );
}
