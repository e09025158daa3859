/** Tabs: one of several panels is shown. Arrow keys go from tab to tab, Home and End to the first and the last one. */

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

export interface Tab {
  id: string;
  label: ComponentChildren;
  title?: string;
}

interface Asked {
  label: string;
  tabs: Tab[];
  chosen: string;
  onChoose: (id: string) => void;
  /** What stands behind the tabs in their line. */
  children?: ComponentChildren;
  class?: string;
  /** The panel of a tab, where the tabs have panels of their own. */
  panelOf?: (id: string) => string;
  /** What the key Delete and the middle button do to a tab, where tabs can go. */
  onClose?: (id: string) => void;
}

export function Tabs({ label, tabs, chosen, onChoose, children, class: more, panelOf, onClose }: Asked) {
  const line = useRef<HTMLDivElement>(null);
  const choose = (id: string) => {
    onChoose(id);
    // The tab that is chosen is the one that the keyboard stops at.
    requestAnimationFrame(() => line.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
  };
  const keys = (event: KeyboardEvent) => {
    const at = tabs.findIndex(one => one.id === chosen);
    const back = getComputedStyle(event.currentTarget as Element).direction === 'rtl' ? 1 : -1;
    const step: Record<string, number> = { ArrowLeft: at + back, ArrowRight: at - back, Home: 0, End: tabs.length - 1 };
    const to = step[event.key];
    if (event.key === 'Delete' && onClose) onClose(chosen);
    else if (to !== undefined) choose(tabs[(to + tabs.length) % tabs.length]?.id ?? chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={`tabs ${more ?? ''}`}>
      <div class="line" role="tablist" aria-label={label} ref={line} onKeyDown={keys}>
        {tabs.map(tab => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            aria-selected={tab.id === chosen}
            tabIndex={tab.id === chosen ? 0 : -1}
            title={tab.title}
            {...(panelOf ? { 'aria-controls': panelOf(tab.id) } : {})}
            onClick={() => onChoose(tab.id)}
            onAuxClick={event => {
              if (event.button === 1 && onClose) {
                event.preventDefault();
                onClose(tab.id);
              }
            }}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {children}
    </div>
  );
}
