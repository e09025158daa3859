/** Commands in comments: `[%cal Ge2e4]`, `[%clk 0:05:00]` and their like, told apart from the words around them as the server does. */

import type { Mark } from '../game/tree';

/** A run of a comment: words, or one command. */
interface Part {
  text: string;
  /** The name of a command; null for words. */
  name: string | null;
  args: string;
}

const SPACE = /\p{White_Space}/u;
const HEAD = /^\p{White_Space}+/u;
const TAIL = /\p{White_Space}+$/u;
const trim = (text: string): string => text.replace(HEAD, '').replace(TAIL, '');

/** The command at a place of a comment, from `[%` to `]`; null where none begins there. */
function scan(comment: string, at: number): Part | null {
  const name = /^\[%(\w+)/.exec(comment.slice(at, at + 80))?.[1];
  if (name === undefined) return null;
  const from = at + 2 + name.length;
  let isQuoted = false;
  let end = -1;
  for (let i = from; i < comment.length; i++) {
    const sign = comment[i];
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === ']') {
      if (!isQuoted) {
        end = i;
        break;
      }
      if (end < 0) end = i;
    } else if (sign === '[' && !isQuoted && comment[i + 1] === '%') break;
  }
  if (end < 0) return null;
  const args = comment.slice(from, end);
  if (args !== '' && !SPACE.test(args[0] ?? '')) return null;
  return { text: comment.slice(at, end + 1), name, args: trim(args) };
}

function parts(comment: string): Part[] {
  if (!comment.includes('[%')) return comment === '' ? [] : [{ text: comment, name: null, args: '' }];
  const all: Part[] = [];
  let from = 0;
  let at = comment.indexOf('[%');
  while (at >= 0) {
    const found = scan(comment, at);
    if (!found) {
      at = comment.indexOf('[%', at + 2);
      continue;
    }
    if (at > from) all.push({ text: comment.slice(from, at), name: null, args: '' });
    all.push(found);
    from = at + found.text.length;
    at = comment.indexOf('[%', from);
  }
  if (from < comment.length) all.push({ text: comment.slice(from), name: null, args: '' });
  return all;
}

/** The words of a comment. */
export function plainText(comment: string): string {
  let plain = '';
  for (const { text, name } of parts(comment)) {
    if (name !== null) continue;
    plain += plain === '' || SPACE.test(plain[plain.length - 1] ?? '') ? text.replace(HEAD, '') : text;
  }
  return plain.replace(TAIL, '');
}

/** A comment as a game's JSON tells it: as it stands where it holds no command. */
export const shownText = (comment: string): string => (parts(comment).some(part => part.name !== null) ? plainText(comment) : comment);

/** A comment with other words and the same commands, which come first. */
export function withText(comment: string, text: string): string {
  const commands = parts(comment).filter(part => part.name !== null);
  const out = commands.map(part => part.text).join(' ');
  return out !== '' && text !== '' ? `${out} ${text}` : out + text;
}

const COLOURS: [string, string][] = [
  ['G', 'green'],
  ['R', 'red'],
  ['Y', 'yellow'],
  ['B', 'blue'],
  ['O', 'orange'],
  ['P', 'purple'],
  ['M', 'pink'],
  ['C', 'cyan'],
  ['W', 'white'],
  ['K', 'black'],
  ['A', 'gray'],
];

const colourOf = (letter: string): string | undefined => COLOURS.find(([known]) => known === letter.toUpperCase())?.[1];
const letterOf = (colour: string): string => COLOURS.find(([, known]) => known === colour)?.[0] ?? 'R';

/** The marks of a command; null where it is none of `csl` and `cal`, or says something else too. */
function marksOf(part: Part): Mark[] | null {
  const form = part.name === 'csl' ? /^(\p{L})([a-h][1-8])$/u : part.name === 'cal' ? /^(\p{L})([a-h][1-8])([a-h][1-8])$/u : null;
  if (!form) return null;
  const marks: Mark[] = [];
  for (const entry of part.args.split(',')) {
    const [, letter = '', from = '', to] = form.exec(trim(entry)) ?? [];
    const colour = colourOf(letter);
    if (colour === undefined) return null;
    marks.push(to === undefined ? { square: from, colour } : { from, to, colour });
  }
  return marks;
}

/** The marks of a comment. Those that Scid writes are known to the server alone. */
export const marksIn = (comment: string): Mark[] => parts(comment).flatMap(part => marksOf(part) ?? []);

/** Whether a comment holds marks in a form that is left to the server. */
export const hasOtherMarks = (comment: string): boolean => parts(comment).some(part => ['draw', 'mark', 'arrow'].includes(part.name ?? ''));

/** The commands that say marks. */
export function markCommands(marks: Mark[]): string {
  const squares = marks.filter(mark => mark.square !== undefined).map(mark => `${letterOf(mark.colour)}${mark.square}`);
  const arrows = marks.filter(mark => mark.square === undefined).map(mark => `${letterOf(mark.colour)}${mark.from}${mark.to}`);
  return [squares.length > 0 && `[%csl ${squares.join(',')}]`, arrows.length > 0 && `[%cal ${arrows.join(',')}]`].filter(Boolean).join(' ');
}

/** What is left without marks; where one went, no more than one space stays. */
function withoutMarks(comment: string): string {
  let out = '';
  let isGap = false;
  for (const part of parts(comment)) {
    if (marksOf(part)) {
      isGap = true;
      continue;
    }
    let { text } = part;
    if (isGap) {
      isGap = false;
      if (out === '' || SPACE.test(out[out.length - 1] ?? '')) text = text.replace(HEAD, '');
      else if (!SPACE.test(text[0] ?? '')) out += ' ';
    }
    out += text;
  }
  return isGap ? out.replace(TAIL, '') : out;
}

/** Whether a comment holds marks. */
export const hasMarks = (comment: string): boolean => parts(comment).some(part => marksOf(part) !== null);

/** A comment with other marks: where the first of them stood, else at the front. */
export function withMarks(comment: string, marks: Mark[]): string {
  const said = markCommands(marks);
  if (said === '') return withoutMarks(comment);
  let before = 0;
  for (const part of parts(comment)) {
    if (marksOf(part)) return comment.slice(0, before) + said + withoutMarks(comment.slice(before + part.text.length));
    before += part.text.length;
  }
  return comment === '' ? said : `${said} ${comment}`;
}

export interface Evaluation {
  cp?: number;
  mate?: number;
}

/** The first clock and the first evaluation that comments tell. */
export function clockAndEvaluation(comments: string[]): { clock: number | null; evaluation: Evaluation | null } {
  let clock: number | null = null;
  let evaluation: Evaluation | null = null;
  for (const comment of comments) {
    if (!comment.includes('[%')) continue;
    for (const { name, args } of parts(comment)) {
      if (name === 'clk') clock ??= secondsOf(args);
      else if (name === 'eval') evaluation ??= evaluationOf(args);
    }
  }
  return { clock, evaluation };
}

function secondsOf(args: string): number | null {
  const found = /^(-?)(\d{1,9}(?::\d{1,9}){0,2})(?:\.(\d{1,9}))?$/.exec(args);
  if (!found) return null;
  const whole = (found[2] ?? '').split(':').reduce((sum, one) => sum * 60 + Number(one), 0);
  const seconds = whole + Number(`0.${found[3] ?? 0}`);
  return found[1] ? -seconds : seconds;
}

function evaluationOf(args: string): Evaluation | null {
  const [score = '', depth] = args.split(',').map(trim);
  if (depth !== undefined && !/^\d+$/.test(depth)) return null;
  const mate = /^#([+-]?\d+)$/.exec(score)?.[1];
  if (mate !== undefined) return { mate: Number(mate) };
  const found = /^([+-]?)(\d+)(?:\.(\d{1,2}))?$/.exec(score);
  if (!found) return null;
  const cp = Number(found[2]) * 100 + Number((found[3] ?? '0').padEnd(2, '0'));
  return { cp: found[1] === '-' ? -cp : cp };
}
