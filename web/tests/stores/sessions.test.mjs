// Sessions of an annotator who does anything at any speed, over a line that is late, loses and repeats: what is shown is what was meant
// at every moment, and what is saved is that to the letter. 300 of them, 20,000 with `TABIYA_FULL`; `TABIYA_SESSIONS` says another
// number, `TABIYA_SEED` with which one they begin.

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { faultOf, smallest, told, whole } from './annotator.mjs';

const COUNT = Number(process.env.TABIYA_SESSIONS ?? ('TABIYA_FULL' in process.env ? 20_000 : 300));
const FIRST = Number(process.env.TABIYA_SEED ?? 1);

/** The seeds of a share of the sessions that fail. */
const share = (first, step) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./share.mjs', import.meta.url), { workerData: { first, step, end: FIRST + COUNT } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });

test(`${COUNT} sessions from seed ${FIRST} on are saved as they were meant`, async () => {
  assert.ok(COUNT > 0, 'there are sessions');
  const shares = Math.min(COUNT, availableParallelism());
  const done = await Promise.all(Array.from({ length: shares }, (_, at) => share(FIRST + at, shares)));
  const failed = done.flatMap(one => one.failed).sort((a, b) => a - b);
  assert.equal(done.reduce((sum, one) => sum + one.tried, 0), COUNT, 'all sessions were tried');
  if (failed.length === 0) return;
  const session = await smallest(whole(failed[0]));
  const fault = await faultOf(session);
  assert.fail(`${failed.length} of ${COUNT} sessions fail, by seed: ${failed.slice(0, 20).join(' ')}\n${fault ? told(fault, session) : 'it does not fail again'}`);
});

test('a session that fails is told, and made smaller', async () => {
  // A server that grants one sign as another one: the steps that are left are those which it needs.
  const spoil = ({ server }) => {
    const grant = server.model.grant.bind(server.model);
    server.model.grant = (at, wish) => grant(at, wish.kind === 'nag' && wish.nag === 14 ? { ...wish, nag: 15 } : wish);
  };
  let found = null;
  for (let seed = 1; seed < 200 && !found; seed++) if (await faultOf(whole(seed), spoil)) found = whole(seed);
  assert.ok(found, 'the fault is found');
  assert.equal(await faultOf(found), null, 'it is the fault that is found, and nothing else');
  const least = await smallest(found, spoil);
  const fault = await faultOf(least, spoil);
  assert.ok(fault, 'the smaller one fails too');
  assert.match(told(fault, least), /"nag":14/);
  // A move, and the sign; what leads from one to the other may be one step more.
  assert.ok(least.steps.length <= 3, `${least.steps.length} steps`);
  assert.equal(least.isLossy, false);
});
