/**
 * Cases and conditions of `interplay`, its time, and which blocks of an earlier run it takes over.
 * @import { Carry } from '../../plugin/page/carry.js'
 * @import { EarlierRun } from '../../report/run-folder.js'
 * @import { CongestionController } from '../../plugin/controllers.js'
 *
 * @typedef {object} Case
 * @property {string} rule        of the server, for a listener's bit rate
 * @property {CongestionController} controller  QUIC's, at the server
 * @property {Carry} carry
 *
 * @typedef {object} Step  the link from a moment on
 * @property {string} label
 * @property {number} rateBits
 * @property {number} lossPercent
 * @property {boolean} isFall  true if the capacity was higher before
 *
 * @typedef {object} Condition  one block
 * @property {string} sweep
 * @property {string} at        '' where a block has the whole sweep
 * @property {number} delayMs   of each direction
 * @property {readonly Step[]} steps  of the same length each
 */

import { ALL_CONTROLLERS, missingBuild } from '../../plugin/controllers.js';

/**
 * Capacities from the paper's least to its most, in kbit/s; its text names none between. Its video
 * has 2 000 kbit/s. A listener's highest sound takes 160 in packets, so all rates here are 8 % of
 * the paper's.
 */
const CAPACITIES = Object.freeze([500, 1000, 1500, 2000, 2500]);
const SCALE = 12.5;

/** The paper's random losses, in percent, and delays, here of each direction, in milliseconds. */
const LOSSES = Object.freeze([0, 0.5, 1, 2, 3]);
const DELAYS = Object.freeze([0, 25, 50, 100]);
const DELAYS_LOSS = 0.5;

/** Delay of each direction where it isn't varied, in milliseconds. */
const STEPS_DELAY_MS = 10;
const LOSS_DELAY_MS = 1;

export const SWEEPS = Object.freeze(['steps', 'loss', 'delay']);

/** The highest bit rate of a listener's sound, in bits a second. */
export const MOST_BPS = 128_000;

/** The longest wait in the link's queue, in milliseconds. */
export const QUEUE_MS = 300;

/** Time in which a case comes to a condition's first step, in seconds, and a quick run's. */
const SETTLE_SECONDS = 12;
const QUICK_SETTLE_SECONDS = 4;

/** Time in which the last packets of a block come, in seconds. */
export const AFTER_SECONDS = 2;

/**
 * Processes of a batch and of each case in it: their start, their joins and their end, in seconds.
 * A join takes some times the delay of its link, of which all cases of a batch have the same.
 */
const BATCH_SECONDS = 3;
const CASE_SECONDS = 1.6;
const JOIN_DELAYS = 27;

/** @param {{ quick?: boolean }} options @returns {number} seconds */
export const settleSeconds = ({ quick }) => (quick ? QUICK_SETTLE_SECONDS : SETTLE_SECONDS);

export const RULES = Object.freeze(['probe', 'simple', 'static']);
export const CARRIES = Object.freeze(/** @type {const} */ (['datagrams', 'streams']));

/** Every case that there can be, in the order of reports. */
export const ALL_CASES = Object.freeze(
  casesOf({ rules: RULES, controllers: ALL_CONTROLLERS, carries: CARRIES }),
);

/**
 * @param {{ rules: readonly string[], controllers: readonly CongestionController[], carries:
 *   readonly Carry[] }} options
 * @returns {Case[]}
 */
export function casesOf({ rules, controllers, carries }) {
  return carries.flatMap((carry) =>
    rules.flatMap((rule) => controllers.map((controller) => ({ rule, controller, carry }))),
  );
}

const kilobits = (/** @type {number} */ theirs) => theirs / SCALE;

/** Up, and down again. @returns {Step[]} */
function capacitySteps() {
  const up = CAPACITIES.map(kilobits);
  return [...up, ...up.slice(0, -1).toReversed()].map((rate, i) => ({
    label: `${rate} kbit/s${i < up.length ? '' : ', down'}`,
    rateBits: 1000 * rate,
    lossPercent: 0,
    isFall: i >= up.length,
  }));
}

const WIDE = 1000 * kilobits(/** @type {number} */ (CAPACITIES.at(-1)));
const wide = { rateBits: WIDE, isFall: false };

/** @param {{ sweeps: readonly string[] }} options @returns {Condition[]} */
export function conditionsOf({ sweeps }) {
  /** @type {Condition[]} */
  const all = [
    { sweep: 'steps', at: '', delayMs: STEPS_DELAY_MS, steps: capacitySteps() },
    {
      sweep: 'loss',
      at: '',
      delayMs: LOSS_DELAY_MS,
      steps: LOSSES.map((lossPercent) => ({ label: `${lossPercent} %`, lossPercent, ...wide })),
    },
    ...DELAYS.map((delayMs) => ({
      sweep: 'delay',
      at: `${delayMs} ms`,
      delayMs,
      steps: [{ label: `${delayMs} ms`, lossPercent: DELAYS_LOSS, ...wide }],
    })),
  ];
  return all.filter(({ sweep }) => sweeps.includes(sweep));
}

/** @template T @param {readonly T[]} all @param {number} most @returns {T[][]} */
const batchesOf = (all, most) =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, i) =>
    all.slice(i * most, (i + 1) * most),
  );

/**
 * @param {Condition} condition
 * @param {{ stepSeconds: number, quick?: boolean }} options
 * @param {number} count of cases at once
 * @returns {number} seconds that it takes
 */
export const blockSeconds = ({ steps, delayMs }, options, count) =>
  BATCH_SECONDS +
  CASE_SECONDS * count +
  (JOIN_DELAYS * delayMs) / 1000 +
  settleSeconds(options) +
  steps.length * options.stepSeconds +
  AFTER_SECONDS;

/** Why a case can't be measured here; null if it can. @param {Case} one */
export const lackOfCase = ({ controller }) => missingBuild(controller);

/**
 * The blocks of a run in their order, each with the cases of it that are still to be measured.
 * @param {any} options
 * @param {readonly Case[]} cases
 * @param {ReadonlySet<string>} done  keys of blocks that an earlier run has measured
 * @returns {{ condition: Condition, repetition: number, left: Case[] }[]}
 */
export const blocksOf = (options, cases, done) =>
  Array.from({ length: options.repetitions }, (_, repetition) =>
    conditionsOf(options).flatMap((condition) =>
      batchesOf(cases, options.atOnce).map((batch) => ({
        condition,
        repetition,
        left: batch.filter((one) => !done.has(keyOf({ ...one, ...condition, repetition }))),
      })),
    ),
  )
    .flat()
    .filter(({ left }) => left.length > 0);

/**
 * @param {any} options
 * @param {ReadonlySet<string>} [done]  keys of what an earlier run has measured
 * @param {typeof lackOfCase} [lack]
 * @returns {number} seconds that it takes to measure what this machine can and isn't measured yet
 */
export function planSeconds(options, done = new Set(), lack = lackOfCase) {
  const asked = casesOf(options);
  const here = asked.filter((one) => lack(one) === null);
  // Where nothing can be measured, the run says so itself.
  return blocksOf(options, here.length > 0 ? here : asked, done).reduce(
    (sum, { condition, left }) => sum + blockSeconds(condition, options, left.length),
    0,
  );
}

/**
 * @param {Record<keyof Case, string> & Pick<Condition, 'sweep' | 'at'> & { repetition: number }}
 *   which
 */
export const keyOf = ({ rule, controller, carry, sweep, at, repetition }) =>
  [rule, controller, carry, sweep, at, repetition].join(' ');

/** Options by which blocks of two runs differ. */
const MATTERS = ['stepSeconds', 'quick', 'format', 'complexity', 'server', 'seed'];

/**
 * Reason why an earlier run's blocks can't be taken over, or null.
 * @param {Pick<EarlierRun, 'run'>} earlier
 * @param {Record<string, unknown>} options of this run
 */
export function lackOf({ run }, options) {
  if (run.scenario !== 'interplay') return `it is of ${run.scenario}`;
  const other = MATTERS.find(
    (name) => JSON.stringify(run.options[name] ?? null) !== JSON.stringify(options[name] ?? null),
  );
  if (other === undefined) return null;
  return `it has another --${other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
