/** The words of the page about one's own games, which are fetched with it. */

import { effect, signal } from '@preact/signals';
import type en from '../../messages/mine/en.json';
import { filled, language } from '../words';
import type { Language } from '../words';

type Messages = typeof en;
export type Word = keyof Messages;

const files: Record<Language, () => Promise<{ default: Messages }>> = {
  de: () => import('../../messages/mine/de.json', { with: { type: 'json' } }),
  en: () => import('../../messages/mine/en.json', { with: { type: 'json' } }),
  es: () => import('../../messages/mine/es.json', { with: { type: 'json' } }),
  fr: () => import('../../messages/mine/fr.json', { with: { type: 'json' } }),
  ru: () => import('../../messages/mine/ru.json', { with: { type: 'json' } }),
};

const table = signal((await files[language.peek()]()).default);

effect(() => {
  const now = language.value;
  void files[now]().then(
    file => {
      if (language.peek() === now) table.value = file.default;
    },
    () => undefined,
  );
});

/** A message with its `{places}` filled. */
export const m = (word: Word, values: Record<string, string | number> = {}): string => filled(table.value[word], values);

/** What a row of a table is called that has a name in each language; others, such as opening codes, are as they are. */
export function valueName(value: string): string {
  const word = `value.${value}`;
  return word in table.value ? m(word as Word) : value;
}
