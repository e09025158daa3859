/** The field that takes moves and commands, and what is answered to those who listen. */

import { signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { baseId } from '../address';
import { t } from '../words';

/** What was said last. */
export const spoken = signal('');

/** Commands are fetched with the first one, once: two imports of a module may be answered in either order. */
let fetched: Promise<typeof import('./commands')> | null = null;

const commands = (): Promise<typeof import('./commands')> =>
  (fetched ??= import('./commands').catch((error: unknown) => {
    // The next command asks again.
    fetched = null;
    throw error;
  }));

const run = async (text: string): Promise<boolean> => {
  try {
    return await (await commands()).run(text);
  } catch (error) {
    spoken.value = error instanceof Error ? error.message : String(error);
    return false;
  }
};

export function CommandField() {
  const typed = useRef<HTMLInputElement>(null);
  const wrong = useSignal(false);
  // Without a base there is no board to move on.
  const label = t(baseId.value === null ? 'command.field' : 'board.typed');
  return (
    <form
      class="command"
      onSubmit={event => {
        event.preventDefault();
        const text = typed.current?.value.trim() ?? '';
        if (text === '') return;
        // Who types on before the answer types the next one.
        typed.current?.select();
        void run(text).then(understood => {
          wrong.value = !understood;
          if (understood && typed.current?.value.trim() === text) typed.current.value = '';
        });
      }}
    >
      <label class="hidden" for="typed">
        {label}
      </label>
      <input
        id="typed"
        ref={typed}
        onFocus={() => void commands().catch(() => undefined)}
        autocomplete="off"
        spellcheck={false}
        placeholder={label}
        aria-invalid={wrong.value}
      />
    </form>
  );
}

export function Said() {
  return (
    <p class="hidden said" role="status" aria-live="assertive">
      {spoken.value}
    </p>
  );
}
