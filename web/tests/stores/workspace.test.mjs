// The workspace: layouts that a browser keeps, games in tabs, and the paragraphs of the notation.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

/** A page at an address, with what its browser keeps. */
async function at(address, { storage = new Storage(), clock = new Clock() } = {}) {
  const server = new Server();
  const page = await Page.load(clock, new Network(clock, server), storage, address, chance(1));
  server.rules = { fenOf: one => one, uci: (one, san) => page.legalUci(way(one), san) };
  const way = one => (one.parent ? [...way(one.parent), one.uci] : []);
  await clock.pass(500);
  return { page, storage, clock };
}

/** Values of another world, compared by what they hold. */
const plain = value => JSON.parse(JSON.stringify(value));

test('layouts are read with care', async () => {
  const { page } = await at('/');
  const { BOUNDS, LAYOUTS, PRESETS, remembered } = page.workspace;
  const usual = plain({ preset: 'browse', layouts: LAYOUTS });
  for (const text of [null, '', '{', '[]', '7', 'null', '{"layouts":[]}', '{"layouts":null,"preset":"other"}', '{"layouts":{"browse":7}}']) {
    assert.deepEqual(plain(remembered(text)), usual, String(text));
  }
  const wild = plain(remembered('{"preset":"train","layouts":{"train":{"panes":["moves","lists",3],"list":99,"wide":-1,"side":null,"explorer":"x"}}}'));
  assert.equal(wild.preset, 'train');
  assert.deepEqual(wild.layouts.train, { panes: ['moves'], list: BOUNDS.list[1], wide: BOUNDS.wide[0], side: LAYOUTS.train.side, explorer: LAYOUTS.train.explorer });
  // Whatever stands there, every layout has sizes within their bounds.
  const random = chance(3);
  const pieces = ['{', '}', '"layouts":', '"browse":', '[', ']', '1e99', 'null', ',', '"list":', '"panes":', '-5', '"side"'];
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from({ length: random.below(12) }, () => random.pick(pieces)).join('');
    const { preset, layouts } = remembered(text);
    assert.ok(PRESETS.includes(preset), text);
    for (const name of PRESETS) {
      for (const [share, [least, most]] of Object.entries(BOUNDS)) assert.ok(layouts[name][share] >= least && layouts[name][share] <= most, text);
    }
  }
});

test('each layout keeps its own panes and sizes', async () => {
  const { page, storage } = await at('/base/base/game/1');
  const { layout } = page;
  layout.toggle('list');
  layout.arrange({ side: 0.3 });
  assert.equal(layout.isShown('list'), false);
  layout.nextPreset();
  assert.equal(layout.preset.value, 'annotate');
  assert.notEqual(layout.layout.value.side, 0.3);
  for (let step = 0; step < 3; step++) layout.nextPreset();
  assert.equal(layout.preset.value, 'browse');
  assert.equal(layout.layout.value.side, 0.3);
  assert.equal(layout.isShown('list'), false);
  // And the browser keeps them.
  const again = await at('/base/base/game/1', { storage });
  assert.equal(again.page.layout.layout.value.side, 0.3);
  assert.equal(again.page.layout.isShown('list'), false);
});

test('who annotates has room for it, and comes back to the layout from before', async () => {
  const { page, clock } = await at('/base/base/game/1');
  assert.equal(page.layout.preset.value, 'browse');
  page.store.begin();
  await clock.pass(2_000);
  assert.notEqual(page.store.session.value, null);
  assert.equal(page.layout.preset.value, 'annotate');
  page.store.leave();
  await clock.pass(2_000);
  assert.equal(page.layout.preset.value, 'browse');
});

test('a tab is an address, and the chosen one goes where the user goes', async () => {
  const { page, storage } = await at('/base/base/game/1');
  const { tabs, address } = page;
  const addresses = () => tabs.tabs.value.map(one => one.address);
  assert.deepEqual(plain(addresses()), ['/base/base/game/1']);
  tabs.openTab(address.placeOf('/base/base/game/2'));
  tabs.openTab(address.placeOf('/base/base/game/3?at=4'));
  // The user stays; new tabs stand behind the chosen one; a game is open once.
  tabs.openTab(address.placeOf('/base/base/game/3'));
  assert.deepEqual(plain(addresses()), ['/base/base/game/1', '/base/base/game/3?at=4', '/base/base/game/2']);
  assert.equal(address.place.value.game, 1);
  tabs.step(1);
  assert.deepEqual([address.place.value.game, address.place.value.path], [3, '4']);
  address.go({ path: '5' }, true);
  tabs.step(-1);
  tabs.step(1);
  assert.equal(address.place.value.path, '5');
  // Who comes to the game of another tab has chosen that tab; the one that was left stays where it was.
  address.go({ game: 2, path: '' });
  assert.equal(tabs.tabs.value.find(one => one.id === tabs.chosen.value).address, '/base/base/game/2');
  assert.deepEqual(plain(addresses()), ['/base/base/game/1', '/base/base/game/3?at=5', '/base/base/game/2']);
  // A reload keeps them.
  const again = await at('/base/base/game/2', { storage });
  assert.deepEqual(plain(again.page.tabs.tabs.value.map(one => one.address)), plain(addresses()));
  // The chosen one closes, and its neighbour is shown; the last one stays.
  tabs.closeTab(tabs.chosen.value);
  assert.equal(address.place.value.game, 3);
  tabs.closeTab(tabs.tabs.value[0].id);
  tabs.closeTab(tabs.chosen.value);
  assert.deepEqual(plain(addresses()), ['/base/base/game/3?at=5']);
});

test('tabs that a stranger wrote are none', async () => {
  for (const text of ['{', '7', 'null', '[1, null, {"id": 3}]', '[{"id": "a"}]', '{"length": 3}']) {
    const storage = new Storage();
    storage.session = new Storage();
    storage.session.setItem('tabs', text);
    const { page } = await at('/base/base/game/1', { storage });
    assert.equal(page.tabs.tabs.value.length, 1, text);
  }
});

test('what is shown beside a game is in the address, and ends with the base', async () => {
  const { page } = await at('/base/base/game/1');
  page.tabs.showBeside('/base/base/game/2?at=3');
  assert.equal(page.address.placeOf(page.tabs.beside.value).game, 2);
  assert.ok(page.address.addressOf(page.address.place.value).includes('beside='));
  page.address.go({ path: '1' }, true);
  assert.notEqual(page.tabs.beside.value, '');
  page.address.go({ base: null, game: null, path: '' });
  assert.equal(page.tabs.beside.value, '');
});

test('paragraphs of the notation', async () => {
  const { page, clock } = await at('/base/base/game/1?panel=edit');
  await clock.pass(2_000);
  const play = (...all) => all.forEach(san => page.board.playTyped(san));
  play('e4', 'e5', 'Nf3', 'Nc6');
  page.board.previous();
  play('d6', 'd4', 'exd4');
  page.board.previous();
  page.board.previous();
  play('Bc4', 'Be7');
  page.board.previous();
  play('Nf6', 'd3', 'g6');
  page.board.previous();
  page.board.previous();
  page.board.previous();
  play('a6');
  page.board.previous();
  const told = page.blocksOf(page.walkGame(page.board.game.value, false, new Set())).map(block => [
    block.level,
    block.isStart,
    block.steps.map(step => (step.kind === 'move' ? step.node.san : step.kind === 'close' ? ')'.repeat(step.count) : '…')).join(' '),
  ]);
  // No move is lost, each variation of the first levels begins a paragraph, and the main line goes on in one of its own.
  const words = told.map(([, , text]) => text).join(' ');
  assert.equal((words.match(/\)/g) ?? []).length, told.filter(([, isStart]) => isStart).length + deeper(page));
  assert.equal(words.split(/[\s)]+/).filter(Boolean).length, page.board.game.value.nodes.length - 1);
  assert.deepEqual(told[0].slice(0, 2), [0, false]);
  assert.ok(told.some(([level, isStart]) => level === 1 && isStart) && told.some(([level, isStart]) => level === 2 && isStart));
  for (const [level, isStart] of told) assert.ok(level <= 3 && (level > 0 || !isStart));
});

/** Variations that are too deep for a paragraph. */
const deeper = page => page.board.game.value.nodes.filter(node => node.index > 0 && node.depth > 3).length;
