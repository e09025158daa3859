/** The bar between two panes: dragged, or moved by the arrow keys; Home and End go to the ends, two presses put it back. */

import { useRef } from 'preact/hooks';

interface Asked {
  label: string;
  /** The pane that it sizes. */
  controls: string;
  /** Whether it stands between panes beside each other, or between panes above each other. */
  orientation: 'vertical' | 'horizontal';
  /** The share of the whole that the pane has, and its bounds. */
  value: number;
  least: number;
  most: number;
  usual: number;
  /** Whether the pane grows to the left or upwards. */
  isReversed?: boolean;
  onChange: (value: number) => void;
  class?: string;
}

const STEP = 0.02;

export function Splitter({ label, controls, orientation, value, least, most, usual, isReversed, onChange, class: more }: Asked) {
  const from = useRef<{ at: number; value: number; whole: number } | null>(null);
  const isVertical = orientation === 'vertical';
  const set = (to: number) => onChange(Math.max(least, Math.min(most, to)));
  const place = (event: PointerEvent) => (isVertical ? event.clientX : event.clientY);
  const keys = (event: KeyboardEvent) => {
    const sign = isReversed ? -1 : 1;
    const steps: Record<string, number> = isVertical ? { ArrowRight: sign, ArrowLeft: -sign } : { ArrowDown: sign, ArrowUp: -sign };
    const step = steps[event.key];
    if (step !== undefined) set(value + step * STEP);
    else if (event.key === 'Home') set(least);
    else if (event.key === 'End') set(most);
    else if (event.key === 'Enter') set(usual);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class={`splitter ${orientation} ${more ?? ''}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-controls={controls}
      aria-orientation={orientation}
      aria-valuenow={Math.round(value * 100)}
      aria-valuemin={Math.round(least * 100)}
      aria-valuemax={Math.round(most * 100)}
      onKeyDown={keys}
      onDblClick={() => set(usual)}
      onPointerDown={event => {
        if (event.button !== 0) return;
        const box = event.currentTarget.parentElement?.getBoundingClientRect();
        from.current = { at: place(event), value, whole: Math.max(1, (isVertical ? box?.width : box?.height) ?? 1) };
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
        event.currentTarget.focus();
      }}
      onPointerMove={event => {
        const start = from.current;
        if (start) set(start.value + ((place(event) - start.at) / start.whole) * (isReversed ? -1 : 1));
      }}
      onPointerUp={() => (from.current = null)}
      onPointerCancel={() => (from.current = null)}
    />
  );
}
