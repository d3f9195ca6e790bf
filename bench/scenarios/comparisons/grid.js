/**
 * A grid: ways by conditions, on a star. Each way has a pair of legs, a sender's and a receiver's.
 * All ways run at the same time, or in groups, as the condition says. They connect on legs with
 * delay only, which are then impaired alike, with the same random numbers for each packet's time.
 * So a packet of one way has the fate of the other ways' packet. Each repetition has another voice.
 *
 * @import { Lab } from '../lab.js'
 * @import { Star } from '../../link/star.js'
 * @import { Link, LinkStats } from '../../link/link.js'
 * @import { Factor, Quantity } from '../../report/result.js'
 * @import { Message, MessageKind } from '../../ways/messages.js'
 * @import { Hop, WayRun } from '../../ways/run.js'
 * @import { Voice } from './heard.js'
 *
 * @typedef {object} Condition
 * @property {string} sweep    the varied setting, a word: 'loss'
 * @property {number} value    of the setting, on the plot's axis
 * @property {{ delayMs?: number, [setting: string]: unknown }} leg each leg's settings, as
 *   parseLink reads them, on top of those of the link's profile
 * @property {import('../../link/settings.js').LinkStep[] | { atMs: number, changes: object }[]}
 *   [steps] changes of them
 * @property {readonly Quantity[]} [phases] R before the first step, between steps, and after the
 *   last
 * @property {number} [seconds]  measured, instead of a block's
 * @property {readonly MessageKind[]} [messages] that ways which carry messages carry beside the
 *   sound
 * @property {(lanes: readonly Lane[]) => Promise<() => Promise<readonly Record<string, number>[]>>}
 *   [disturb] begins other work; resolves to a function that ends it and returns its figures for
 *   each lane, by the quantities' names
 * @property {boolean} [holdsSender] true if the sender's own lateness is measured too:
 *   ages count from the due time of packets
 * @property {number} [atOnce]  most ways that run at the same time; by default all
 *
 * @typedef {{ way: string, legs: readonly [Link, Link], path: Path, spentIn: Set<string> }} Lane
 *   legs: the sender's and the receiver's; spentIn: sweeps in which all tries of a block failed, or
 *   its connection ended
 *
 * @typedef {Voice & { star: Star, lanes: readonly Lane[], frames: FrameFile | null }} Ground  base
 *   of a block; frames: record of each frame's fate
 */

import { seedOfRepetition, starOf } from '../../link/star.js';
import { sharedMs } from '../../../testkit/participants/child.js';
import { lossImpairment, OPUS, rating } from '../../stats/e-model.js';
import { mean, quantile, sorted } from '../../../testkit/statistics.js';
import { jitterOf } from '../../ways/figures.js';
import { FrameFile, framesOf } from '../../ways/frames.js';
import { heardFrom, marksOf } from '../../ways/heard.js';
import { messageFigures, scheduleOf } from '../../ways/messages.js';
import { EVERY_MS, Path } from '../../ways/run.js';
import { ways as all } from '../../ways/way.js';
import { faultOf } from './faults.js';
import { keepSound, readVoices } from './heard.js';
import { usableOf } from './setup.js';

/**
 * Time from the impairment to the first packet that counts, in seconds: playout finds its delay.
 */
export const SETTLE_SECONDS = 2;

/**
 * Time from the start of the random numbers to the first packet of the first way, in milliseconds:
 * enough to notify all legs.
 */
const LEAD_MS = 50;

/**
 * Share of a slot of random numbers that has passed when its packet is due at a leg. A packet may
 * be early by that much, and late by the rest.
 */
const EARLY = 0.25;

/** Most measurements of a block or call, when the machine disturbs them. */
export const TRIES = 3;

/**
 * @param {Pick<Lane, 'spentIn'>} lane
 * @param {string} sweep
 * @returns {number} for how many tries a block waits for the way: for one, where the fault is no
 *   moment of the machine
 */
export const triesOf = ({ spentIn }, sweep) => (spentIn.has(sweep) ? 1 : TRIES);

/** @type {Factor[]} */
export const factors = [
  { name: 'sweep', label: 'What is varied', unit: '' },
  { name: 'at', label: 'At', unit: '' },
];

/**
 * The quantities that are measured in each block of a way, one value each.
 * @type {Readonly<Record<string, Quantity>>}
 */
export const GRID_QUANTITIES = Object.freeze({
  rating: { name: 'rating', label: 'R by the E-model', unit: '', factors },
  present: {
    name: 'present',
    label: 'Frames that were there when they were played',
    unit: '%',
    factors,
  },
  mouthToEar: { name: 'mouthToEar', label: 'Mouth to ear', unit: 'ms', factors },
  playout: { name: 'playoutDelay', label: 'Playout delay', unit: 'ms', factors },
  meanAge: { name: 'meanAge', label: 'Mean age of packets at the receiver', unit: 'ms', factors },
  medianAge: {
    name: 'medianAge',
    label: 'Median age of packets at the receiver',
    unit: 'ms',
    factors,
  },
  p99Age: {
    name: 'p99Age',
    label: 'Age of packets at the receiver, 99th percentile',
    unit: 'ms',
    factors,
  },
  jitter: { name: 'jitter', label: 'Jitter of packets at the receiver', unit: 'ms', factors },
  never: { name: 'neverCame', label: 'Packets that never came', unit: '%', factors },
  visqol: { name: 'visqol', label: 'ViSQOL', unit: '', factors },
  estoi: { name: 'estoi', label: 'ESTOI', unit: '', factors },
  markedRating: { name: 'markedRating', label: 'R by ViSQOL and mouth to ear', unit: '', factors },
  estimate: {
    name: 'estimate',
    label: "Congestion window by smoothed round trip, of the sender's connection",
    unit: 'kbit/s',
    factors,
  },
  rate: { name: 'rateUp', label: 'Sent on the leg up, headers and all', unit: 'kbit/s', factors },
});

/**
 * Measures all ways under all conditions, repetition by repetition.
 * @param {Lab} lab      with an emulated link
 * @param {object} options
 * @param {readonly Condition[]} options.conditions
 * @param {readonly string[]} options.ways
 * @param {'relay' | 'nothing'} options.through content of the hub: a program that forwards packets,
 *   or routing only
 * @throws {import('../../link/link.js').LinkError} if there are no links
 */
export async function runGrid(lab, { conditions, ways, through }) {
  const { repetitions } = lab.options;
  const usable = await usableWays(lab, ways);
  const star = await starOf(lab.link, 2 * usable.length);
  const lanes = usable.map((way, i) => {
    const legs = /** @type {[Link, Link]} */ (star.legs.slice(2 * i, 2 * i + 2));
    return { way, legs, path: new Path(hopsOf(legs, through), lab.signal), spentIn: new Set() };
  });
  // Processes that start at once take their time: no connection waits for that.
  await Promise.all(lanes.map(({ path }) => path.ready()));
  const voiceOf = await readVoices();
  const frames = lab.options.frames ? await FrameFile.open(lab.folder.path) : null;
  try {
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const [i, condition] of conditions.entries()) {
        lab.progress(
          `${condition.sweep} ${condition.value}, ${repetition + 1} of ${repetitions}`,
          (repetition + i / conditions.length) / repetitions,
        );
        for (const group of groupsOf(lanes, condition.atOnce, repetition))
          await measureBlock(
            lab,
            { star, lanes: group, frames, ...voiceOf(repetition) },
            condition,
            repetition,
          );
      }
    }
  } finally {
    await Promise.all(lanes.map(({ path }) => path.close()));
  }
}

/**
 * Cuts ways into groups that run one after another: the fewest, of about the same size. Each group
 * comes first as often as the others.
 * @template T
 * @param {readonly T[]} ways
 * @param {number} [atOnce]  most ways of a group
 * @param {number} [repetition]
 * @returns {T[][]}
 */
export function groupsOf(ways, atOnce = ways.length, repetition = 0) {
  const count = Math.ceil(ways.length / atOnce);
  const start = (/** @type {number} */ group) => Math.floor((group * ways.length) / count);
  const groups = Array.from({ length: count }, (_, i) => ways.slice(start(i), start(i + 1)));
  return groups.map((_, i) => groups[(i + repetition) % count]);
}

/**
 * @param {Lab} lab
 * @param {readonly string[]} ways
 * @returns {Promise<string[]>} ways that this machine can run
 */
export const usableWays = (lab, ways) => usableOf(lab, all, ways, 'ways');

/**
 * @param {readonly [Link, Link]} legs the sender's, the receiver's
 * @param {'relay' | 'nothing'} through
 * @returns {Hop[]}
 */
export const hopsOf = ([from, to], through) =>
  through === 'relay'
    ? [
        { client: from.client, server: from.server },
        { client: to.server, server: to.client },
      ]
    : [{ client: from.client, server: to.client }];

/**
 * Measures a block until each way has one that is to be trusted, or the tries are over. A way
 * without one is named in a warning.
 * @param {Lab} lab @param {Ground} ground @param {Condition} condition @param {number} repetition
 */
export async function measureBlock(lab, ground, condition, repetition) {
  const lacking = new Set(ground.lanes);
  const place = `${condition.sweep} ${condition.value}, repetition ${repetition + 1}`;
  for (let tries = 1, isAwaited = true; isAwaited; tries++) {
    const fromMs = lab.folder.elapsedMs;
    const seed = seedOfRepetition(lab.options.seed, repetition);
    const outcomes = await runBlock(lab, ground, condition, seed);
    for (const [i, lane] of ground.lanes.entries()) {
      if (!lacking.has(lane)) continue;
      const { fault, figures, ages, latenessMs, hasEnded } = outcomes[i];
      if (hasEnded) lane.spentIn.add(condition.sweep);
      if (fault) lab.folder.warn(`${lane.way}, ${place}, try ${tries} doesn't count: ${fault}`);
      if (fault || !figures) continue;
      lacking.delete(lane);
      record(lab, lane.way, condition, repetition, {
        ...figures,
        ...(ages && phaseFigures(ground, ages, condition)),
      });
      if (ages)
        await keepFrames(
          lab,
          ground,
          { way: lane.way, ...condition, repetition },
          { ages, latenessMs },
        );
      if (ages && lab.options.marks) await mark(lab, ground, lane.way, condition, repetition, ages);
    }
    isAwaited =
      [...lacking].some((lane) => tries < triesOf(lane, condition.sweep)) && lab.mayRepeat(fromMs);
  }
  for (const { way, spentIn } of lacking) {
    spentIn.add(condition.sweep);
    lab.folder.warn(`${way}, ${place}, is missing: no try of it counts.`);
  }
}

/**
 * @typedef {{ fault: string | null, figures: Record<string, number> | null, ages?: number[],
 *   latenessMs?: number[], hasEnded?: boolean }} Outcome of a way in a block; fault: why it isn't
 *   to be trusted; ages and latenessMs: of all packets, those that settle too; hasEnded: true if
 *   its connection ended under the condition, as it would in another try
 *
 * @param {Lab} lab @param {Ground} ground @param {Condition} condition @param {number} seed
 * @returns {Promise<Outcome[]>}
 */
async function runBlock(lab, ground, condition, seed) {
  const { star, lanes, payloads } = ground;
  const messages = scheduleOf(
    condition.messages ?? [],
    1000 * (SETTLE_SECONDS + secondsOf(lab, condition)),
    seed,
  );
  // The delay isn't added later: a congestion controller would take its growth for a queue's.
  await star.set({ delayMs: condition.leg.delayMs ?? 0 });
  const connected = await Promise.allSettled(
    lanes.map(({ way, path }) => path.connect(way, payloads, messages)),
  );
  lab.signal.throwIfAborted();
  await star.set(condition.leg);
  const undisturb = await condition.disturb?.(lanes);
  let outcomes, others;
  try {
    // Ways take turns within the time of a packet: processes woken all at once are late.
    const firstMs = sharedMs(performance.now()) + LEAD_MS;
    const starts = lanes.map((_, i) => firstMs + (i * EVERY_MS) / lanes.length);
    await star.seedAnew(
      lanes.map(({ legs }) => legs),
      seed,
      (lane, place) => ({
        fromMs: starts[lane] + place * (condition.leg.delayMs ?? 0) - EARLY * EVERY_MS,
        everyMs: EVERY_MS,
      }),
    );
    if (condition.steps)
      await star.steps(condition.steps.map((step) => ({ ...step, atMs: step.atMs + LEAD_MS })));
    await Promise.all(star.legs.map((leg) => leg.reset()));
    outcomes = await carryAll(lab, ground, condition, { connected, messages, starts });
  } finally {
    others = await undisturb?.();
    await star.clear();
    await Promise.all(lanes.map(({ path }) => path.hangUp()));
  }
  return outcomes.map(({ figures, ...rest }, i) => ({
    ...rest,
    figures: figures && { ...figures, ...others?.[i] },
  }));
}

/**
 * Rate that the sender's connection would take for its path's.
 * @param {WayRun} run
 * @returns {{ estimate?: number }} empty if it reports none
 */
const estimateOf = ({ estimates }) => (estimates.length > 0 ? { estimate: mean(estimates) } : {});

/** That count. @param {Lab} lab @param {Condition} condition */
const secondsOf = (lab, { seconds }) => seconds ?? lab.blockSeconds;

/**
 * @param {Lab} lab @param {Ground} ground @param {Condition} condition
 * @param {{ connected: readonly PromiseSettledResult<void>[], messages: readonly Message[], starts:
 *   readonly number[] }} options connected: of the lanes; starts: of their first packets
 * @returns {Promise<Outcome[]>}
 */
async function carryAll(lab, ground, condition, { connected, messages, starts }) {
  const { lanes, payloads } = ground;
  const [settle, count] = [SETTLE_SECONDS, secondsOf(lab, condition)].map((seconds) =>
    Math.round((seconds * 1000) / EVERY_MS),
  );
  const running = Promise.allSettled(
    lanes.map(async ({ path }, i) => {
      const connection = connected[i];
      if (connection.status === 'rejected') throw connection.reason;
      return path.carry({
        payloads,
        settle: 0,
        count: settle + count,
        messages,
        startMs: starts[i],
      });
    }),
  );
  // Legs are read when the last packet is due. Later the receiver waits for lost packets, and
  // nothing is sent.
  await lab.wait((LEAD_MS + (settle + count) * EVERY_MS) / 1000);
  const stats = /** @type {LinkStats[][]} */ (
    await Promise.all(lanes.map(({ legs }) => Promise.all(legs.map((leg) => leg.stats()))))
  );
  const runs = await running;
  lab.signal.throwIfAborted();
  return runs.map((run, i) => {
    if (run.status === 'rejected') {
      const hasEnded = connected[i].status === 'fulfilled';
      return { fault: run.reason.message, figures: null, hasEnded };
    }
    const { ages, messageAges, latenessMs, cpuPercent } = run.value;
    const fault = faultOf(run.value, stats[i], condition, payloads);
    // A discarded block is reported by its fault, and doesn't taint good ones.
    if (!fault && !condition.holdsSender) lab.tellGenerator(latenessMs, cpuPercent);
    const counted = condition.holdsSender
      ? ages.map((age, packet) => age + latenessMs[packet])
      : ages;
    const [{ up, seconds }] = stats[i];
    const rateUp = (up.arrived.bytes * 8) / 1000 / seconds;
    const ofMessages = messageFigures(
      messageAges.filter((_, message) => messages[message].atMs >= 1000 * SETTLE_SECONDS),
    );
    return {
      fault,
      figures: {
        ...figuresOf(ground, counted, settle),
        ...ofMessages,
        ...estimateOf(run.value),
        rateUp,
      },
      ages: counted,
      latenessMs: condition.holdsSender ? [] : latenessMs,
    };
  });
}

/**
 * Figures of a listener whose packets had these ages, by the quantities' names.
 * @param {Voice} voice @param {readonly number[]} ages @param {number} settle
 */
export function figuresOf(voice, ages, settle) {
  const heard = heardFrom({ ...voice, ages, settle });
  const counted = ages.slice(settle);
  const came = sorted(counted.filter(Number.isFinite));
  const ageBy = (/** @type {(ascending: Float64Array) => number} */ figure) =>
    came.length > 0 ? figure(came) : Infinity;
  const isHeard = heard.presentPercent > 0;
  const impairment = lossImpairment({
    ...OPUS,
    lossPercent: Math.max(0, 100 - heard.presentPercent),
  });
  return {
    rating: isHeard ? rating({ delayMs: heard.mouthToEarMs, impairment }) : 0,
    present: heard.presentPercent,
    playoutDelay: heard.playoutDelayMs,
    mouthToEar: isHeard ? heard.mouthToEarMs : Infinity,
    meanAge: ageBy(mean),
    medianAge: ageBy((ascending) => quantile(ascending, 0.5)),
    p99Age: ageBy((ascending) => quantile(ascending, 0.99)),
    jitter: jitterOf(counted),
    neverCame: 100 * (1 - came.length / counted.length),
  };
}

/**
 * R of the phases between a condition's steps, by their names. The playout comes from one into the
 * next.
 * @param {Voice} voice @param {readonly number[]} ages of all packets
 * @param {Pick<Condition, 'steps' | 'phases'>} condition
 * @returns {Record<string, number>}
 */
export function phaseFigures(voice, ages, { steps = [], phases = [] }) {
  const ends = [...steps.map(({ atMs }) => Math.round(atMs / EVERY_MS)), ages.length];
  const starts = [(SETTLE_SECONDS * 1000) / EVERY_MS, ...ends];
  return Object.fromEntries(
    phases.map(({ name }, i) => [name, figuresOf(voice, ages.slice(0, ends[i]), starts[i]).rating]),
  );
}

/**
 * @param {Lab} lab
 * @param {string} way
 * @param {Condition} condition
 * @param {number} repetition
 * @param {Record<string, number>} figures by the quantities' names
 */
function record(lab, way, { sweep, value: at }, repetition, figures) {
  for (const [name, value] of Object.entries(figures)) {
    lab.folder.record(name, {
      protocol: way,
      repetition,
      client: '',
      atMs: lab.folder.elapsedMs,
      value,
      factors: { sweep, at },
    });
  }
}

/**
 * Keeps what became of each frame.
 * @param {Pick<Lab, 'folder'>} lab @param {Voice & { frames: FrameFile | null }} ground
 * @param {{ way: string, sweep: string, value: number, repetition: number, call?: string }} block
 *   call: which of several
 * @param {{ ages: readonly number[], latenessMs?: readonly number[] }} packets  all of them
 */
export async function keepFrames(lab, { frames, ...voice }, block, { ages, latenessMs = [] }) {
  if (!frames) return;
  const isWhole = await frames.append(
    block,
    framesOf(heardFrom({ ...voice, ages }), ages, latenessMs),
  );
  if (!isWhole) lab.folder.warn('frames.csv is full: frames after those in it are not kept.');
}

/**
 * Marks the heard sound, and keeps the first repetition as a recording.
 * @param {Lab} lab
 * @param {Voice} voice
 * @param {string} way
 * @param {Condition} condition
 * @param {number} repetition
 * @param {readonly number[]} ages of all packets
 */
async function mark(lab, voice, way, condition, repetition, ages) {
  const heard = heardFrom({ ...voice, ages, settle: (SETTLE_SECONDS * 1000) / EVERY_MS });
  if (!Number.isFinite(heard.mouthToEarMs)) return;
  const {
    visqol,
    estoi,
    rating: markedRating,
  } = marksOf(heard.said, heard.sound, heard.mouthToEarMs);
  record(lab, way, condition, repetition, { visqol, estoi, markedRating });
  await keepSound(
    lab.folder,
    { name: `${way} ${condition.sweep} ${condition.value}`, repetition },
    heard,
  );
}
