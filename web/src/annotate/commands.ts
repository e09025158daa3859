/** The commands of the text field while a game is annotated. */

import { baseId } from '../address';
import { lastMove } from '../board/said';
import * as library from '../library/store';
import { shownSan, t } from '../words';
import * as api from './api';
import type { Wish } from './api';
import { drawn } from './drawing';
import { resume } from './drafts';
import * as desk from './desk';
import * as store from './store';

const SIGNS: Record<string, number> = { '!': 1, '?': 2, '!!': 3, '??': 4, '!?': 5, '?!': 6 };

const WORDS: Record<string, Wish> = {
  undo: { kind: 'undo' },
  redo: { kind: 'redo' },
  promote: { kind: 'promote' },
  demote: { kind: 'demote' },
  mainline: { kind: 'promote-fully' },
  remove: { kind: 'remove' },
  'remove line': { kind: 'delete-line' },
  cut: { kind: 'delete-after' },
  'cut before': { kind: 'delete-before' },
};

function wishOf(text: string): Wish | null {
  const known = WORDS[text.toLowerCase()];
  if (known) return known;
  const said = text.match(/^(say|before) (.*)$/i);
  if (said) return { kind: 'comment', side: said[1]?.toLowerCase() === 'before' ? 'before' : 'after', text: said[2] ?? '' };
  const sign = text.match(/^nag (\d{1,3})$/i)?.[1];
  const nag = sign === undefined ? SIGNS[text] : Number(sign);
  if (nag !== undefined) return { kind: 'nag', nag };
  const draw = text.match(/^draw (.+)$/i);
  if (draw) return drawn(draw[1] ?? '', 'green');
  const tag = text.match(/^tag (\w+)(?: (.*))?$/i);
  if (tag) return { kind: 'tag', name: tag[1] ?? '', value: tag[2] ?? '' };
  const start = text.match(/^fen(?: (.+?))?( cut)?$/i);
  if (start) return { kind: 'start', fen: start[1] ?? null, cut: start[2] !== undefined };
  const result = text.match(/^result (1-0|0-1|1\/2-1\/2|\*)$/i);
  if (result) return { kind: 'result', result: result[1] ?? '*' };
  return null;
}

/** The drafts, and the versions of the game, are told by numbers. */
async function elsewhere(text: string): Promise<string | null> {
  if (/^edit$/i.test(text)) {
    store.begin();
    return t('edit.title');
  }
  if (/^new$/i.test(text) && baseId.peek() !== null) {
    store.begin(0);
    return t('games.new');
  }
  const draft = text.match(/^(?:drafts|resume (\d{1,3}))$/i);
  if (!draft) return null;
  const { drafts } = await api.drafts();
  if (draft[1] === undefined) return drafts.map((one, at) => `${at + 1}: ${one.title}, ${one.name}`).join('; ') || t('square.none');
  const chosen = drafts[Number(draft[1]) - 1];
  if (!chosen) return t('square.none');
  await resume(chosen);
  return chosen.title;
}

async function versions(base: string, number: number): Promise<string> {
  const all = (await api.versions(base, number)).versions;
  return all.map(one => `${one.version}: ${one.when}, ${one.wish}`).join('; ') || t('edit.history.none');
}

/** Where a game is saved: its database, as a new game, in another database by its name. */
function saving(text: string): Parameters<typeof desk.save>[0] | string | null {
  const found = text.match(/^save(?: (?:(new)|into (.+?)))?(?: (comment|drop))?$/i);
  if (!found) return null;
  const lossy = found[3] ? { lossy: found[3].toLowerCase() as 'comment' | 'drop' } : {};
  const name = found[2]?.toLowerCase();
  if (name === undefined) return { new: found[1] !== undefined, ...lossy };
  const base = library.bases.peek()?.find(one => one.editable && one.name.toLowerCase().includes(name));
  return base ? { base: base.id, ...lossy } : t('say.nobase', { name });
}

/** What is said of a move that was played: what has become of it, or what may. */
export async function played(): Promise<string> {
  const move = store.asked.peek();
  if (move === null) return store.trouble.peek() ?? lastMove();
  return [t('edit.where', { move: shownSan(move) }), ...desk.WAYS.map((way, at) => `${at + 1}: ${t(`edit.${way}`)}`)].join('; ');
}

/** Does a command; what is said then, or nothing where it is none of these. */
export async function command(text: string): Promise<string | null> {
  // It is meant for the game that is being opened.
  await store.begun();
  const told = await elsewhere(text);
  if (told !== null) return told;
  const now = store.session.value;
  if (!now) return null;
  const way = store.asked.value === null ? -1 : ['1', '2', '3'].indexOf(text);
  if (way >= 0) {
    desk.choose(desk.WAYS[way] ?? null);
    return played();
  }
  if (text === '--') {
    desk.play('--');
    return played();
  }
  if (/^versions$/i.test(text)) return versions(now.base, now.number);
  const version = text.match(/^restore (\d{1,6})$/i)?.[1];
  const wish = wishOf(text);
  const save = saving(text);
  if (typeof save === 'string') return save;
  if (/^save over$/i.test(text)) await desk.saveOver();
  else if (save) await desk.save(save);
  else if (version) await desk.restore(Number(version));
  else if (/^discard$/i.test(text)) await desk.discard();
  else if (/^done$/i.test(text)) store.leave();
  else if (wish) await desk.wish(wish);
  else return null;
  return store.trouble.value ?? store.refused.value?.refusal.message ?? (store.saved.value ? t('edit.saved') : text);
}
