// What is wished of rows and games that have not come yet.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

const LINE = [['e4', 'e2e4'], ['e5', 'e7e5'], ['Nf3', 'g1f3'], ['Nc6', 'b8c6']].map(([san, uci]) => ({ san, uci }));

/** A page before a base of some games, whose answers take their time. */
async function page(address, late, games = 3) {
  const clock = new Clock();
  const server = new Server();
  const answer = server.answer.bind(server);
  server.answer = (method, path, body) => {
    const url = new URL(path, 'http://here');
    if (/rows$/.test(url.pathname)) {
      const rows = Array.from({ length: games }, (_, at) => ({ number: at + 1, white: `W${at + 1}`, black: 'B' }));
      return [200, { total: games, rows }];
    }
    const [, number] = /games\/(\d+)$/.exec(url.pathname) ?? [];
    return number ? [200, { number: Number(number), tags: [], result: '*', moves: LINE }] : answer(method, path, body);
  };
  const network = new Network(clock, server);
  network.late = () => late / 2;
  const one = await Page.load(clock, network, new Storage(), address, chance(1));
  one.pass = ms => clock.pass(ms);
  return one;
}

test('what is wished of a row is done once when it comes', async () => {
  const { wish } = await page('/base/base', 0);
  const done = [];
  const does = row => done.push(row.number);
  wish.make(does, null);
  assert.deepEqual(done, []);
  wish.meet(null);
  wish.meet({ number: 7 });
  wish.meet({ number: 8 });
  assert.deepEqual(done, [7]);
  wish.make(does, { number: 9 });
  assert.deepEqual(done, [7, 9]);
});

test('a wish is dropped by whatever is done next', async () => {
  for (const kind of ['keydown', 'pointerdown', 'wheel', 'popstate', 'drop']) {
    const one = await page('/base/base', 0);
    const done = [];
    one.wish.make(row => done.push(row), null);
    one.does(kind);
    one.wish.meet({ number: 1 });
    assert.deepEqual(done, [], kind);
  }
});

test('the last wish counts, and none is met by a list that another one replaces', async () => {
  const { wish, list } = await page('/base/base', 0);
  const done = [];
  list.awaited.value = true;
  wish.make(row => done.push(`first ${row.number}`), { number: 1 });
  wish.make(row => done.push(`second ${row.number}`), { number: 1 });
  assert.deepEqual(done, []);
  list.awaited.value = false;
  wish.meet({ number: 5 });
  assert.deepEqual(done, ['second 5']);
});

test('steps in a game that has not come are taken when it comes', async () => {
  const one = await page('/base/base/game/1', 1_000);
  await one.pass(10);
  assert.equal(one.board.game.value, null);
  for (let step = 0; step < 3; step++) one.board.next();
  one.board.previous();
  await one.pass(2_000);
  assert.equal(one.node.san, 'e5');
  one.board.next();
  assert.equal(one.node.san, 'Nf3');
});

test('steps in a game that was left before it came are not taken in the next one', async () => {
  const one = await page('/base/base/game/1', 1_000);
  await one.pass(10);
  one.board.last();
  one.address.go({ game: 2, path: '' });
  await one.pass(3_000);
  assert.equal(one.board.game.value.number, 2);
  assert.equal(one.node.san, '');
});

test('the next game is gone to when the list has come', async () => {
  const one = await page('/base/base/game/1', 1_000);
  const stepped = one.stepGame(1);
  await one.pass(10);
  assert.equal(one.address.gameNumber.value, 1);
  await one.pass(5_000);
  await stepped;
  assert.equal(one.address.gameNumber.value, 2);
});

test('who has gone elsewhere does not go to the next game of a list that comes late', async () => {
  const one = await page('/base/base/game/1', 1_000);
  const stepped = one.stepGame(1);
  await one.pass(10);
  one.address.go({ game: 3, path: '' });
  await one.pass(5_000);
  await stepped;
  assert.equal(one.address.gameNumber.value, 3);
});
