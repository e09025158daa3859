/** What the server refuses, in the language of the app: of the code and the values of a refusal a sentence is made. A code without a
 * sentence is told in the server's English. */

import { language } from './words';
import type { Language } from './words';
import type { RefusalAnswer } from './answers';

type Words = Record<string, string>;

const files: Record<Exclude<Language, 'en'>, () => Promise<{ default: Words }>> = {
  de: () => import('../messages/errors/de.json', { with: { type: 'json' } }),
  es: () => import('../messages/errors/es.json', { with: { type: 'json' } }),
  fr: () => import('../messages/errors/fr.json', { with: { type: 'json' } }),
  ru: () => import('../messages/errors/ru.json', { with: { type: 'json' } }),
};

/** A sentence with its `{places}` filled; nothing where a value is not told. */
function filled(text: string | undefined, values: Words): string | null {
  const places = text?.match(/\{\w+\}/g) ?? [];
  if (text === undefined || places.some(place => values[place.slice(1, -1)] === undefined)) return null;
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** Where it happened, as far as the sentence itself does not say it. */
function place(text: string, values: Words, words: Words): string {
  const names = ['file', 'game', 'line', 'column', 'byte', 'ply'].filter(name => !text.includes(`{${name}}`));
  const parts = names.map(name => filled(words[`place.${name}`] ?? `{${name}}`, values)).filter(part => part !== null);
  return parts.length > 0 ? `${parts.join(', ')}: ` : '';
}

/** A refusal as a sentence. */
export async function sentence(told: RefusalAnswer): Promise<string> {
  const now = language.peek();
  if (now === 'en') return told.error;
  const words = await files[now]().then(
    file => file.default,
    () => null,
  );
  const values = told.values ?? {};
  const raw = words?.[told.code];
  const text = filled(raw, values);
  if (!words || raw === undefined || text === null) return told.error;
  const hint = told.hint && filled(words[`hint.${told.hint.code}`], { ...values, ...told.hint.values });
  return `${place(raw, values, words)}${text}${hint ? ` ${hint}` : ''}`;
}
