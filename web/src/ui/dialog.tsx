/** A dialog over the page: the browser keeps the focus in it, and gives it back. A press beside it closes it as Escape does. */

import type { ComponentChildren } from 'preact';
import { t } from '../words';
import { Button } from './button';

interface Asked {
  id: string;
  title: string;
  class?: string;
  children: ComponentChildren;
}

export function Dialog({ id, title, class: more, children }: Asked) {
  return (
    <dialog
      id={id}
      class={more ?? ''}
      aria-labelledby={`${id}-title`}
      onPointerDown={event => {
        const box = event.currentTarget.getBoundingClientRect();
        const isBeside = event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
        // A list that a field opens lies beside the box, too.
        if (isBeside && event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      <header>
        {/* It begins with its beginning, and not with the first thing that can be pressed. */}
        <h2 id={`${id}-title`} tabIndex={-1} autofocus>
          {title}
        </h2>
        <Button icon="close" kind="plain" label={t('close')} onClick={event => event.currentTarget.closest('dialog')?.close()} />
      </header>
      {children}
    </dialog>
  );
}
