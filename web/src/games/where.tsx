/** Where a row of the list leads: its game, and the pages of its players, event, site and opening. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { kindName } from '../about/kinds';
import { PLAIN, addressOf, baseId, follow } from '../address';
import type { Place } from '../address';
import { shortened } from '../game/tree';
import { t } from '../words';
import * as store from './where-store';

export function Where() {
  const now = store.asked.value;
  const box = useRef<HTMLDivElement>(null);
  // Before the next key is pressed: a key that comes at once belongs to the menu.
  useLayoutEffect(() => {
    const menu = box.current;
    if (!now || !menu) return;
    // The browser closes it on Escape and on a click elsewhere, and gives the focus back.
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(0, Math.min(now.x, innerWidth - width))}px`;
    menu.style.top = `${Math.max(0, Math.min(now.y, innerHeight - height))}px`;
    menu.querySelector('a')?.focus();
  }, [now]);
  if (!now) return null;
  const { row } = now;
  const base = baseId.value ?? '';
  const page = (kind: 'player' | 'event' | 'site' | 'opening', name: string): [string, Partial<Place>][] =>
    /^[?\s.-]*$/.test(name) ? [] : [[`${t(kindName(kind))}: ${shortened(name)}`, { about: { kind, name } }]];
  const ways: [string, Partial<Place>][] = [
    [t('game.number', { n: row.number }), { game: row.number }],
    ...page('player', row.white),
    ...page('player', row.black),
    ...page('event', row.event),
    ...page('site', row.site),
    ...page('opening', row.eco),
  ];
  const keys = (event: KeyboardEvent) => {
    const all = [...(box.current?.querySelectorAll('a') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLAnchorElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    event.stopPropagation();
    if (to === undefined) return;
    event.preventDefault();
    all[(to + all.length) % all.length]?.focus();
  };
  return (
    <div
      class="where"
      popover="auto"
      ref={box}
      role="menu"
      aria-label={t('games.where')}
      onKeyDown={keys}
      onToggle={event => {
        if ((event as unknown as ToggleEvent).newState === 'closed') store.asked.value = null;
      }}
    >
      {ways.map(([label, way]) => {
        const to = { ...PLAIN, base, ...way };
        return (
          <a
            key={label}
            role="menuitem"
            tabIndex={-1}
            dir="auto"
            href={addressOf(to)}
            onClick={event => {
              box.current?.hidePopover();
              follow(to)(event);
            }}
          >
            {label}
          </a>
        );
      })}
    </div>
  );
}
