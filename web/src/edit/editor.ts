/**
 * What a wish does to a game, as the server's editor does it (`crates/model/src/editor`). The page shows that at once; the server says
 * afterwards whether it is so. Where this does not know, it leaves the game as it is and waits for the server.
 */

import type { Mark } from '../game/tree';
import type { Wish } from '../annotate/api';
import { hasMarks, hasOtherMarks, marksIn, withMarks, withText } from './comments';
import { BEGIN, END, START, appendSlot, around, assembled, back, branches, fresh, idAt, isMove, keep, lineEnd, nextMove, put, regionEnd, standAt } from './tape';
import type { Around, MoveOp, Op, Ops, Pieces, Stand } from './tape';

export type Tag = readonly [string, string];

/** What one step puts in the place of what was there. */
interface Patch {
  pieces?: Pieces;
  tags?: readonly Tag[];
  result?: string;
}

interface Change {
  wish: string;
  does: Patch[];
  undoes: Patch[];
  /** Where the cursor stood before and afterwards. */
  before: number;
  after: number;
}

/** Changes, the last one first: a list that shares its tail with what it was made of. */
interface List {
  readonly head: Change;
  readonly tail: List | null;
}

/** A game, and the steps that lead back and forth as far as this page has made them. */
export interface State {
  readonly ops: Ops;
  readonly tags: readonly Tag[];
  readonly result: string;
  readonly done: List | null;
  readonly undone: List | null;
}

/** A move that is legal where it is wished. */
export interface Resolved {
  uci: string;
  san: string;
}

/** What only the server can do, or refuse. */
class Unknown extends Error {}

const unknown = (): never => {
  throw new Unknown();
};

const ROSTER = ['Event', 'Site', 'Date', 'Round', 'White', 'Black', 'Result'];
const RESULTS = ['*', '1-0', '0-1', '1/2-1/2'];

const groupOf = (nag: number): number => (nag >= 1 && nag <= 9 ? 1 : nag >= 10 && nag <= 21 ? 2 : 0);

class Editor {
  ops: Ops;
  tags: readonly Tag[];
  result: string;
  done: List | null;
  undone: List | null;
  /** The move behind which it stands. */
  at: number;
  /** Ids for moves that are new, in their order. */
  private readonly ids: number[];
  private next = 0;

  constructor(state: State, at: number, ids: number[]) {
    ({ ops: this.ops, tags: this.tags, result: this.result, done: this.done, undone: this.undone } = state);
    this.at = at;
    this.ids = ids;
  }

  private stand(): Stand {
    return standAt(this.ops, this.at) ?? unknown();
  }

  private made({ uci, san }: Resolved): MoveOp {
    const id = (this.ids[this.next] ??= fresh());
    this.next++;
    return { kind: 'move', id, uci, san };
  }

  private apply(patch: Patch): Patch {
    const undo: Patch = {};
    if (patch.pieces) {
      undo.pieces = back(this.ops, patch.pieces);
      this.ops = assembled(this.ops, patch.pieces);
    }
    if (patch.tags) {
      undo.tags = this.tags;
      this.tags = patch.tags;
    }
    if (patch.result !== undefined) {
      undo.result = this.result;
      this.result = patch.result;
    }
    return undo;
  }

  private commit(wish: string, patch: Patch, after = this.at): void {
    const undo = this.apply(patch);
    this.undone = null;
    this.done = { head: { wish, does: [patch], undoes: [undo], before: this.at, after }, tail: this.done };
    this.at = after;
  }

  private together(wish: string, work: () => void): void {
    const [first, undone, before] = [this.done, this.undone, this.at];
    work();
    const steps: Change[] = [];
    for (let list = this.done; list && list !== first; list = list.tail) steps.push(list.head);
    if (steps.length === 0) {
      this.undone = undone;
      return;
    }
    const undoes = steps.flatMap(step => step.undoes);
    const does = steps.reverse().flatMap(step => step.does);
    this.done = { head: { wish, does, undoes, before, after: this.at }, tail: first };
  }

  undo(): void {
    const list = this.done ?? unknown();
    for (const patch of list.head.undoes) this.apply(patch);
    this.at = list.head.before;
    this.undone = { head: list.head, tail: this.undone };
    this.done = list.tail;
  }

  redo(): void {
    const list = this.undone ?? unknown();
    for (const patch of list.head.does) this.apply(patch);
    this.at = list.head.after;
    this.done = { head: list.head, tail: this.done };
    this.undone = list.tail;
  }

  play(move: Resolved, how: 'variation' | 'main-line' | 'overwrite'): void {
    const { place } = this.stand();
    const all = branches(this.ops, place);
    const known = all.findIndex(branch => branch.move?.uci === move.uci);
    if (known >= 0) {
      const id = all[known]?.move?.id ?? START;
      if (known === 0 || how === 'variation') {
        this.at = id;
        return;
      }
      const from = this.at;
      this.at = from;
      this.together('play', () => {
        this.at = id;
        this.promoteToMain();
        if (how === 'main-line') return;
        const second = branches(this.ops, standAt(this.ops, from)?.place ?? 0)[1]?.move;
        this.at = (second ?? unknown()).id;
        this.remove();
        this.at = id;
      });
      return;
    }
    const pieces: Pieces = [];
    const made = this.made(move);
    if (all.length === 0) {
      const slot = appendSlot(this.ops, place);
      keep(pieces, 0, slot);
      put(pieces, made);
      keep(pieces, slot, this.ops.length);
    } else {
      const next = nextMove(this.ops, place);
      const { notesEnd, rest } = around(this.ops, next);
      if (how === 'variation') {
        keep(pieces, 0, rest);
        put(pieces, BEGIN, made, END);
        keep(pieces, rest, this.ops.length);
      } else {
        const end = lineEnd(this.ops, next);
        keep(pieces, 0, next);
        put(pieces, made);
        if (how === 'main-line') {
          put(pieces, BEGIN);
          keep(pieces, next, notesEnd);
          keep(pieces, rest, end);
          put(pieces, END);
        }
        keep(pieces, notesEnd, rest);
        keep(pieces, end, this.ops.length);
      }
    }
    this.commit('play', { pieces }, made.id);
  }

  line(moves: Resolved[]): void {
    const start = this.at;
    this.together('line', () => {
      for (const move of moves) this.play(move, 'variation');
      this.at = start;
    });
  }

  /** The move that the variation around the cursor replaces, and the number of that variation. */
  private branching(): { around: Around; number: number } {
    const { frames } = this.stand();
    const frame = frames[frames.length - 1] ?? unknown();
    const found = around(this.ops, frame.replaces);
    const number = found.variations.findIndex(([begin]) => begin === frame.begin);
    if (number < 0) unknown();
    return { around: found, number: number + 1 };
  }

  private arrange(wish: string, of: Around, from: number, to: number): void {
    this.commit(wish, { pieces: to > 0 ? this.shifted(of, from - 1, to - 1) : this.raised(of, from - 1) });
  }

  private shifted(of: Around, from: number, to: number): Pieces {
    const moved = of.variations[from] ?? unknown();
    const before = of.variations[to] ?? unknown();
    const pieces: Pieces = [];
    keep(pieces, 0, before[0]);
    keep(pieces, moved[0], moved[1]);
    keep(pieces, before[0], moved[0]);
    keep(pieces, moved[1], this.ops.length);
    return pieces;
  }

  private raised(of: Around, number: number): Pieces {
    const { ops } = this;
    const variation = of.variations[number] ?? unknown();
    const first = nextMove(ops, variation[0] + 1);
    if (!isMove(ops, first)) unknown();
    const inner = around(ops, first);
    const end = lineEnd(ops, of.at);
    const innerEnd = variation[1] - 1;
    const pieces: Pieces = [];
    keep(pieces, 0, of.at);
    keep(pieces, variation[0] + 1, inner.notesEnd);
    keep(pieces, variation[0], variation[0] + 1);
    keep(pieces, of.at, of.notesEnd);
    keep(pieces, of.rest, end);
    keep(pieces, innerEnd, variation[1]);
    keep(pieces, of.notesEnd, variation[0]);
    keep(pieces, inner.notesEnd, inner.rest);
    keep(pieces, variation[1], of.rest);
    keep(pieces, inner.rest, innerEnd);
    keep(pieces, end, ops.length);
    return pieces;
  }

  promote(): void {
    const { around: of, number } = this.branching();
    this.arrange('promote', of, number, number - 1);
  }

  promoteToMain(): void {
    const { around: of, number } = this.branching();
    const { frames } = this.stand();
    const outer = frames[frames.length - 2];
    const isNested = outer !== undefined && nextMove(this.ops, outer.begin + 1) === of.at;
    if (!isNested) {
      this.arrange('promote to main', of, number, 0);
      return;
    }
    this.together('promote to main', () => {
      this.arrange('promote to main', of, number, 0);
      this.promoteToMain();
    });
  }

  promoteFully(): void {
    if (this.stand().frames.length === 0) unknown();
    this.together('make main line', () => {
      while (this.stand().frames.length > 0) this.promoteToMain();
    });
  }

  demote(): void {
    if (this.at === START) unknown();
    const own = around(this.ops, this.stand().place - 1);
    if (own.variations.length > 0) {
      this.arrange('demote', own, 1, 0);
      return;
    }
    const { around: of, number } = this.branching();
    if (number >= of.variations.length) unknown();
    this.arrange('demote', of, number + 1, number);
  }

  deleteLine(): void {
    const { around: of, number } = this.branching();
    const [begin, end] = of.variations[number - 1] ?? unknown();
    const before = standAt(this.ops, idAt(this.ops, of.at + 1))?.parent ?? 0;
    const pieces: Pieces = [];
    keep(pieces, 0, begin);
    keep(pieces, end, this.ops.length);
    this.commit('delete line', { pieces }, idAt(this.ops, before));
  }

  remove(): void {
    if (this.at === START) unknown();
    const { ops } = this;
    const stand = this.stand();
    const at = stand.place - 1;
    const of = around(ops, at);
    const end = lineEnd(ops, at);
    const frame = stand.frames[stand.frames.length - 1];
    const pieces: Pieces = [];
    if (frame && nextMove(ops, frame.begin + 1) === at) {
      keep(pieces, 0, frame.begin);
      keep(pieces, of.notesEnd, of.rest);
      keep(pieces, end + 1, ops.length);
    } else {
      const variation = of.variations.find(([begin]) => isMove(ops, nextMove(ops, begin + 1)));
      keep(pieces, 0, at);
      if (variation) {
        const inner = around(ops, nextMove(ops, variation[0] + 1));
        const innerEnd = variation[1] - 1;
        keep(pieces, variation[0] + 1, inner.notesEnd);
        keep(pieces, inner.notesEnd, inner.rest);
        keep(pieces, of.notesEnd, variation[0]);
        keep(pieces, variation[1], of.rest);
        keep(pieces, inner.rest, innerEnd);
      }
      keep(pieces, end, ops.length);
    }
    this.commit('delete move', { pieces }, idAt(ops, stand.parent ?? 0));
  }

  deleteAfter(): void {
    const { ops } = this;
    const { place } = this.stand();
    if (!isMove(ops, nextMove(ops, place))) unknown();
    let from = place;
    if (place > 0) from = around(ops, place - 1).rest;
    else from = around(ops, -1).notesEnd;
    const pieces: Pieces = [];
    keep(pieces, 0, from);
    keep(pieces, lineEnd(ops, place), ops.length);
    this.commit('delete after', { pieces });
  }

  comment(side: 'before' | 'after', text: string): void {
    const region = regionOf(this.ops, this.at, side) ?? unknown();
    this.putComments('comment', side, region, comments => {
      for (let i = 1; i < comments.length; i++) comments[i] = withText(comments[i] ?? '', '');
      comments[0] = withText(comments[0] ?? '', text);
    });
  }

  private putComments(wish: string, side: 'before' | 'after', [from, to]: [number, number], edit: (texts: string[]) => void): void {
    const { ops } = this;
    const indices = commentsIn(ops, from, to);
    const before = indices.map(at => textAt(ops, at));
    const texts = [...before];
    edit(texts);
    const pieces: Pieces = [];
    if (indices.length === 0) {
      if (!texts[0]) return;
      let slot = to;
      if (side === 'after') for (slot = from; slot < to && ops[slot]?.kind === 'nag'; ) slot++;
      keep(pieces, 0, slot);
      put(pieces, { kind: 'comment', text: texts[0] });
      keep(pieces, slot, ops.length);
    } else {
      if (texts.every((text, i) => text === before[i])) return;
      let done = 0;
      for (const [i, at] of indices.entries()) {
        const text = texts[i] ?? '';
        if (text === before[i]) continue;
        keep(pieces, done, at);
        if (text !== '') put(pieces, { kind: 'comment', text });
        done = at + 1;
      }
      keep(pieces, done, ops.length);
    }
    this.commit(wish, { pieces });
  }

  nag(nag: number): void {
    const { ops } = this;
    const { place } = this.stand();
    const end = regionEnd(ops, place);
    const old: [number, number][] = [];
    for (let at = place; at < end; at++) {
      const op = ops[at];
      if (op?.kind === 'nag') old.push([at, op.nag]);
    }
    let nags = old.map(([, one]) => one);
    if (nags.includes(nag)) nags = nags.filter(one => one !== nag);
    else {
      const like = groupOf(nag) > 0 ? nags.findIndex(one => groupOf(one) === groupOf(nag)) : -1;
      if (like >= 0) nags[like] = nag;
      else nags.push(nag);
    }
    const pieces: Pieces = [];
    keep(pieces, 0, place);
    put(pieces, ...nags.map((one): Op => ({ kind: 'nag', nag: one })));
    let done = place;
    for (const [at] of old) {
      keep(pieces, done, at);
      done = at + 1;
    }
    keep(pieces, done, ops.length);
    this.commit('annotate', { pieces });
  }

  mark(mark: Mark): void {
    const region = regionOf(this.ops, this.at, 'after') ?? unknown();
    const texts = commentsIn(this.ops, ...region).map(at => textAt(this.ops, at));
    if (texts.some(hasOtherMarks)) unknown();
    let marks = texts.flatMap(marksIn);
    const same = (one: Mark) => one.square === mark.square && one.from === mark.from && one.to === mark.to;
    const like = marks.find(same);
    if (marks.some(one => same(one) && one.colour === mark.colour)) marks = marks.filter(one => !(same(one) && one.colour === mark.colour));
    else if (like) marks = marks.map(one => (one === like ? mark : one));
    else marks.push(mark);
    this.putComments('mark', 'after', region, comments => {
      const home = Math.max(comments.findIndex(hasMarks), 0);
      if (comments.length === 0) comments.push(withMarks('', marks));
      else for (const [i, text] of comments.entries()) comments[i] = withMarks(text, i === home ? marks : []);
    });
  }

  tag(name: string, value: string): void {
    if (['fen', 'setup', 'variant'].includes(name.toLowerCase())) unknown();
    const at = this.tags.findIndex(([known]) => known === name);
    if (at < 0 && !/^\w+$/.test(name)) unknown();
    if (value === '') {
      if (at < 0) unknown();
      this.commit('remove tag', { tags: this.tags.filter(([known]) => known !== name) });
      return;
    }
    if (name === 'Result' && RESULTS.includes(value)) {
      this.setResult(value);
      return;
    }
    if (this.tags[at]?.[1] === value) return;
    this.commit('set tag', { tags: this.withTag(name, value) });
  }

  setResult(result: string): void {
    if (!RESULTS.includes(result)) unknown();
    const isSame = this.tags.find(([known]) => known === 'Result')?.[1] === result;
    if (isSame && this.result === result) return;
    this.commit('set result', isSame ? { result } : { tags: this.withTag('Result', result), result });
  }

  private withTag(name: string, value: string): readonly Tag[] {
    const tags = [...this.tags];
    const at = tags.findIndex(([known]) => known === name);
    if (at >= 0) tags[at] = [name, value];
    else {
      const own = ROSTER.indexOf(name);
      const slot = own < 0 ? -1 : tags.findIndex(([known]) => !ROSTER.includes(known) || ROSTER.indexOf(known) > own);
      tags.splice(slot < 0 ? tags.length : slot, 0, [name, value]);
    }
    return tags;
  }
}

/** The operations among which the comments of a side stand. */
function regionOf(ops: Ops, id: number, side: 'before' | 'after'): [number, number] | null {
  const stand = standAt(ops, id);
  if (!stand) return null;
  const { place } = stand;
  if (place === 0) return side === 'after' ? [0, nextMove(ops, 0)] : null;
  if (side === 'after') return [place, regionEnd(ops, place)];
  const at = place - 1;
  const line = (stand.frames[stand.frames.length - 1]?.begin ?? -1) + 1;
  if (nextMove(ops, line) === at) return [line, at];
  const before = around(ops, Math.max((stand.parent ?? 1) - 1, 0));
  return before.variations.length === 0 ? [before.at + 1, at] : [before.rest, at];
}

const commentsIn = (ops: Ops, from: number, to: number): number[] => {
  const found: number[] = [];
  for (let at = from; at < to; at++) if (ops[at]?.kind === 'comment') found.push(at);
  return found;
};

const textAt = (ops: Ops, at: number): string => {
  const op = ops[at];
  return op?.kind === 'comment' ? op.text : '';
};

/** The comments on a side of a move; null where it has no such side. */
export function commentsAt(ops: Ops, id: number, side: 'before' | 'after'): string[] | null {
  const region = regionOf(ops, id, side);
  return region && commentsIn(ops, ...region).map(at => textAt(ops, at));
}

/** The signs of a move. */
export function nagsAt(ops: Ops, id: number): number[] {
  const place = standAt(ops, id)?.place;
  if (place === undefined) return [];
  return ops.slice(place, regionEnd(ops, place)).flatMap(op => (op.kind === 'nag' ? [op.nag] : []));
}

/** What has come of a wish. */
export interface Granted {
  state: State;
  /** Where the cursor stands then. */
  at: number;
  /** Whether this page knows what the wish does; else the state is the former one. */
  isKnown: boolean;
}

/** Grants a wish behind a move. `moves` are those of the wish, and `ids` those of the moves that it makes: more are added where they are missing. */
export function grant(state: State, at: number, wish: Wish, moves: Resolved[], ids: number[]): Granted {
  const editor = new Editor(state, at, ids);
  try {
    grantIn(editor, wish, moves);
  } catch (error) {
    if (error instanceof Unknown) return { state, at, isKnown: false };
    throw error;
  }
  const { ops, tags, result, done, undone } = editor;
  return { state: { ops, tags, result, done, undone }, at: editor.at, isKnown: true };
}

function grantIn(editor: Editor, wish: Wish, moves: Resolved[]): undefined | void {
  switch (wish.kind) {
    case 'undo':
      return editor.undo();
    case 'redo':
      return editor.redo();
    case 'play':
      return editor.play(moves[0] ?? unknown(), wish.how ?? 'variation');
    case 'line':
      return moves.length === wish.moves.length ? editor.line(moves) : unknown();
    case 'promote':
      return editor.promote();
    case 'promote-to-main':
      return editor.promoteToMain();
    case 'promote-fully':
      return editor.promoteFully();
    case 'demote':
      return editor.demote();
    case 'delete-line':
      return editor.deleteLine();
    case 'remove':
      return editor.remove();
    case 'delete-after':
      return editor.deleteAfter();
    case 'comment': {
      const isFirst = editor.done === null;
      const last = editor.done?.head;
      if (wish.again && last?.wish === 'comment' && last.after === editor.at) {
        const { at } = editor;
        editor.undo();
        editor.at = at;
      }
      editor.comment(wish.side, wish.text);
      // It grows a step that was made before this page was loaded: the server alone leads back.
      if (wish.again && isFirst) editor.done = editor.undone = null;
      return undefined;
    }
    case 'nag':
      return editor.nag(wish.nag);
    case 'mark':
      return editor.mark(wish.to === null ? { square: wish.from, colour: wish.colour } : { from: wish.from, to: wish.to, colour: wish.colour });
    case 'tag':
      return editor.tag(wish.name, wish.value);
    case 'result':
      return editor.setResult(wish.result);
    case 'start':
    case 'delete-before':
      return unknown();
  }
}
