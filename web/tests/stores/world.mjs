// A page without a browser: its stores in a world of their own, with a clock that is wound by hand, a network that is late, loses and
// repeats, and a server that is the test's own.

import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { Model } from './model.mjs';

const script = new vm.Script(`globalThis.ready = (async () => {${readFileSync(process.env.TABIYA_PAGE, 'utf8')}\n})()`, { filename: 'page.js' });

/** Numbers that look like chance, the same in each run. */
export function chance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = n => Math.floor(next() * n);
  return { below, pick: list => list[below(list.length)], is: part => next() < part };
}

/** All promises that can go on without the clock do. */
const turn = () => new Promise(resolve => setImmediate(resolve));

export class Clock {
  now = 0;
  #count = 0;
  #waiting = [];

  set(act, after) {
    const id = ++this.#count;
    this.#waiting.push({ id, at: this.now + Math.max(0, Number(after) || 0), act });
    return id;
  }

  clear(id) {
    this.#waiting = this.#waiting.filter(one => one.id !== id);
  }

  async pass(ms) {
    const end = this.now + ms;
    await turn();
    for (;;) {
      const next = this.#waiting.reduce((best, one) => (one.at <= end && (!best || one.at < best.at) ? one : best), null);
      if (!next) break;
      this.clear(next.id);
      this.now = Math.max(this.now, next.at);
      next.act();
      await turn();
    }
    this.now = end;
  }
}

/** A server of one game, which is this test's own tree. */
export class Server {
  constructor(model = new Model()) {
    this.model = model;
    this.version = 0;
    this.savedVersion = 0;
    this.saved = model.copy();
    this.heard = {};
    this.granted = 0;
    this.baseVersion = 1;
  }

  session() {
    const cursor = this.model.cursor ?? [];
    return {
      id: 'game', base: 'base', name: 'base.pgn', path: '/base.pgn', number: 1, title: 'A - B', version: this.version,
      changed: this.version !== this.savedVersion,
      undo: this.model.done.at(-1)?.name ?? null,
      redo: this.model.undone.at(-1)?.name ?? null,
      at: this.model.all().indexOf(this.model.at(cursor)),
      trouble: null,
      heard: { ...this.heard },
    };
  }

  whole() {
    return { number: 1, tags: [['White', 'A'], ['Black', 'B']], result: '*', moves: this.model.items() };
  }

  // The game as one list, in the words of differences.
  flat() {
    const out = [];
    const walk = items => {
      for (const item of items) {
        if (item.variation) {
          out.push('(');
          walk(item.variation);
          out.push(')');
        } else {
          const { nags = [], ...rest } = item;
          out.push(rest, ...nags.map(nag => ({ nag })));
        }
      }
    };
    walk(this.model.items());
    return out;
  }

  wishes({ version, wishes }) {
    const heard = wishes.findIndex(one => one.seq > (this.heard[one.tab] ?? 0));
    if (heard !== 0) return [200, { ...this.session(), granted: heard < 0 ? wishes.length : heard, game: this.whole() }];
    if (version !== this.version) return [409, { error: 'another tab' }];
    const before = this.flat();
    let count = 0;
    for (const one of wishes) {
      const all = this.model.all();
      const at = all[one.at];
      if (!at || all.length - 1 !== one.moves || at.uci !== one.move) {
        if (count === 0) return [409, { error: 'another game' }];
        break;
      }
      const steps = [this.model.done.length, this.model.undone.length, this.model.version];
      const wish = one.wish.kind === 'play' ? { ...one.wish, ...this.read(at, one.wish.move) } : one.wish;
      if (!this.model.grant(at, wish)) {
        if (count === 0) return [422, { error: `${one.wish.kind} makes no sense here` }];
        break;
      }
      count++;
      this.granted++;
      this.heard[one.tab] = one.seq;
      if (this.model.version !== steps[2]) this.version++;
    }
    return [200, { ...this.session(), granted: count, difference: this.difference(before, this.flat()) }];
  }

  // A move as the page has written it.
  read(at, san) {
    const fen = this.rules.fenOf(at);
    return { san, uci: this.rules.uci(fen, san) };
  }

  difference(before, after) {
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    let from = 0;
    while (from < before.length && from < after.length && same(before[from], after[from])) from++;
    let back = 0;
    while (back < before.length - from && back < after.length - from && same(before[before.length - 1 - back], after[after.length - 1 - back])) back++;
    if (from === before.length && from === after.length) return {};
    const tape = [[0, from], after.slice(from, after.length - back), [before.length - back, before.length]];
    return { tape: tape.filter(piece => (typeof piece[0] === 'number' ? piece[0] < piece[1] : piece.length > 0)) };
  }

  answer(method, path, body) {
    if (path === 'bases') return [200, { bases: [], readOnly: false }];
    if (path === 'recent') return [200, []];
    if (/^bases\/base\/games\/[12]$/.test(path)) return [200, this.whole()];
    if (/games\/1\/edit$/.test(path) || (path === 'edits/game' && method === 'GET')) return [200, { ...this.session(), game: this.whole() }];
    if (path === 'edits/game/wishes') return this.wishes(body);
    if (path === 'edits/game/accept') return this.refusesAccept ? [409, { error: 'not now' }] : [200, this.session()];
    if (path === 'edits/game/save') {
      this.saves = (this.saves ?? 0) + 1;
      this.saved = this.model.copy();
      this.savedVersion = this.version;
      return [200, { ...this.session(), notes: [], losses: [], baseVersion: ++this.baseVersion }];
    }
    return [404, { error: `no ${method} ${path}` }];
  }
}

/** The way to a server: `late` gives the milliseconds of each direction, `fate` what becomes of a request. */
export class Network {
  isUp = true;
  late = () => 0;
  fate = () => 'arrives';

  constructor(clock, server) {
    this.clock = clock;
    this.server = server;
    this.log = [];
  }

  // Answers come in any order, for each is as late as it likes.
  fetch(path, init = {}) {
    const method = init.method ?? 'GET';
    const body = init.body === undefined ? undefined : JSON.parse(init.body);
    return new Promise((resolve, reject) => {
      const lost = () => reject(new TypeError('the network is gone'));
      const fate = this.isUp ? this.fate() : 'lost';
      const deliver = () => this.server.answer(method, path, body);
      if (fate === 'lost') return this.clock.set(lost, this.late());
      if (fate === 'ghost') {
        // The page hears of a failure, and the request arrives all the same, some time.
        this.clock.set(deliver, this.late() * 3);
        return this.clock.set(lost, this.late());
      }
      this.clock.set(() => {
        const [status, told] = deliver();
        this.log.push([method, path, status]);
        if (fate === 'deaf') return this.clock.set(lost, this.late());
        const answer = { ok: status < 400, status, statusText: '', json: async () => JSON.parse(JSON.stringify(told)) };
        return this.clock.set(() => resolve(answer), this.late());
      }, this.late());
    });
  }
}

/** What a browser keeps. */
export class Storage {
  #kept = new Map();
  get length() {
    return this.#kept.size;
  }
  key(at) {
    return [...this.#kept.keys()][at] ?? null;
  }
  getItem(key) {
    return this.#kept.get(key) ?? null;
  }
  setItem(key, value) {
    this.#kept.set(key, String(value));
  }
  removeItem(key) {
    this.#kept.delete(key);
  }
}

/** Loads the page at an address; a page that is left loses its clock and its ears. */
export class Page {
  constructor(clock, network, storage, address, random) {
    this.isLeft = false;
    this.clock = clock;
    this.listeners = {};
    const own = this;
    const later = (act, ms) => clock.set(() => own.isLeft || act(), ms);
    const location = { href: `http://here${address}`, origin: 'http://here', pathname: new URL(address, 'http://here').pathname, search: new URL(address, 'http://here').search, hash: '', hostname: 'here' };
    const go = (_state, _title, to) => {
      location.href = new URL(to, 'http://here').href;
    };
    const context = vm.createContext({
      URL, URLSearchParams, AbortController, TextDecoderStream, console, location,
      crypto: { getRandomValues: bytes => bytes.map((_, at) => (bytes[at] = random.below(256))) },
      setTimeout: later,
      requestAnimationFrame: act => later(act, 16),
      clearTimeout: id => clock.clear(id),
      setInterval: () => 0,
      clearInterval: () => {},
      localStorage: storage,
      // What a tab of the browser keeps for itself.
      sessionStorage: storage.session ??= new Storage(),
      history: { state: null, replaceState: go, pushState: go },
      addEventListener: (kind, act) => (own.listeners[kind] ??= []).push(act),
      navigator: { language: 'en', languages: ['en'] },
      matchMedia: () => ({ matches: false, addEventListener: () => {} }),
      document: { documentElement: { dataset: {}, lang: 'en' }, getElementById: () => null },
      fetch: (path, init) => network.fetch(path.replace(/^\/api\/v1\//, ''), init).then(
        answer => (own.isLeft ? new Promise(() => {}) : answer),
        error => (own.isLeft ? new Promise(() => {}) : Promise.reject(new context.TypeError(error.message))),
      ),
      TypeError: undefined,
      queueMicrotask,
    });
    delete context.TypeError;
    context.TypeError = vm.runInContext('TypeError', context);
    this.context = context;
    script.runInContext(context);
  }

  static async load(...of) {
    const page = new Page(...of);
    await page.context.ready;
    Object.assign(page, page.context.page);
    page.library.readOnly.value = false;
    return page;
  }

  get node() {
    return this.board.node.value;
  }

  // Something that the one before the page does.
  does(kind) {
    for (const act of this.listeners[kind] ?? []) act({ type: kind });
  }

  leave() {
    this.isLeft = true;
    return this.context.location.href.replace('http://here', '');
  }

  // The game as it is shown, to be compared with a model's.
  text() {
    return this.desk.held.value.ops.map(op => ({ move: op.uci, nag: `$${op.nag}`, comment: `{${op.text}}`, begin: '(', end: ')' })[op.kind]).join(' ');
  }

  // The tree that is drawn.
  tree(game = this.board.game.value) {
    return game.nodes.map(one => [one.order, one.index, one.depth, one.ply, one.parent?.order ?? -1, one.uci, one.nags, one.before.map(c => c.text), one.comments.map(c => [c.text, c.marks.map(m => `${m.square ?? m.from}${m.to ?? ''}${m.colour}`)]), one.children.map(c => c.order)]);
  }
}
