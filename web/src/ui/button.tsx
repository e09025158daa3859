/** A button: a word, an icon beside it, or an icon alone whose name is told and shown under the pointer. */

import type { ComponentChildren, JSX } from 'preact';
import { Icon } from './icon';
import type { IconName, IconShapes } from './icon';

type Own = {
  icon?: IconName | IconShapes;
  /** The name; without children an icon stands alone, and the name is shown under the pointer. */
  label?: string;
  /** The one that does what the page is for, or one that is hardly seen. */
  kind?: 'main' | 'plain';
  children?: ComponentChildren;
};

export function Button({ icon, label, kind, children, class: more, ...rest }: Own & Omit<JSX.IntrinsicElements['button'], keyof Own>) {
  const isAlone = icon !== undefined && children === undefined;
  return (
    <button
      type="button"
      {...rest}
      class={['button', kind ?? '', isAlone ? 'alone' : '', more ?? ''].filter(Boolean).join(' ')}
      {...(label !== undefined ? { 'aria-label': label } : {})}
      {...(isAlone ? { 'data-tip': label } : {})}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
