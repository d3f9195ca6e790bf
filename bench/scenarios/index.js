import { call } from './call.js';
import { carry } from './comparisons/carry.js';
import { crowd } from './crowd.js';
import { datagrams } from './datagrams.js';
import { delay } from './delay.js';
import { latency } from './latency.js';
import { load } from './load.js';
import { loss } from './loss.js';
import { memory } from './memory.js';
import { mouthToEar } from './mouth-to-ear.js';
import { rtt } from './rtt.js';
import { soak } from './soak.js';
import { controllers } from './comparisons/controllers.js';
import { sweep } from './comparisons/sweep.js';
import { startup } from './startup.js';
import { starved } from './starved.js';
import { stragglers } from './stragglers.js';
import { ways } from './comparisons/ways.js';

/** All scenarios, in the order of --help. @type {readonly import('./scenario.js').Scenario[]} */
export const scenarios = Object.freeze([call, loss, carry, ways, sweep, controllers, mouthToEar, stragglers, starved, delay, rtt, latency, datagrams, startup, load, crowd, memory, soak]);
