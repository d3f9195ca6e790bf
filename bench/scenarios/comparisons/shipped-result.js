/**
 * The result of the samples of calls as shipped: under each condition the ways' order by R, and
 * their figures.
 * @import { Samples } from '../scenario.js'
 * @import { Plot, Quantity, Table } from '../../report/result.js'
 */

import { CHROMIUM_CONTROLLERS } from '../../participants/net-log.js';
import {
  countOf,
  differenceOfMeans,
  differs,
  ENOUGH_REPETITIONS,
  sizeOf,
} from '../../stats/bootstrap.js';
import { orderInWords } from './order.js';
import { meanCell, meansPlot, sentencesTable, setOf } from './sets.js';

const factors = [{ name: 'condition', label: 'Each leg', unit: '' }];

/** WebRTC by Chromium's defaults, with its frames noted on their way. */
export const NOTED = 'webrtc-frames';

/**
 * WebRTC by Chromium's defaults, through a forwarder (an SFU) in the hub in place of from peer to
 * peer.
 */
export const FORWARDED = 'webrtc-forwarded';

/** aloud's page with each of Chromium's congestion controllers. */
export const CONTROLLED_WAYS = Object.keys(CHROMIUM_CONTROLLERS).map((name) => `aloud@${name}`);

/** The name of each way. @type {Readonly<Record<string, string>>} */
const LABELS = Object.freeze({
  aloud: "aloud's page over WebTransport",
  webrtc: 'WebRTC in Chromium',
  [NOTED]: 'WebRTC in Chromium, with encoded transforms',
  'webrtc-red': 'WebRTC in Chromium, each payload sent twice (RED)',
  'webrtc-plain': 'WebRTC in Chromium, without FEC',
  [FORWARDED]: 'WebRTC in Chromium, through a forwarder',
  ...Object.fromEntries(
    Object.entries(CHROMIUM_CONTROLLERS).map(([name, { logged }]) => [
      `aloud@${name}`,
      `aloud's page over WebTransport, ${logged}`,
    ]),
  ),
});

/** Quantities of each block, one value each. @type {Readonly<Record<string, Quantity>>} */
export const SHIPPED_QUANTITIES = Object.freeze({
  rating: { name: 'rating', label: 'R, from ViSQOL and mouth to ear', unit: '', factors },
  mouthToEar: {
    name: 'mouthToEar',
    label: "Mouth to ear, beyond the browser's own loop",
    unit: 'ms',
    factors,
  },
  visqol: { name: 'visqol', label: 'ViSQOL', unit: '', factors },
  estoi: { name: 'estoi', label: 'ESTOI', unit: '', factors },
  madeUp: { name: 'madeUp', label: 'Sound that was made up', unit: '%', factors },
  waits: { name: 'waits', label: "Wait in the receiver's buffer", unit: 'ms', factors },
  rate: { name: 'rateUp', label: 'Sent on the leg up, headers and all', unit: 'kbit/s', factors },
  sent: { name: 'framesSent', label: 'Frames sent', unit: '1/s', factors },
  arrived: {
    name: 'arrived',
    label: 'Frames that came in a packet of their own',
    unit: '%',
    factors,
  },
  ageP50: { name: 'ageP50', label: 'Age of frames, p50', unit: 'ms', factors },
  ageP99: { name: 'ageP99', label: 'Age of frames, p99', unit: 'ms', factors },
  present: {
    name: 'present',
    label: 'Frames that were at the server when they were mixed',
    unit: '%',
    factors,
  },
  cpu: {
    name: 'cpu',
    label: "Both browsers' processor time, of a core",
    unit: '%',
    factors,
  },
});

/** The columns of the table of figures. */
const COLUMNS = Object.freeze([
  { of: SHIPPED_QUANTITIES.mouthToEar, label: 'Mouth to ear', unit: 'ms', digits: 0 },
  { of: SHIPPED_QUANTITIES.rating, label: 'R', unit: '', digits: 1 },
  { of: SHIPPED_QUANTITIES.visqol, label: 'ViSQOL', unit: '', digits: 2 },
  { of: SHIPPED_QUANTITIES.estoi, label: 'ESTOI', unit: '', digits: 3 },
  { of: SHIPPED_QUANTITIES.madeUp, label: 'Made up', unit: '%', digits: 2 },
  { of: SHIPPED_QUANTITIES.waits, label: 'Waits', unit: 'ms', digits: 0 },
  { of: SHIPPED_QUANTITIES.rate, label: 'Sent, up', unit: 'kbit/s', digits: 0 },
  { of: SHIPPED_QUANTITIES.cpu, label: 'Processor, both', unit: '%', digits: 0 },
]);

/** The columns of the table of frames on the way. */
const FRAME_COLUMNS = Object.freeze([
  { of: SHIPPED_QUANTITIES.sent, label: 'Sent', unit: '1/s', digits: 1 },
  { of: SHIPPED_QUANTITIES.arrived, label: 'Arrived', unit: '%', digits: 2 },
  { of: SHIPPED_QUANTITIES.ageP50, label: 'Age, p50', unit: 'ms', digits: 1 },
  { of: SHIPPED_QUANTITIES.ageP99, label: 'Age, p99', unit: 'ms', digits: 1 },
  { of: SHIPPED_QUANTITIES.present, label: 'Present when mixed', unit: '%', digits: 2 },
  { of: SHIPPED_QUANTITIES.madeUp, label: 'Made up', unit: '%', digits: 2 },
]);

/** The quantities of which there are plots and sentences. */
const TOLD = Object.freeze([
  SHIPPED_QUANTITIES.rating,
  SHIPPED_QUANTITIES.mouthToEar,
  SHIPPED_QUANTITIES.madeUp,
  SHIPPED_QUANTITIES.rate,
]);

/**
 * @typedef {object} Calls  what was asked for, and what the random numbers of intervals are
 * @property {readonly string[]} ways
 * @property {readonly string[]} conditions
 * @property {() => number} random  seeded
 */

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {string} condition
 * @param {string} way
 */
const setIn = (folder, { name }, condition, way) =>
  setOf(folder.samples(name), way, ({ factors: its }) => its?.condition === condition);

/**
 * @param {Samples} folder
 * @param {Calls} calls
 * @returns {Table[]}
 */
export function shippedTables(folder, { ways, conditions, random }) {
  const setsAt = (/** @type {string} */ condition, quantity = SHIPPED_QUANTITIES.rating) =>
    ways.flatMap((way) => setIn(folder, quantity, condition, way) ?? []);
  const measured = conditions.filter((condition) => setsAt(condition).length > 0);
  const rowsOf = (
    /** @type {Quantity} */ required,
    /** @type {readonly { of: Quantity }[]} */ columns,
    /** @type {(way: string) => string[]} */ wordsOf,
  ) =>
    conditions.flatMap((condition) =>
      setsAt(condition, required).map(({ way }) => [
        condition,
        ...wordsOf(way),
        ...columns.map(({ of }) => meanCell(setIn(folder, of, condition, way), random)),
      ]),
    );
  return [
    {
      name: 'order',
      title: 'Which call is rated highest',
      caption: 'By R. Those of which no difference from the first of them is shown stand together.',
      columns: [{ label: 'Each leg' }, { label: 'Order' }],
      rows: measured.map((condition) => [
        condition,
        orderInWords(setsAt(condition), (way) => LABELS[way], random),
      ]),
    },
    {
      name: 'figures',
      title: 'Figures',
      caption: 'Means over repetitions; in brackets, intervals of 95 % confidence.',
      columns: [
        { label: 'Each leg' },
        { label: 'Call' },
        ...COLUMNS.map(({ label, unit, digits }) => ({ label, unit, digits })),
      ],
      rows: rowsOf(SHIPPED_QUANTITIES.cpu, COLUMNS, (way) => [LABELS[way]]),
    },
    {
      name: 'frames',
      title: 'Frames on the way, before any jitter buffer',
      caption:
        "WebRTC's come over two legs, aloud's over one: rows of the one don't compare with " +
        'rows of the other. Means over repetitions; in brackets, intervals of 95 % confidence.',
      columns: [
        { label: 'Each leg' },
        { label: 'Call' },
        { label: 'To' },
        ...FRAME_COLUMNS.map(({ label, unit, digits }) => ({ label, unit, digits })),
      ],
      rows: rowsOf(SHIPPED_QUANTITIES.sent, FRAME_COLUMNS, (way) => [
        LABELS[way],
        way === NOTED ? 'the other browser' : 'the server',
      ]),
    },
    sentencesTable(shippedSentences(folder, { ways, conditions, random })),
  ];
}

/**
 * Sentences of each call beside the first, quantity by quantity: under which conditions it has more
 * or less, and by how much.
 * @param {Samples} folder
 * @param {Calls} calls
 * @returns {string[]}
 */
function shippedSentences(folder, { ways: [first, ...others], conditions, random }) {
  return TOLD.flatMap((quantity) =>
    others.flatMap((way) => {
      const pairs = conditions.map((condition) => ({
        condition,
        sets: [way, first].map((name) => setIn(folder, quantity, condition, name)?.values ?? []),
      }));
      const enough = pairs.filter(({ sets }) =>
        sets.every((values) => countOf(values) >= ENOUGH_REPETITIONS),
      );
      if (enough.length === 0) return [];
      const apart = enough
        .map(({ condition, sets: [a, b] }) => ({ condition, ...differenceOfMeans(a, b, random) }))
        .filter(differs);
      const what = `${quantity.label}: ${LABELS[way]}`;
      if (apart.length === 0)
        return [
          `${what} doesn't differ from ${LABELS[first]} as far as is shown, under ` +
            `${enough.map(({ condition }) => condition).join(', ')}.`,
        ];
      return [
        ['lower', apart.filter(({ high }) => high < 0)],
        ['higher', apart.filter(({ low }) => low > 0)],
      ].flatMap(([side, those]) => {
        const unit = quantity.unit && ` ${quantity.unit}`;
        const differences = /** @type {typeof apart} */ (those).map(
          (one) => `under ${one.condition} by ${sizeOf(one)}${unit}`,
        );
        return differences.length === 0
          ? []
          : [`${what} is ${side} than ${LABELS[first]} ${differences.join(', ')}.`];
      });
    }),
  );
}

/**
 * A plot of each quantity that sentences tell of, condition beside condition.
 * @param {Samples} folder
 * @param {Calls} calls
 * @returns {Plot[]}
 */
export function shippedPlots(folder, { ways, conditions, random }) {
  return TOLD.flatMap((quantity) => {
    const measured = conditions.filter((condition) =>
      ways.some((way) => setIn(folder, quantity, condition, way)),
    );
    if (measured.length === 0) return [];
    const series = ways.map((way) => ({
      name: LABELS[way],
      protocol: way,
      sets: measured.map(
        (condition, i) => /** @type {const} */ ([i, setIn(folder, quantity, condition, way)]),
      ),
    }));
    return [
      meansPlot(
        quantity,
        {
          name: quantity.name,
          title: `${quantity.label}, by condition`,
          kind: 'bars',
          x: { label: 'Each leg', unit: '', categories: measured },
          series: series.filter(({ sets }) => sets.some(([, set]) => set)),
        },
        random,
      ),
    ];
  });
}
