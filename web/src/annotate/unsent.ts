/**
 * What the server has not answered yet: this browser keeps it until it stands in the draft, so that neither a page that is loaded anew
 * nor a server that is away takes it. A server that was started again has another address, and often another port, where nothing of the
 * old page is seen: what is kept goes there in the part of the address that is never sent.
 */

import { signal } from '@preact/signals';
import { Refused } from '../api';
import type { Local, Sent } from '../edit/local';
import type { Session, Wish } from './api';
import * as api from './api';

export interface Unsent {
  id: string;
  title: string;
  /** The game, where the session has ended before it was written down. */
  base: string;
  number: number;
  wishes: Sent[];
}

/** The name of this page among those that wish: of letters and digits, another one each time that it is loaded. */
export const tab = Array.from(crypto.getRandomValues(new Uint8Array(12)), one => one.toString(16).padStart(2, '0')).join('');

/** What could not be sent because the server was away; and what is on its way, a game and a page each. */
const KEY = 'unsent';
const WAITING = 'outbox';
/** Characters of what is kept. */
const LONGEST = 4 << 20;

function parsed(text: string | null): Unsent | null {
  if (!text || text.length > LONGEST) return null;
  try {
    const { id, title, base, number, wishes } = JSON.parse(text) as Unsent;
    const isWish = (one: Sent) =>
      typeof one.tab === 'string' && [one.seq, one.at, one.moves].every(Number.isInteger) && typeof one.move === 'string' && typeof one.wish.kind === 'string';
    const isSound = typeof id === 'string' && typeof title === 'string' && typeof base === 'string' && Number.isInteger(number) && Array.isArray(wishes) && wishes.every(isWish);
    return isSound && wishes.length > 0 ? { id, title, base, number, wishes } : null;
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
    if (text !== null && parsed(text)) write(KEY, text);
  }
  return parsed(localStorage.getItem(KEY));
}

function write(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // A browser without room keeps it as long as the page is open.
  }
}

export const unsent = signal<Unsent | null>(read());

unsent.subscribe(now => write(KEY, now && JSON.stringify(now)));

/** Whether a wish has failed because the server is away, or does not know this tab any more. */
export const isAway = (error: unknown): boolean => (error instanceof Refused ? error.status === 401 : error instanceof TypeError);

const keyOf = (id: string, of: string): string => `${WAITING}-${id}-${of}`;

export const unsentOf = ({ id, title, name, base, number }: Session, local: Local): Unsent => ({ id, title: title || name, base, number, wishes: local.unheard });

/** Keeps what has no answer yet. */
export function keep(session: Session, local: Local): void {
  const key = keyOf(session.id, tab);
  if (local.isSettled) write(key, null);
  else write(key, JSON.stringify(unsentOf(session, local)));
}

/** The session has ended; what waits is kept under another one. */
export const forget = (session: Session): void => write(keyOf(session.id, tab), null);

/** What earlier pages have kept of a game, by the names under which it is kept. */
export function kept(session: Session): Map<string, Sent[]> {
  const all = new Map<string, Sent[]>();
  const prefix = keyOf(session.id, '');
  const keys = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? '');
  for (const key of keys) {
    if (!key.startsWith(prefix) || key === keyOf(session.id, tab)) continue;
    all.set(key, parsed(localStorage.getItem(key))?.wishes ?? []);
  }
  return all;
}

/** It stands in the draft. */
export const arrived = (key: string): void => write(key, null);

export const drop = (): void => {
  unsent.value = null;
};

/** Sends wishes of an earlier page, which the server may have heard in part; answers with the session, and tells of each that is refused. */
export async function sendAll(begun: Session, all: Sent[], refused: (wish: Wish, why: string) => void, left: (all: Sent[]) => void = () => undefined): Promise<Session> {
  let session = begun;
  const { id } = begun;
  let rest = all;
  for (let tries = 0; rest.length > 0; ) {
    try {
      rest = rest.filter(one => one.seq > (session.heard?.[one.tab] ?? 0));
      if (rest.length === 0) break;
      const sent = rest.slice(0, 64);
      session = await api.wishes(id, session.version, sent);
      rest = rest.slice(session.granted ?? sent.length);
    } catch (error) {
      if (!(error instanceof Refused) || (error.status !== 422 && error.status !== 409)) throw error;
      // Another tab was faster, or the move that is meant is not there.
      if (error.status === 409 && tries++ < 3) {
        session = await api.one(id);
        continue;
      }
      const [first] = rest;
      if (first) refused(first.wish, error.message);
      rest = rest.slice(1);
      session = await api.one(id);
    }
    tries = 0;
    left(rest);
  }
  return session.game === undefined ? api.one(id) : session;
}

/** Puts what was kept into the draft; answers with it. */
export async function send(): Promise<Session | null> {
  const kept = unsent.peek();
  if (!kept) return null;
  let trouble: string | null = null;
  const begun = await api.one(kept.id).catch((error: unknown) => {
    // A session that ended before anything was written down begins anew.
    if (error instanceof Refused && error.status === 404 && kept.number > 0) return api.begin(kept.base, kept.number);
    throw error;
  });
  const session = await sendAll(
    begun,
    kept.wishes,
    (_, why) => (trouble = why),
    rest => (unsent.value = rest.length > 0 ? { ...kept, wishes: rest } : null),
  );
  // What cannot be granted is told, and holds nothing else up.
  if (trouble !== null) throw new Error(trouble);
  return session;
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
