// An annotator who does anything at any speed, over a line that is late, loses and repeats. A session is its steps: each has chances of its
// own, so that a session without some of them does the same in the others as far as that goes.

import assert from 'node:assert/strict';
import { Model } from './model.mjs';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

const LETTERS = 'abcdefgh 12345678 pduU}{;!?"\\%\u00e4\u0416\ud83d\ude00\n';
const NAGS = [1, 2, 5, 14, 16, 132];
const SQUARES = ['a1', 'd4', 'e5', 'h8', 'c6'];
const COLOURS = ['green', 'red', 'yellow', 'blue'];
/** Steps of a session. */
const STEPS = 30;

/** A session as it is tried: which of its steps, and whether the line is late and loses. */
export const whole = seed => ({ seed, steps: Array.from({ length: STEPS }, (_, at) => at), isLate: true, isLossy: true });

export class Annotator {
  constructor(session) {
    this.session = session;
    this.random = chance(session.seed);
    this.clock = new Clock();
    this.meant = new Model();
    this.server = new Server();
    this.network = new Network(this.clock, this.server);
    // The line has chances of its own.
    this.line = chance(session.seed ^ 0x5bd1e995);
    const most = this.random.pick([0, 5, 100, 500, 2_000]);
    this.most = session.isLate ? most : 0;
    this.network.late = () => this.line.below(this.most + 1);
    this.storage = new Storage();
    this.said = [];
    this.byServer = 0;
  }

  say(...words) {
    this.said.push(`${this.clock.now}: ${words.join(' ')}`);
  }

  async open(address) {
    this.page = await Page.load(this.clock, this.network, this.storage, address, this.random);
    this.rule();
    for (let tries = 0; !this.page.desk.held.value; tries++) {
      await this.clock.pass(500);
      if (tries < 120) continue;
      // What it was opened with was lost on the line, and is told: the annotator loads it once more.
      assert.notEqual(this.page.store.trouble.value, null);
      this.say('reload again');
      return this.open(this.page.leave());
    }
    return undefined;
  }

  // Moves that the server reads: it asks the rules alone, and no other part of the page.
  rule() {
    const { legalUci } = this.page;
    this.server.rules = { fenOf: at => at, uci: (at, san) => legalUci(way(at), san) };
    const way = at => (at.parent ? [...way(at.parent), at.uci] : []);
  }

  // What is shown is what is meant, now and not when somebody answers.
  check(what, isAll = false) {
    assert.equal(this.page.text(), this.meant.text(), `what is shown after ${what}`);
    // The tree is looked at now and then: that takes most of the time.
    if (!isAll && !this.random.is(0.1)) return;
    assert.equal(JSON.stringify(this.page.tree()), JSON.stringify(this.page.tree(this.page.treeOf({ moves: this.meant.items() }))), `the tree after ${what}`);
  }

  // The move of the model where the reader stands.
  get here() {
    return this.there(this.page.node);
  }

  there(node) {
    const way = [];
    for (let one = node; one.parent; one = one.parent) way.unshift(one.index);
    return this.meant.at(way);
  }

  // The reader stands where the wish has led, and nowhere else.
  stands(cursor, what) {
    const way = [];
    for (let one = this.page.node; one.parent; one = one.parent) way.unshift(one.index);
    assert.equal(String(way), String(cursor), `where the reader stands after ${what}`);
  }

  async type() {
    const { page, random } = this;
    const side = random.is(0.2) && page.node.parent ? 'before' : 'after';
    const at = page.node;
    const id = at.id;
    let text = random.is(0.3) ? '' : page.desk.words(side).value;
    let step = null;
    for (let count = 1 + random.below(8); count > 0; count--) {
      const letter = [...LETTERS][random.below([...LETTERS].length)];
      // Where a mark stands before it, one space at the beginning means nothing.
      text = (random.is(0.1) ? [...text].slice(0, -1).join('') : text + letter).replace(/^\s+/, '');
      this.say('key', side, JSON.stringify(text));
      const node = page.board.game.value.nodes.find(one => one.id === id);
      this.meant.comment(this.there(node), side, text, step !== null && this.meant.done.at(-1) === step);
      step = this.meant.made ? this.meant.done.at(-1) : null;
      page.desk.comment(side, text, id);
      this.check(`a key of a comment: ${JSON.stringify(text)}`);
      await this.clock.pass(random.below(301));
      this.check('an answer while somebody types');
    }
    page.desk.typedAll();
  }

  async act() {
    const { page, random, meant } = this;
    const { desk, board } = page;
    const { node, here } = { node: page.node, here: this.here };
    const wish = async (wished, grant) => {
      this.say(JSON.stringify(wished), 'at', node.order);
      const known = grant();
      void desk.wish(wished);
      if (known) {
        this.stands(meant.cursor, wished.kind);
        this.check(wished.kind);
      }
    };
    switch (random.pick(['type', 'type', 'type', 'move', 'move', 'move', 'move', 'nag', 'mark', 'jump', 'jump', 'step', 'promote', 'remove', 'cut', 'line', 'undo', 'undo', 'redo', 'save'])) {
      case 'type':
        return this.type();
      case 'move': {
        const all = page.legal(board.fen.value);
        if (all.length === 0) return undefined;
        const san = random.pick(all);
        const uci = page.legalUci(page.ucis(node), san);
        const known = node.children.find(child => child.uci === uci);
        const how = node.children.length > 0 && !known ? random.pick(['variation', 'variation', 'main-line', 'overwrite']) : 'variation';
        this.say('move', san, how);
        if (known) meant.cursor = [...meant.wayOf(here), known.index];
        else meant.play(here, san, uci, how);
        // A variation comes without a question, or is the answer to one.
        page.newMoves.value = how !== 'variation' || san.length % 2 ? 'ask' : 'variation';
        board.playTyped(san);
        if (page.store.asked.value !== null) desk.choose(how);
        this.stands(meant.cursor, `the move ${san}`);
        return this.check(`the move ${san}, ${how}`);
      }
      case 'nag': {
        const nag = random.pick(NAGS);
        return node.parent ? wish({ kind: 'nag', nag }, () => meant.nag(here, nag)) : undefined;
      }
      case 'mark': {
        const [colour, from, to] = [random.pick(COLOURS), random.pick(SQUARES), random.is(0.5) ? null : random.pick(['b2', 'g7'])];
        return wish({ kind: 'mark', colour, from, to }, () => meant.mark(here, colour, from, to));
      }
      case 'jump':
        this.say('jump');
        return board.stand(random.pick(board.game.value.nodes));
      case 'step':
        return random.pick([board.next, board.previous, board.first, board.last, () => board.sibling(1)])();
      case 'promote':
        return wish({ kind: 'promote' }, () => meant.promote(here));
      case 'remove':
        return random.is(0.5) ? wish({ kind: 'remove' }, () => meant.remove(here)) : undefined;
      case 'cut':
        return random.is(0.3) ? wish({ kind: 'delete-after' }, () => meant.deleteAfter(here)) : undefined;
      case 'line':
        return random.is(0.5) ? wish({ kind: 'delete-line' }, () => meant.deleteLine(here)) : undefined;
      case 'undo':
      case 'redo': {
        const kind = random.pick(['undo', 'redo', 'undo']);
        const list = desk.held.value[kind === 'undo' ? 'done' : 'undone'];
        if (list) return wish({ kind }, () => meant[kind]());
        // The steps before the page was loaded are the server's alone: they are seen when it has answered.
        await this.settle();
        if (!desk.held.value[kind === 'undo' ? 'done' : 'undone']) {
          this.say(kind, 'by the server');
          this.byServer++;
          void desk.wish({ kind });
          await this.settle();
          meant[kind]();
        }
        return this.check(`${kind} by the server`);
      }
      case 'save':
        this.say('save');
        void desk.save();
        return undefined;
    }
  }

  // The line is good again, and everything has been answered.
  async settle() {
    this.network.isUp = true;
    const { fate } = this.network;
    this.network.fate = () => 'arrives';
    await this.clock.pass(120_000);
    this.network.fate = fate;
    assert.equal(this.page.desk.isSettled(), true, 'everything is answered');
  }

  /** Does the steps, and compares what is saved with what was meant; `spoil` may do harm to the world before. */
  async run(spoil = () => undefined) {
    const { seed, steps, isLossy } = this.session;
    spoil(this);
    await this.open('/base/base/game/1?panel=edit');
    this.network.fate = () => (isLossy && this.line.is(0.06) ? this.line.pick(['lost', 'ghost', 'deaf']) : 'arrives');
    for (const step of steps) {
      this.random = chance(Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b));
      await this.step();
    }
    await this.settle();
    this.check('the last answer', true);
    assert.equal(this.server.model.text(), this.meant.text(), 'what the server holds');
    this.network.fate = () => 'arrives';
    void this.page.desk.save();
    await this.clock.pass(60_000);
    assert.equal(this.server.saved.text(), this.meant.text(), 'what is saved');
    assert.equal(this.page.store.trouble.value, null);
    const kept = [...Array(this.storage.length)].map((_, at) => this.storage.key(at)).filter(key => key.startsWith('outbox'));
    assert.equal(kept.length, 0, 'nothing is kept that has arrived');
    // Nothing that was shown had to be put right, but for steps that only the server knows.
    assert.ok(this.page.desk.corrections() <= this.byServer, 'corrections');
  }

  async step() {
    const { random } = this;
    if (random.is(0.03) && this.session.isLossy) {
      this.network.isUp = !this.network.isUp;
      this.say('the line is', this.network.isUp ? 'back' : 'gone');
    }
    await this.act();
    await this.clock.pass(random.below(301));
    this.check('an answer');
    if (!random.is(0.02)) return;
    this.say('reload');
    const address = this.page.leave();
    this.network.isUp = true;
    await this.open(address);
    this.check('a reload');
  }
}

/** What is wrong with a session; null where nothing is. */
export async function faultOf(session, spoil) {
  const annotator = new Annotator(session);
  try {
    await annotator.run(spoil);
    return null;
  } catch (error) {
    return { error, said: annotator.said, most: annotator.most };
  }
}

/** Sessions that are tried to make one smaller. */
const TRIES = 400;

/** The smallest session found that fails too: steps are left out, more and more of them at first, and the line made good. */
export async function smallest(session, spoil) {
  let least = session;
  let tries = 0;
  const fails = async other => {
    if (tries >= TRIES) return false;
    tries++;
    if (!(await faultOf(other, spoil))) return false;
    least = other;
    return true;
  };
  await fails({ ...least, isLossy: false });
  await fails({ ...least, isLate: false });
  for (let part = Math.ceil(least.steps.length / 2); part >= 1; ) {
    let isSmaller = false;
    for (let from = 0; from < least.steps.length; ) {
      const left = least.steps.filter((_, at) => at < from || at >= from + part);
      if (await fails({ ...least, steps: left })) isSmaller = true;
      else from += part;
    }
    if (part > 1) part = Math.ceil(part / 2);
    else if (!isSmaller || tries >= TRIES) break;
  }
  return least;
}

/** A failure as it is told. */
export function told({ error, said, most }, { seed, steps }) {
  return `session ${seed}, steps ${steps.join(' ')}, answers within ${most} ms: ${error.message}\n${said.join('\n')}\n${error.stack}`;
}
