/**
 * Targets of aloud, as a table of each run.
 * @import { Cell, Table } from '../report/result.js'
 * @import { Interval } from '../stats/bootstrap.js'
 *
 * @typedef {object} Target
 * @property {string} what     the figure: 'D on loopback'
 * @property {'≤' | '≥'} [is]  good side of the limit; ≤ by default
 * @property {number} limit
 * @property {number} reached  NaN if it couldn't be measured
 * @property {string} unit
 * @property {number} [digits]
 * @property {string} [why]    obstacle, or a note for readers of the figure
 */

import { formatEstimate, formatNumber } from '../report/numbers.js';

/** The name of the table with a result's targets. */
export const TABLE = 'targets';

/** Verdict on a target without a figure. */
const NOT_MEASURED = 'not measured';

/**
 * Limits for one received frame on Node's thread: its time in microseconds, and its allocations in
 * bytes. The engine itself boxes a few numbers, up to 64 bytes (bench/frame-path.js); aloud's own
 * code allocates nothing.
 */
const FRAME_US = 30;
const FRAME_BYTES = 64;

/**
 * Limits of what a stall costs: the time until sound is back, how much less ViSQOL gives, and steps
 * beside those of the speech.
 */
const BACK_SECONDS = 3;
const LESS_MOS = 0.1;
const STEEPER = 1.1;

/**
 * The interval of a target's figure in words, for its remark.
 * @param {Interval} interval  of 95 % confidence, by the bootstrap over repetitions
 * @param {string} unit
 * @param {number} digits
 */
export const intervalWords = ({ low, high }, unit, digits) =>
  Number.isFinite(low) && Number.isFinite(high)
    ? `95 % from ${low.toFixed(digits)} to ${high.toFixed(digits)} ${unit}`
    : 'no interval';

/** @param {Target} target */
export const isMet = ({ is = '≤', limit, reached }) =>
  is === '≤' ? reached <= limit : reached >= limit;

/**
 * @param {readonly Target[]} targets
 * @returns {Table}
 */
export function targetsTable(targets) {
  return {
    name: TABLE,
    title: 'Targets',
    columns: [
      { label: 'What' },
      { label: 'Target' },
      { label: 'Reached' },
      { label: 'Met' },
      { label: 'Remark' },
    ],
    rows: targets.map((target) => {
      const { what, is = '≤', limit, reached, unit, digits, why = '' } = target;
      const text = (/** @type {number} */ value) => `${formatNumber(value, digits)} ${unit}`;
      const isKnown = !Number.isNaN(reached);
      return [
        what,
        `${is} ${text(limit)}`,
        isKnown ? text(reached) : '–',
        isKnown ? (isMet(target) ? 'met' : 'not met') : NOT_MEASURED,
        knownWords(why),
      ];
    }),
  };
}

/**
 * A remark with the marks of figures for those in it that aren't known, as of a run that broke off.
 * @param {string} why
 */
const knownWords = (why) =>
  why.replace(/\bNaN\b/g, formatNumber(NaN)).replace(/\bInfinity\b/g, formatNumber(Infinity));

/**
 * True if a target has no figure.
 * @param {Pick<Table, 'rows'>} table of targets
 */
export const lacksFigures = ({ rows }) => rows.some(([, , , verdict]) => verdict === NOT_MEASURED);

/** @param {readonly Table[]} tables of targets */
export function joined(tables) {
  return {
    ...targetsTable([]),
    rows: /** @type {Cell[][]} */ (tables.flatMap(({ rows }) => rows)),
  };
}

/**
 * @param {{ cases: Record<string, any>[] }} measured output of frame-path
 * @returns {Table}
 */
export function framePathTargets({ cases }) {
  const ours = cases.filter(({ codec }) => codec === 'none');
  const pushed = ours.filter(({ delivery }) => delivery === 'tick');
  const words = (/** @type {Record<string, any>} */ { people, talking }) =>
    `${people} people, ${talking} talk`;
  const worst = (/** @type {Record<string, any>[]} */ all, /** @type {string} */ what) =>
    all.reduce((most, one) => (one[what] > most[what] ? one : most));
  if (pushed.length === 0) return targetsTable([]);
  const [slow, big, answered] = [
    worst(pushed, 'µs/frame'),
    worst(pushed, 'bytes/frame'),
    worst(ours, 'µs/frame'),
  ];
  const others =
    answered === slow
      ? ''
      : `; answered one by one (reply) up to ${answered['µs/frame']} µs: ${words(answered)}`;
  return targetsTable([
    {
      what: 'The path of a received frame without codec',
      limit: FRAME_US,
      reached: slow['µs/frame'],
      unit: 'µs',
      digits: 1,
      why: `the dearest of the rooms measured: ${words(slow)}${others}`,
    },
    {
      what: 'Allocated for a frame',
      limit: FRAME_BYTES,
      reached: big['bytes/frame'],
      unit: 'bytes',
      digits: 0,
      why:
        `the most: ${words(big)}; the engine boxes a few numbers, up to ${FRAME_BYTES} bytes ` +
        'of which count as none of ours',
    },
  ]);
}

/**
 * @typedef {{ estimate: number, low: number | null, high: number | null, worst: number }}
 *   StallFigure the median of calls, and the worst; without an interval for few calls
 * @typedef {{ name: string, calls: number, back: StallFigure, worseWhole: StallFigure, steeper:
 *   StallFigure, moved: StallFigure }} StallRow
 *
 * @param {{ stall: number, seconds: number, rows: StallRow[] }} measured output of
 *   bench/stalls.js
 * @returns {Table}
 */
export function stallTargets({ stall, seconds, rows }) {
  // JSON has null for an interval that isn't known.
  const words = (/** @type {StallFigure} */ { estimate, low, high }, digits = 2) =>
    `median ${formatEstimate(estimate, [low ?? NaN, high ?? NaN], digits)}`;
  return targetsTable(
    rows.flatMap(({ name, calls, back, worseWhole, steeper, moved }) => [
      {
        what: `Within 10 ms again after ${stall} ms, ${name}`,
        limit: BACK_SECONDS,
        reached: back.worst,
        unit: 's',
        digits: 1,
        why: `the latest of ${calls} calls; ${words(back, 1)}`,
      },
      {
        what: `ViSQOL below untouched, a call of ${seconds} s, ${name}`,
        limit: LESS_MOS,
        reached: worseWhole.estimate,
        unit: 'MOS',
        digits: 2,
        why: `${words(worseWhole)}; the worst ${worseWhole.worst.toFixed(2)}`,
      },
      {
        what: `No click: the steepest step beside that of the speech, ${name}`,
        limit: STEEPER,
        reached: steeper.worst,
        unit: '×',
        digits: 2,
        why: `the steepest of ${calls} calls; ${words(steeper)}`,
      },
      {
        what: `Moved without a stall, ${name}`,
        limit: 0,
        reached: moved.worst,
        unit: 'ms',
        digits: 2,
        why: 'the same calls, from 5 s on',
      },
    ]),
  );
}
