// The board's stores: the wheel, jumps from place to place, lines of moves as they are written.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

async function page(items = [], start = '/base/base/game/1') {
  const clock = new Clock();
  const page = await Page.load(clock, new Network(clock, new Server()), new Storage(), start, chance(1));
  await clock.pass(100);
  page.board.game.value = page.treeOf({ number: 1, moves: items });
  return page;
}

const move = (san, uci, more = {}) => ({ san, uci, ...more });
const GAME = [
  move('e4', 'e2e4'),
  move('e5', 'e7e5', { nags: [2] }),
  { comment: 'words' },
  { variation: [move('c5', 'c7c5'), { comment: '', marks: [{ square: 'e4', colour: 'green' }] }] },
  move('Nf3', 'g1f3', { nags: [14] }),
];
const at = page => page.node.san;

test('a turn of the wheel is a move for each event, and ends with the game', async () => {
  const one = await page(GAME);
  const turns = (count, deltaY, from, deltaMode = 0) => {
    for (let n = 0; n < count; n++) one.wheel.turn({ deltaY, deltaMode, timeStamp: from + n * 20 });
  };
  turns(1, 100, 1_000);
  assert.equal(at(one), 'e4');
  // A wheel that tells of lines is the same; one that turns by little pixels turns further.
  turns(1, 3, 2_000, 1);
  assert.equal(at(one), 'e5');
  turns(9, 4, 3_000);
  assert.equal(at(one), 'e5');
  turns(1, 4, 3_200);
  assert.equal(at(one), 'Nf3');
  turns(50, -100, 4_000);
  assert.equal(at(one), '');
  assert.equal(one.address.gameNumber.value, 1);
});

test('the wheel goes along tried moves where there are some', async () => {
  const one = await page(GAME);
  for (const san of ['d4', 'd5']) one.board.playTyped(san);
  one.wheel.turn({ deltaY: -100, deltaMode: 0, timeStamp: 1_000 });
  assert.equal(one.board.scratch.value.shown, 1);
  one.wheel.turn({ deltaY: 100, deltaMode: 0, timeStamp: 2_000 });
  assert.equal(one.board.scratch.value.shown, 2);
});

test('jumps lead to what is looked for, in the order in which a game is read', async () => {
  const one = await page(GAME);
  const way = (kind, by) => (one.jumps.jump(kind, by), at(one));
  assert.equal(way('comment', 1), 'e5');
  // A comment without words is none.
  assert.equal(way('comment', 1), 'e5');
  assert.equal(way('variation', 1), 'c5');
  assert.equal(way('sign', 1), 'Nf3');
  assert.equal(way('blunder', -1), 'e5');
  assert.equal(way('blunder', -1), 'e5');
});

test('a blunder is a sign, or two pawns that the one who moves has lost', async () => {
  const one = await page();
  const blunder = (before, now, ply) => one.jumps.isBlunder({ nags: [], ply, evaluation: now, parent: { evaluation: before } }, 0);
  assert.equal(blunder({ cp: 30 }, { cp: -170 }, 1), true);
  assert.equal(blunder({ cp: 30 }, { cp: -169 }, 1), false);
  assert.equal(blunder({ cp: 30 }, { cp: -170 }, 2), false);
  assert.equal(blunder({ cp: 30 }, { cp: 230 }, 2), true);
  assert.equal(blunder({ mate: 3 }, { cp: 0 }, 1), true);
  // What is won or lost anyway stays so.
  assert.equal(blunder({ cp: -1_200 }, { mate: -2 }, 1), false);
  assert.equal(blunder(null, { cp: 900 }, 2), false);
});

test('lines are read with numbers and signs, and are none with a word that is no move', async () => {
  const { lineOf, numbered } = (await page()).line;
  const read = text => lineOf(text)?.map(one => one.san).join(' ') ?? null;
  assert.equal(read('1.e4 c5'), 'e4 c5');
  assert.equal(read('1. e4 e5 2.Nf3! Nc6 3. Bb5'), 'e4 e5 Nf3 Nc6 Bb5');
  assert.equal(read('e4 1...c5'), 'e4 c5');
  assert.equal(read('e2e4'), 'e4');
  assert.equal(read('1.e4 e4'), null);
  assert.equal(read('Tal'), null);
  assert.equal(read('1.'), null);
  assert.equal(numbered('e4', 0), '1. e4');
  assert.equal(numbered('c5', 1), 'c5');
  assert.equal(numbered('c5', 1, true), '1… c5');
});

test('an opening is its code, or the words of its name', async () => {
  const { openingQuery, queryAbout } = (await page()).openings;
  assert.equal(openingQuery('B90'), 'eco:B90');
  assert.equal(openingQuery('B'), 'eco:B');
  assert.equal(openingQuery('B90 Sicilian Defense: Najdorf'), 'opening:Sicilian opening:Defense opening:Najdorf');
  assert.equal(openingQuery("King's Gambit"), "opening:King's opening:Gambit");
  assert.equal(queryAbout({ kind: 'event', name: 'a "b" \\' }), 'event="a \\"b\\" \\\\"');
  assert.equal(queryAbout({ kind: 'player', name: 'Tal, M' }), 'player:"Tal, M"');
});
