import { delay } from './delay.js';
import { rtt } from './rtt.js';

/** All scenarios, in the order of --help. @type {readonly import('../lab/scenario.js').Scenario[]} */
export const scenarios = Object.freeze([delay, rtt]);
