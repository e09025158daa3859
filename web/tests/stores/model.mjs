// The test's own idea of a game that is annotated: a tree, and copies of it for the steps. It shares nothing with the page, and
// nothing with the server's editor, which works on a list.

let given = 0;

const node = (parent, san, uci) => ({ id: ++given, parent, san, uci, pre: [], post: [], late: [], nags: [], children: [] });

const copied = (from, parent = null) => {
  const to = { ...from, parent, pre: [...from.pre], post: [...from.post], late: [...from.late], nags: [...from.nags] };
  to.children = from.children.map(child => copied(child, to));
  return to;
};

const GROUPS = nag => (nag >= 1 && nag <= 9 ? 1 : nag >= 10 && nag <= 21 ? 2 : 0);
const COLOURS = { green: 'G', red: 'R', yellow: 'Y', blue: 'B' };

// A comment as words and marks. The words of this test hold no commands.
const MARKS = /^((?:\[%(?:csl|cal) [^\]]*\] ?)*)([^]*)$/;
const read = comment => {
  const [, head, words] = MARKS.exec(comment);
  const marks = [...head.matchAll(/\[%(csl|cal) ([^\]]*)\]/g)].flatMap(([, , list]) => list.split(','));
  return { marks, words };
};
const written = ({ marks, words }) => {
  const squares = marks.filter(mark => mark.length === 3);
  const arrows = marks.filter(mark => mark.length === 5);
  const said = [squares.length && `[%csl ${squares.join(',')}]`, arrows.length && `[%cal ${arrows.join(',')}]`, words].filter(Boolean);
  return said.join(' ');
};

export class Model {
  constructor() {
    this.root = node(null, '', '');
    this.done = [];
    this.undone = [];
    this.version = 0;
  }

  // The node at a way of indexes from the start.
  at(way) {
    return way.reduce((at, index) => at.children[index], this.root);
  }

  wayOf(at) {
    const way = [];
    for (let one = at; one.parent; one = one.parent) way.unshift(one.parent.children.indexOf(one));
    return way;
  }

  // In reading order: a move, then those that replace it, each with what goes on from there, then what goes on from itself.
  all() {
    const out = [this.root];
    const line = parent => {
      const [main, ...others] = parent.children;
      if (!main) return;
      out.push(main);
      for (const other of others) {
        out.push(other);
        line(other);
      }
      line(main);
    };
    line(this.root);
    return out;
  }

  // Makes a step of a change; `change` gives the node where the cursor stands afterwards, or null where it makes no sense. The node
  // that it is given is one of the new tree.
  step(name, at, change) {
    const before = { root: copied(this.root), at: this.wayOf(at) };
    const after = change();
    if (after === null) return false;
    this.tidy(this.root);
    this.done.push({ name, before, after: this.wayOf(after), id: at });
    this.undone = [];
    this.version++;
    this.cursor = this.wayOf(after);
    this.made = true;
    return true;
  }

  // What stands behind the variations of a move stands behind the move where none is left.
  tidy(at) {
    const [main, ...others] = at.children;
    if (main && others.length === 0) {
      main.post.push(...main.late);
      main.late = [];
    }
    for (const other of others) {
      other.post.push(...other.late);
      other.late = [];
    }
    at.children.forEach(child => this.tidy(child));
  }

  undo() {
    const last = this.done.pop();
    if (!last) return false;
    this.undone.push({ ...last, now: copied(this.root), then: last.after });
    this.root = last.before.root;
    this.cursor = last.before.at;
    this.version++;
    return true;
  }

  redo() {
    const last = this.undone.pop();
    if (!last) return false;
    this.done.push({ name: last.name, before: { root: copied(this.root), at: last.before.at }, after: last.then });
    this.root = last.now;
    this.cursor = last.then;
    this.version++;
    return true;
  }

  // Where comments before a node go.
  region(at) {
    const parent = at.parent;
    if (parent.children[0] !== at) return [at, 'pre'];
    const isMain = parent.parent && parent.parent.children[0] === parent;
    return isMain && parent.parent.children.length > 1 ? [parent, 'late'] : [parent, 'post'];
  }

  play(at, san, uci, how) {
    const known = at.children.find(child => child.uci === uci);
    if (known && (how === 'variation' || known === at.children[0])) {
      this.cursor = this.wayOf(known);
      return true;
    }
    if (known) return false;
    return this.step('play', at, () => {
      const made = node(at, san, uci);
      if (at.children.length === 0 || how === 'variation') at.children.push(made);
      else if (how === 'main-line') {
        const [main] = at.children;
        main.post.push(...main.late);
        main.late = [];
        at.children.unshift(made);
      } else at.children[0] = made;
      return made;
    });
  }

  raise(at) {
    const { parent } = at;
    const main = parent.children[0];
    main.post.push(...main.late);
    main.late = [];
    parent.children = [at, ...parent.children.filter(child => child !== at)];
    // What stood before it stands before it in the line.
    const words = at.pre;
    at.pre = [];
    const [home, side] = this.region(at);
    home[side].push(...words);
  }

  branch(at) {
    for (let one = at; one.parent; one = one.parent) if (one.parent.children[0] !== one) return one;
    return null;
  }

  promote(at) {
    const branch = this.branch(at);
    if (!branch) return false;
    return this.step('promote', at, () => {
      const { children } = branch.parent;
      const index = children.indexOf(branch);
      if (index > 1) [children[index - 1], children[index]] = [branch, children[index - 1]];
      else this.raise(branch);
      return at;
    });
  }

  deleteLine(at) {
    const branch = this.branch(at);
    if (!branch) return false;
    return this.step('delete line', at, () => {
      const { parent } = branch;
      parent.children = parent.children.filter(child => child !== branch);
      return parent;
    });
  }

  remove(at) {
    if (!at.parent) return false;
    return this.step('delete move', at, () => {
      const { parent } = at;
      if (parent.children[0] === at && parent.children.length > 1) {
        const next = parent.children[1];
        parent.children.shift();
        const words = next.pre;
        next.pre = [];
        const [home, side] = this.region(next);
        home[side].push(...words);
      } else parent.children = parent.children.filter(child => child !== at);
      return parent;
    });
  }

  deleteAfter(at) {
    if (at.children.length === 0) return false;
    return this.step('delete after', at, () => {
      at.children = [];
      // What was said before the next move goes with it.
      at.late = [];
      return at;
    });
  }

  comment(at, side, text, again) {
    this.made = false;
    const way = this.wayOf(at);
    const last = this.done[this.done.length - 1];
    if (again && last?.name === 'comment' && JSON.stringify(last.after) === JSON.stringify(way)) {
      this.undo();
      this.comment(this.at(way), side, text, false);
      this.cursor = way;
      return true;
    }
    if (side === 'before' && !at.parent) return false;
    const [home, list] = side === 'before' ? this.region(at) : [at, 'post'];
    const now = home[list].length === 0 ? [text] : home[list].map((one, index) => written({ ...read(one), words: index === 0 ? text : '' }));
    const kept = now.filter(Boolean);
    this.cursor = way;
    if (JSON.stringify(kept) === JSON.stringify(home[list])) return true;
    return this.step('comment', at, () => {
      home[list] = kept;
      return at;
    });
  }

  nag(at, nag) {
    return this.step('annotate', at, () => {
      const like = at.nags.findIndex(one => GROUPS(nag) > 0 && GROUPS(one) === GROUPS(nag));
      if (at.nags.includes(nag)) at.nags = at.nags.filter(one => one !== nag);
      else if (like >= 0) at.nags[like] = nag;
      else at.nags.push(nag);
      return at;
    });
  }

  mark(at, colour, from, to) {
    const place = `${from}${to ?? ''}`;
    const mark = `${COLOURS[colour]}${place}`;
    return this.step('mark', at, () => {
      const all = at.post.map(read);
      let marks = all.flatMap(one => one.marks);
      const like = marks.findIndex(one => one.slice(1) === place);
      if (marks.includes(mark)) marks = marks.filter(one => one !== mark);
      else if (like >= 0) marks[like] = mark;
      else marks.push(mark);
      const home = Math.max(0, all.findIndex(one => one.marks.length > 0));
      const now = all.length === 0 ? [{ marks, words: '' }] : all.map((one, index) => ({ ...one, marks: index === home ? marks : [] }));
      at.post = now.map(written).filter(Boolean);
      return at;
    });
  }

  // A wish as a page sends it; false where it cannot be granted.
  grant(at, wish) {
    switch (wish.kind) {
      case 'play':
        return this.play(at, wish.san, wish.uci, wish.how ?? 'variation');
      case 'comment':
        return this.comment(at, wish.side, wish.text, wish.again);
      case 'nag':
        return this.nag(at, wish.nag);
      case 'mark':
        return this.mark(at, wish.colour, wish.from, wish.to);
      case 'promote':
        return this.promote(at);
      case 'delete-line':
        return this.deleteLine(at);
      case 'remove':
        return this.remove(at);
      case 'delete-after':
        return this.deleteAfter(at);
      case 'undo':
        return this.undo();
      case 'redo':
        return this.redo();
      default:
        throw new Error(`the model knows no ${wish.kind}`);
    }
  }

  // The game as text, to be compared.
  text() {
    const out = [];
    const walk = items => {
      for (const item of items) {
        if (item.variation) {
          out.push('(');
          walk(item.variation);
          out.push(')');
        } else if (item.comment !== undefined) out.push(`{${item.comment}}`);
        else out.push(item.uci, ...(item.nags ?? []).map(nag => `$${nag}`));
      }
    };
    walk(this.items());
    return out.join(' ');
  }

  // The items of the game's JSON.
  items() {
    const comments = all =>
      all.map(comment => {
        const { marks, words } = read(comment);
        const of = ([letter, ...place]) => {
          const colour = Object.keys(COLOURS).find(name => COLOURS[name] === letter);
          const squares = place.join('');
          return squares.length === 2 ? { square: squares, colour } : { from: squares.slice(0, 2), to: squares.slice(2), colour };
        };
        return marks.length > 0 ? { comment, marks: marks.map(of), text: words.trim() } : { comment };
      });
    const of = at => [...comments(at.pre), { uci: at.uci, san: at.san, ...(at.nags.length > 0 ? { nags: at.nags } : {}) }, ...comments(at.post)];
    const line = parent => {
      const [main, ...others] = parent.children;
      if (!main) return [];
      return [...of(main), ...others.map(other => ({ variation: [...of(other), ...line(other)] })), ...comments(main.late), ...line(main)];
    };
    return [...comments(this.root.post), ...line(this.root)];
  }

  copy() {
    const to = new Model();
    to.root = copied(this.root);
    return to;
  }
}
