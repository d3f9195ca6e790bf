/**
 * A grid: ways by conditions, on a star. Each way has a pair of legs, a sender's and a receiver's, and all of them run at
 * the same time: connected on clear legs, which are impaired then, all alike and with the same random numbers, so that
 * the k-th packet of each way has the same fate.
 *
 * @import { Lab } from '../lab.js'
 * @import { Sweep } from './grid-result.js'
 * @import { Star } from '../../link/star.js'
 * @import { Link, LinkStats } from '../../link/link.js'
 * @import { Factor, Quantity } from '../../report/result.js'
 * @import { Hop, WayRun } from '../../ways/run.js'
 * @import { Heard } from '../../ways/heard.js'
 * @import { Voice } from './heard.js'
 *
 * @typedef {object} Condition
 * @property {string} sweep    what is varied, a word: 'loss'
 * @property {number} value    of it, on the plot's axis
 * @property {object} leg      each leg's settings, as parseLink reads them, on top of those of the link's profile
 * @property {import('../../link/settings.js').LinkStep[] | { atMs: number, changes: object }[]} [steps]  changes of them
 * @property {number} [seconds]  that count, in place of those of a block
 * @property {(star: Star, pairs: readonly (readonly Link[])[]) => Promise<() => Promise<void>>} [disturb]  begins what else
 *   goes on meanwhile; resolves to what ends it
 *
 * @typedef {object} Ground  what a block is measured on
 * @property {Star} star
 * @property {readonly { way: string, legs: readonly [Link, Link], path: Path }[]} lanes
 * @property {Voice} voice
 */

import { starOf } from '../../link/star.js';
import { lossImpairment, OPUS, rating } from '../../stats/e-model.js';
import { mean, quantile, sorted } from '../../stats/statistics.js';
import { heardFrom, marksOf } from '../../ways/heard.js';
import { EVERY_MS, Path } from '../../ways/run.js';
import { ways as all } from '../../ways/way.js';
import { keepSound, readVoice } from './heard.js';

/** Time from the impairment to the first packet that counts, in seconds: playout finds its delay. */
const SETTLE_SECONDS = 2;

/** Lateness of a leg's emulator at the 99th percentile from which on its block doesn't count, in milliseconds. */
const LATE_LEG_MS = 1;

/** Lateness of a sender at the 99th percentile from which on its block doesn't count, in milliseconds. */
const LATE_SENDER_MS = 10;

/** How often a block is measured that a disturbed machine spoiled. */
const TRIES = 3;

/** The share of random losses may differ from the leg's by so many standard deviations. */
const DEVIATIONS = 5;

/** @type {Factor[]} */
const factors = [{ name: 'sweep', label: 'What is varied', unit: '' }, { name: 'at', label: 'At', unit: '' }];

/** What is measured in each block of a way, one value each. @type {Readonly<Record<string, Quantity>>} */
export const GRID_QUANTITIES = Object.freeze({
  rating: { name: 'rating', label: 'R by the E-model', unit: '', factors },
  present: { name: 'present', label: 'Frames that were there when they were played', unit: '%', factors },
  mouthToEar: { name: 'mouthToEar', label: 'Mouth to ear', unit: 'ms', factors },
  playout: { name: 'playoutDelay', label: 'Playout delay', unit: 'ms', factors },
  meanAge: { name: 'meanAge', label: 'Mean age of packets at the receiver', unit: 'ms', factors },
  never: { name: 'neverCame', label: 'Packets that never came', unit: '%', factors },
  visqol: { name: 'visqol', label: 'ViSQOL', unit: '', factors },
  estoi: { name: 'estoi', label: 'ESTOI', unit: '', factors },
  markedRating: { name: 'markedRating', label: 'R by ViSQOL and mouth to ear', unit: '', factors },
  rate: { name: 'rateUp', label: 'Sent on the leg up, headers and all', unit: 'kbit/s', factors },
});

/**
 * Measures all ways under all conditions, repetition by repetition.
 * @param {Lab} lab      whose link is emulated
 * @param {object} options
 * @param {readonly Condition[]} options.conditions
 * @param {readonly string[]} options.ways
 * @param {'relay' | 'nothing'} options.through  what is in the hub: a program that passes packets on, or routing alone
 * @throws {import('../../link/link.js').LinkError} where there are no links
 */
export async function runGrid(lab, { conditions, ways, through }) {
  const { repetitions } = lab.options;
  const usable = await usableWays(lab, ways);
  const star = await starOf(lab.link, 2 * usable.length);
  const lanes = usable.map((way, i) => {
    const legs = /** @type {[Link, Link]} */ (star.legs.slice(2 * i, 2 * i + 2));
    return { way, legs, path: new Path(hopsOf(legs, through), lab.signal) };
  });
  // Processes that start at once take their time: no connection waits for that.
  await Promise.all(lanes.map(({ path }) => path.hangUp()));
  const ground = { star, lanes, voice: await readVoice() };
  try {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const [i, condition] of conditions.entries()) {
        lab.progress(`${condition.sweep} ${condition.value}, ${repetition + 1} of ${repetitions}`, (repetition + i / conditions.length) / repetitions);
        await measureBlock(lab, ground, condition, repetition);
      }
    }
  } finally {
    await Promise.all(lanes.map(({ path }) => path.close()));
  }
}

/**
 * The conditions of sweeps, each value of the first, then of the second, and so on.
 * @param {readonly (Sweep & { values: readonly number[], condition: (value: number) => Omit<Condition, 'sweep' | 'value'> })[]} sweeps
 * @param {readonly number[]} [at]  values instead of the sweeps' own
 * @returns {Condition[]}
 */
export const conditionsOf = (sweeps, at) =>
  sweeps.flatMap(({ name, values, condition }) => (at ?? values).map((value) => ({ sweep: name, value, ...condition(value) })));

/** @param {Lab} lab @param {readonly string[]} ways @returns {Promise<string[]>} those that this machine has */
export async function usableWays(lab, ways) {
  const usable = [];
  for (const way of ways) {
    const missing = await all[way].missing();
    if (missing) lab.folder.warn(`Left out: ${way}. ${missing}`);
    else usable.push(way);
  }
  if (usable.length === 0) throw new Error('none of the ways can be had here');
  return usable;
}

/**
 * @param {readonly [Link, Link]} legs the sender's, the receiver's
 * @param {'relay' | 'nothing'} through
 * @returns {Hop[]}
 */
const hopsOf = ([from, to], through) =>
  through === 'relay' ? [{ client: from.client, server: from.server }, { client: to.server, server: to.client }] : [{ client: from.client, server: to.client }];

/**
 * Measures a block until each way has one that is to be trusted, or the tries are over.
 * @param {Lab} lab @param {Ground} ground @param {Condition} condition @param {number} repetition
 */
async function measureBlock(lab, ground, condition, repetition) {
  const lacking = new Set(ground.lanes);
  for (let tries = 1; tries <= TRIES && lacking.size > 0; tries++) {
    const outcomes = await runBlock(lab, ground, condition, lab.options.seed + repetition);
    for (const [i, lane] of ground.lanes.entries()) {
      if (!lacking.has(lane)) continue;
      const { fault, figures, heard } = outcomes[i];
      if (fault) lab.folder.warn(`${lane.way}, ${condition.sweep} ${condition.value}, repetition ${repetition + 1}, try ${tries} doesn't count: ${fault}`);
      if (fault || !figures) continue;
      lacking.delete(lane);
      record(lab, lane.way, condition, repetition, figures);
      if (heard && lab.options.marks) await mark(lab, lane.way, condition, repetition, heard);
    }
  }
}

/**
 * @typedef {{ fault: string | null, figures: Record<string, number> | null, heard?: Heard }} Outcome
 *   of a way in a block; fault: why it isn't to be trusted
 *
 * @param {Lab} lab @param {Ground} ground @param {Condition} condition @param {number} seed
 * @returns {Promise<Outcome[]>}
 */
async function runBlock(lab, ground, condition, seed) {
  const { star, lanes, voice: { payloads } } = ground;
  const [settle, count] = [SETTLE_SECONDS, condition.seconds ?? lab.blockSeconds].map((seconds) => Math.round((seconds * 1000) / EVERY_MS));
  const connected = await Promise.allSettled(lanes.map(({ way, path }) => path.connect(way, payloads)));
  lab.signal.throwIfAborted();
  await star.seedAnew(lanes.map(({ legs }) => legs), seed);
  await star.set(condition.leg);
  if (condition.steps) await star.steps(condition.steps);
  await Promise.all(star.legs.map((leg) => leg.reset()));
  const undisturb = await condition.disturb?.(star, lanes.map(({ legs }) => legs));
  try {
    const runs = await Promise.allSettled(lanes.map(({ path }, i) => {
      const { status } = connected[i];
      return status === 'rejected' ? Promise.reject(connected[i].reason) : path.carry({ payloads, settle: 0, count: settle + count });
    }));
    lab.signal.throwIfAborted();
    return await Promise.all(lanes.map(async ({ legs }, i) => {
      const [run, stats] = [runs[i], /** @type {LinkStats[]} */ (await Promise.all(legs.map((leg) => leg.stats())))];
      if (run.status === 'rejected') return { fault: run.reason.message, figures: null };
      lab.tellGenerator(run.value.latenessMs, run.value.cpuPercent);
      const heard = heardFrom({ ...ground.voice, ages: run.value.ages, settle });
      return { fault: faultOf(run.value, stats, condition), figures: figuresOf(run.value, heard, settle, stats[0]), heard };
    }));
  } finally {
    await undisturb?.();
    await star.clear();
    await Promise.all(lanes.map(({ path }) => path.hangUp()));
  }
}

/**
 * Why a block isn't to be trusted; null where it is.
 * @param {Pick<WayRun, 'latenessMs' | 'damaged' | 'repeated'>} run
 * @param {LinkStats[]} stats  of the sender's leg and of the receiver's
 * @param {Pick<Condition, 'leg' | 'steps'>} condition
 * @returns {string | null}
 */
export function faultOf({ latenessMs, damaged, repeated }, stats, condition) {
  const late = quantile(sorted(latenessMs), 0.99);
  if (late > LATE_SENDER_MS) return `packets were sent ${late.toFixed(1)} ms late (p99)`;
  if (damaged + repeated > 0) return `${damaged} packets came damaged, ${repeated} came twice`;
  const wrong = stats.map((of) => wrongWith(of, condition));
  const i = wrong.findIndex((what) => what !== null);
  return i < 0 ? null : `the ${i === 0 ? 'sender' : 'receiver'}'s leg ${wrong[i]}`;
}

/** @param {WayRun} run @param {Heard} heard @param {number} settle @param {LinkStats} stats of the sender's leg */
function figuresOf({ ages }, heard, settle, stats) {
  const counted = ages.slice(settle);
  const came = counted.filter(Number.isFinite);
  const isHeard = heard.presentPercent > 0;
  const impairment = lossImpairment({ ...OPUS, lossPercent: Math.max(0, 100 - heard.presentPercent) });
  return {
    rating: isHeard ? rating({ delayMs: heard.mouthToEarMs, impairment }) : 0,
    present: heard.presentPercent,
    playout: heard.playoutDelayMs,
    mouthToEar: isHeard ? heard.mouthToEarMs : Infinity,
    meanAge: came.length > 0 ? mean(came) : Infinity,
    never: 100 * (1 - came.length / counted.length),
    rate: (stats.up.arrived.bytes * 8) / 1000 / stats.seconds,
  };
}

/** @param {Lab} lab @param {string} way @param {Condition} condition @param {number} repetition @param {NonNullable<Outcome['figures']>} figures */
function record(lab, way, { sweep, value: at }, repetition, figures) {
  for (const [name, value] of Object.entries(figures)) {
    lab.folder.record(GRID_QUANTITIES[name].name, { protocol: way, repetition, client: '', atMs: lab.folder.elapsedMs, value, factors: { sweep, at } });
  }
}

/**
 * Marks what was heard, and keeps the first of each way and condition as a recording.
 * @param {Lab} lab @param {string} way @param {Condition} condition @param {number} repetition @param {Heard} heard
 */
async function mark(lab, way, condition, repetition, { said, sound, mouthToEarMs }) {
  if (!Number.isFinite(mouthToEarMs)) return;
  const { visqol, estoi, rating: markedRating } = marksOf(said, sound, mouthToEarMs);
  record(lab, way, condition, repetition, { visqol, estoi, markedRating });
  await keepSound(lab.folder, `${way} ${condition.sweep} ${condition.value}`, { said, sound, mouthToEarMs });
}

/**
 * In what a leg wasn't as it was asked to be; null where it was.
 * @param {LinkStats} stats of a leg in a block
 * @param {Pick<Condition, 'leg' | 'steps'>} condition
 * @returns {string | null}
 */
export function wrongWith({ up, down }, { leg, steps }) {
  const { lossPercent } = /** @type {{ lossPercent?: number }} */ (leg);
  for (const [name, { arrived, lostRandom, lateness }] of Object.entries({ up, down })) {
    if (lateness.p99Us / 1000 > LATE_LEG_MS) return `was ${(lateness.p99Us / 1000).toFixed(1)} ms late ${name}`;
    if (lossPercent === undefined || steps) continue;
    const expected = (arrived.packets * lossPercent) / 100;
    const deviation = Math.sqrt(expected * (1 - lossPercent / 100));
    if (Math.abs(lostRandom.packets - expected) > DEVIATIONS * deviation + 1) return `lost ${lostRandom.packets} of ${arrived.packets} packets ${name}`;
  }
  return null;
}
