/** Prints a room's delay control on made-up traces: D over time, received audio, reaction times. */

import { Command } from 'commander';
import {
  constant,
  exponential,
  heldUp,
  inTurn,
  leastFixedMs,
  lognormal,
  simulate,
  stalling,
} from '../testkit/delay-simulation.js';
import { wholeNumber } from './options.js';
import { mean } from '../testkit/statistics.js';

/** @typedef {import('../testkit/delay-simulation.js').Trace} Trace */

const TARGET = 99.5;

/** Number of values of D over time that are printed. */
const POINTS = 24;

/**
 * @type {Record<string, { about: string, traces: () => Trace[], roundTripsMs?: (number | null)[],
 *   loss?: number }>}
 */
const CASES = {
  loopback: { about: '0.3 ms and 0.1 ms of jitter', traces: () => [exponential(0.3, 0.1)] },
  thesis: {
    about: "the lab's link thesis: 12 ms, lognormal jitter, 0.6 stalls a second of 20 to 66 ms",
    traces: () => [stalling(lognormal(11.95), { perSecond: 0.6, minMs: 20, maxMs: 66 })],
  },
  everyday: { about: 'the same without its stalls', traces: () => [lognormal(11.95)] },
  wifi: {
    about: '5 ms, 2 ms of exponential jitter, a stall of 40 to 120 ms every 10 s',
    traces: () => [stalling(exponential(5, 2), { perSecond: 0.1, minMs: 40, maxMs: 120 })],
  },
  stalls: {
    about: '6 ms, 3 ms of exponential jitter, 0.3 stalls a second of 30 to 150 ms',
    traces: () => [stalling(exponential(6, 3), { perSecond: 0.3, minMs: 30, maxMs: 150 })],
  },
  'held up': {
    about: '10 ms, 1 ms of exponential jitter; from 10 s to 14 s all is up to 400 ms late',
    traces: () => [heldUp(exponential(10, 1), { fromMs: 10_000, toMs: 14_000, mostMs: 400 })],
  },
  step: {
    about: '10 ms; 60 ms from 30 s to 60 s; 1 ms of exponential jitter',
    traces: () => [
      inTurn([
        [0, exponential(10, 1)],
        [30_000, exponential(60, 1)],
        [60_000, exponential(10, 1)],
      ]),
    ],
  },
  ten: {
    about: 'ten people, 5 to 50 ms away, 1 ms of exponential jitter',
    traces: () => Array.from({ length: 10 }, (_, i) => exponential(5 * (i + 1), 1)),
  },
  liar: {
    about: 'one at 10 ms, and one whose clock makes 300 ms of a round trip of 20 ms',
    traces: () => [exponential(10, 1), constant(300)],
    roundTripsMs: [20, 20],
  },
  'loss 1 %': {
    about: 'everyday, and 1 % of the packets never come',
    traces: () => [lognormal(11.95)],
    loss: 0.01,
  },
  'loss 5 %': { about: 'the same with 5 %', traces: () => [lognormal(11.95)], loss: 0.05 },
  'loss 10 %': { about: 'the same with 10 %', traces: () => [lognormal(11.95)], loss: 0.1 },
  far: {
    about: 'one at 10 ms, and one at 900 ms, beyond the cap',
    traces: () => [exponential(10, 1), constant(900)],
  },
};

const options = new Command('delay-control')
  .description('How a room’s delay control follows made-up traces of lateness.')
  .option('--seconds <n>', 'of each trace', wholeNumber(1, 100_000), 120)
  .option('--seed <n>', 'of the traces', wholeNumber(1, 100_000), 1)
  .option('--json', 'prints JSON')
  .parse()
  .opts();

/** @param {number} value @param {number} digits */
const round = (value, digits) => Number(value.toFixed(digits));

const table = Object.entries(CASES).map(([name, { about, traces, roundTripsMs, loss }]) => {
  const { seconds, seed } = options;
  const link = { traces: traces(), roundTripsMs, loss };
  const { ticks, lateness, speakers } = simulate({ ...link, seconds, seed, targetPercent: TARGET });
  const reached = lateness.map((_, i) => i).filter((i) => !speakers[i].excluded);
  const received = Math.min(...reached.map((i) => ticks.filter((tick) => tick.inTime[i]).length));
  const every = Math.max(1, Math.floor(ticks.length / POINTS));
  return {
    name,
    about,
    receivedPercent: round((100 * received) / ticks.length, 2),
    meanDelayMs: round(mean(ticks.map((tick) => tick.delayMs)), 1),
    leastLatenessMs: round(Math.max(...reached.map((i) => Math.min(...lateness[i]))), 1),
    fixedDelayMs: Math.max(...reached.map((i) => leastFixedMs(lateness[i], TARGET))),
    delaysMs: ticks
      .filter((tick) => tick.frame % every === every - 1)
      .slice(0, POINTS)
      .map((tick) => round(tick.delayMs, 0)),
  };
});

/** The time after a step of the path until everything is in time again, and until D is back. */
function reactions() {
  return [5, 20, 40, 80, 160].map((riseMs) => {
    const trace = inTurn([
      [0, exponential(10, 1)],
      [30_000, exponential(10 + riseMs, 1)],
      [60_000, exponential(10, 1)],
    ]);
    const { ticks } = simulate({ traces: [trace], seconds: 150, seed: options.seed });
    const late = ticks.filter((tick) => !tick.inTime[0] && tick.frame >= 1500 && tick.frame < 1600);
    const from = ticks
      .slice(1500)
      .findIndex((_, i) => ticks.slice(1500 + i, 1505 + i).every((tick) => tick.inTime[0]));
    const before = ticks[1400].delayMs;
    const back = ticks.find((tick) => tick.frame > 3000 && tick.delayMs <= before + 2);
    return {
      'step, ms': riseMs,
      'frames late': late.length,
      'until five in a row are in time, frames': from,
      'back within 2 ms, s': back ? round((back.frame * 20 - 60_000) / 1000, 1) : null,
    };
  });
}

const reaction = reactions();
if (options.json)
  console.log(JSON.stringify({ ...options, target: TARGET, cases: table, reaction }, null, 2));
else {
  console.log(
    `Frames of 20 ms, ${options.seconds} s, somebody always speaks, target ${TARGET} %, ` +
      `seed ${options.seed}`,
  );
  console.log(
    'Everybody is on one clock. Figures are of the speaker who is received worst, of those ' +
      'who are waited for.\n',
  );
  console.table(
    Object.fromEntries(
      table.map((row) => [
        row.name,
        {
          'received, %': row.receivedPercent,
          'mean D, ms': row.meanDelayMs,
          'least lateness, ms': row.leastLatenessMs,
          'best fixed D, ms': row.fixedDelayMs,
        },
      ]),
    ),
  );
  for (const { name, about, delaysMs } of table)
    console.log(`${name}: ${about}\n  D over time: ${delaysMs.join(' ')}`);
  console.log('\nA step in the path, and back after 30 s:');
  console.table(reaction);
}
