/**
 * The result of a grid's samples: for each sweep the ways' figures by the swept value, their order,
 * and sentences.
 *
 * @import { Samples } from '../scenario.js'
 * @import { Plot, Quantity, Sample, Table } from '../../report/result.js'
 * @import { Set } from './sets.js'
 *
 * @typedef {object} Sweep
 * @property {string} name    a word: 'loss'
 * @property {string} label   'Loss on each leg'
 * @property {string} unit
 * @property {string} stands  the matching figures of the papers
 * @property {boolean} [isLogarithmic]  the plot's axis
 * @property {readonly Figure[]} [more]  of the table of figures, besides the common ones
 *
 * @typedef {object} Figure  a column of means
 * @property {Quantity} of
 * @property {string} label
 * @property {string} unit
 * @property {number} digits
 * @property {boolean} [isPlotted]
 * @property {Words} [words]  if sentences describe it
 * @property {(samplesOf: (quantity: Quantity) => readonly Sample[]) => Sample[]} [from] makes its
 *   samples of those of other quantities in the sweep
 *
 * @typedef {object} Words  of a sentence: 'a way gets fewer messages through than another'
 * @property {string} verb
 * @property {string} lower
 * @property {string} higher
 * @property {string} what  subject without a significant difference
 * @property {string} unit  of differences
 */

import { protocolLabel } from '../../report/palette.js';
import { whereOf } from '../../report/numbers.js';
import {
  countOf,
  differenceOfMeans,
  differs,
  ENOUGH_REPETITIONS,
  sizeOf,
} from '../../stats/bootstrap.js';
import { soundAlone, ways } from '../../ways/way.js';
import { GRID_QUANTITIES } from './grid.js';
import { orderInWords } from './order.js';
import { joinNames, meanCell, meansPlot, sentencesTable, setOf, withinSentence } from './sets.js';
import { VISQOL_SOURCE } from '../../stats/visqol.js';

/** All ways' names, in the order of reports. */
const ALL_WAYS = Object.keys(ways);

/** Notes on method that hold for all grids. */
export const GRID_NOTES = Object.freeze([
  'Per leg: what is said of a leg holds for each of the two, in both directions unless one ' +
    "is named. End to end a packet meets the sender's leg up and the receiver's leg down: " +
    'twice the delay, and of 10 % loss per leg 19 %.',
  'Each block: a new connection on legs that have their delay alone, then impaired, two ' +
    "seconds that don't count, then those that do. Legs have the same random numbers in a " +
    "repetition, slot by slot of 20 ms, so that a frame's packet has the same fate whatever " +
    'carries it, unless another of its way came in the same slot before it (an ' +
    'acknowledgement, a repetition), or a queue held it back.',
  "Present, playout and mouth to ear: the packets' ages put through aloud's own playout and " +
    "decoder, which conceal what isn't there. Mouth to ear: the frame's length, the " +
    "packet's age, the wait for playout and 10 ms of a sound card; the devices' own delays " +
    "aren't in it.",
  'R by the E-model, wideband, up to 129: an estimate from mouth to ear and the share of ' +
    "frames that weren't there, with Ie and Bpl of `node bench/codec/impairment.js`. " +
    'Nobody was asked.',
  'A share of 0 or 100 % throughout has an interval without width: it says nothing of what is ' +
    'rarer than one in the packets that were sent.',
  VISQOL_SOURCE,
  "Same payload: only the way differs; codec and playout are aloud's for all. A browser's " +
    'WebRTC has another playout, and adapts its codec.',
  "WebSocket and HTTP/1 go over TCP with CUBIC, whatever the machine's own controller is.",
  'WebRTC audio here is RTP over SRTP without congestion control, jitter buffer or ' +
    'repetition of its own: it sends what it is given.',
]);

/** The quantities that are plotted against the swept value. */
const PLOTTED = Object.freeze([
  GRID_QUANTITIES.rating,
  GRID_QUANTITIES.present,
  GRID_QUANTITIES.mouthToEar,
]);

/** @param {Sweep} sweep */
const plottedOf = ({ more = [] }) => [
  ...PLOTTED,
  ...more.filter(({ isPlotted }) => isPlotted).map(({ of }) => of),
];

/** The quantities of the table of figures. @type {readonly Figure[]} */
const FIGURES = Object.freeze([
  { of: GRID_QUANTITIES.rating, label: 'R', unit: '', digits: 1 },
  { of: GRID_QUANTITIES.present, label: 'Present', unit: '%', digits: 2 },
  { of: GRID_QUANTITIES.mouthToEar, label: 'Mouth to ear', unit: 'ms', digits: 0 },
  { of: GRID_QUANTITIES.meanAge, label: 'Mean age', unit: 'ms', digits: 1 },
  { of: GRID_QUANTITIES.jitter, label: 'Jitter', unit: 'ms', digits: 2 },
  { of: GRID_QUANTITIES.never, label: 'Never came', unit: '%', digits: 2 },
  { of: GRID_QUANTITIES.visqol, label: 'ViSQOL', unit: '', digits: 2 },
  { of: GRID_QUANTITIES.estoi, label: 'ESTOI', unit: '', digits: 3 },
  { of: GRID_QUANTITIES.markedRating, label: 'R by ViSQOL', unit: '', digits: 1 },
  { of: GRID_QUANTITIES.rate, label: 'Sent, up', unit: 'kbit/s', digits: 0 },
]);

/**
 * @param {Samples} folder
 * @param {readonly Sweep[]} sweeps
 * @param {() => number} random seeded
 * @returns {{ tables: Table[], plots: Plot[] }}
 */
export function gridViews(folder, sweeps, random) {
  const measured = sweeps.filter(({ name }) =>
    folder.samples(GRID_QUANTITIES.rating.name).some((sample) => sample.factors?.sweep === name),
  );
  return {
    tables: [
      ...measured.flatMap((sweep) => [
        orderTable(folder, sweep, random),
        figuresTable(folder, sweep, random),
      ]),
      ...measured.map((sweep) => sweepSentences(folder, sweep, random)),
    ],
    plots: measured.flatMap((sweep) =>
      plottedOf(sweep).map((quantity) => sweepPlot(folder, sweep, quantity, random)),
    ),
  };
}

/** @param {Samples} folder @param {Sweep} sweep @param {Quantity} quantity */
const samplesOf = (folder, { name }, quantity) =>
  folder.samples(quantity.name).filter(({ factors }) => factors?.sweep === name);

/** @param {readonly Sample[]} samples @returns {number[]} the swept values, the least first */
const valuesOf = (samples) =>
  [...new Set(samples.map(({ factors }) => Number(factors?.at)))].sort((a, b) => a - b);

/** @param {readonly Sample[]} samples @returns {string[]} the ways, in the order of reports */
const waysOf = (samples) =>
  ALL_WAYS.filter((way) => samples.some(({ protocol }) => protocol === way));

/**
 * @param {readonly Sample[]} samples
 * @param {number} value
 * @returns {Set[]} in the order of the ways
 */
function setsAt(samples, value) {
  return waysOf(samples).flatMap((way) => setAt(samples, value, way) ?? []);
}

/** @param {readonly Sample[]} samples @param {number} value @param {string} way */
const setAt = (samples, value, way) => setOf(samples, way, ({ factors }) => factors?.at === value);

/** @param {Samples} folder @param {Sweep} sweep @param {() => number} random @returns {Table} */
function orderTable(folder, sweep, random) {
  const samples = samplesOf(folder, sweep, GRID_QUANTITIES.rating);
  return {
    name: joinNames([sweep.name, 'order']),
    title: `${sweep.label}: which way is rated highest`,
    caption:
      'By R of the E-model, with intervals of 95 % confidence. Ways of which no difference ' +
      `from the first of them is shown stand together. It stands for ${sweep.stands}.`,
    columns: [{ label: sweep.label, unit: sweep.unit }, { label: 'Order' }],
    rows: valuesOf(samples).map((value) => [
      value,
      orderInWords(setsAt(samples, value), protocolLabel, random),
    ]),
  };
}

/** @param {Samples} folder @param {Sweep} sweep @param {() => number} random @returns {Table} */
function sweepSentences(folder, sweep, random) {
  const told = (sweep.more ?? []).flatMap(({ of, words }) =>
    words ? sentencesOf(samplesOf(folder, sweep, of), sweep, random, words) : [],
  );
  const sentences = new Set([
    ...sentencesOf(samplesOf(folder, sweep, GRID_QUANTITIES.rating), sweep, random),
    ...told,
  ]);
  return sentencesTable(sentences, {
    name: joinNames([sweep.name, 'sentences']),
    title: `${sweep.label}: in words`,
  });
}

/** Least reported difference of any quantity: figures have one digit. */
const LEAST_TOLD = 0.05;

/** @type {Words} */
const RATED = Object.freeze({
  verb: 'is rated',
  lower: 'lower',
  higher: 'higher',
  what: 'R',
  unit: '',
});

/**
 * Sentences that compare each way with the same sound without messages, or otherwise with the first
 * way. They name the values from which it has more or less of a quantity, and the largest
 * difference.
 * @param {readonly Sample[]} samples
 * @param {Pick<Sweep, 'label' | 'unit'>} sweep
 * @param {() => number} random
 * @param {Words} [words]  of the quantity; by default R's
 * @returns {string[]}
 */
export function sentencesOf(samples, { label, unit }, random, words = RATED) {
  const measured = waysOf(samples);
  const fewest = Math.min(
    ...valuesOf(samples).flatMap((value) =>
      setsAt(samples, value).map(({ values }) => countOf(values)),
    ),
  );
  if (fewest < ENOUGH_REPETITIONS)
    return [
      `${ENOUGH_REPETITIONS} repetitions are needed for sentences; the fewest here are ${fewest}.`,
    ];
  return measured.slice(1).flatMap((way) => {
    const other = measured.find((one) => one !== way && one === soundAlone(way)) ?? measured[0];
    const [name, otherName] = [way, other].map(protocolLabel);
    const told = sidesOf(differencesOf(samples, way, other, random)).flatMap(
      ({ isHigher, those, all, most }) =>
        those.length === 0
          ? []
          : [
              `${label}: ${whereOf(those, all, { unit })} ${name} ${words.verb} ` +
                `${isHigher ? words.higher : words.lower} than ${otherName}, by ` +
                `${sizeOf(most)}${words.unit && ` ${words.unit}`}` +
                (those.length > 1 ? ` at most, at ${most.value}${unit && ` ${unit}`}` : '') +
                '.',
            ],
    );
    return told.length > 0
      ? told
      : [
          `${label}: no difference in ${words.what} between ${name} and ${otherName} is ` +
            'shown at any value.',
        ];
  });
}

/**
 * @typedef {import('../../stats/bootstrap.js').Interval & { value: number }} Difference at a swept
 *   value
 */

/**
 * @param {readonly Sample[]} samples
 * @param {string} way
 * @param {string} other
 * @param {() => number} random
 * @returns {Difference[]} where both were measured
 */
const differencesOf = (samples, way, other, random) =>
  valuesOf(samples).flatMap((value) => {
    const sets = setsAt(samples, value);
    const [a, b] = [way, other].map((name) => sets.find((set) => set.way === name));
    return a && b ? [{ value, ...differenceOfMeans(a.values, b.values, random) }] : [];
  });

/**
 * Finds where differences are shown, to each side.
 * @param {readonly Difference[]} differences
 */
function sidesOf(differences) {
  const all = differences.map(({ value }) => value);
  const shown = differences.filter(
    (difference) => differs(difference) && Math.abs(difference.estimate) >= LEAST_TOLD,
  );
  return [false, true].map((isHigher) => {
    const those = shown.filter(({ estimate }) => estimate > 0 === isHigher);
    const [most] = [...those].sort((a, b) => Math.abs(b.estimate) - Math.abs(a.estimate));
    return { isHigher, those: those.map(({ value }) => value), all, most };
  });
}

/** @param {Samples} folder @param {Sweep} sweep @param {() => number} random @returns {Table} */
function figuresTable(folder, sweep, random) {
  // Marks are there only where they were asked for.
  const readable = (/** @type {Quantity} */ quantity) => samplesOf(folder, sweep, quantity);
  const all = [...FIGURES, ...(sweep.more ?? [])].map((figure) => ({
    ...figure,
    samples: figure.from?.(readable) ?? readable(figure.of),
  }));
  const figures = all.filter(({ samples }) => samples.length > 0);
  return {
    name: joinNames([sweep.name, 'figures']),
    title: `${sweep.label}: figures`,
    caption: 'Means over repetitions; in brackets, intervals of 95 % confidence.',
    columns: [
      { label: sweep.label, unit: sweep.unit },
      { label: 'Way' },
      ...figures.map(({ label, unit, digits }) => ({ label, unit, digits })),
    ],
    rows: valuesOf(figures[0].samples).flatMap((value) =>
      setsAt(figures[0].samples, value).map(({ way }) => [
        value,
        protocolLabel(way),
        ...figures.map(({ samples }) => meanCell(setAt(samples, value, way), random)),
      ]),
    ),
  };
}

/**
 * @param {Samples} folder
 * @param {Sweep} sweep
 * @param {Quantity} quantity
 * @param {() => number} random
 * @returns {Plot}
 */
function sweepPlot(folder, sweep, quantity, random) {
  const samples = samplesOf(folder, sweep, quantity);
  return meansPlot(
    quantity,
    {
      name: joinNames([sweep.name, quantity.name]),
      title: `${quantity.label} by ${withinSentence(sweep.label)}`,
      kind: 'line',
      x: { label: sweep.label, unit: sweep.unit, isLogarithmic: sweep.isLogarithmic },
      series: waysOf(samples).map((way) => ({
        name: protocolLabel(way),
        protocol: way,
        sets: valuesOf(samples).map((value) => [value, setAt(samples, value, way)]),
      })),
    },
    random,
  );
}
