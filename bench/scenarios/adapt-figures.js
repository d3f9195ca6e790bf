/**
 * Figures of a listener whose way becomes narrow and wide again, and their tables.
 * @import { Look } from '../hls/page.js'
 * @import { Recorded } from '../../testkit/sound/sound-lag.js'
 * @import { Samples } from './scenario.js'
 * @import { Target } from './targets.js'
 * @import { Quantity, Sample, Table } from '../report/result.js'
 *
 * @typedef {object} Case
 * @property {string} rule    of the server
 * @property {string} choice  nearness of the listener
 * @property {string} controller  QUIC's congestion controller at the server
 * @typedef {(quantity: Quantity, value: number) => void} Add
 * @typedef {{ narrowMs: number, againMs: number }} Times when the way became narrow, and wide again
 */

import { Stream } from '../../public/shared/wire/packet.js';
import { RATES } from '../../public/shared/sound/audio-format.js';
import { utterancesIn } from '../../testkit/sound/sound-lag.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';
import { meanEstimate } from '../report/quantity-views.js';
import { visqol } from '../stats/visqol.js';

/** Another system, as a case beside those of the server's rules. @type {Readonly<Case>} */
export const LL_HLS = Object.freeze({
  rule: 'hls.js',
  choice: 'll-hls',
  controller: '',
});

/** The product's congestion controller. */
export const PRODUCTS_CONTROLLER = 'cubic';

/** Targets of the rule `probe`: the longest gap, and how soon the rate is back. */
const GAP_MS = 60;
const BACK_SECONDS = 15;

/**
 * Time after a change of the path in which a rate follows, in seconds. Frames missed in it are
 * counted apart.
 */
export const FOLLOW_SECONDS = 3;

/**
 * The step from look to look, beyond the time that passed, at which a player has left sound out, in
 * milliseconds.
 */
const JUMP_MS = 100;

/**
 * The share of the time that passes by which a player must go on, so as not to stand still: it may
 * be slowed down.
 */
const STANDS = 0.5;

/**
 * Margin of sound around an utterance, in seconds. A moving delay makes longer pauses than a call
 * has, and the last utterance predicts the next one's place.
 */
const MARGIN_SECONDS = 1.5;

const factors = [
  { name: 'rule', label: 'Rule', unit: '' },
  { name: 'choice', label: 'Choice', unit: '' },
  { name: 'controller', label: 'Congestion controller', unit: '' },
];

/** @type {Record<string, Quantity>} */
export const quantities = {
  rate: { name: 'rate', label: 'Bit rate of the sound', unit: 'kbit/s', factors },
  changes: { name: 'changes', label: 'Changes of the rate', unit: '', factors },
  back: { name: 'back', label: 'Time until the rate is back', unit: 's', factors },
  fall: { name: 'fall', label: 'Longest gap as the way becomes narrow', unit: 'ms', factors },
  gap: { name: 'gap', label: 'Longest gap otherwise', unit: 'ms', factors },
  missed: { name: 'missed', label: 'Sound that was never heard', unit: '%', factors },
  delay: { name: 'behind', label: 'Behind the speaker', unit: 'ms', factors },
  visqol: { name: 'visqol', label: 'ViSQOL', unit: '', factors },
};

/**
 * @param {Add} add
 * @param {{ played: { frame: number, atMs: number }[], received: { frame: number, stream: number,
 *   sounding: number[], atMs: number }[] }} notes
 * @param {{ sounding: Set<number>, originMs: number, frameMs: number } & Times} times
 */
export function addFrames(
  add,
  { played, received },
  { sounding, originMs, frameMs, narrowMs, againMs },
) {
  const came = firstOf(received);
  for (const { rate } of came) add(quantities.rate, rate);
  addChanges(add, came, { narrowMs, againMs });
  // Frames that prepare a decoder were heard before.
  const heard = played.filter(({ frame }, i) => i === 0 || frame > played[i - 1].frame);
  if (heard.length === 0) {
    for (const quantity of [quantities.fall, quantities.gap]) add(quantity, Infinity);
    add(quantities.missed, 100);
    return;
  }
  addGaps(
    add,
    heard.slice(1).map(({ frame, atMs }, i) => {
      const before = heard[i];
      let silentMs = 0;
      for (let between = before.frame + 1; between < frame; between++)
        if (!sounding.has(between)) silentMs += frameMs;
      return { atMs: before.atMs, ms: atMs - before.atMs - frameMs - silentMs };
    }),
    { narrowMs: narrowMs - frameMs },
  );
  const frames = new Set(played.map(({ frame }) => frame));
  const due = [...sounding].filter(
    (frame) => frame > heard[0].frame && frame < heard[heard.length - 1].frame,
  );
  add(quantities.missed, (100 * due.filter((frame) => !frames.has(frame)).length) / due.length);
  for (const { frame, atMs } of heard) add(quantities.delay, atMs - (originMs + frame * frameMs));
}

/**
 * When each frame first came, and at what rate. Its packet may come again, also at another rate,
 * and after later ones.
 * @param {readonly { stream: number, sounding: number[], atMs: number }[]} received
 * @returns {{ atMs: number, rate: number }[]} in the order of the frames
 */
function firstOf(received) {
  /** @type {Map<number, { atMs: number, rate: number }>} */
  const first = new Map();
  for (const { stream, sounding, atMs } of received)
    for (const frame of sounding)
      if (!first.has(frame)) first.set(frame, { atMs, rate: RATES[stream - Stream.layers] / 1000 });
  return [...first].sort(([a], [b]) => a - b).map(([, note]) => note);
}

/**
 * @param {Add} add
 * @param {readonly Look[]} looks  at what a player plays, every few milliseconds
 * @param {{ originMs: number } & Times} times  originMs: when the first of the sound was said
 */
export function addLooks(add, looks, { originMs, narrowMs, againMs }) {
  const rates = looks.map(({ level }) => (RATES[level] ?? NaN) / 1000);
  looks.forEach((_, i) => Number.isFinite(rates[i]) && add(quantities.rate, rates[i]));
  addChanges(
    add,
    looks.map(({ atMs }, i) => ({ atMs, rate: rates[i] })),
    { narrowMs, againMs },
  );
  const gaps = [];
  let [standsMs, missedMs] = [0, 0];
  for (let i = 1; i < looks.length; i++) {
    const [passed, moved] = [
      looks[i].atMs - looks[i - 1].atMs,
      looks[i].mediaMs - looks[i - 1].mediaMs,
    ];
    if (moved > passed + JUMP_MS) missedMs += moved - passed;
    if (moved < STANDS * passed) standsMs += passed;
    else if (standsMs > 0) {
      gaps.push({ atMs: looks[i].atMs - standsMs, ms: standsMs });
      standsMs = 0;
    }
  }
  const [first, last] = [looks[0], looks[looks.length - 1]];
  // One that still stands at the end has its longest gap there, perhaps.
  if (standsMs > 0) gaps.push({ atMs: last.atMs - standsMs, ms: standsMs });
  addGaps(add, gaps, { narrowMs });
  add(quantities.missed, (100 * missedMs) / (last.mediaMs - first.mediaMs));
  for (const { atMs, mediaMs } of looks) add(quantities.delay, atMs - originMs - mediaMs);
}

/**
 * @param {Add} add
 * @param {readonly { atMs: number, rate: number }[]} notes
 * @param {Times} times
 */
function addChanges(add, notes, { narrowMs, againMs }) {
  add(
    quantities.changes,
    notes.filter(({ rate }, i) => i > 0 && rate !== notes[i - 1].rate).length,
  );
  const before = notes.findLast(({ atMs }) => atMs < narrowMs)?.rate ?? NaN;
  if (Number.isNaN(before)) return;
  const back = notes.find(({ atMs, rate }) => atMs >= againMs && rate >= before);
  add(quantities.back, back ? (back.atMs - againMs) / 1000 : Infinity);
}

/**
 * @param {Add} add
 * @param {readonly { atMs: number, ms: number }[]} gaps atMs: when each began
 * @param {{ narrowMs: number }} times
 */
function addGaps(add, gaps, { narrowMs }) {
  const isFall = (/** @type {number} */ atMs) =>
    atMs >= narrowMs && atMs < narrowMs + 1000 * FOLLOW_SECONDS;
  const longest = (/** @type {boolean} */ falls) =>
    Math.max(0, ...gaps.filter(({ atMs }) => isFall(atMs) === falls).map(({ ms }) => ms));
  add(quantities.fall, longest(true));
  add(quantities.gap, longest(false));
}

/**
 * Marks each whole utterance that was heard, beside the speech, which is said again and again.
 * @param {Add} add
 * @param {Recorded} heard
 * @param {Float32Array} speech  at the same sample rate
 * @param {{ fromMs: number, toMs: number }} span
 */
export function addMarks(add, { samples, startMs, sampleRate }, speech, { fromMs, toMs }) {
  const [from, to] = [fromMs, toMs].map((ms) =>
    Math.max(0, Math.round(((ms - startMs) * sampleRate) / 1000)),
  );
  for (const { sound } of utterancesIn(
    samples.subarray(from, to),
    speech,
    MARGIN_SECONDS * sampleRate,
  ))
    add(quantities.visqol, visqol(speech, sound, { sampleRate }).mos);
}

/** @param {Case} which */
const isOf =
  ({ rule, choice, controller }) =>
  (/** @type {Sample} */ { factors: its }) =>
    its?.rule === rule && its.choice === choice && its.controller === controller;

/** @param {Samples} folder @param {Case} which @param {Quantity} quantity */
const valuesOf = (folder, which, { name }) =>
  folder
    .samples(name)
    .filter(isOf(which))
    .map(({ value }) => value);

/** @param {Samples} folder @param {readonly Case[]} cases @returns {Target[]} */
export function targetsOf(folder, cases) {
  return cases
    .filter(({ rule, controller }) => rule === 'probe' && controller === PRODUCTS_CONTROLLER)
    .flatMap((which) => {
      const [gaps, falls, backs] = [quantities.gap, quantities.fall, quantities.back].map(
        (quantity) => sorted(valuesOf(folder, which, quantity)),
      );
      const [gap, fall] = [quantile(gaps, 1), quantile(falls, 1)];
      return [
        {
          what: `Rule probe, ${which.choice}: longest gap`,
          limit: GAP_MS,
          reached: Math.max(gap, fall),
          unit: 'ms',
          digits: 0,
          why: `as the way becomes narrow ${fall.toFixed(0)} ms, otherwise ${gap.toFixed(0)} ms`,
        },
        {
          what: `Rule probe, ${which.choice}: the rate is back`,
          limit: BACK_SECONDS,
          reached: backs.length < gaps.length ? Infinity : quantile(backs, 1),
          unit: 's',
          digits: 1,
        },
      ];
    });
}

/**
 * @param {Samples} folder
 * @param {readonly Case[]} cases
 * @param {() => number} random
 * @returns {Table}
 */
export function tableOf(folder, cases, random) {
  const measured = cases.filter((which) => valuesOf(folder, which, quantities.gap).length > 0);
  const rows = measured.map((which) => {
    const of = (/** @type {Quantity} */ quantity) => valuesOf(folder, which, quantity);
    const average = (/** @type {Quantity} */ quantity) =>
      of(quantity).length > 0 ? mean(of(quantity)) : null;
    const rates = of(quantities.rate);
    const share = (/** @type {number} */ bps) =>
      (100 * rates.filter((rate) => rate === bps / 1000).length) / rates.length;
    const delays = sorted(of(quantities.delay));
    return [
      which.rule,
      which.choice,
      which.controller,
      ...RATES.map(share),
      average(quantities.changes),
      average(quantities.back),
      average(quantities.fall),
      average(quantities.gap),
      meanEstimate(folder.samples(quantities.missed.name), isOf(which), random),
      quantile(delays, 0.5),
      quantile(delays, 0.99),
      average(quantities.visqol),
    ];
  });
  const ms = { unit: 'ms', digits: 0 };
  const columns = [
    { label: 'Rule' },
    { label: 'Choice' },
    { label: 'Controller' },
    ...RATES.map((rate) => ({ label: `At ${rate / 1000} kb/s`, unit: '% of the time', digits: 0 })),
    { label: 'Changes', digits: 1 },
    { label: 'Back after', unit: 's', digits: 1 },
    { label: 'Gap as it narrows', ...ms },
    { label: 'Gap otherwise', ...ms },
    { label: 'Never heard', unit: '%', digits: 2 },
    { label: 'Behind, median', ...ms },
    { label: 'p99', ...ms },
    { label: 'ViSQOL', digits: 2 },
  ];
  return { name: 'adapt', title: 'What each makes of the way', columns, rows };
}
