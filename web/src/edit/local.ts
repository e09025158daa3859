/**
 * The game that is annotated, held by the page: a wish changes it at once, goes into an outbox, and the server confirms it. Every wish
 * names its move by an id that stays with it. What the server says of a wish is compared with what was done here: mostly it is the same
 * and nothing happens; else the game is what the server says, and the wishes that it has not answered are made again on that.
 *
 * Nothing here knows the page, the network or a clock.
 */

import type { Wish } from '../annotate/api';
import type { Item } from '../game/tree';
import { grant } from './editor';
import type { Resolved, State, Tag } from './editor';
import { START, areSame, assembled, named, opOf, opsOf, standAt } from './tape';
import type { Op, Ops, Pieces } from './tape';
import type { DraftDifferenceAnswer } from '../answers';

/** The whole game, as the server tells it. */
export interface Whole {
  tags?: (readonly [string, string, ...unknown[]])[];
  result?: string;
  moves?: Item[];
}

/** What wishes have changed in a game, as the server tells it: runs of the former operations, and items that were not there. */
export type Difference = DraftDifferenceAnswer;

/** A wish as it is sent. */
export interface Sent {
  tab: string;
  seq: number;
  /** The move by its number in reading order, with its squares and the number of all moves: what the server has to find there. */
  at: number;
  move: string;
  moves: number;
  wish: Wish;
}

interface Entry {
  tab: string;
  seq: number;
  /** The id of the move. */
  at: number;
  wish: Wish;
  /** The moves of the wish, legal where it was made. */
  resolved: Resolved[];
  /** The ids of the moves that it makes. */
  ids: number[];
  before: State;
  after: State;
  isKnown: boolean;
  /** Whether it was ever sent: the server may have heard it, and it stays as it is. */
  isSent: boolean;
  /** Where the reader is led by it. */
  to: number;
}

/** What an answer of the server has done to the game that is shown. */
export interface Answered {
  /** Whether another game is to be shown than before. */
  isOther: boolean;
  /** Where the reader goes, if where the wish was made is where the reader still is. */
  lead: { from: number; to: number } | null;
  /** Wishes that were made for moves that are no more. */
  lost: Wish[];
}

export const stateOf = (whole: Whole): State => ({
  ops: opsOf(whole.moves ?? []),
  tags: (whole.tags ?? []).map(([name, value]): Tag => [name, value]),
  result: whole.result ?? '*',
  done: null,
  undone: null,
});

/** The number of a move in reading order, its squares, and how many moves there are. */
export function orderOf(ops: Ops, id: number): { at: number; move: string; moves: number } | null {
  let [at, moves, move] = [id === START ? 0 : -1, 0, ''];
  for (const op of ops) {
    if (op.kind !== 'move') continue;
    moves++;
    if (op.id === id) [at, move] = [moves, op.uci];
  }
  return at < 0 ? null : { at, move, moves };
}

/** The id of a move by its number in reading order. */
export function idOf(ops: Ops, order: number): number {
  let at = 0;
  for (const op of ops) if (op.kind === 'move' && ++at === order) return op.id;
  return START;
}

/** Wishes of one request, and characters of them. */
const MOST = 64;
const LARGEST = 200_000;

const hasSteps = (a: State, b: State): boolean => a.done !== b.done || a.undone !== b.undone;

export class Local {
  private confirmed: State;
  private entries: Entry[] = [];
  /** How many of them are on their way. */
  private under = 0;
  private seq = 0;
  /** How often the server's game was another one than was shown here. */
  corrections = 0;

  constructor(
    whole: Whole,
    public version: number,
    readonly tab: string,
  ) {
    this.confirmed = stateOf(whole);
  }

  /** The game as it is shown. */
  get now(): State {
    return this.entries[this.entries.length - 1]?.after ?? this.confirmed;
  }

  get isSettled(): boolean {
    return this.entries.length === 0;
  }

  /** Wishes without an answer, as this browser keeps them. */
  get unheard(): Sent[] {
    return this.entries.map(entry => this.sent(entry));
  }

  /** Nothing is sent any more. */
  forget(): void {
    this.entries = [];
    this.under = 0;
  }

  /** Makes a wish behind a move; says where the reader goes. */
  wish(at: number, wish: Wish, resolved: Resolved[] = []): number {
    const last = this.entries[this.entries.length - 1];
    const grows = wish.kind === 'comment' && wish.again === true && last !== undefined && !last.isSent;
    if (grows && last.wish.kind === 'comment' && last.isKnown && last.at === at && last.wish.side === wish.side) {
      // What is not sent yet is replaced; whether it goes on with what was sent before stays.
      this.entries.pop();
      const { again } = last.wish;
      const to = this.add({ ...last, wish: again ? wish : { ...wish, again: false } }, this.now);
      const { done } = last.before;
      if (this.now.done !== (again ? (done?.tail ?? null) : done)) return to;
      // Letters that were taken back are a step all the same, which is undone: what was undone before them is gone.
      this.entries.pop();
      this.entries.push(last);
    }
    return this.add({ tab: this.tab, seq: ++this.seq, at, wish, resolved, ids: [], isSent: false }, this.now);
  }

  private add(entry: Pick<Entry, 'tab' | 'seq' | 'at' | 'wish' | 'resolved' | 'ids' | 'isSent'>, before: State): number {
    const { state, at, isKnown } = grant(before, entry.at, entry.wish, entry.resolved, entry.ids);
    this.entries.push({ ...entry, before, after: state, isKnown, to: at });
    return at;
  }

  private sent({ tab, seq, at, wish, before }: Entry): Sent {
    const place = orderOf(before.ops, at) ?? { at: 0, move: '', moves: -1 };
    return { tab, seq, ...place, wish };
  }

  /** What goes to the server now: all that waits, as far as one request takes it; nothing while an answer is awaited. */
  batch(): Sent[] {
    if (this.under > 0) return [];
    let count = 0;
    let size = 0;
    // What follows a wish that this page does not know waits for what comes of it.
    while (count < Math.min(MOST, this.entries.length) && (count === 0 || this.entries[count - 1]?.isKnown)) {
      size += JSON.stringify(this.entries[count]?.wish).length;
      if (count > 0 && size > LARGEST) break;
      count++;
    }
    this.under = count;
    const sent = this.entries.slice(0, count);
    for (const entry of sent) entry.isSent = true;
    return sent.map(entry => this.sent(entry));
  }

  /** The wishes on their way did not arrive, as far as is known. */
  failed(): void {
    this.under = 0;
  }

  /** The server has granted some of the wishes that were sent. */
  granted(count: number, version: number, at: number, told: { difference?: Difference | undefined; whole?: Whole | undefined }): Answered {
    this.under = 0;
    const done = this.entries.slice(0, count);
    const expected = done[done.length - 1]?.after ?? this.confirmed;
    const steps = version - this.version;
    this.version = version;
    const theirs = told.whole ? stateOf(told.whole) : changed(this.confirmed, told.difference ?? {});
    if (isSameState(theirs, expected)) {
      // The ids and the steps are those of this page; a step that the server counts otherwise is not undone by what is known here.
      const isCounted = done.every(one => one.isKnown) && done.filter(one => hasSteps(one.before, one.after)).length === steps;
      this.confirmed = isCounted || steps === 0 ? expected : { ...expected, done: null, undone: null };
      this.entries.splice(0, count);
      return { isOther: false, lead: null, lost: this.confirmed === expected ? [] : this.again(this.entries) };
    }
    const last = done[done.length - 1];
    return this.replaced({ ...theirs, ops: named(theirs.ops, expected.ops) }, count, last && !last.isKnown ? { from: last.at, at } : null);
  }

  /** The first of the wishes that were sent was refused. */
  refused(): Answered & { wish: Wish | undefined } {
    this.under = 0;
    const [entry] = this.entries.splice(0, 1);
    const before = this.now;
    const lost = this.again(this.entries);
    const isOther = entry?.after !== entry?.before && !isSameState(before, this.now);
    return { isOther: isOther || (entry?.isKnown ?? false), lead: entry ? { from: entry.to, to: entry.at } : null, lost, wish: entry?.wish };
  }

  /** The game as the server has it, with the wishes of each tab that it has heard. */
  synced(whole: Whole, version: number, heard: Record<string, number> = {}): Answered {
    this.under = 0;
    this.version = version;
    let count = 0;
    for (const { tab, seq } of this.entries) {
      if (seq > (heard[tab] ?? 0)) break;
      count++;
    }
    const theirs = stateOf(whole);
    const expected = this.entries[count - 1]?.after ?? this.confirmed;
    const isSame = isSameState(theirs, expected);
    return this.replaced(isSame ? expected : { ...theirs, ops: named(theirs.ops, this.now.ops) }, count, null);
  }

  private replaced(theirs: State, count: number, led: { from: number; at: number } | null): Answered {
    const before = this.now;
    this.confirmed = theirs;
    const lost = this.again(this.entries.slice(count));
    const isOther = !isSameState(before, this.now) || before.ops.some((op, at) => op.kind === 'move' && op.id !== (this.now.ops[at] as { id?: number }).id);
    if (isOther) this.corrections++;
    return { isOther, lead: led && { from: led.from, to: idOf(theirs.ops, led.at) }, lost };
  }

  /** Makes wishes again on what is confirmed; answers with those whose moves are no more. */
  private again(entries: Entry[]): Wish[] {
    const lost: Wish[] = [];
    this.entries = [];
    for (const entry of entries) {
      if (this.now === entry.before) this.entries.push(entry);
      else if (standAt(this.now.ops, entry.at)) this.add(entry, this.now);
      else lost.push(entry.wish);
    }
    return lost;
  }
}

const areTags = (a: readonly Tag[], b: readonly Tag[]): boolean => a.length === b.length && a.every(([name, value], at) => b[at]?.[0] === name && b[at]?.[1] === value);

const isSameState = (a: State, b: State): boolean => a === b || (a.result === b.result && areTags(a.tags, b.tags) && areSame(a.ops, b.ops));

function changed(state: State, difference: Difference): State {
  const pieces: Pieces | undefined = difference.tape?.map(piece =>
    typeof piece[0] === 'number' ? (piece as [number, number]) : (piece as (Item | '(' | ')')[]).flatMap(itemOf),
  );
  return {
    ops: pieces ? assembled(state.ops, pieces) : state.ops,
    tags: difference.tags ?? state.tags,
    result: difference.result ?? state.result,
    done: null,
    undone: null,
  };
}

const itemOf = (item: Item | '(' | ')'): Op[] => (item === '(' ? [{ kind: 'begin' }] : item === ')' ? [{ kind: 'end' }] : [opOf(item)]);
