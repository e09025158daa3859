// A share of the sessions, in a thread of its own: tells which seeds fail.

import { parentPort, workerData } from 'node:worker_threads';
import { faultOf, whole } from './annotator.mjs';

const { first, step, end } = workerData;
const failed = [];
let tried = 0;
for (let seed = first; seed < end; seed += step) {
  tried++;
  if (await faultOf(whole(seed))) failed.push(seed);
}
parentPort.postMessage({ tried, failed });
