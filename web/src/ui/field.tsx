/** A field with its name, and what is to be known of it: an example, or what is wrong with what stands in it. */

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Asked {
  label: string;
  hint?: string | undefined;
  wrong?: string | null | undefined;
  class?: string;
  name?: string;
  value?: string;
  placeholder?: string;
  required?: boolean;
  onInput?: (value: string) => void;
  /** What stands beside the field in its line. */
  children?: ComponentChildren;
}

export function Field({ label, hint, wrong, class: more, name, value, placeholder, required, onInput, children }: Asked) {
  const id = useId();
  const told = wrong ?? hint;
  return (
    <span class={`field ${more ?? ''}`}>
      <label for={id}>{label}</label>
      <span class="row">
        <input
          id={id}
          name={name ?? ''}
          {...(value === undefined ? {} : { value })}
          placeholder={placeholder ?? ''}
          required={required ?? false}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={wrong ? 'true' : 'false'}
          {...(told ? { 'aria-describedby': `${id}-told` } : {})}
          onInput={event => onInput?.(event.currentTarget.value)}
        />
        {children}
      </span>
      {told && (
        <span id={`${id}-told`} class={wrong ? 'trouble' : 'quiet'} {...(wrong ? { role: 'alert' as const } : {})}>
          {told}
        </span>
      )}
    </span>
  );
}
