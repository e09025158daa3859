// The page's stores, piece by piece: each state here was found by a session, by a reviewer, or is one that a reader of the code asks for.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Model } from './model.mjs';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

/** A page that annotates, with its world. */
async function desk({ late = 0, model } = {}) {
  const clock = new Clock();
  const server = new Server(model);
  const network = new Network(clock, server);
  const storage = new Storage();
  const random = chance(7);
  const world = { clock, server, network, storage };
  world.open = async (address = '/base/base/game/1?panel=edit') => {
    const page = await Page.load(clock, network, storage, address, random);
    server.rules = { fenOf: at => at, uci: (at, san) => page.legalUci(way(at), san) };
    const way = at => (at.parent ? [...way(at.parent), at.uci] : []);
    while (!page.desk.held.value) await clock.pass(100);
    return page;
  };
  const page = await world.open();
  network.late = () => late;
  return { ...world, page };
}

const moves = (page, ...all) => {
  for (const san of all) page.board.playTyped(san);
};

/** Types as a person does: the field knows its move. */
const types = (page, text, side = 'after') => {
  const { id } = page.node;
  for (let at = 1; at <= text.length; at++) page.desk.comment(side, text.slice(0, at), id);
  page.desk.typedAll();
};

test('comments of moves that follow each other at once stay apart, with answers two seconds late', async () => {
  const { page, clock, server } = await desk({ late: 1_000 });
  moves(page, 'e4', 'c5', 'Nf3');
  page.board.first();
  for (const text of ['FIRST', 'SECOND', 'third']) {
    page.board.next();
    assert.equal(page.desk.words('after').value, '', 'the field of a move shows that move alone');
    types(page, text);
  }
  await clock.pass(20_000);
  assert.equal(server.model.text(), 'e2e4 {FIRST} c7c5 {SECOND} g1f3 {third}');
});

test('everything is there in the same turn, whatever the line does', async () => {
  const { page, network } = await desk();
  network.isUp = false;
  moves(page, 'e4', 'e5');
  assert.equal(page.text(), 'e2e4 e7e5');
  page.board.previous();
  page.board.playTyped('c5');
  // A move that replaces nothing is a variation without a question.
  assert.equal(page.store.asked.value, null);
  void page.store.wish({ kind: 'nag', nag: 5 });
  void page.store.wish({ kind: 'mark', colour: 'red', from: 'e2', to: 'e4' });
  assert.equal(page.text(), 'e2e4 e7e5 ( c7c5 $5 {[%cal Re2e4]} )');
  void page.store.wish({ kind: 'promote' });
  assert.equal(page.text(), 'e2e4 c7c5 $5 {[%cal Re2e4]} ( e7e5 )');
  assert.equal(page.node.uci, 'c7c5');
  void page.store.wish({ kind: 'remove' });
  assert.equal(page.text(), 'e2e4 e7e5');
  void page.store.wish({ kind: 'undo' });
  assert.equal(page.text(), 'e2e4 c7c5 $5 {[%cal Re2e4]} ( e7e5 )');
});

test('who wants to be asked is asked what becomes of a move', async () => {
  const { page } = await desk();
  moves(page, 'e4', 'e5');
  page.newMoves.value = 'ask';
  page.board.previous();
  page.board.playTyped('c5');
  assert.equal(page.store.asked.value, 'c5');
  assert.equal(page.text(), 'e2e4 e7e5');
  page.desk.choose('overwrite');
  assert.equal(page.text(), 'e2e4 c7c5');
});

test('an answer does not move the reader', async () => {
  const { page, clock } = await desk({ late: 500 });
  moves(page, 'e4', 'e5', 'Nf3');
  page.board.first();
  page.board.next();
  void page.store.wish({ kind: 'nag', nag: 1 });
  page.board.last();
  const before = page.node.id;
  await clock.pass(10_000);
  assert.equal(page.node.id, before);
  assert.equal(page.node.uci, 'g1f3');
});

test('an answer does not touch what was typed since', async () => {
  const { page, clock, server } = await desk({ late: 700 });
  const { id } = page.node;
  page.desk.comment('after', 'one', id);
  await clock.pass(500);
  page.desk.comment('after', 'one two', id);
  await clock.pass(1_000);
  assert.equal(page.desk.words('after').value, 'one two');
  await clock.pass(10_000);
  assert.equal(server.model.text(), '{one two}');
});

test('what was sent stays as it was sent: the server may have heard it though its answer was lost', async () => {
  const { page, clock, server, network } = await desk({ late: 10 });
  const { id } = page.node;
  network.fate = () => 'deaf';
  page.desk.comment('after', 'on', id);
  await clock.pass(450);
  page.desk.comment('after', 'only', id);
  network.fate = () => 'arrives';
  await clock.pass(20_000);
  assert.equal(server.model.text(), '{only}');
  assert.equal(page.desk.words('after').value, 'only');
});

test('a sign whose answer was lost is not taken back by sending it again', async () => {
  const { page, clock, server, network } = await desk({ late: 10 });
  moves(page, 'e4');
  await clock.pass(1_000);
  network.fate = () => 'ghost';
  void page.store.wish({ kind: 'nag', nag: 1 });
  await clock.pass(60);
  network.fate = () => 'arrives';
  await clock.pass(20_000);
  assert.equal(server.model.text(), 'e2e4 $1');
  assert.equal(page.text(), 'e2e4 $1');
});

test('a letter that is taken back takes nothing of the other side of the move with it', async () => {
  for (const pause of [0, 2_000]) {
    const { page, clock, server } = await desk();
    moves(page, 'e4');
    types(page, 'before', 'before');
    await clock.pass(pause);
    const { id } = page.node;
    for (const text of ['x', '', 'y']) {
      page.desk.comment('after', text, id);
      await clock.pass(pause);
    }
    await clock.pass(5_000);
    assert.equal(server.model.text(), '{before} e2e4 {y}');
    assert.equal(page.text(), server.model.text());
  }
});

test('a refusal rolls back what was shown, and says why', async () => {
  const { page, clock, server } = await desk({ late: 100 });
  moves(page, 'e4', 'e5');
  await clock.pass(1_000);
  server.model.grant = () => false;
  void page.store.wish({ kind: 'nag', nag: 1 });
  assert.equal(page.text(), 'e2e4 e7e5 $1');
  await clock.pass(1_000);
  assert.equal(page.text(), 'e2e4 e7e5');
  assert.match(page.store.trouble.value, /makes no sense/);
});

test('what was wished behind a refused move is told and not put elsewhere', async () => {
  const { page, clock, server } = await desk({ late: 100 });
  moves(page, 'e4');
  await clock.pass(1_000);
  const { grant } = server.model;
  server.model.grant = (at, wish) => wish.kind !== 'play' && grant.call(server.model, at, wish);
  moves(page, 'e5');
  types(page, 'words');
  await clock.pass(3_000);
  assert.equal(page.text(), 'e2e4');
  assert.equal(server.model.text(), 'e2e4');
  assert.match(page.store.trouble.value, /words/);
  assert.equal(page.node.uci, 'e2e4');
});

test('a page that is loaded anew goes on with what has not arrived, undo among it', async () => {
  const { page, clock, server, network, open } = await desk({ late: 300 });
  moves(page, 'e4', 'e5');
  await clock.pass(5_000);
  network.isUp = false;
  types(page, 'never');
  void page.store.wish({ kind: 'undo' });
  types(page, 'kept');
  moves(page, 'd4');
  types(page, 'too');
  await clock.pass(50);
  const address = page.leave();
  network.isUp = true;
  const again = await open(address);
  assert.equal(again.text(), 'e2e4 e7e5 {kept} d2d4 {too}');
  assert.equal(server.model.text(), again.text());
});

test('what another tab has said is not lost, and neither is what was typed here', async () => {
  const { page, clock, server } = await desk({ late: 100 });
  moves(page, 'e4');
  await clock.pass(1_000);
  const [, move] = server.model.all();
  server.model.comment(move, 'after', 'theirs', false);
  server.version++;
  void page.store.wish({ kind: 'nag', nag: 1 });
  await clock.pass(3_000);
  assert.equal(server.model.text(), 'e2e4 $1 {theirs}');
  assert.equal(page.text(), server.model.text());
  assert.match(page.store.trouble.value, /another tab/);
});

test('a session that has ended begins again, and what was typed goes on in it', async () => {
  const { page, clock, server } = await desk({ late: 50 });
  const { answer } = server;
  let isGone = true;
  server.answer = (method, path, body) => {
    if (path.endsWith('/edit')) isGone = false;
    return isGone && path.startsWith('edits/') ? [404, { error: 'this game is no longer being annotated' }] : answer.call(server, method, path, body);
  };
  types(page, 'goes on');
  await clock.pass(5_000);
  assert.equal(server.model.text(), '{goes on}');
  assert.equal(page.text(), '{goes on}');
});

test('a wish that fits nothing is given up in the end, and told', async () => {
  const { page, clock, server, network } = await desk({ late: 50 });
  server.wishes = () => [409, { error: 'another game' }];
  types(page, 'lost words');
  await clock.pass(60_000);
  assert.equal(page.desk.isSettled(), true);
  assert.equal(page.text(), '');
  assert.match(page.store.trouble.value, /another game/);
  assert.ok(network.log.length < 40, `${network.log.length} requests`);
});

test('an accept that is refused is followed by no save', async () => {
  const { page, clock, server } = await desk();
  moves(page, 'e4');
  await clock.pass(1_000);
  server.refusesAccept = true;
  void page.desk.saveOver();
  await clock.pass(5_000);
  assert.equal(server.saves, undefined);
  assert.match(page.store.trouble.value, /not now/);
  server.refusesAccept = false;
  void page.desk.saveOver();
  await clock.pass(5_000);
  assert.equal(server.saves, 1);
});

test('a save waits for what was wished before it', async () => {
  const { page, clock, server } = await desk({ late: 400 });
  types(page, 'all of it');
  void page.desk.save();
  await clock.pass(10_000);
  assert.equal(server.saved.text(), '{all of it}');
  assert.equal(page.store.saved.value, true);
});

test('changes of others are told, however near to a save of this tab', async () => {
  const { page, clock, server } = await desk();
  page.library.bases.value = [{ id: 'base' }];
  const told = version => page.live.take({ kind: 'base', base: 'base', version, why: 'edit' });
  told(1);
  moves(page, 'e4');
  void page.desk.save();
  await clock.pass(50);
  assert.equal(server.saves, 1);
  page.library.seen('base');
  told(server.baseVersion);
  assert.equal(page.library.changed.value.has('base'), false, 'its own save');
  await clock.pass(100);
  told(server.baseVersion + 1);
  assert.equal(page.library.changed.value.has('base'), true, 'somebody else');
});

test('who goes to another game types into that one', async () => {
  const { page, clock, server } = await desk({ late: 1_000 });
  moves(page, 'e4');
  page.address.go({ game: 2, path: '' });
  assert.equal(page.store.session.value, null);
  assert.equal(page.board.annotator.value, null);
  page.desk.comment('after', 'nowhere', page.node?.id ?? 0);
  await clock.pass(10_000);
  // What was wished before arrives all the same, and nothing else.
  assert.equal(server.model.text(), 'e2e4');
});

test('keys that arrive after the program has taken the focus away do nothing', async () => {
  const { page } = await desk();
  const typing = new page.Typing();
  const field = {};
  const body = {};
  const isIn = at => of => of === at;
  typing.entered(field, true, 0);
  assert.equal(typing.isStray(isIn(field), true, 10), false);
  // The field is gone; the hand goes on.
  for (let now = 80; now < 2_000; now += 70) assert.equal(typing.isStray(isIn(body), false, now), true, `at ${now}`);
  assert.equal(typing.isStray(isIn(body), false, 2_700), false, 'after a pause keys are commands again');
  assert.equal(typing.isStray(isIn(body), false, 2_710), false);
  typing.entered(field, true, 3_000);
  typing.left();
  assert.equal(typing.isStray(isIn(body), false, 3_010), false, 'who has left by will gives commands at once');
});

test('commands in comments stay when their words change, and marks change in their place', async () => {
  const { page } = await desk();
  const { comments } = page;
  const rich = '[%eval 0.17] [%clk 0:01:00] fine [%csl Gd4] [%foo 1] move';
  assert.equal(comments.plainText(rich), 'fine move');
  assert.equal(comments.withText(rich, 'new'), '[%eval 0.17] [%clk 0:01:00] [%csl Gd4] [%foo 1] new');
  assert.equal(JSON.stringify(comments.marksIn(rich)), JSON.stringify([{ square: 'd4', colour: 'green' }]));
  assert.equal(comments.withMarks(rich, [{ from: 'e2', to: 'e4', colour: 'red' }]), '[%eval 0.17] [%clk 0:01:00] fine [%cal Re2e4] [%foo 1] move');
  assert.equal(comments.withMarks('a [%csl Gd4] b', []), 'a b');
  assert.equal(comments.withText('', 'only words'), 'only words');
  assert.equal(comments.plainText('[%x'), '[%x');
  const said = comments.clockAndEvaluation([rich]);
  assert.equal(said.clock, 60);
  assert.equal(JSON.stringify(said.evaluation), '{"cp":17}');
});

test('the tree is put together anew only where it has changed', async () => {
  const { page } = await desk();
  moves(page, 'e4', 'e5', 'Nf3');
  const before = [...page.board.game.value.nodes];
  const list = page.board.game.value.nodes;
  void page.store.wish({ kind: 'nag', nag: 1 });
  const after = page.board.game.value.nodes;
  assert.equal(after, list, 'the same list where no move comes or goes');
  assert.deepEqual(before.map((node, at) => node === after[at]), [true, true, true, false]);
});

test('the model of these tests knows what it compares', () => {
  const model = new Model();
  model.play(model.root, 'e4', 'e2e4', 'variation');
  model.comment(model.at([0]), 'after', 'x', false);
  assert.equal(model.text(), 'e2e4 {x}');
  model.undo();
  assert.equal(model.text(), 'e2e4');
});
