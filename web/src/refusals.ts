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

/** A refusal as a sentence. */
export async function sentence(told: RefusalAnswer): Promise<string> {
  const now = language.peek();
  if (now === 'en') return told.error;
  const words = await files[now]().then(
    file => file.default,
    () => null,
  );
  const values = told.values ?? {};
  const text = words && filled(words[told.code], values);
  if (!words || text === null) return told.error;
  const hint = told.hint && filled(words[`hint.${told.hint.code}`], { ...values, ...told.hint.values });
  const file = values['file'] !== undefined && !words[told.code]?.includes('{file}') ? `${values['file']}: ` : '';
  return `${file}${text}${hint ? ` ${hint}` : ''}`;
}
