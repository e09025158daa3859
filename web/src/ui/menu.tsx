/**
 * What opens below a button: a menu of things to do, or a box with fields. The browser closes it on Escape and on a press elsewhere,
 * and gives the focus back (popover).
 */

import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from './button';
import { Icon } from './icon';
import type { IconName, IconShapes } from './icon';

const GAP = 2;

/** Puts a box to its button: below it, or above it where there is more room, and never out of the window. */
function put(box: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { innerWidth: width, innerHeight: height } = window;
  box.style.maxHeight = '';
  const wanted = box.offsetHeight;
  const below = height - at.bottom - GAP;
  const isBelow = below >= Math.min(wanted, 240) || below >= at.top;
  box.style.maxHeight = `${Math.max(96, (isBelow ? below : at.top - GAP) - 8)}px`;
  const high = Math.min(wanted, (isBelow ? below : at.top - GAP) - 8);
  box.style.top = `${isBelow ? at.bottom + GAP : Math.max(0, at.top - GAP - high)}px`;
  const isRight = getComputedStyle(button).direction === 'rtl';
  const left = isRight ? at.right - box.offsetWidth : at.left;
  box.style.left = `${Math.max(4, Math.min(left, width - box.offsetWidth - 4))}px`;
}

interface Asked {
  label: string;
  icon?: IconName | IconShapes;
  /** Whether the button shows its icon alone. */
  alone?: boolean;
  class?: string;
  /** Drawn before the box is shown, and then always anew. */
  children: ComponentChildren | (() => ComponentChildren);
}

function Opened({ label, icon, alone, class: more, children, role }: Asked & { role?: 'menu' }) {
  const id = useId();
  const button = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const open = useSignal(false);
  // What is in the box is drawn with the opening; only then can it be put somewhere, and take the focus.
  useLayoutEffect(() => {
    const here = box.current;
    if (!open.value || !here) return;
    const opener = button.current?.querySelector('button');
    if (opener) put(here, opener);
    const first = role ? '[role^=menuitem]:not(:disabled)' : '[autofocus], :is(input, select, textarea, button):not(:disabled), a[href]';
    here.querySelector<HTMLElement>(first)?.focus();
  }, [open.value]);
  const keys = (event: KeyboardEvent) => {
    if (!role) return;
    const all = [...(box.current?.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = (to: number) => all[(to + all.length) % all.length]?.focus();
    if (event.key === 'ArrowDown') to(at + 1);
    else if (event.key === 'ArrowUp') to(at < 0 ? -1 : at - 1);
    else if (event.key === 'Home') to(0);
    else if (event.key === 'End') to(-1);
    else if (event.key === 'Tab') box.current?.hidePopover();
    else if (event.key.length === 1 && /\S/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      const starts = (one: HTMLElement) => one.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase());
      [...all.slice(at + 1), ...all.slice(0, at + 1)].find(starts)?.focus();
    } else return;
    // Tab goes on from the button, to which the focus has come back.
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={`menu ${more ?? ''}`} ref={button}>
      <Button
        popovertarget={id}
        aria-haspopup={role ?? 'dialog'}
        aria-expanded={open.value}
        {...(icon ? { icon } : {})}
        {...(alone ? { label } : {})}
      >
        {alone ? undefined : (
          <>
            <span class="word">{label}</span> <Icon name="down" />
          </>
        )}
      </Button>
      <div id={id} ref={box} class="popup" popover="auto" role={role ?? 'group'} aria-label={label} onToggle={event => (open.value = event.newState === 'open')} onKeyDown={keys}>
        {open.value && (typeof children === 'function' ? children() : children)}
      </div>
    </div>
  );
}

/** A menu of things to do. */
export const Menu = (asked: Asked) => <Opened {...asked} role="menu" />;

/** A box with fields and buttons. */
export const Popup = (asked: Asked) => <Opened {...asked} />;

/** Closes the box in which something was pressed. */
export const closePopup = (event: Event): void => {
  const box = (event.currentTarget as Element | null)?.closest<HTMLElement>('[popover]');
  if (box?.matches(':popover-open')) box.hidePopover();
};

interface ItemAsked {
  onChoose?: () => void;
  /** Whether it is on, where it can be on and off. */
  checked?: boolean;
  disabled?: boolean;
  children: ComponentChildren;
}

/** One thing to do; the menu closes, and then it is done. */
export function MenuItem({ onChoose, checked, disabled, children }: ItemAsked) {
  return (
    <button
      type="button"
      class="item"
      role={checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      {...(checked === undefined ? {} : { 'aria-checked': checked })}
      disabled={disabled ?? false}
      tabIndex={-1}
      onClick={event => {
        closePopup(event);
        onChoose?.();
      }}
    >
      <span class="mark">{checked && <Icon name="check" />}</span>
      {children}
    </button>
  );
}

/** A thing that is fetched from an address. */
export function MenuLink({ href, download, children }: { href: string; download?: string; children: ComponentChildren }) {
  return (
    <a class="item" role="menuitem" tabIndex={-1} href={href} {...(download ? { download } : {})} onClick={closePopup}>
      <span class="mark" />
      {children}
    </a>
  );
}
