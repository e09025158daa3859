/** A short knock for each move, lower where a piece is taken. It is made here: no file is fetched for it. */

import { effect } from '@preact/signals';
import { sound } from '../settings/store';
import * as board from './store';

const LONG = 0.07;

let context: AudioContext | null = null;

function knock(height: number): void {
  context ??= new AudioContext();
  const now = context.currentTime;
  const tone = context.createOscillator();
  const loudness = context.createGain();
  tone.frequency.setValueAtTime(height, now);
  tone.frequency.exponentialRampToValueAtTime(height / 4, now + LONG);
  loudness.gain.setValueAtTime(0.4, now);
  loudness.gain.exponentialRampToValueAtTime(0.001, now + LONG);
  tone.connect(loudness).connect(context.destination);
  tone.start(now);
  tone.stop(now + LONG);
}

const pieces = (fen: string): number => (fen.split(' ')[0] ?? '').replace(/[^a-z]/gi, '').length;

let listens = false;

/** Knocks whenever another position comes to the board by a move. */
export function listen(): void {
  if (listens) return;
  listens = true;
  let before = board.fen.peek();
  effect(() => {
    const [fen, move] = [board.fen.value, board.lastMove.value];
    if (fen === before) return;
    const isTaken = pieces(fen) < pieces(before);
    before = fen;
    if (sound.peek() && move !== '') knock(isTaken ? 220 : 360);
  });
}
