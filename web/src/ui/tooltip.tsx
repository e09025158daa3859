/** Tips: the name of what has an icon alone, under the pointer and at the focus. Escape puts it away; it takes no press. */

import { useEffect, useRef } from 'preact/hooks';

/** Milliseconds that the pointer has to rest. */
const REST = 400;

/** Shows the tips of the page: of every element with `data-tip`. */
export function Tooltips() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(timer);
      if (box.current?.matches(':popover-open')) box.current.hidePopover();
    };
    const show = (host: HTMLElement) => {
      const here = box.current;
      if (!here || !host.isConnected) return;
      here.textContent = host.dataset['tip'] ?? '';
      here.showPopover();
      const at = host.getBoundingClientRect();
      const isBelow = at.bottom + here.offsetHeight + 8 < innerHeight;
      here.style.top = `${isBelow ? at.bottom + 4 : at.top - here.offsetHeight - 4}px`;
      here.style.left = `${Math.max(4, Math.min(at.left + at.width / 2 - here.offsetWidth / 2, innerWidth - here.offsetWidth - 4))}px`;
    };
    const over = (event: Event) => {
      hide();
      const host = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tip]') : null;
      if (host && (event.type !== 'focusin' || host.matches(':focus-visible'))) timer = setTimeout(() => show(host), event.type === 'focusin' ? 0 : REST);
    };
    const key = (event: KeyboardEvent) => event.key === 'Escape' && hide();
    addEventListener('pointerover', over);
    addEventListener('focusin', over);
    addEventListener('focusout', hide);
    addEventListener('pointerdown', hide, true);
    addEventListener('keydown', key, true);
    return () => {
      hide();
      removeEventListener('pointerover', over);
      removeEventListener('focusin', over);
      removeEventListener('focusout', hide);
      removeEventListener('pointerdown', hide, true);
      removeEventListener('keydown', key, true);
    };
  }, []);
  // What it says is the name of the element already: nobody hears it twice.
  return <div class="tip" ref={box} popover="manual" aria-hidden="true" />;
}
