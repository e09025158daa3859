/**
 * What was typed while the server was away: this browser keeps it until it stands in the draft. A server that was started again has
 * another address, and often another port, where nothing of the old page is seen: what is kept goes there in the part of the address
 * that is never sent.
 */

import { signal } from '@preact/signals';
import { Refused } from '../api';
import type { Session, Wish } from './api';
import * as api from './api';

export interface Unsent {
  id: string;
  title: string;
  wishes: { at: number; wish: Wish }[];
}

const KEY = 'unsent';
/** Characters of what is kept. */
const LONGEST = 1 << 20;

function parsed(text: string | null): Unsent | null {
  if (!text || text.length > LONGEST) return null;
  try {
    const { id, title, wishes } = JSON.parse(text) as Unsent;
    const isSound = typeof id === 'string' && typeof title === 'string' && Array.isArray(wishes) && wishes.every(one => Number.isInteger(one.at) && typeof one.wish.kind === 'string');
    return isSound && wishes.length > 0 ? { id, title, wishes } : null;
  } catch {
    return null;
  }
}

function read(): Unsent | null {
  const brought = /^#unsent=(.+)$/.exec(location.hash)?.[1];
  if (brought) {
    history.replaceState(history.state, '', location.pathname + location.search);
    let text: string | null = null;
    try {
      text = decodeURIComponent(brought);
    } catch {
      // What cannot be read was not kept here.
    }
    if (text !== null && parsed(text)) localStorage.setItem(KEY, text);
  }
  return parsed(localStorage.getItem(KEY));
}

export const unsent = signal<Unsent | null>(read());

function set(to: Unsent | null): void {
  unsent.value = to;
  if (to) localStorage.setItem(KEY, JSON.stringify(to));
  else localStorage.removeItem(KEY);
}

/** Whether a wish has failed because the server is away, or does not know this tab any more. */
export const isAway = (error: unknown): boolean => (error instanceof Refused ? error.status === 401 : error instanceof TypeError);

/** Keeps a wish that did not arrive; a comment that grows replaces what it was. */
export function keep(session: Session, at: number, wish: Wish): void {
  const before = unsent.peek();
  const wishes = before?.id === session.id ? before.wishes : [];
  const same = (one: Unsent['wishes'][number]) => wish.kind === 'comment' && one.wish.kind === 'comment' && one.at === at && one.wish.side === wish.side;
  set({ id: session.id, title: session.title || session.name, wishes: [...wishes.filter(one => !same(one)), { at, wish }] });
}

export const drop = (): void => set(null);

/** Wishes that move nothing go first: the moves that the others are made for still have their numbers then. */
const QUIET = ['comment', 'nag', 'mark', 'tag', 'result'];

/** Puts what was kept into the draft; answers with it. */
export async function send(): Promise<Session | null> {
  const kept = unsent.peek();
  if (!kept) return null;
  let session = await api.one(kept.id);
  const order = (one: Unsent['wishes'][number]) => (QUIET.includes(one.wish.kind) ? 0 : 1);
  let left = [...kept.wishes].sort((a, b) => order(a) - order(b));
  for (const { at, wish } of left) {
    session = await api.wish(kept.id, at, session.version, wish);
    left = left.slice(1);
    set(left.length > 0 ? { ...kept, wishes: left } : null);
  }
  return api.one(kept.id);
}

/** The address of the new server with what is kept; null where it is none. */
export function carrying(address: string): string | null {
  let url: URL;
  try {
    url = new URL(address.trim());
  } catch {
    return null;
  }
  const isHere = ['127.0.0.1', 'localhost', '[::1]', location.hostname].includes(url.hostname);
  if (!isHere || !/^https?:$/.test(url.protocol)) return null;
  url.hash = `unsent=${encodeURIComponent(JSON.stringify(unsent.peek()))}`;
  return url.href;
}
