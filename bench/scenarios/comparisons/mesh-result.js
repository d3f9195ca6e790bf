/**
 * The result of the samples of calls of several people: figures by the number of people, and
 * sentences.
 *
 * @import { Samples } from '../scenario.js'
 * @import { Plot, Quantity, Sample, Table } from '../../report/result.js'
 *
 * @typedef {object} Condition
 * @property {string} name   a word: 'loss'
 * @property {string} label  'Legs of 20 ms'
 * @property {{ lossPercent: number }} leg  each leg's settings besides its delay
 */

import { whereOf } from '../../report/numbers.js';
import { countOf, differenceOfMeans, ENOUGH_REPETITIONS, sizeOf } from '../../stats/bootstrap.js';
import { quantile, sorted } from '../../../testkit/statistics.js';
import { LOWEST_MEAN, orderInWords } from './order.js';
import { joinNames, meanCell, meansPlot, sentencesTable, setOf, withinSentence } from './sets.js';

/**
 * Each says its loss: that in which people connected (--setup-loss) must not stay.
 * @type {readonly Condition[]}
 */
export const CONDITIONS = Object.freeze([
  { name: 'clear', label: 'Legs of 20 ms', leg: { lossPercent: 0 } },
  { name: 'loss', label: 'Legs of 20 ms that lose 2 %', leg: { lossPercent: 2 } },
]);

/** Topologies in the order of reports, and the one that the others are compared with. */
const ORDER = ['mesh', 'forwarded', 'mixed'];
const BASE = 'mixed';

/**
 * Above these the machine, not the measured system, made the figures: lateness of sending and
 * mixing (p99), and processors' use.
 */
const LATE_MS = 10;
const BUSY_PERCENT = 95;

const factors = [
  { name: 'condition', label: 'Condition', unit: '' },
  { name: 'people', label: 'People', unit: '' },
];

/**
 * Quantities of each person, of each measured pair, or of a call.
 * @type {Readonly<Record<string, Quantity>>}
 */
export const MESH_QUANTITIES = Object.freeze({
  cpu: { name: 'personCpu', label: 'Processor time of a person', unit: '% of a core', factors },
  hub: { name: 'hubCpu', label: 'Processor time of the hub', unit: '% of a core', factors },
  memory: { name: 'personMemory', label: "Memory of a person's process", unit: 'MB', factors },
  hubMemory: { name: 'hubMemory', label: "Memory of the hub's process", unit: 'MB', factors },
  up: { name: 'rateUp', label: "Rate up a person's leg", unit: 'kbit/s', factors },
  down: { name: 'rateDown', label: "Rate down a person's leg", unit: 'kbit/s', factors },
  present: {
    name: 'present',
    label: 'Frames that were there when they were played',
    unit: '%',
    factors,
  },
  mouthToEar: { name: 'mouthToEar', label: 'Mouth to ear', unit: 'ms', factors },
  jitter: { name: 'jitter', label: 'Jitter of frames at the listener', unit: 'ms', factors },
  setup: { name: 'setup', label: 'Setup of a pair', unit: 'ms', factors },
  success: { name: 'success', label: 'Pairs that heard each other', unit: '%', factors },
  setupAll: {
    name: 'setupAll',
    label: 'Setup until everybody hears everybody',
    unit: 'ms',
    factors,
  },
  late: { name: 'sendLateness', label: 'Lateness of sending, p99', unit: 'ms', factors },
  ticks: {
    name: 'tickLateness',
    label: "Lateness of the server's mixes, p99",
    unit: 'ms',
    factors,
  },
  leftOut: {
    name: 'leftOut',
    label: 'People whom the server left out of its mix',
    unit: '',
    factors,
  },
  busy: { name: 'busy', label: "Use of the machine's processors", unit: '%', factors },
  legs: {
    name: 'disturbedLegs',
    label: 'Legs that were late, or lost too little or too much',
    unit: '',
    factors,
  },
});

/** The quantities of a condition, and the head of their column. */
const FIGURES = Object.freeze([
  { of: MESH_QUANTITIES.cpu, label: 'CPU, person', digits: 1 },
  { of: MESH_QUANTITIES.hub, label: 'CPU, hub', digits: 1 },
  { of: MESH_QUANTITIES.memory, label: 'Memory, person', digits: 0 },
  { of: MESH_QUANTITIES.hubMemory, label: 'Memory, hub', digits: 0 },
  { of: MESH_QUANTITIES.up, label: 'Up', digits: 0 },
  { of: MESH_QUANTITIES.down, label: 'Down', digits: 0 },
  { of: MESH_QUANTITIES.present, label: 'Present', digits: 2 },
  { of: MESH_QUANTITIES.mouthToEar, label: 'Mouth to ear', digits: 0 },
  { of: MESH_QUANTITIES.jitter, label: 'Jitter', digits: 2 },
]);

/** Quantities of the sentences. */
const TOLD = Object.freeze([
  MESH_QUANTITIES.cpu,
  MESH_QUANTITIES.up,
  MESH_QUANTITIES.down,
  MESH_QUANTITIES.present,
  MESH_QUANTITIES.mouthToEar,
]);

/** Quantities that mark a row. */
const MARKING = Object.freeze([
  MESH_QUANTITIES.late,
  MESH_QUANTITIES.ticks,
  MESH_QUANTITIES.leftOut,
  MESH_QUANTITIES.busy,
  MESH_QUANTITIES.legs,
]);

/**
 * @param {Samples} folder
 * @param {() => number} random seeded
 * @returns {{ tables: Table[], plots: Plot[] }}
 */
export function meshViews(folder, random) {
  const measured = CONDITIONS.filter(
    (condition) => samplesOf(folder, MESH_QUANTITIES.cpu, condition).length > 0,
  );
  return {
    tables: [
      ...measured.flatMap((condition) => [
        orderTable(folder, condition, random),
        figuresTable(folder, condition, random),
      ]),
      ...(measured.length > 0
        ? [setupTable(folder, random), meshSentences(folder, measured, random)]
        : []),
    ],
    plots: [
      ...measured.flatMap((condition) =>
        FIGURES.map(({ of }) => peoplePlot(folder, of, condition, random)),
      ),
      ...(measured.length > 0
        ? [peoplePlot(folder, MESH_QUANTITIES.setupAll, CONDITIONS[0], random)]
        : []),
    ],
  };
}

/** @param {Samples} folder @param {Quantity} quantity @param {Condition} condition */
const samplesOf = (folder, quantity, condition) =>
  folder.samples(quantity.name).filter(({ factors: at }) => at?.condition === condition.name);

/** @param {readonly Sample[]} samples @returns {number[]} numbers of people, the least first */
const countsOf = (samples) =>
  [...new Set(samples.map(({ factors: at }) => Number(at?.people)))].sort((a, b) => a - b);

/** @param {readonly Sample[]} samples @returns {string[]} in the order of their first samples */
const topologiesOf = (samples) =>
  [...new Set(samples.map(({ protocol }) => protocol))].sort(
    (a, b) => ORDER.indexOf(a) - ORDER.indexOf(b),
  );

/**
 * A topology's values with a number of people.
 * @param {readonly Sample[]} samples
 * @param {string} topology
 * @param {number} people
 */
const setWith = (samples, topology, people) =>
  setOf(samples, topology, ({ factors: at }) => at?.people === people);

/**
 * Reason to attribute a row to the machine, or ''. The median over repetitions decides.
 * @param {{ late: number[], ticks: number[], leftOut: number[], busy: number[], legs: number[] }}
 *   values by repetition
 */
export function markOf({ late, ticks, leftOut, busy, legs }) {
  const [lateMs, tickMs, people, busyPercent, legCount] = [late, ticks, leftOut, busy, legs].map(
    (values) => quantile(sorted(values), 0.5),
  );
  return [
    lateMs > LATE_MS ? `sent ${lateMs.toFixed(0)} ms late` : '',
    tickMs > LATE_MS ? `mixed ${tickMs.toFixed(0)} ms late` : '',
    people > 0 ? 'people left out' : '',
    busyPercent > BUSY_PERCENT ? 'processors busy' : '',
    legCount > 0 ? 'legs disturbed' : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * @param {Samples} folder
 * @param {Condition} condition
 * @returns {(topology: string, people: number) => string}
 */
function marksOf(folder, condition) {
  const valuesOf = (
    /** @type {Quantity} */ quantity,
    /** @type {string} */ topology,
    /** @type {number} */ people,
  ) => setWith(samplesOf(folder, quantity, condition), topology, people)?.values.flat() ?? [];
  return (topology, people) => {
    const [late, ticks, leftOut, busy, legs] = MARKING.map((quantity) =>
      valuesOf(quantity, topology, people),
    );
    return markOf({ late, ticks, leftOut, busy, legs });
  };
}

/**
 * @param {Samples} folder
 * @param {Condition} condition
 * @param {() => number} random
 * @returns {Table}
 */
function orderTable(folder, condition, random) {
  const samples = samplesOf(folder, MESH_QUANTITIES.mouthToEar, condition);
  const mark = marksOf(folder, condition);
  return {
    name: `${condition.name}Order`,
    title: `${condition.label}: by which topology people are heard soonest`,
    caption:
      'By the mean from mouth to ear in ms, the lowest first, with intervals of 95 % ' +
      'confidence. Topologies of which no difference from the first of them is shown stand ' +
      'together; those that the machine disturbed are left out.',
    columns: [{ label: 'People' }, { label: 'Order' }],
    rows: countsOf(samples).map((people) => {
      const sets = topologiesOf(samples)
        .filter((topology) => mark(topology, people) === '')
        .flatMap((topology) => setWith(samples, topology, people) ?? []);
      return [
        people,
        orderInWords(sets, (topology) => topology, random, LOWEST_MEAN) ||
          'the machine disturbed all of them',
      ];
    }),
  };
}

/**
 * @param {Samples} folder
 * @param {Condition} condition
 * @param {() => number} random
 * @returns {Table}
 */
function figuresTable(folder, condition, random) {
  const samples = FIGURES.map(({ of }) => samplesOf(folder, of, condition));
  const mark = marksOf(folder, condition);
  return {
    name: `${condition.name}Figures`,
    title: condition.label,
    caption:
      'Means over people and repetitions; in brackets, intervals of 95 % confidence. It ' +
      'stands for tables 1 and 10 and figure 37 of Abelló Lozano (2012).',
    columns: [
      { label: 'People' },
      { label: 'Topology' },
      ...FIGURES.map(({ of, label, digits }) => ({ label, unit: of.unit, digits })),
      { label: 'Disturbed by the machine' },
    ],
    rows: countsOf(samples[0]).flatMap((people) =>
      topologiesOf(samples[0]).flatMap((topology) => {
        const sets = samples.map((all) => setWith(all, topology, people));
        if (!sets[0]) return [];
        return [
          [people, topology, ...sets.map((set) => meanCell(set, random)), mark(topology, people)],
        ];
      }),
    ),
  };
}

/**
 * A call that didn't come to be has a share of success, and no times.
 * @param {Samples} folder @param {() => number} random @returns {Table}
 */
function setupTable(folder, random) {
  const [pairs, all, success] = [
    MESH_QUANTITIES.setup,
    MESH_QUANTITIES.setupAll,
    MESH_QUANTITIES.success,
  ].map((of) => samplesOf(folder, of, CONDITIONS[0]));
  return {
    name: 'setup',
    title: 'Setup',
    caption:
      'Over legs of 20 ms, which lose what --setup-loss says. Of pairs the median; until ' +
      'everybody hears everybody, the mean of the repetitions, and the most. Heard: pairs that ' +
      'heard each other, of all tries.',
    columns: [
      { label: 'People' },
      { label: 'Topology' },
      ...['A pair', 'Everybody', 'Most'].map((label) => ({ label, unit: 'ms', digits: 0 })),
      { label: 'Heard', unit: '%', digits: 1 },
    ],
    rows: countsOf(success).flatMap((people) =>
      topologiesOf(success).flatMap((topology) => {
        const [pair, last, heard] = [pairs, all, success].map((samples) =>
          setWith(samples, topology, people),
        );
        if (!heard) return [];
        return [
          [
            people,
            topology,
            pair ? quantile(sorted(pair.values.flat()), 0.5) : null,
            meanCell(last, random),
            last ? Math.max(...last.values.flat()) : null,
            meanCell(heard, random),
          ],
        ];
      }),
    ),
  };
}

/**
 * @param {Samples} folder
 * @param {readonly Condition[]} measured
 * @param {() => number} random
 * @returns {Table}
 */
function meshSentences(folder, measured, random) {
  const told = [
    ...measured.flatMap((condition) => TOLD.map((quantity) => ({ quantity, condition }))),
    { quantity: MESH_QUANTITIES.setupAll, condition: CONDITIONS[0] },
  ];
  const sentences = told.flatMap(({ quantity, condition }) =>
    sentencesOf(
      { ...quantity, condition: condition.label },
      samplesOf(folder, quantity, condition),
      marksOf(folder, condition),
      random,
    ),
  );
  const none =
    `Sentences need ${ENOUGH_REPETITIONS} repetitions of two topologies, in rows that ` +
    `aren't marked.`;
  return sentencesTable(sentences.length > 0 ? sentences : [none], {
    caption:
      'In brackets, the interval of 95 % confidence of the difference. Marked rows are left out.',
  });
}

const PEOPLE = Object.freeze({ unit: 'people', at: 'with' });

/** @param {readonly { people: number }[]} those */
const peopleOf = (those) => those.map(({ people }) => people);

/**
 * One sentence for each topology beside the mix: with how many people it has more or less of a
 * quantity.
 * @param {{ label: string, unit: string, condition: string }} quantity
 * @param {readonly Sample[]} samples
 * @param {(topology: string, people: number) => string} mark  '' for rows that count
 * @param {() => number} random
 * @returns {string[]}
 */
export function sentencesOf({ label, unit, condition }, samples, mark, random) {
  const what = `${label}, ${withinSentence(condition)}`;
  return topologiesOf(samples)
    .filter((topology) => topology !== BASE)
    .flatMap((topology) => {
      const all = countsOf(samples).flatMap((people) => {
        const [a, b] = [topology, BASE].map(
          (name) => mark(name, people) === '' && setWith(samples, name, people),
        );
        return a && b && Math.min(countOf(a.values), countOf(b.values)) >= ENOUGH_REPETITIONS
          ? [{ people, ...differenceOfMeans(a.values, b.values, random) }]
          : [];
      });
      if (all.length === 0) return [];
      const higher = all.filter(({ low }) => low > 0);
      const lower = all.filter(({ high }) => high < 0);
      const sides = [
        { side: 'higher', those: higher },
        { side: 'lower', those: lower },
      ].flatMap(({ side, those }) =>
        those.length > 0
          ? [
              `${side} than ${BASE} ${whereOf(peopleOf(those), peopleOf(all), PEOPLE)}, by ` +
                `${sizeOf(those[those.length - 1])} ` +
                `${unit}${those.length > 1 ? ` with ${those[those.length - 1].people}` : ''}`,
            ]
          : [],
      );
      return [
        sides.length > 0
          ? `${what}: ${topology} is ${sides.join(', and ')}.`
          : `${what}: no difference between ${topology} and ${BASE} is shown.`,
      ];
    });
}

/**
 * @param {Samples} folder
 * @param {Quantity} quantity
 * @param {Condition} condition
 * @param {() => number} random
 * @returns {Plot}
 */
function peoplePlot(folder, quantity, condition, random) {
  const samples = samplesOf(folder, quantity, condition);
  return meansPlot(
    quantity,
    {
      name: joinNames([condition.name, quantity.name]),
      title: `${quantity.label}, ${withinSentence(condition.label)}`,
      of: 'people and repetitions',
      kind: 'line',
      x: { label: 'People', unit: '' },
      series: topologiesOf(samples).map((topology) => ({
        name: topology,
        protocol: topology,
        sets: countsOf(samples).map((people) => [people, setWith(samples, topology, people)]),
      })),
    },
    random,
  );
}
