/** A training: the question stands on the board, whatever moves a piece answers it, and the server judges. */

import { batch, signal } from '@preact/signals';
import { go } from '../address';
import * as api from '../api';
import type { TrainingAnswer, TrainingQuestionAnswer, TrainingVerdictAnswer } from '../answers';
import * as board from '../board/store';
import { spoken } from '../command/field';
import * as engine from '../engine/store';
import { hovered } from '../explorer/store';
import { playUci } from '../game/position';
import type { Played } from '../game/position';
import { START } from '../game/tree';
import { shownSan } from '../words';
import { choiceOf } from './choices';
import { inWords, isHere } from './store';
import { r } from './words';

/** Where a training stands: nothing is asked yet, a move is wanted, the server judges, the right move is shown, a line has ended, all is done. */
export type Stage = 'none' | 'asked' | 'busy' | 'wrong' | 'ends' | 'over';

export type Rating = 'hard' | 'good' | 'easy';

export const now = signal<TrainingAnswer | null>(null);
/** What was asked last. */
export const question = signal<TrainingQuestionAnswer | null>(null);
export const verdict = signal<TrainingVerdictAnswer | null>(null);
export const stage = signal<Stage>('none');
/** What a right answer is worth. */
export const rating = signal<Rating>('good');
export const trouble = signal<string | null>(null);

/** Milliseconds between my move and the reply: both can be seen. */
const REPLY = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 350;

/** Counts up with each training, so that what belongs to an earlier one does nothing. */
let run = 0;
/** The position of the question, as it stands on the board. */
let asked = '';
let settled: Promise<void> = Promise.resolve();

/** When the answer under way was judged, and the next question stands on the board. */
export const whenSettled = (): Promise<void> => settled;

/** The position of a line, and its moves as they are played on the board. */
function played(start: string, moves: string[]): Played[] {
  const line: Played[] = [];
  for (const uci of moves) {
    const next = playUci(line[line.length - 1]?.fen ?? start, uci);
    if (!next) break;
    line.push(next);
  }
  return line;
}

/** Puts a line on the board. */
function put(start: string, moves: string[]): void {
  const line = played(start, moves);
  batch(() => {
    go({ fen: start === START ? '' : start }, true);
    board.scratch.value = line.length > 0 ? { at: '', moves: line, shown: line.length } : null;
    hovered.value = null;
  });
}

/** The line of a question in words. */
export const lineOf = (of: TrainingQuestionAnswer): string => inWords(of.start, played(of.start, of.moves), shownSan);

function ask(next: TrainingAnswer): void {
  now.value = next;
  rating.value = 'good';
  question.value = next.question;
  if (!next.question) {
    stage.value = 'over';
    spoken.value = r(next.all === 0 ? 'train.nothing' : 'train.over');
    return;
  }
  put(next.question.start, next.question.moves);
  asked = board.fen.peek();
  stage.value = 'asked';
  spoken.value = [lineOf(next.question), r('train.asked')].filter(Boolean).join('; ');
}

/** Begins a training of a repertoire. */
export async function begin(base: string, more: { ahead?: boolean; fen?: string } = {}): Promise<void> {
  const own = ++run;
  trouble.value = verdict.value = now.value = question.value = null;
  stage.value = 'none';
  engine.open.value = false;
  board.annotator.value = { play: san => void answer(san), draw: () => undefined };
  try {
    const { color, reference } = choiceOf(base);
    const begun = await api.post<TrainingAnswer>(`bases/${encodeURIComponent(base)}/trainings`, { color: color || undefined, reference: reference || undefined, ...more });
    if (own !== run) return;
    board.flipped.value = begun.color === 'black';
    ask(begun);
  } catch (error) {
    if (own === run) trouble.value = error instanceof Error ? error.message : String(error);
  }
}

/** Ends it: the board is free again. */
export function end(): void {
  run++;
  stage.value = 'none';
  board.annotator.value = null;
  hovered.value = null;
  if (isHere.peek()) board.dropScratch();
  // What was gone to meanwhile was not read.
  board.again();
}

/** Takes a move for the question, or none from who does not know it. */
export function answer(move: string | null): Promise<void> {
  settled = judge(move);
  return settled;
}

async function judge(move: string | null): Promise<void> {
  const [training, open, own] = [now.peek(), question.peek(), run];
  if (!training || !open) return;
  if (board.fen.peek() !== asked) {
    // Who has looked back at the line comes back to the question.
    put(open.start, open.moves);
    return;
  }
  if (stage.peek() === 'wrong') {
    // The right move goes on, as the button does.
    if (verdict.peek()?.moves.some(one => one.san === move)) await proceed();
    else showRight();
    return;
  }
  if (stage.peek() !== 'asked') return;
  stage.value = 'busy';
  trouble.value = null;
  try {
    const told = await api.post<TrainingVerdictAnswer>(`trainings/${training.id}/answer`, { number: open.number, move, rating: rating.peek() });
    if (own !== run) return;
    verdict.value = told;
    now.value = told.next;
    if (told.right) await goOn(own);
    else {
      stage.value = 'wrong';
      spoken.value = said(told);
      showRight();
    }
  } catch (error) {
    if (own !== run) return;
    stage.value = 'asked';
    trouble.value = error instanceof Error ? error.message : String(error);
    put(open.start, open.moves);
    // Another tab has answered, or the server was started anew.
    if (error instanceof api.Refused && error.status === 409) ask(await api.ask<TrainingAnswer>(`trainings/${training.id}`));
  }
}

/** Shows the right move on the board, which also takes a wrong one back. */
function showRight(): void {
  const right = verdict.peek()?.moves[0]?.uci ?? null;
  hovered.value = null;
  hovered.value = right;
}

/** What is said of an answer. */
export function said(told: TrainingVerdictAnswer): string {
  const moves = told.moves.map(one => shownSan(one.san)).join(', ');
  return told.right ? r('train.right') : r('train.wrong', { moves });
}

/** Plays the move and the reply, and asks what comes next. */
async function goOn(own: number): Promise<void> {
  const [told, open] = [verdict.peek(), question.peek()];
  if (!told || !open) return;
  stage.value = 'busy';
  const moves = told.played ? [...open.moves, told.played.uci] : open.moves;
  put(open.start, moves);
  const words = told.right ? [said(told)] : [];
  if (told.reply) {
    await new Promise(done => setTimeout(done, REPLY));
    if (own !== run) return;
    put(open.start, [...moves, told.reply.uci]);
    words.push(shownSan(told.reply.san));
  }
  if (!told.line_ends) {
    ask(told.next);
    spoken.value = [...words, r('train.asked')].join('; ');
    return;
  }
  stage.value = told.next.question ? 'ends' : 'over';
  spoken.value = [...words, r(told.next.question ? 'train.ends' : 'train.over')].join('; ');
}

/** Goes on after a wrong answer, and after the end of a line. */
export function proceed(): Promise<void> {
  const next = now.peek();
  if (stage.peek() === 'wrong') settled = goOn(run);
  else if (stage.peek() === 'ends' && next) ask(next);
  return settled;
}

/** Leaves the line. */
export async function skip(): Promise<void> {
  const [training, open, own] = [now.peek(), question.peek(), run];
  if (!training || !open || stage.peek() !== 'asked') return;
  try {
    const next = await api.post<TrainingAnswer>(`trainings/${training.id}/skip`, { number: open.number });
    if (own === run) {
      verdict.value = null;
      ask(next);
    }
  } catch (error) {
    if (own === run) trouble.value = error instanceof Error ? error.message : String(error);
  }
}
