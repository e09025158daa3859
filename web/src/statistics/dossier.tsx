/** The dossier of a player: it is asked for here, so that nothing is saved but a dossier. */

import { useSignal } from '@preact/signals';
import { askText, queryString } from '../api';
import { words } from '../research/asking';
import { save } from '../save';
import { t } from '../words';
import { during } from '../work';

export function Dossier({ base, name }: { base: string; name: string }) {
  const trouble = useSignal<string | null>(null);
  const busy = useSignal(false);
  const make = async (form: 'html' | 'markdown') => {
    trouble.value = null;
    busy.value = true;
    try {
      const text = await during(`${t('stats.dossier')}: ${name}`, init => askText(`bases/${encodeURIComponent(base)}/dossier?${queryString({ name, form })}`, init));
      save(text, form === 'html' ? 'text/html' : 'text/markdown', `dossier.${form === 'html' ? 'html' : 'md'}`);
    } catch (error) {
      trouble.value = words(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <>
      {t('stats.dossier')}:{' '}
      {(['html', 'markdown'] as const).map(form => (
        <button key={form} disabled={busy.value} onClick={() => void make(form)}>
          {form === 'html' ? 'HTML' : 'Markdown'}
        </button>
      ))}
      {trouble.value && (
        <span class="trouble" role="alert">
          {trouble.value}
        </span>
      )}
    </>
  );
}
