/**
 * A room's delay control on made-up traces. Frames of speakers arrive at a trace's times, and a mix
 * clock mixes each frame once and notes its presence. No sound, no sockets, no real time.
 */

import { normal, seededRandom } from './random.js';
import { leastCovering, sorted } from './statistics.js';
import { Redundancy } from '../public/shared/stream/redundancy.js';
import { DelayControl } from '../server/clock/delay-control.js';
import { Lateness } from '../server/source/lateness.js';
import { ReceiverStats } from '../server/source/receiver-stats.js';

/**
 * @typedef {(endMs: number, random: () => number) => number} Trace how long after its end, in
 *   milliseconds, a frame that ends then would arrive if none before it were late; none overtakes
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
 * @property {(endMs: number) => boolean} [speaking]  true if anybody speaks, always by default
 * @property {number} [loss]                 share of the packets that are lost, independently
 * @property {'auto' | 0 | 1 | 2} [redundancy] number of earlier frames that each packet
 *   repeats; auto by default
 *
 * @typedef {object} Tick
 * @property {number} frame
 * @property {number} dueMs     when it was mixed
 * @property {number} delayMs   D in force for it
 * @property {boolean[]} inTime of each speaker, true if the frame was there, from its own packet
 *   or repeated in a later one
 *
 * @typedef {object} Speaker
 * @property {number[]} arrivals  of each frame's own packet; Infinity for one that is lost
 * @property {number[]} there     when each frame first came; Infinity for one that never did
 * @property {Redundancy} redundancy
 * @property {ReceiverStats} reception
 * @property {number} next        the frame whose packet comes next
 */

/**
 * @param {SimulationOptions} options
 * @returns {{ ticks: Tick[], lateness: number[][], control: DelayControl, speakers: Lateness[] }}
 *   lateness: of each speaker's frames, in milliseconds
 */
export function simulate(options) {
  const {
    traces,
    seconds,
    seed = 1,
    frameMs = 20,
    setting = 'auto',
    maxMs = 400,
    roundTripsMs = [],
  } = options;
  const control = new DelayControl({ frameMs, sampleRate: 48000, setting, maxMs });
  const frames = Math.round((seconds * 1000) / frameMs);
  let nowMs = 0;
  const lateness = /** @type {number[][]} */ ([]);
  const speakers = traces.map((trace, i) => {
    const arrivals = arrivalsOf(trace, frames, frameMs, seededRandom(seed + i));
    lateness.push(arrivals.map((at, k) => at - (k + 1) * frameMs));
    loseSome(arrivals, options.loss ?? 0, seededRandom(1000 + seed + i));
    return newSpeaker(arrivals, options, () => nowMs);
  });
  /** @type {Tick[]} */
  const ticks = [];
  let reviewMs = 1000;
  for (let frame = 0; frame < frames; frame++) {
    for (;;) {
      const who = earliest(speakers);
      const dueMs = (frame + 1) * frameMs + control.delaySamples / 48;
      if (who < 0 || speakers[who].arrivals[speakers[who].next] > dueMs) break;
      const { lateness: of } = speakers[who].reception;
      nowMs = arrive(speakers[who], frameMs);
      control.observe(of, nowMs, () => roundTripsMs[who] ?? null);
    }
    const dueMs = (frame + 1) * frameMs + control.delaySamples / 48;
    const inTime = speakers.map(({ there }) => there[frame] <= dueMs);
    ticks.push({ frame, dueMs, delayMs: control.delaySamples / 48, inTime });
    control.advance(1, options.speaking?.(frame * frameMs) ?? true);
    if (dueMs < reviewMs) continue;
    nowMs = dueMs;
    reviewMs += 1000;
    for (const [i, { reception, redundancy: sender }] of speakers.entries()) {
      reception.endSecond(dueMs, roundTripsMs[i] ?? null);
      // The report that the server sends once a second.
      sender.report(reception.snapshot().lostPercent5s);
    }
    control.review(speakers.map(({ reception }) => reception.lateness));
  }
  return {
    ticks,
    lateness,
    control,
    speakers: speakers.map(({ reception }) => reception.lateness),
  };
}

/**
 * @param {number[]} arrivals
 * @param {SimulationOptions} options
 * @param {() => number} now
 * @returns {Speaker}
 */
function newSpeaker(
  arrivals,
  { frameMs = 20, maxMs = 400, targetPercent = 99.5, redundancy = 'auto' },
  now,
) {
  const there = new Array(arrivals.length).fill(Infinity);
  const reception = new ReceiverStats(new Lateness({ frameMs, maxMs, targetPercent }));
  return { arrivals, there, redundancy: new Redundancy(redundancy, { now }), reception, next: 0 };
}

/**
 * Takes a speaker's next packet.
 * @param {Speaker} speaker
 * @param {number} frameMs
 * @returns {number} when it came
 */
function arrive(speaker, frameMs) {
  const { arrivals, there, reception } = speaker;
  const frame = speaker.next++;
  const at = arrivals[frame];
  const { count } = speaker.redundancy;
  reception.sequences.arrived(frame & 0xffff);
  there[frame] = Math.min(there[frame], at);
  for (let r = 1; r <= count && r <= frame; r++) {
    if (there[frame - r] !== Infinity) continue;
    there[frame - r] = at;
    reception.repeated(r);
  }
  reception.lateness.add(at - (frame + 1) * frameMs, at);
  reception.arrived(true, at - (frame + 1) * frameMs, count);
  while (arrivals[speaker.next] === Infinity) speaker.next += 1;
  return at;
}

/**
 * @param {Speaker[]} speakers
 * @returns {number} index of the speaker whose packet comes next; -1 for none
 */
function earliest(speakers) {
  let who = -1;
  let first = Infinity;
  for (let i = 0; i < speakers.length; i++) {
    const at = speakers[i].arrivals[speakers[i].next];
    if (at === undefined || at >= first) continue;
    first = at;
    who = i;
  }
  return who;
}

/**
 * @param {number[]} arrivals changed; the first packet comes
 * @param {number} loss
 * @param {() => number} random
 */
function loseSome(arrivals, loss, random) {
  if (loss === 0) return;
  for (let k = 1; k < arrivals.length; k++) if (random() < loss) arrivals[k] = Infinity;
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
 * @param {number} meanMs of the additional delay, exponentially distributed
 * @returns {Trace}
 */
export const exponential = (baseMs, meanMs) => (_end, random) =>
  baseMs - meanMs * Math.log(1 - random());

/**
 * The everyday jitter of the lab's link `thesis`: lognormal, median 1 ms, shape 1, at most 12 ms.
 * @param {number} baseMs
 * @returns {Trace}
 */
export const lognormal = (baseMs) => (_end, random) =>
  baseMs + Math.min(12, Math.exp(normal(random)));

/**
 * A path that stands still now and then: packets of that time leave at its end.
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
 * A way on which all is late for some seconds, each time that differently.
 * @param {Trace} trace otherwise
 * @param {{ fromMs: number, toMs: number, mostMs: number }} time
 * @returns {Trace}
 */
export const heldUp =
  (trace, { fromMs, toMs, mostMs }) =>
  (end, random) =>
    trace(end, random) + (end >= fromMs && end < toMs ? mostMs * random() : 0);

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
 * The smallest constant D in whole milliseconds that has the target's share of the whole trace in
 * time.
 * @param {number[]} lateness
 * @param {number} targetPercent
 */
export function leastFixedMs(lateness, targetPercent) {
  return Math.max(0, Math.ceil(leastCovering(sorted(lateness), targetPercent / 100)));
}
