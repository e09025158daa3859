/** The commands of the text field while a game is annotated. */

import { t } from '../words';
import { drawn } from './drawing';
import * as store from './store';
import type { Wish } from './api';

const SIGNS: Record<string, number> = { '!': 1, '?': 2, '!!': 3, '??': 4, '!?': 5, '?!': 6 };

const WORDS: Record<string, Wish> = {
  undo: { kind: 'undo' },
  redo: { kind: 'redo' },
  promote: { kind: 'promote' },
  demote: { kind: 'demote' },
  mainline: { kind: 'promote-fully' },
  remove: { kind: 'remove' },
  cut: { kind: 'delete-after' },
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
  const result = text.match(/^result (1-0|0-1|1\/2-1\/2|\*)$/i);
  if (result) return { kind: 'result', result: result[1] ?? '*' };
  return null;
}

/** Does a command; what is said then, or nothing where it is none of these. */
export async function command(text: string): Promise<string | null> {
  if (/^edit$/i.test(text)) {
    store.begin();
    return t('edit.title');
  }
  if (!store.session.value) return null;
  const way = store.asked.value === null ? -1 : ['1', '2', '3'].indexOf(text);
  if (way >= 0) {
    store.choose((['variation', 'main-line', 'overwrite'] as const)[way] ?? null);
    return text;
  }
  if (text === '--') {
    store.play('--');
    return text;
  }
  const save = text.match(/^save( new)?(?: (comment|drop))?$/i);
  const wish = wishOf(text);
  if (save) await store.save({ new: save[1] !== undefined, ...(save[2] ? { lossy: save[2] as 'comment' | 'drop' } : {}) });
  else if (/^discard$/i.test(text)) await store.discard();
  else if (/^done$/i.test(text)) store.leave();
  else if (wish) await store.wish(wish);
  else return null;
  return store.trouble.value ?? store.refused.value?.refusal.message ?? (store.saved.value ? t('edit.saved') : text);
}
