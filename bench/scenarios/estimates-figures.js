/**
 * Estimates of a path's throughput, at the server and at the client, and what a player would make
 * of them.
 *
 * @import { Received } from '../throughput/receiver-process.js'
 *
 * @typedef {object} Note  one look at the server's figures of the session
 * @property {number} atMs
 * @property {number | null} deliveryBps
 * @property {number} bytesInFlight
 * @property {number} rttMs
 *
 * @typedef {{ fromMs: number, toMs: number }} Sent  a segment on its way
 * @typedef {{ atMs: number, bps: number }} Estimate  known from a moment on
 * @typedef {{ fromMs: number, toMs: number, rateBits: number }} Level  of the link
 *
 * @typedef {object} Traced
 * @property {readonly Note[]} notes          of the server
 * @property {readonly Sent[]} sent           segments; empty for a live channel
 * @property {readonly Received[]} received   at the client
 * @property {boolean} isLive
 *
 * @typedef {object} EstimatorFigures
 * @property {number[]} deviations   from the link's rate, each tenth of a second, %
 * @property {number[]} found        seconds from a step of the link until it is found; Infinity if
 *   never
 * @property {number} perSecond      new estimates
 * @property {number} changes        of the quality that a player would choose
 * @property {number} stalls         pauses of that player
 * @property {number} stalledSeconds
 * @property {number} chosen         mean bit rate that it would choose, in Mbit/s
 */

import { mean, quantile, sorted } from '../../testkit/statistics.js';

/** Estimates that are put together to one, as the paper has it. */
const BATCH = 100;

/** Samples of a client's sliding mean: dash.js's default on demand, and the paper's other. */
const WINDOWS = Object.freeze([4, 1]);

/** Interval at which an estimate is held against the link's rate, in milliseconds. */
const LOOK_MS = 100;

/** Deviation up to which a step is found, in percent, and how long it lasts, in milliseconds. */
const FOUND_PERCENT = 20;
const KEEPS_MS = 300;

/** Time in a segment, and in a player's buffer at most, in seconds. */
const SEGMENT_SECONDS = 1.6;
const BUFFER_SECONDS = 5;

/** Qualities of a player, in Mbit/s: the paper tells of 2 and of 17.5. */
export const QUALITIES = Object.freeze([0.25, 0.5, 1, 2, 4, 8, 17.5]);

/** @param {Note} note @returns {number} the paper's formula (5.1), in bits a second */
const formulaOf = ({ bytesInFlight, rttMs }) => (8000 * bytesInFlight) / rttMs;

/** @param {readonly number[]} values @param {number} share of the lowest that is left out */
const upper = (values, share) => sorted(values).subarray(Math.round(share * values.length));

/**
 * Ways to put a batch together.
 * @type {readonly (readonly [string, (values: readonly number[]) => number])[]}
 */
const BATCHES = Object.freeze([
  ['mean', (values) => mean(values)],
  ['mean, without the lowest 20 %', (values) => mean(upper(values, 0.2))],
  ['mean, without the lowest 50 %', (values) => mean(upper(values, 0.5))],
  ['median', (values) => quantile(sorted(values), 0.5)],
  ['median, without the lowest 50 %', (values) => quantile(upper(values, 0.5), 0.5)],
]);

/**
 * The course of each estimate.
 * @param {Traced} traced
 * @returns {{ where: 'server' | 'client', name: string, estimates: Estimate[] }[]}
 */
export function estimatorsOf({ notes, sent, received, isLive }) {
  const known = notes.filter(({ rttMs, bytesInFlight }) => rttMs > 0 && bytesInFlight > 0);
  const samples = received.filter(({ isWhole }) => isWhole).map(isLive ? burstSample : wholeSample);
  const good = samples.filter(({ bps }) => Number.isFinite(bps));
  const whole = isLive
    ? received.filter(({ isWhole }) => isWhole).map(wholeSample)
    : /** @type {Estimate[]} */ ([]);
  return [
    {
      where: 'server',
      name: "aloud's delivery rate",
      estimates: changesOf(
        notes.flatMap(({ atMs, deliveryBps: bps }) => (bps === null ? [] : [{ atMs, bps }])),
      ),
    },
    ...(sent.length > 0
      ? [
          {
            where: /** @type {const} */ ('server'),
            name: 'formula (5.2), a mean over each segment',
            estimates: sent.flatMap(({ fromMs, toMs }) => {
              const during = known.filter(({ atMs }) => fromMs <= atMs && atMs <= toMs);
              return during.length === 0 ? [] : [{ atMs: toMs, bps: mean(during.map(formulaOf)) }];
            }),
          },
        ]
      : []),
    ...BATCHES.map(([words, together]) => ({
      where: /** @type {const} */ ('server'),
      name: `formula (5.1), ${BATCH} in a batch: ${words}`,
      estimates: Array.from({ length: Math.floor(known.length / BATCH) }, (_, i) => {
        const batch = known.slice(i * BATCH, (i + 1) * BATCH);
        return { atMs: batch[BATCH - 1].atMs, bps: together(batch.map(formulaOf)) };
      }),
    })),
    ...WINDOWS.map((window) => ({
      where: /** @type {const} */ ('client'),
      name: isLive ? `window of ${window}, bursts` : `window of ${window}`,
      estimates: slidingMeans(good, window),
    })),
    ...(isLive
      ? [
          {
            where: /** @type {const} */ ('client'),
            name: 'window of 4, all of the time',
            estimates: slidingMeans(whole, 4),
          },
        ]
      : []),
  ];
}

/** @param {readonly Estimate[]} estimates @returns {Estimate[]} without repeated ones */
const changesOf = (estimates) =>
  estimates.filter(({ bps }, i) => i === 0 || bps !== estimates[i - 1].bps);

/**
 * A segment's throughput as a client takes it: its bytes over the time from its first byte to its
 * last.
 * @param {Received} segment @returns {Estimate} bps: Infinity where it came all at once
 */
function wholeSample({ chunks }) {
  const [first, last] = [chunks[0], chunks[chunks.length - 1]];
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  return { atMs: last.atMs, bps: (8000 * bytes) / (last.atMs - first.atMs) };
}

/**
 * A live segment's throughput as dash.js takes it by default in low latency (its documentation,
 * "Low latency throughput estimation"). A pause between its parts that is longer than the mean one
 * counts as a wait for the source. Parts with less than a quarter of the mean size don't count.
 * @param {Received} segment @returns {Estimate} bps: Infinity where no pause is left
 */
function burstSample({ chunks }) {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  const counted = chunks.filter((chunk) => chunk.bytes > bytes / 4 / chunks.length);
  const times = counted.map(({ atMs }) => Math.round(atMs));
  const meanMs = (times[times.length - 1] - times[0]) / times.length;
  const gaps = times.slice(1).map((atMs, i) => atMs - times[i]);
  const takenMs = gaps.filter((ms) => ms < meanMs).reduce((sum, ms) => sum + ms, 0);
  return { atMs: chunks[chunks.length - 1].atMs, bps: (8000 * bytes) / takenMs };
}

/** @param {readonly Estimate[]} samples @param {number} window @returns {Estimate[]} */
const slidingMeans = (samples, window) =>
  samples.map(({ atMs }, i) => ({
    atMs,
    bps: mean(samples.slice(Math.max(0, i + 1 - window), i + 1).map(({ bps }) => bps)),
  }));

/**
 * @param {readonly Estimate[]} estimates  in order
 * @param {readonly Level[]} levels  one after the other
 * @returns {EstimatorFigures | null} null if there is no estimate
 */
export function figuresOf(estimates, levels) {
  if (estimates.length === 0) return null;
  const at = courseOf(estimates);
  const [start, end] = [levels[0].fromMs, levels[levels.length - 1].toMs];
  const deviations = [];
  for (const { fromMs, toMs, rateBits } of levels)
    for (let atMs = fromMs; atMs < toMs; atMs += LOOK_MS) {
      const bps = at(atMs);
      if (bps !== null) deviations.push(100 * (bps / rateBits - 1));
    }
  const seen = estimates.filter(({ atMs }) => atMs >= start && atMs < end).length;
  return {
    deviations,
    found: levels.slice(1).map((level) => foundAfter(at, level)),
    perSecond: (1000 * seen) / (end - start),
    ...playedBy(at, levels),
  };
}

/** @param {readonly Estimate[]} estimates @returns {(atMs: number) => number | null} */
function courseOf(estimates) {
  return (atMs) => {
    let [low, high] = [0, estimates.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (estimates[middle].atMs <= atMs) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? null : estimates[low - 1].bps;
  };
}

/** @param {(atMs: number) => number | null} at @param {Level} level @returns {number} seconds */
function foundAfter(at, { fromMs, toMs, rateBits }) {
  let sinceMs = Infinity;
  for (let atMs = fromMs; atMs <= toMs; atMs += LOOK_MS / 5) {
    const percent = 100 * ((at(atMs) ?? 0) / rateBits - 1);
    sinceMs = Math.abs(percent) > FOUND_PERCENT ? Infinity : Math.min(sinceMs, atMs);
    if (atMs - sinceMs >= KEEPS_MS) return (sinceMs - fromMs) / 1000;
  }
  return Infinity;
}

/**
 * A player with a buffer of some seconds. It takes each segment at the highest rate within the
 * estimate, from a link that really has its rate.
 * @param {(atMs: number) => number | null} at
 * @param {readonly Level[]} levels
 */
function playedBy(at, levels) {
  const endMs = levels[levels.length - 1].toMs;
  let nowMs = levels[0].fromMs;
  let [bufferSeconds, changes, stalls, stalledSeconds] = [0, 0, 0, 0];
  /** @type {number[]} */
  const rates = [];
  while (nowMs < endMs) {
    const estimate = at(nowMs) ?? 0;
    const rate = 1e6 * (QUALITIES.findLast((one) => 1e6 * one <= estimate) ?? QUALITIES[0]);
    if (rates.length > 0 && rate !== rates[rates.length - 1]) changes += 1;
    const doneMs = arrivalOf(levels, nowMs, rate * SEGMENT_SECONDS);
    const passed = (doneMs - nowMs) / 1000;
    // Nothing is played before the first segment is there.
    if (rates.length > 0 && passed > bufferSeconds) {
      stalls += 1;
      stalledSeconds += passed - bufferSeconds;
    }
    bufferSeconds = (rates.length > 0 ? Math.max(0, bufferSeconds - passed) : 0) + SEGMENT_SECONDS;
    rates.push(rate);
    const spare = Math.max(0, bufferSeconds - BUFFER_SECONDS);
    bufferSeconds -= spare;
    nowMs = doneMs + 1000 * spare;
  }
  return { changes, stalls, stalledSeconds, chosen: mean(rates) / 1e6 };
}

/**
 * @param {readonly Level[]} levels
 * @param {number} fromMs
 * @param {number} bits
 * @returns {number} time at which that many bits have come; the last level goes on
 */
function arrivalOf(levels, fromMs, bits) {
  let [left, nowMs] = [bits, fromMs];
  for (const [i, { toMs, rateBits }] of levels.entries()) {
    const isLast = i === levels.length - 1;
    if (nowMs >= toMs && !isLast) continue;
    const doneMs = nowMs + (1000 * left) / rateBits;
    if (doneMs <= toMs || isLast) return doneMs;
    left -= (rateBits * (toMs - nowMs)) / 1000;
    nowMs = toMs;
  }
  return nowMs;
}
