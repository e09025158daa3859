/** What findings and losses are called in the language of the app, by their codes. English comes with them; the other words are fetched
 * when the first of them is shown. */

import { signal } from '@preact/signals';
import { language } from './words';
import type { Language } from './words';

type Words = Record<string, string>;

const files: Record<Exclude<Language, 'en'>, () => Promise<{ default: Words }>> = {
  de: () => import('../messages/findings/de.json', { with: { type: 'json' } }),
  es: () => import('../messages/findings/es.json', { with: { type: 'json' } }),
  fr: () => import('../messages/findings/fr.json', { with: { type: 'json' } }),
  ru: () => import('../messages/findings/ru.json', { with: { type: 'json' } }),
};

const words = signal<{ of: Language; all: Words }>({ of: 'en', all: {} });
let asked: { of: Language; all: Promise<{ default: Words }> } | null = null;

/** Fetches the words of the language, if they are not here. */
export async function fetched(): Promise<void> {
  const now = language.peek();
  if (now === 'en' || words.peek().of === now) return;
  if (asked?.of !== now) asked = { of: now, all: files[now]() };
  try {
    const all = (await asked.all).default;
    if (language.peek() === now && words.peek().of !== now) words.value = { of: now, all };
  } catch {
    // Without them it is told in English, and asked for again with the next finding.
    asked = null;
  }
}

/** The sentence of a code: the English one where there is none in the language. */
export function summary(code: string, english: string): string {
  if (language.value === 'en') return english;
  if (words.value.of === language.value) return words.value.all[code] ?? english;
  void fetched();
  return english;
}
