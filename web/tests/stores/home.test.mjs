// Names of bases that are alike, and what is remembered of bases that are not open.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

const page = (storage = new Storage()) => Page.load(new Clock(), new Network(new Clock(), new Server()), storage, '/', chance(1));
const bases = (...paths) => paths.map((path, at) => ({ id: String(at), name: path.split(/[/\\]/).pop(), path, clipboard: false }));

test('bases of one name are told apart by the last folders that differ', async () => {
  const { whereOf, titleOf } = (await page()).names;
  const told = (...paths) => bases(...paths).map((one, _, all) => whereOf(one, all));
  assert.deepEqual(told('/a/b.pgn', '/a/c.pgn'), ['', '']);
  assert.deepEqual(told('/x/a.cbh', '/y/a.cbh'), ['x', 'y']);
  assert.deepEqual(told('/x/one/a.cbh', '/y/one/a.cbh', '/y/two/a.cbh'), ['x/one', 'y/one', 'two']);
  assert.deepEqual(told('C:\\x\\a.cbh', 'C:\\y\\a.cbh'), ['x', 'y']);
  // One that lies in a folder of the other's.
  assert.deepEqual(told('/d/a.cbh', '/d/d/a.cbh'), ['/d', 'd/d']);
  // Copies lie nowhere.
  assert.deepEqual(bases('a.pgn', '/x/a.pgn').map((one, at, all) => whereOf({ ...one, path: at === 0 ? '' : one.path }, all)), ['', 'x']);
  const all = bases('/x/a.cbh', '/y/a.cbh', '/y/b.cbh');
  assert.deepEqual(all.map(one => titleOf(one, all)), ['a.cbh (x)', 'a.cbh (y)', 'b.cbh']);
});

test('what a base held is remembered by its path, but of copies and of those that could not be read', async () => {
  const storage = new Storage();
  const { seen } = await page(storage);
  const base = (path, more = {}) => ({ path, format: 'PGN', games: 7, years: ['1990', '1991'], copy: false, ...more });
  seen.remember([base('/a.pgn'), base('/b.pgn', { copy: true }), base('/c.pgn', { trouble: 'gone' })]);
  assert.deepEqual(JSON.parse(JSON.stringify(seen.seen('/a.pgn'))), { format: 'PGN', games: 7, years: ['1990', '1991'] });
  assert.equal(seen.seen('/b.pgn'), null);
  assert.equal(seen.seen('/c.pgn'), null);
  seen.remember(Array.from({ length: 150 }, (_, at) => base(`/${at}.pgn`)));
  assert.equal(JSON.parse(storage.getItem('seen')).length, 100);
  assert.equal(seen.seen('/a.pgn'), null);
  // What is no such thing is nothing.
  storage.setItem('seen', '{"a": [');
  assert.equal(seen.seen('/149.pgn'), null);
  storage.setItem('seen', '[1, null, ["x", null], ["y", {"format": "PGN"}]]');
  assert.equal(seen.seen('x'), null);
});

test('what a check has found is remembered with its day, until the files change', async () => {
  const storage = new Storage();
  const { seen } = await page(storage);
  const plain = value => JSON.parse(JSON.stringify(value));
  const base = { path: '/a.pgn', format: 'PGN', games: 7, years: null, copy: false };
  // What was never seen is not told of.
  seen.rememberCheck('/a.pgn', 0);
  assert.equal(seen.seen('/a.pgn'), null);
  seen.remember([base]);
  assert.equal(seen.seen('/a.pgn').checked, undefined);
  seen.rememberCheck('/a.pgn', 3);
  assert.equal(seen.seen('/a.pgn').checked.damage, 3);
  assert.ok(seen.seen('/a.pgn').checked.when > 1.7e12);
  // Seen again, the check stays; after a change it is gone.
  seen.remember([{ ...base, games: 8 }]);
  assert.deepEqual([seen.seen('/a.pgn').games, seen.seen('/a.pgn').checked.damage], [8, 3]);
  seen.rememberCheck('/a.pgn', null);
  assert.deepEqual(plain(seen.seen('/a.pgn')), { format: 'PGN', games: 8, years: null });
  // What is no check is none.
  for (const checked of [7, null, {}, { damage: '1', when: 1 }, { damage: 1 }]) {
    storage.setItem('seen', JSON.stringify([['/a.pgn', { format: 'PGN', games: 1, years: null, checked }]]));
    assert.equal(seen.seen('/a.pgn').checked, undefined, JSON.stringify(checked));
  }
});
