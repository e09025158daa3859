/** The words of the app, by language. No text stands in the code. */

import { batch, computed, signal } from '@preact/signals';
import type en from '../messages/en.json';

type Messages = typeof en;
export type Key = keyof Messages;
export type Language = 'de' | 'en' | 'es' | 'fr' | 'ru';

/** Only the language that is spoken is fetched. */
const messages: Record<Language, () => Promise<{ default: Messages }>> = {
  de: () => import('../messages/de.json', { with: { type: 'json' } }),
  en: () => import('../messages/en.json', { with: { type: 'json' } }),
  es: () => import('../messages/es.json', { with: { type: 'json' } }),
  fr: () => import('../messages/fr.json', { with: { type: 'json' } }),
  ru: () => import('../messages/ru.json', { with: { type: 'json' } }),
};

/** Every language with the name that it gives itself. */
export const languages: [Language, string][] = [
  ['de', 'Deutsch'],
  ['en', 'English'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['ru', 'Русский'],
];

/** King, queen, rook, bishop, knight, as players of a language write them. */
const letters: Record<Language, string> = {
  de: 'KDTLS',
  en: 'KQRBN',
  es: 'RDTAC',
  fr: 'RDTFC',
  ru: 'КФЛСК',
};

const remembered = (): Language => {
  const wanted = [localStorage.getItem('language') ?? '', ...navigator.languages];
  for (const one of wanted) {
    const language = one.slice(0, 2) as Language;
    if (language in messages) return language;
  }
  return 'en';
};

export const language = signal<Language>(remembered());
const table = signal((await messages[language.value]()).default);
/** How pieces are written: letters of the language, or figurines. */
export const figurines = signal(localStorage.getItem('figurines') === 'true');

/** The language that was chosen last: words of another that arrive later are not wanted any more. */
let chosen: Language | null = null;

export async function setLanguage(to: Language): Promise<void> {
  chosen = to;
  const words = (await messages[to]()).default;
  if (chosen !== to) return;
  batch(() => {
    table.value = words;
    language.value = to;
  });
  localStorage.setItem('language', to);
}

export function setFigurines(to: boolean): void {
  figurines.value = to;
  localStorage.setItem('figurines', String(to));
}

const plurals = computed(() => new Intl.PluralRules(language.value));
const numbers = computed(() => new Intl.NumberFormat(language.value));

/** A number as the language writes it. */
export const number = (value: number): string => numbers.value.format(value);

/** A message of the app. */
export const t = (key: Key, values: Record<string, string | number> = {}): string => filled(table.value[key], values);

/** A message with its `{places}` filled. Where it has forms for numbers, parted by `|`, `n` chooses one. */
export function filled(message: string, values: Record<string, string | number>): string {
  let text = message;
  if (text.includes('|')) {
    const forms = text.split('|');
    const rule = plurals.value.select(Number(values['n'] ?? 0));
    const order = forms.length === 2 ? ['one', 'other'] : ['one', 'few', 'many'];
    const at = order.indexOf(rule);
    text = forms[at < 0 ? forms.length - 1 : at] ?? text;
  }
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? number(value) : (value ?? '');
  });
}

const FIGURES: Record<string, string> = { K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘' };

/** A move in the piece letters that the user has chosen. */
export function shownSan(san: string): string {
  if (figurines.value) return san.replace(/[KQRBN]/g, piece => FIGURES[piece] ?? piece);
  if (language.value === 'en') return san;
  const theirs = letters[language.value];
  // Castling has no letters of pieces but its own.
  if (san.startsWith('O')) return san;
  return san.replace(/[KQRBN]/g, piece => theirs['KQRBN'.indexOf(piece)] ?? piece);
}
