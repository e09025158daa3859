// Addresses: what they mean, what is left of a place when another one is gone to, and moves that are tried.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

/** A page at an address. */
async function at(address, clock = new Clock()) {
  const page = await Page.load(clock, new Network(clock, new Server()), new Storage(), address, chance(1));
  await clock.pass(100);
  return page;
}

/** The address in which a page is left, once what was done last is on the screen. */
async function left(page, clock) {
  await clock.pass(40);
  return page.leave();
}

const plain = { base: null, about: null, game: null, path: '', fen: '', tried: '', query: '', sort: '', panel: '', beside: '' };
const placeOf = page => JSON.parse(JSON.stringify(page.address.place.value));

const ADDRESSES = {
  '/': {},
  '/base/b': { base: 'b' },
  '/base/b/game/12?at=3.1.2': { base: 'b', game: 12, path: '3.1.2' },
  '/base/b/game/12?at=3&try=e2e4-e7e5': { base: 'b', game: 12, path: '3', tried: 'e2e4-e7e5' },
  '/base/b?fen=8%2F8%2F8%2F4k3%2F8%2F8%2F4P3%2F4K3+w+-+-+0+1&try=e2e4': { base: 'b', fen: '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1', tried: 'e2e4' },
  '/base/b/player/Tal%2C%20Mihail': { base: 'b', about: { kind: 'player', name: 'Tal, Mihail' } },
  '/base/b/event/50%25%20%2F%20%3F%23': { base: 'b', about: { kind: 'event', name: '50% / ?#' } },
  '/base/b/opening/B90?try=e2e4': { base: 'b', about: { kind: 'opening', name: 'B90' }, tried: 'e2e4' },
  '/base/b/site/Z%C3%BCrich': { base: 'b', about: { kind: 'site', name: 'Zürich' } },
  '/base/b/annotator/%D0%A2': { base: 'b', about: { kind: 'annotator', name: 'Т' } },
  '/base/b/game/1?beside=%2Fbase%2Fc%2Fgame%2F2%3Fat%3D5': { base: 'b', game: 1, beside: '/base/c/game/2?at=5' },
  '/base/b?q=player%3ATal&sort=-date&panel=statistics': { base: 'b', query: 'player:Tal', sort: '-date', panel: 'statistics' },
};

test('an address is the place that it was made of', async () => {
  for (const [address, place] of Object.entries(ADDRESSES)) {
    const page = await at(address);
    assert.deepEqual(placeOf(page), { ...plain, ...place }, address);
    assert.equal(page.address.addressOf({ ...plain, ...place }), address);
  }
});

test('an address that means nothing is the nearest place, and throws nothing', async () => {
  const nearest = {
    '/base/%zz': { base: '%zz' },
    '/base/b/player/%zz': { base: 'b', about: { kind: 'player', name: '%zz' } },
    '/base/b/player/': { base: 'b' },
    '/base/b/player': { base: 'b' },
    '/base/b/nothing/x': { base: 'b' },
    '/base/b/player/7': { base: 'b', about: { kind: 'player', name: '7' } },
    '/base/b/game/0': { base: 'b' },
    '/base/b/game/-3': { base: 'b' },
    '/base/b/game/x': { base: 'b' },
    '/base/': {},
    '/nothing/b/player/x': {},
  };
  for (const [address, place] of Object.entries(nearest)) assert.deepEqual(placeOf(await at(address)), { ...plain, ...place }, address);
});

test('what is gone to leaves what belonged to the place before', async () => {
  const page = await at('/base/b/player/Tal?try=e2e4');
  const placeAfter = (...of) => JSON.parse(JSON.stringify(page.address.placeAfter(...of)));
  const now = placeOf(page);
  assert.deepEqual(placeAfter(now, { query: 'x' }), { ...now, about: null, query: 'x' });
  assert.deepEqual(placeAfter(now, { game: 1 }), { ...now, about: null, game: 1, tried: '' });
  assert.deepEqual(placeAfter(now, { about: { kind: 'event', name: 'e' } }), { ...now, about: { kind: 'event', name: 'e' }, tried: '' });
  assert.deepEqual(placeAfter(now, { tried: 'd2d4' }), { ...now, tried: 'd2d4' });
  assert.deepEqual(placeAfter(now, { path: '1' }), { ...now, about: null, path: '1', tried: '' });
});

const line = page => (page.board.scratch.value?.moves ?? []).slice(0, page.board.scratch.value?.shown ?? 0).map(move => move.san).join(' ');

test('moves that are tried stand in the address, and come back with it', async () => {
  const clock = new Clock();
  const page = await at('/base/base', clock);
  for (const san of ['e4', 'c5', 'Nf3']) assert.ok(page.board.playTyped(san));
  assert.equal(page.address.place.value.tried, 'e2e4-c7c5-g1f3');
  page.board.previous();
  assert.equal(page.address.place.value.tried, 'e2e4-c7c5');
  page.board.next();
  assert.equal(line(page), 'e4 c5 Nf3');
  const again = await at(await left(page, clock), clock);
  assert.equal(line(again), 'e4 c5 Nf3');
  again.board.dropScratch();
  assert.equal(await left(again, clock), '/base/base');
});

test('moves that are not legal there are left out, with all behind them', async () => {
  assert.equal(line(await at('/base/base?try=e2e4-e7e5-e1e3-d7d5')), 'e4 e5');
  assert.equal(line(await at('/base/base?try=%F0%9F%98%80--&at=1')), '');
});

test('a position that is set up is in the address, and moves are tried from there', async () => {
  const fen = '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1';
  const clock = new Clock();
  const page = await at('/base/base', clock);
  page.board.setUpPosition(fen);
  assert.equal(page.board.fen.value, fen);
  assert.ok(page.board.playTyped('e4'));
  const again = await at(await left(page, clock), clock);
  assert.equal(line(again), 'e4');
  again.board.dropScratch();
  assert.equal(again.board.fen.value, fen);
  again.board.dropScratch();
  assert.equal(await left(again, clock), '/base/base');
});

test('a position that is none, and one over a game, is not shown', async () => {
  const start = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
  for (const fen of ['8/8/8/8/8/8/8/8 w - - 0 1', 'x', '%F0%9F%98%80']) assert.equal((await at(`/base/base?fen=${fen}&try=e2e4`)).board.fen.value.split(' ')[0], 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR');
  assert.equal((await at('/base/base/game/1?fen=8/8/8/4k3/8/8/4P3/4K3 w - - 0 1')).board.fen.value, start);
});

test('tried moves begin where the reader stands in the game, and are left with a step in it', async () => {
  const clock = new Clock();
  const server = new Server();
  for (const [san, uci] of [['e4', 'e2e4'], ['e5', 'e7e5']]) server.model.play(server.model.at(server.model.cursor ?? []), san, uci, 'variation');
  const open = address => Page.load(clock, new Network(clock, server), new Storage(), address, chance(1));
  const page = await open('/base/base/game/1?at=1&try=c7c5-g1f3');
  assert.equal(line(page), '', 'the game is not there yet');
  await clock.pass(100);
  assert.equal(line(page), 'c5 Nf3');
  page.board.stand(page.board.game.value.nodes[2]);
  assert.equal(page.address.place.value.tried, '');
  assert.equal(page.board.scratch.value, null);
});
