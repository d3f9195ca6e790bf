/**
 * Calls of one way through one bottleneck: what each of them gets, and how evenly.
 * @import { Lab } from '../lab.js'
 * @import { Link, LinkStats } from '../../link/link.js'
 * @import { Star } from '../../link/star.js'
 * @import { Quantity } from '../../report/result.js'
 * @import { WayRun } from '../../ways/run.js'
 * @import { Condition } from './grid.js'
 * @import { Voice } from './heard.js'
 * @import { Swept } from './grid-scenario.js'
 */

import { setTimeout as wait } from 'node:timers/promises';
import { seedOfRepetition, starOf } from '../../link/star.js';
import { seededRandom } from '../../../testkit/random.js';
import { fairness } from '../../../testkit/statistics.js';
import { FrameFile } from '../../ways/frames.js';
import { EVERY_MS, Path } from '../../ways/run.js';
import { faultOf } from './faults.js';
import {
  factors,
  figuresOf,
  hopsOf,
  keepFrames,
  SETTLE_SECONDS,
  TRIES,
  usableWays,
} from './grid.js';
import { gridScenario } from './grid-scenario.js';
import { GRID_NOTES } from './grid-result.js';
import { readVoices } from './heard.js';
import { QUEUE_MS } from './sweep.js';

/** Calls that begin one after the other, and the share of their rate on the leg: two of three. */
const APART_CALLS = 3;
const APART_SHARE = 2 / 3;

/**
 * Rate of a call in kbit/s: Opus of 48 kbit/s, the packets' numbers, and most ways' headers
 * (`sweep`: 76 to 78).
 */
const CALL_KILOBITS = 80;

/** The most calls: each has three processes. */
const MOST_CALLS = 16;

/** The longest time between two calls' beginnings, in seconds. */
const MOST_APART_SECONDS = 60;

const DELAY_MS = 10;

/** @type {Record<string, Quantity>} */
const quantities = {
  received: {
    name: 'received',
    label: 'Speech that came, of each call, without headers',
    unit: 'kbit/s',
    factors,
  },
  worst: { name: 'worstRating', label: 'R of the call that is rated lowest', unit: '', factors },
  last: { name: 'lastRating', label: 'R of the call that began last', unit: '', factors },
  fairness: {
    name: 'fairness',
    label: "Jain's fairness index of what the calls received",
    unit: '',
    factors,
  },
};

const STANDS =
  'tables 8 and 9 and figures 31 to 36 of Abelló Lozano (2012), and section 5.4 of RFC ' +
  '8867, "Competing Media Flows with the Same Congestion Control Algorithm"';

const MORE = [
  { of: quantities.received, label: 'Received', unit: 'kbit/s', digits: 1 },
  { of: quantities.worst, label: "Worst call's R", unit: '', digits: 1 },
  { of: quantities.last, label: "Last call's R", unit: '', digits: 1 },
  { of: quantities.fairness, label: 'Fairness', unit: '', digits: 3 },
];

/** @param {number} calls @param {number} share  of their needed rate that the first leg carries */
const legFor = (calls, share) => ({
  delayMs: DELAY_MS,
  up: { rateBits: 1000 * CALL_KILOBITS * calls * share, queueMs: QUEUE_MS },
});

/** @param {string} name @param {string} words @param {number} share  of the calls' needed rate */
const withRoom = (name, words, share) =>
  /** @type {Swept} */ ({
    name,
    label: `Calls through a leg that holds ${words}`,
    unit: '',
    stands: `${STANDS}, on a leg that holds ${words}`,
    values: [1, 2, 3, 5, 8],
    more: MORE,
    condition: (calls) => ({ leg: legFor(calls, share) }),
  });

/** @type {Swept} */
const apart = {
  name: 'apart',
  label: `${APART_CALLS} calls through a leg that holds two, the next after`,
  unit: 's',
  stands: `${STANDS}, where calls begin one after the other`,
  values: [0, 5, 15],
  more: MORE,
  condition: () => ({ leg: legFor(APART_CALLS, APART_SHARE) }),
};

/**
 * Number of calls of a condition, and time between their starts in seconds.
 * @param {Pick<Condition, 'sweep' | 'value'>} condition
 * @returns {{ count: number, apartSeconds: number }}
 */
const callsIn = ({ sweep, value }) =>
  sweep === apart.name
    ? { count: APART_CALLS, apartSeconds: value }
    : { count: value, apartSeconds: 0 };

export const parallel = gridScenario({
  name: 'parallel',
  title: 'Calls of one way through one bottleneck',
  description:
    '1 to 8 calls of one way through one leg of half, all and twice the rate they need: ' +
    'what each gets, and how evenly, also where they begin one after the other (Abelló ' +
    'Lozano 2012; RFC 8867, section 5.4)',
  sweeps: [
    withRoom('half', 'half of what they need', 0.5),
    withRoom('all', 'what they need', 1),
    withRoom('twice', 'twice what they need', 2),
    apart,
  ],
  // One way after the other, each with three processes for a call: all ways take an afternoon.
  ways: ['datagrams', 'stream', 'websocket', 'rtp'],
  summary:
    'Calls, all of them by one way, have senders in one namespace, behind one leg, and ' +
    'receivers in another, behind a leg without a limit. Each carries packets of speech, ' +
    'one every 20 ms. The ways come one after the other.',
  run: runCalls,
  plan(ways, condition) {
    const { count, apartSeconds } = callsIn(condition);
    return { blocks: ways.length, moreSeconds: (count - 1) * apartSeconds };
  },
  notes: [
    `Per leg: the senders' leg, which all calls share, has the rate and the queue, up ` +
      `alone; both legs have ${DELAY_MS} ms of delay in each direction. End to end a packet ` +
      `meets the senders' leg up and the receivers' leg down: ${2 * DELAY_MS} ms, and one queue.`,
    `A call needs ${CALL_KILOBITS} kbit/s with headers, whatever its way: those that send ` +
      `more have less room. The leg's queue holds ${QUEUE_MS} ms, drop-tail. None of the ` +
      `ways changes the codec's rate.`,
    'Each call says another part of the speech, and begins at a random moment of a frame, ' +
      'which is the same for all ways.',
    `Where calls begin one after the other there are ${APART_CALLS} of them, on a leg that ` +
      'holds two. What counts is from when the last of them has begun; what is sent, up, is ' +
      'of the whole time.',
    'R, present, mouth to ear, ages and what never came: means over the calls; the samples ' +
      "have each call's own. Sent, up: by all calls together.",
    "Received: speech that came in the block's time, without headers, however late it was. " +
      "Fairness: Jain's index of what the calls received, (Σx)² ÷ (n Σx²): 1 where all have " +
      'the same, 1 ÷ n where one has everything (Jain, Chiu and Hawe, 1984).',
    ...GRID_NOTES.slice(1),
  ],
});

/** @type {typeof import('./grid.js').runGrid} */
async function runCalls(lab, { conditions, ways, through }) {
  for (const condition of conditions) check(condition);
  const usable = await usableWays(lab, ways);
  const star = await starOf(lab.link, 2);
  const legs = /** @type {[Link, Link]} */ (star.legs.slice(0, 2));
  const paths = Array.from(
    { length: Math.max(...conditions.map((condition) => callsIn(condition).count)) },
    () => new Path(hopsOf(legs, through), lab.signal),
  );
  const blocks = blocksOf(conditions, usable, lab.options.repetitions);
  try {
    await Promise.all(paths.map((path) => path.ready()));
    const voiceOf = await readVoices();
    const frames = lab.options.frames ? await FrameFile.open(lab.folder.path) : null;
    for (const [i, { repetition, condition, way }] of blocks.entries()) {
      lab.progress(
        `${way}, ${condition.sweep} ${condition.value}, ${repetition + 1} of ` +
          `${lab.options.repetitions}`,
        i / blocks.length,
      );
      const { count } = callsIn(condition);
      const calls = paths
        .slice(0, count)
        .map((path, call) => ({ path, ...partOf(voiceOf(repetition), call / count) }));
      const runs = await measureBlock(lab, star, { way, repetition, condition, calls });
      for (const [place, run] of runs.entries())
        await keepFrames(
          lab,
          { ...calls[place], frames },
          { way, ...condition, repetition, call: nameOf(place) },
          run,
        );
    }
  } finally {
    await Promise.all(paths.map((path) => path.close()));
  }
}

/**
 * The blocks of a run in their order: under each condition the ways come by turns, so that none of
 * them is always the first.
 * @param {readonly Condition[]} conditions
 * @param {readonly string[]} ways
 * @param {number} repetitions
 */
export const blocksOf = (conditions, ways, repetitions) =>
  Array.from({ length: repetitions }, (_, repetition) =>
    conditions.flatMap((condition) =>
      ways.map((__, i) => ({ repetition, condition, way: ways[(i + repetition) % ways.length] })),
    ),
  ).flat();

/** @param {Condition} condition @throws {Error} where there can't be such calls */
function check(condition) {
  const { count, apartSeconds } = callsIn(condition);
  if (!Number.isInteger(count) || count < 1 || count > MOST_CALLS)
    throw new Error(`--at: ${condition.value}: there may be 1 to ${MOST_CALLS} calls`);
  if (!(apartSeconds >= 0 && apartSeconds <= MOST_APART_SECONDS))
    throw new Error(
      `--at: ${condition.value}: calls may begin 0 to ${MOST_APART_SECONDS} s after one another`,
    );
}

/**
 * @typedef {{ way: string, repetition: number, condition: Condition, calls: readonly (Voice & {
 *   path: Path })[] }} Block
 */

/** @param {number} place  of a call */
const nameOf = (place) => `call ${place + 1}`;

/**
 * A voice from another place of it on.
 * @param {Voice} content
 * @param {number} place  0 to 1
 * @returns {Voice}
 */
export function partOf({ payloads, speech, codec }, place) {
  const frames = Math.floor(place * payloads.length);
  // A part of a frame at its end belongs to no payload.
  const samples = Math.floor(speech.length / payloads.length);
  const turned = new Float32Array(payloads.length * samples);
  turned.set(speech.subarray(frames * samples, turned.length));
  turned.set(speech.subarray(0, frames * samples), turned.length - frames * samples);
  return {
    payloads: [...payloads.slice(frames), ...payloads.slice(0, frames)],
    speech: turned,
    codec,
  };
}

/**
 * Repeats a block until all of its calls are good, or the tries are used up.
 * @param {Lab} lab @param {Star} star @param {Block} block
 * @returns {Promise<WayRun[]>} runs of the calls; none if they aren't good
 */
async function measureBlock(lab, star, block) {
  const { way, repetition, condition, calls } = block;
  for (let tries = 1; ; tries++) {
    const fromMs = lab.folder.elapsedMs;
    try {
      const { runs, stats } = await runBlock(lab, star, block);
      const fault = runs
        .map((run, i) => faultOf(run, stats, condition, calls[i].payloads))
        .find((what) => what !== null);
      if (fault) throw new Error(fault);
      for (const { latenessMs, cpuPercent } of runs) lab.tellGenerator(latenessMs, cpuPercent);
      record(lab, block, runs, stats);
      return runs;
    } catch (error) {
      lab.signal.throwIfAborted();
      lab.folder.warn(
        `${way}, ${condition.sweep} ${calls.length}, repetition ${repetition + 1}, try ` +
          `${tries} doesn't count: ${/** @type {Error} */ (error).message}`,
      );
      if (tries === TRIES || !lab.mayRepeat(fromMs)) return [];
    }
  }
}

/**
 * @param {Lab} lab
 * @param {Star} star
 * @param {Block} block
 * @returns {Promise<{ runs: WayRun[], stats: LinkStats[] }>}
 */
export async function runBlock(lab, star, { way, repetition, condition, calls }) {
  const { apartSeconds } = callsIn(condition);
  const counts = calls.map((_, i) => settleOf(condition, i) + packetsOf(lab.blockSeconds));
  const seed = seedOfRepetition(lab.options.seed, repetition);
  const random = seededRandom(seed);
  try {
    // The delay isn't added later: a congestion controller would take its growth for a queue's.
    await star.set({ delayMs: DELAY_MS });
    await allOf(calls.map(({ path, payloads }) => path.connect(way, payloads)));
    await star.seedAnew([star.legs], seed);
    await star.legs[0].set(condition.leg);
    await Promise.all(star.legs.map((leg) => leg.reset()));
    const running = allOf(
      calls.map(async ({ path, payloads }, i) => {
        await wait(EVERY_MS * random() + 1000 * apartSeconds * i, undefined, {
          signal: lab.signal,
        });
        return path.carry({ payloads, settle: 0, count: counts[i] });
      }),
    );
    const [stats, runs] = await allOf([sentBy(lab, star, counts[0]), running]);
    return { runs, stats };
  } finally {
    await star.clear();
    await Promise.all(calls.map(({ path }) => path.hangUp()));
  }
}

/**
 * Awaits all promises. Throws the first failure only when all have ended, so that no work
 * continues.
 * @template {readonly unknown[]} T
 * @param {T} promises
 * @returns {Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }>}
 */
async function allOf(promises) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * Number of a call's first packets that don't count: those before the last call has begun and
 * settled.
 * @param {Pick<Condition, 'sweep' | 'value'>} condition
 * @param {number} call
 */
export function settleOf(condition, call) {
  const { count, apartSeconds } = callsIn(condition);
  return packetsOf(SETTLE_SECONDS + (count - 1 - call) * apartSeconds);
}

/** @param {number} seconds */
const packetsOf = (seconds) => Math.round((seconds * 1000) / EVERY_MS);

/**
 * The legs' counts when the last packet is due.
 * @param {Lab} lab
 * @param {Star} star
 * @param {number} count of packets
 */
async function sentBy(lab, star, count) {
  await lab.wait((count * EVERY_MS) / 1000);
  return /** @type {LinkStats[]} */ (await Promise.all(star.legs.map((leg) => leg.stats())));
}

/** @param {Lab} lab @param {Block} block @param {WayRun[]} runs @param {LinkStats[]} stats */
function record(lab, { way, repetition, condition, calls }, runs, [{ up, seconds }]) {
  const add = (/** @type {string} */ name, /** @type {number} */ value, client = '') =>
    lab.folder.record(name, {
      protocol: way,
      repetition,
      client,
      atMs: lab.folder.elapsedMs,
      value,
      factors: { sweep: condition.sweep, at: condition.value },
    });
  const figures = calls.map((content, i) =>
    figuresOf(content, runs[i].ages, settleOf(condition, i)),
  );
  const received = calls.map((content, i) =>
    receivedKilobits(content, runs[i].ages, settleOf(condition, i)),
  );
  for (const [i, of] of figures.entries()) {
    for (const [name, value] of Object.entries(of)) add(name, value, nameOf(i));
    add(quantities.received.name, received[i], nameOf(i));
  }
  add('rateUp', (up.arrived.bytes * 8) / 1000 / seconds);
  add(quantities.worst.name, Math.min(...figures.map(({ rating }) => rating)));
  add(quantities.last.name, figures[figures.length - 1].rating);
  add(quantities.fairness.name, fairness(received));
}

/**
 * Speech that came from when packets counted until the last was due, in kbit/s.
 * @param {Pick<Voice, 'payloads'>} content @param {readonly number[]} ages @param {number} settle
 */
export function receivedKilobits({ payloads }, ages, settle) {
  const [fromMs, toMs] = [settle, ages.length].map((packets) => packets * EVERY_MS);
  const came = ages
    .map((age, i) => ({ atMs: i * EVERY_MS + age, bytes: payloads[i % payloads.length].length }))
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  return came.reduce((bits, { bytes }) => bits + 8 * bytes, 0) / (toMs - fromMs);
}
