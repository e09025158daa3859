// What is meant by words in the field for queries, and what is offered for them.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Clock, Network, Page, Server, Storage, chance } from './world.mjs';

// What the server completes: names that begin so, or one of whose words does; for openings each word begins one.
const KNOWN = {
  White: ['Tal, Mihail', 'Talalaev, Dmitri', 'Navrotescu, Catalin', 'Carlsen, Magnus', 'Kasparov, Garry', 'Adams, Michael', 'Van Wely, Loek', 'London, Jack', 'Müller, Karsten', 'Bobby Fischer'],
  Event: ['Wijk aan Zee Hoogovens', 'Linares 1990', 'Sicilian Open', 'Tallinn'],
  Site: ['Riga'],
  Opening: ['Sicilian Defense', 'Sicilian Defense: Najdorf Variation', 'Sicilian Defense: McDonnell Attack, Tal Gambit', "King's Gambit", 'London System', 'French Defense', 'Vienna Game'],
};
const fold = text => text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/'/g, '').toLowerCase();
const words = text => fold(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const complete = (tag, start) =>
  KNOWN[tag].filter(name =>
    tag === 'Opening'
      ? words(start).length > 0 && words(start).every(word => words(name).some(own => own.startsWith(word)))
      : fold(name).startsWith(fold(start)) || words(name).some(word => word.startsWith(fold(start))),
  );
const names = async (tag, start) => complete(tag, start);

/** The page, with a server that completes names; `openings` says whether it knows any, and `refused` how often it has no time for a name. */
async function page(openings = true, storage = new Storage(), refused = 0) {
  const clock = new Clock();
  const server = new Server();
  const asked = {};
  const answer = server.answer.bind(server);
  server.answer = (method, path, body) => {
    const url = new URL(path, 'http://here');
    if (!url.pathname.endsWith('/complete')) return answer(method, path, body);
    const tag = url.searchParams.get('tag');
    asked[url.search] = (asked[url.search] ?? 0) + 1;
    if (asked[url.search] <= refused) return [503, { error: 'busy' }];
    return tag === 'Opening' && !openings ? [400, { error: 'names of White …' }] : [200, { names: complete(tag, url.searchParams.get('start')) }];
  };
  const one = await Page.load(clock, new Network(clock, server), storage, '/base/base', chance(1));
  one.clock = clock;
  return one;
}

const MEANINGS = {
  // A name is a player first, and whole words come before parts of words.
  Tal: 'player:Tal',
  tal: 'player:tal',
  müller: 'player:müller',
  muller: 'player:muller',
  'Tal, Mihail': 'player:"Tal, Mihail"',
  'mihail tal': 'player:"mihail tal"',
  fischer: 'player:fischer',
  'van wely': 'player:"van wely"',
  'carlsen kasparov': 'player:carlsen player:kasparov',
  // A given name alone, and a part of a word, are nobody.
  Michael: 'Michael',
  Cata: 'Cata',
  // Openings by code and by name.
  B90: 'eco:B90',
  'B90-B99': 'eco:B90..B99',
  'Sicilian Najdorf': 'opening:Sicilian opening:Najdorf',
  najdorf: 'najdorf',
  sicilian: 'opening:sicilian',
  // The beginning of a word is none.
  sicil: 'sicil',
  'kings gambit': "opening:King's opening:Gambit",
  'London System': 'opening:London opening:System',
  // Lines and positions.
  '1.e4 c5': 'line:"1. e4 c5"',
  '1. e4 e5 2. Nf3': 'line:"1. e4 e5 2. Nf3"',
  'e4 c5': 'line:"1. e4 c5"',
  'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1': 'position:"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"',
  '8/8/8/4k3/8/4K3/4P3/8': 'position:"8/8/8/4k3/8/4K3/4P3/8"',
  // Several things one after another.
  'carlsen kasparov 1.e4': 'player:carlsen player:kasparov line:"1. e4"',
  'Tal 1960': 'player:Tal year:1960',
  'Tal 1957-1961 1-0': 'player:Tal year:1957..1961 result:1-0',
  'carlsen B90': 'player:carlsen eco:B90',
  'carlsen sicilian najdorf 1-0': 'player:carlsen opening:sicilian opening:najdorf result:1-0',
  // A name is a player's, even where an opening is called after the player.
  'tal sicilian': 'player:tal opening:sicilian',
  'tal sicilian najdorf': 'player:tal opening:sicilian opening:najdorf',
  'sicilian tal': 'opening:sicilian opening:tal',
  'tal 1960 sicilian najdorf': 'player:tal year:1960 opening:sicilian opening:najdorf',
  'najdorf sicilian': 'opening:najdorf opening:sicilian',
  'Wijk aan Zee': 'event:"Wijk aan Zee"',
  tallinn: 'event:tallinn',
  // What is a query stays one, and what means nothing stays text.
  'player:Tal': 'player:Tal',
  '"Tal"': '"Tal"',
  'Tal and Kasparov': 'Tal and Kasparov',
  'not Tal': 'not Tal',
  'eco:B90 Tal': 'eco:B90 Tal',
  nobody: 'nobody',
  'Tal nobody': 'Tal nobody',
  '1.e4 e4': '1.e4 e4',
  '8/8/8/8/8/8/8/8 w - - 0 1': '8/8/8/8/8/8/8/8 w - - 0 1',
  '': '',
  '  Tal  ': 'player:Tal',
};

test('words become what they mean', async () => {
  const { meaning } = await page();
  for (const [text, query] of Object.entries(MEANINGS)) assert.equal(await meaning.meaningOf(text, names), query, text);
});

test('a text of very many words is not looked up word by word', async () => {
  const { meaning } = await page();
  let asked = 0;
  const text = 'word '.repeat(2_000).trim();
  assert.equal(await meaning.meaningOf(text, async () => (asked++, [])), text);
  assert.equal(asked, 0);
});

const offered = async (one, text) => {
  const found = one.suggestions.suggestionsFor(text, 'base', new AbortController().signal);
  await one.clock.pass(100);
  return JSON.parse(JSON.stringify(await found));
};

test('suggestions stand in groups, whole words first', async () => {
  const groups = await offered(await page(), 'Tal');
  assert.deepEqual(groups.map(one => one.kind), ['players', 'openings', 'events']);
  assert.deepEqual(groups[0].all.map(one => one.text), ['player:"Tal, Mihail"', 'player:"Talalaev, Dmitri"']);
});

test('a term that is typed gets its values, and what stands before it stays', async () => {
  const one = await page();
  assert.deepEqual((await offered(one, 'eco:B white:Ta'))[0].all.map(item => item.text), ['eco:B white:"Tal, Mihail"', 'eco:B white:"Talalaev, Dmitri"']);
  assert.equal((await offered(one, 'white:"Tal, M'))[0].all[0].text, 'white:"Tal, Mihail"');
  assert.equal((await offered(one, 'result:1-0 opening:najd'))[0].all[0].text, 'result:1-0 opening:Sicilian opening:Defense opening:Najdorf opening:Variation');
  const terms = await offered(one, 'eco:B has:c');
  assert.equal(terms.find(group => group.kind === 'terms').all[0].text, 'eco:B has:comments');
});

test('what a text is by itself is offered first', async () => {
  const one = await page();
  assert.equal((await offered(one, 'B90'))[0].all[0].text, 'eco:B90');
  assert.equal((await offered(one, '1.e4 c5'))[0].all[0].text, 'line:"1. e4 c5"');
});

test('a server that knows no openings is no trouble', async () => {
  assert.deepEqual((await offered(await page(false), 'sicilian')).map(one => one.kind), ['events']);
});

test('what words mean does not depend on how busy the server is', async () => {
  for (const refused of [1, 3]) {
    const one = await page(true, new Storage(), refused);
    const done = one.search.find('tal sicilian najdorf', 'base');
    await one.clock.pass(60_000);
    await done;
    assert.equal(one.address.query.value, 'player:tal opening:sicilian opening:najdorf', `${refused} refusals`);
  }
  // A server that never has time leaves the words as they are.
  const never = await page(true, new Storage(), 1_000);
  const done = never.search.find('tal', 'base');
  await never.clock.pass(60_000);
  await done;
  assert.equal(never.address.query.value, 'tal');
});

test('the last search counts, whichever is understood last', async () => {
  const one = await page(true, new Storage(), 1);
  const first = one.search.find('tal', 'base');
  await one.clock.pass(50);
  const second = one.search.find('eco:B90', 'base');
  await one.clock.pass(60_000);
  await Promise.all([first, second]);
  assert.equal(one.address.query.value, 'eco:B90');
});

test('what is chosen stays, whatever is offered later', async () => {
  const one = await page();
  one.search.offer('ta', 'base');
  await one.clock.pass(1_000);
  const first = one.search.groups.value[0].all[0].text;
  // More is typed, and before the answer comes something of the old list is chosen.
  one.search.offer('müller', 'base');
  assert.equal(one.search.move(1), true);
  await one.clock.pass(1_000);
  assert.equal(one.search.choice().text, first);
  one.search.close();
  assert.equal(one.search.choice(), null);
});

test('kept queries have names, and those that were kept without are there', async () => {
  const storage = new Storage();
  storage.setItem('queries', JSON.stringify(['eco:B90', { name: 'mine', query: 'player:Me' }, 7, null, { name: 1 }]));
  const one = await page(true, storage);
  const kept = () => JSON.parse(JSON.stringify(one.saved.queries.value));
  assert.deepEqual(kept(), [{ name: 'eco:B90', query: 'eco:B90' }, { name: 'mine', query: 'player:Me' }]);
  one.saved.keep('eco:B90', ' Najdorf ');
  assert.deepEqual(kept()[0], { name: 'Najdorf', query: 'eco:B90' });
  assert.equal(kept().length, 2);
  const groups = await offered(one, 'najd');
  assert.deepEqual(groups.find(group => group.kind === 'kept').all[0], { label: 'Najdorf', text: 'eco:B90', isWhole: true });
  one.saved.forget('eco:B90');
  assert.deepEqual(JSON.parse(storage.getItem('queries')), [{ name: 'mine', query: 'player:Me' }]);
});
