/** Short news at the edge of the page: said to those who listen, gone after a while, never while it has the focus or the pointer. */

import { signal } from '@preact/signals';
import { t } from '../words';
import { Button } from './button';

interface Toast {
  id: number;
  text: string;
  act: { label: string; do: () => void } | undefined;
}

/** Milliseconds that news stay. */
const STAYS = 6_000;

const toasts = signal<Toast[]>([]);
let last = 0;

const drop = (id: number): void => {
  toasts.value = toasts.value.filter(one => one.id !== id);
};

function wait(id: number): void {
  setTimeout(() => (document.querySelector(`#toast-${id}:is(:hover, :focus-within)`) ? wait(id) : drop(id)), STAYS);
}

/** Tells something; with what can be done about it. */
export function toast(text: string, act?: Toast['act']): void {
  const id = ++last;
  toasts.value = [...toasts.value, { id, text, act }].slice(-3);
  wait(id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, act }) => (
        <p key={id} id={`toast-${id}`}>
          <span dir="auto">{text}</span>
          {act && (
            <Button
              onClick={() => {
                drop(id);
                act.do();
              }}
            >
              {act.label}
            </Button>
          )}
          <Button icon="close" kind="plain" label={t('close')} onClick={() => drop(id)} />
        </p>
      ))}
    </div>
  );
}
