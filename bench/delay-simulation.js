/**
 * A room's delay control on made-up traces: speakers whose frames arrive when a trace says, a mix clock that
 * mixes each frame once, and what of it was there. No sound, no sockets, no real time.
 */

import { normal, seededRandom } from './random.js';
import { DelayControl } from '../server/room/delay-control.js';
import { Lateness } from '../server/room/lateness.js';

/**
 * @typedef {(endMs: number, random: () => number) => number} Trace
 *   how long after its end, in milliseconds, a frame that ends then would arrive if none before it were late;
 *   none overtakes
 *
 * @typedef {object} SimulationOptions
 * @property {Trace[]} traces                one for each speaker
 * @property {number} seconds
 * @property {number} [seed]
 * @property {number} [frameMs]
 * @property {number | 'auto'} [setting]
 * @property {number} [maxMs]
 * @property {number} [targetPercent]
 * @property {(number | null)[]} [roundTripsMs] of each speaker, null where it isn't known
 * @property {(endMs: number) => boolean} [speaking]  whether anybody speaks, always by default
 *
 * @typedef {object} Tick
 * @property {number} frame
 * @property {number} dueMs     when it was mixed
 * @property {number} delayMs   D in force for it
 * @property {boolean[]} inTime whose frame was there
 */

/**
 * @param {SimulationOptions} options
 * @returns {{ ticks: Tick[], lateness: number[][], control: DelayControl, speakers: Lateness[] }}
 *   lateness: of each speaker's frames, in milliseconds
 */
export function simulate(options) {
  const { traces, seconds, seed = 1, frameMs = 20, setting = 'auto', maxMs = 400, targetPercent = 99.5 } = options;
  const { roundTripsMs = [], speaking = () => true } = options;
  const control = new DelayControl({ frameMs, sampleRate: 48000, setting, maxMs });
  const speakers = traces.map(() => new Lateness({ frameMs, maxMs, targetPercent }));
  const frames = Math.round((seconds * 1000) / frameMs);
  const arrivals = traces.map((trace, i) => arrivalsOf(trace, frames, frameMs, seededRandom(seed + i)));
  const next = traces.map(() => 0);
  /** @type {Tick[]} */
  const ticks = [];
  let reviewMs = 1000;
  for (let frame = 0; frame < frames; frame++) {
    for (;;) {
      const who = earliest(arrivals, next);
      const dueMs = (frame + 1) * frameMs + control.delaySamples / 48;
      if (who < 0 || arrivals[who][next[who]] > dueMs) break;
      const k = next[who]++;
      const at = arrivals[who][k];
      speakers[who].add(at - (k + 1) * frameMs, at);
      control.heed(speakers[who], at, () => roundTripsMs[who] ?? null);
    }
    const dueMs = (frame + 1) * frameMs + control.delaySamples / 48;
    ticks.push({ frame, dueMs, delayMs: control.delaySamples / 48, inTime: arrivals.map((all) => all[frame] <= dueMs) });
    control.advance(1, speaking(frame * frameMs));
    if (dueMs < reviewMs) continue;
    reviewMs += 1000;
    for (const [i, speaker] of speakers.entries()) speaker.review(dueMs, roundTripsMs[i] ?? null);
    control.review(speakers);
  }
  const lateness = arrivals.map((all) => all.map((at, k) => at - (k + 1) * frameMs));
  return { ticks, lateness, control, speakers };
}

/**
 * @param {number[][]} arrivals
 * @param {number[]} next
 * @returns {number} whose packet comes next; -1 when none does
 */
function earliest(arrivals, next) {
  let who = -1;
  for (let i = 0; i < arrivals.length; i++) {
    const at = arrivals[i][next[i]];
    if (at !== undefined && (who < 0 || at < arrivals[who][next[who]])) who = i;
  }
  return who;
}

/**
 * @param {Trace} trace
 * @param {number} frames
 * @param {number} frameMs
 * @param {() => number} random
 */
function arrivalsOf(trace, frames, frameMs, random) {
  const arrivals = [];
  let last = -Infinity;
  for (let k = 0; k < frames; k++) {
    const end = (k + 1) * frameMs;
    last = Math.max(last, end + trace(end, random));
    arrivals.push(last);
  }
  return arrivals;
}

/** @param {number} delayMs always @returns {Trace} */
export const constant = (delayMs) => () => delayMs;

/**
 * @param {number} baseMs
 * @param {number} meanMs of what comes on top, exponentially distributed
 * @returns {Trace}
 */
export const exponential = (baseMs, meanMs) => (_end, random) => baseMs - meanMs * Math.log(1 - random());

/**
 * The everyday jitter of the lab's link `thesis`: lognormal, median 1 ms, shape 1, at most 12 ms.
 * @param {number} baseMs
 * @returns {Trace}
 */
export const lognormal = (baseMs) => (_end, random) => baseMs + Math.min(12, Math.exp(normal(random)));

/**
 * A way that stands still now and then: whoever comes meanwhile leaves at the end.
 * @param {Trace} trace otherwise
 * @param {{ perSecond: number, minMs: number, maxMs: number }} stalls
 * @returns {Trace}
 */
export function stalling(trace, { perSecond, minMs, maxMs }) {
  let begin = -1;
  let end = -1;
  return (at, random) => {
    while (at >= end) {
      begin = Math.max(end, 0) - (1000 / perSecond) * Math.log(1 - random());
      end = begin + minMs + (maxMs - minMs) * random();
    }
    return trace(at, random) + (at >= begin ? end - at : 0);
  };
}

/**
 * @param {ReadonlyArray<readonly [fromMs: number, trace: Trace]>} parts in order
 * @returns {Trace}
 */
export const inTurn = (parts) => (end, random) => {
  let trace = parts[0][1];
  for (const [fromMs, part] of parts) if (end >= fromMs) trace = part;
  return trace(end, random);
};

/**
 * The smallest D in whole milliseconds, the same for the whole trace, that has the target's share in time: what
 * one who knew everything beforehand would set.
 * @param {number[]} lateness
 * @param {number} targetPercent
 */
export function leastFixedMs(lateness, targetPercent) {
  const sorted = lateness.toSorted((a, b) => a - b);
  return Math.max(0, Math.ceil(sorted[Math.ceil((sorted.length * targetPercent) / 100) - 1]));
}
