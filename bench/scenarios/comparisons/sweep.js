/**
 * Every way of carrying a packet, over legs of less and less rate, of more and more delay and loss, and of all three.
 * @import { Swept } from './grid-scenario.js'
 */

import { GRID_QUANTITIES } from './grid.js';
import { GRID_NOTES } from './grid-result.js';
import { gridScenario } from './grid-scenario.js';

/** The longest wait for a leg's rate, in milliseconds: a home router's queue. */
export const QUEUE_MS = 300;

/** Rates that matter to sound: 48 kb/s of Opus is some 75 with headers. */
const RATES = [1000, 500, 250, 150, 120, 100, 90, 80, 70, 60, 50, 40];

const rate = (/** @type {number} */ kilobits) => ({ rateBits: 1000 * kilobits, queueMs: QUEUE_MS });

/** What a server would take for the path's rate, as in section 5 of Nys (2024). */
const ESTIMATE = { of: GRID_QUANTITIES.estimate, label: 'Window ÷ round trip', unit: 'kbit/s', digits: 0 };

/** @type {readonly Swept[]} */
const SWEEPS = Object.freeze([
  { name: 'rate', label: 'Rate of each leg', unit: 'kbit/s', isLogarithmic: true, stands: 'figures 6.3 to 6.6 and tables A.1 to A.3 of Paterson (2022)', values: RATES, more: [ESTIMATE], condition: (kilobits) => ({ leg: rate(kilobits) }) },
  { name: 'delay', label: 'Delay of each leg', unit: 'ms', stands: 'figures 6.7 and 6.8 and tables A.4 to A.6 of Paterson (2022), and section 4.1 of RFC 8868, "One-Way Propagation Delay"', values: [0, 10, 20, 50, 100, 150, 200, 250], condition: (delayMs) => ({ leg: { delayMs } }) },
  { name: 'loss', label: 'Loss on each leg', unit: '%', stands: 'figures 6.9 and 6.10 and tables A.7 to A.9 of Paterson (2022), and section 4.2 of RFC 8868, "End-to-End Loss"', values: [0, 1, 2, 3, 5, 8, 12, 20], condition: (lossPercent) => ({ leg: { lossPercent, delayMs: 10 } }) },
  { name: 'all', label: 'Step of all three', unit: '', stands: 'figures 6.10 and 6.11 and tables A.10 to A.12 of Paterson (2022)', values: RATES.map((_, step) => step), condition: (step) => ({ leg: { ...rate(RATES[Math.min(step, RATES.length - 1)]), lossPercent: step, delayMs: 12.5 * step } }) },
]);

export const sweep = gridScenario({
  name: 'sweep',
  title: 'Ways of carrying a packet, by rate, delay and loss',
  description: 'every way under less rate, more delay, more loss, and all three (Paterson 2022, its experiments 1 to 4)',
  sweeps: SWEEPS,
  notes: GRID_NOTES,
});
