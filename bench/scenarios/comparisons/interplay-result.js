/**
 * Quantities and tables of `interplay`.
 * @import { Cell, Quantity, Table } from '../../report/result.js'
 * @import { Samples } from '../scenario.js'
 * @import { Case } from './interplay-plan.js'
 *
 * @typedef {{ sweep: string, at: string, level: string }} Place
 */

import { protocolLabel } from '../../report/palette.js';
import { meanEstimate } from '../../report/quantity-views.js';
import { deciderOf } from './interplay-figures.js';
import { ALL_CASES, conditionsOf, SWEEPS } from './interplay-plan.js';

const factors = [
  { name: 'rule', label: 'Rule', unit: '' },
  { name: 'controller', label: 'Congestion controller', unit: '' },
  { name: 'carry', label: 'Packets as', unit: '' },
  { name: 'sweep', label: 'Sweep', unit: '' },
  { name: 'at', label: 'Condition', unit: '' },
  { name: 'level', label: 'Level', unit: '' },
];

/** @param {string} name @param {string} label @param {string} unit */
const quantity = (name, label, unit) => ({ name, label, unit, factors });

/** By name, as in BlockFigures and LevelFigures. @type {Record<string, Quantity>} */
export const QUANTITIES = {
  application: quantity('application', "Application's rate is the lower one", '% of the time'),
  afterFall: quantity('afterFall', 'After falls', '% of the time'),
  full: quantity('full', 'Window full', '% of the time'),
  above: quantity('above', 'Above the path', '% of the time'),
  waitP50: quantity('waitP50', 'Wait of packets, median', 'ms'),
  waitP95: quantity('waitP95', 'Wait of packets, p95', 'ms'),
  grownP95: quantity('grownP95', 'Growth of the round trip, p95', 'ms'),
  changes: quantity('changes', "Changes of the sound's rate", '/min'),
  cuts: quantity('cuts', "Cuts by QUIC's controller", '/min'),
  held: quantity('held', 'Held back and dropped', '%'),
  never: quantity('never', 'Never heard', '%'),
  rating: quantity('rating', 'R', ''),
  soundKbits: quantity('soundKbits', 'Sound that came', 'kbit/s'),
  quicKbits: quantity('quicKbits', 'QUIC sent', 'kbit/s'),
  quicLoss: quantity('quicLoss', 'Lost by QUIC', '%'),
  measured: quantity('measured', 'Blocks', ''),
};

/** Columns of the first table behind the verdict, with digits. */
const COLUMNS = /** @type {const} */ ([
  ['application', 0],
  ['afterFall', 0],
  ['full', 0],
  ['above', 0],
  ['waitP50', 0],
  ['waitP95', 0],
  ['grownP95', 0],
  ['changes', 1],
  ['cuts', 1],
  ['held', 1],
  ['never', 1],
  ['rating', 1],
]);

/** Quantities that each level has, with digits, and what their tables are called. */
const LEVEL_TABLES = /** @type {const} */ ([
  ['soundKbits', 0, 'Sound that came'],
  ['quicKbits', 0, 'What QUIC sent'],
  ['quicLoss', 1, 'What QUIC lost'],
  ['never', 1, 'What was never heard'],
  ['rating', 1, 'R'],
]);

const SWEEP_WORDS = /** @type {Record<string, string>} */ ({
  steps: 'as the capacity changes, by capacity',
  loss: 'by random loss',
  delay: 'by delay of each direction, with 0.5 % of loss',
});

/** Rules that adapt the rate. */
const ADAPTS = Object.freeze(['probe', 'simple']);

/** @param {string} controller */
const controllerLabel = (controller) => protocolLabel(`@${controller}`);

/** @param {Case} one */
const namesOf = ({ rule, controller, carry }) => [rule, controllerLabel(controller), carry];

const NAMES = [{ label: 'Rule' }, { label: 'Controller' }, { label: 'Packets as' }];

/** @param {Case & Place} at */
const isAt =
  ({ rule, controller, carry, sweep, at, level }) =>
  (/** @type {{ factors?: Readonly<Record<string, number | string>> }} */ { factors: its }) =>
    its?.rule === rule &&
    its.controller === controller &&
    its.carry === carry &&
    its.sweep === sweep &&
    its.at === at &&
    its.level === level;

/**
 * The tables of everything that was measured, in this run or in one that it went on with.
 * @param {Samples} folder
 * @param {() => number} random
 * @returns {Table[]}
 */
export function tablesOf(folder, random) {
  const cell = (/** @type {string} */ name, /** @type {Case & Place} */ at) =>
    meanEstimate(folder.samples(QUANTITIES[name].name), isAt(at), random);
  const tables = [decisionTable(folder, cell)];
  for (const sweep of SWEEPS) {
    const levels = conditionsOf({ sweeps: [sweep] }).flatMap(({ at, steps }) =>
      steps.map(({ label }) => ({ at, level: label })),
    );
    for (const [name, digits, title] of LEVEL_TABLES) {
      const rows = ALL_CASES.map((one) => [
        ...namesOf(one),
        ...levels.map((level) => cell(name, { ...one, sweep, ...level })),
      ]).filter((row) => row.slice(NAMES.length).some((one) => one !== null));
      if (rows.length === 0) continue;
      const { unit } = QUANTITIES[name];
      tables.push({
        name: `${sweep}${name[0].toUpperCase()}${name.slice(1)}`,
        title: `${title}, ${SWEEP_WORDS[sweep]}`,
        columns: [...NAMES, ...levels.map(({ level }) => ({ label: level, unit, digits }))],
        rows,
      });
    }
  }
  return tables;
}

/**
 * Names the one that decides by a share's mean, and others that an end of its interval would name.
 * @param {Cell} share  of the time in which the application's rate is the lower one, in percent
 * @param {boolean} adapts  as deciderOf() has it
 */
function decidersOf(share, adapts) {
  const { value, interval = [] } = (typeof share === 'object' ? share : null) ?? { value: NaN };
  const named = [value, ...interval].map((percent) => deciderOf(percent, adapts));
  return [...new Set(named)].join(' or ');
}

/**
 * @param {Samples} folder
 * @param {(name: string, at: Case & Place) => Cell} cell
 * @returns {Table}
 */
function decisionTable(folder, cell) {
  const rows = conditionsOf({ sweeps: SWEEPS }).flatMap(({ sweep, at }) =>
    ALL_CASES.flatMap((one) => {
      const place = { ...one, sweep, at, level: '' };
      if (!folder.samples(QUANTITIES.application.name).some(isAt(place))) return [];
      return [
        [
          [sweep, at].filter(Boolean).join(' '),
          ...namesOf(one),
          decidersOf(cell('application', place), ADAPTS.includes(one.rule)),
          ...COLUMNS.map(([name]) => cell(name, place)),
        ],
      ];
    }),
  );
  return {
    name: 'decisions',
    title: 'Who decides',
    columns: [
      { label: 'Sweep' },
      ...NAMES,
      { label: 'Who decides' },
      ...COLUMNS.map(([name, digits]) => ({
        label: QUANTITIES[name].label,
        unit: QUANTITIES[name].unit,
        digits,
      })),
    ],
    rows,
  };
}
