/** The words of the pages about repertoires, which are fetched with them: the first page does not need them. */

import { effect, signal } from '@preact/signals';
import type en from '../../messages/repertoire/en.json';
import { filled, language } from '../words';
import type { Language } from '../words';

type Messages = typeof en;
export type Word = keyof Messages;

const files: Record<Language, () => Promise<{ default: Messages }>> = {
  de: () => import('../../messages/repertoire/de.json', { with: { type: 'json' } }),
  en: () => import('../../messages/repertoire/en.json', { with: { type: 'json' } }),
  es: () => import('../../messages/repertoire/es.json', { with: { type: 'json' } }),
  fr: () => import('../../messages/repertoire/fr.json', { with: { type: 'json' } }),
  ru: () => import('../../messages/repertoire/ru.json', { with: { type: 'json' } }),
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
export const r = (word: Word, values: Record<string, string | number> = {}): string => filled(table.value[word], values);
