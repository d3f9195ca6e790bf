/**
 * Makes a scenario on a grid. All of them have the same options, conditions from
 * sweeps, and the same kind of result.
 * @import { Command } from 'commander'
 * @import { Lab } from '../lab.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Condition } from './grid.js'
 * @import { Sweep } from './grid-result.js'
 *
 * @typedef {Sweep & { values: readonly number[], isExtra?: boolean, condition: (value: number,
 *   lab: Pick<Lab, 'options' | 'blockSeconds'>) => Omit<Condition, 'sweep' | 'value'> }} Swept
 *   isExtra: measured only if it is named
 *
 * @typedef {object} Plan  of a condition's measurement
 * @property {number} blocks       in which its ways come one after another; by default one for each
 *   group of ways
 * @property {number} moreSeconds  by which a block is longer than what it measures
 */

import { Option } from 'commander';
import { listOf, numbers } from '../../options.js';
import { BROWSER_WAYS, WAYS } from '../../ways/way.js';
import { gridSeconds } from '../durations.js';
import { randomFor } from '../scenario.js';
import { GRID_QUANTITIES, groupsOf, runGrid } from './grid.js';
import { gridViews } from './grid-result.js';

const ALL_AT_ONCE =
  'Each way has a sender and a receiver, each in a namespace of its own with a leg of its ' +
  'own to a hub. All ways run at once and carry the same packets of speech, one every 20 ' +
  'ms; in each repetition another of four voices speaks.';

/**
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.title
 * @param {string} options.description
 * @param {readonly Swept[]} options.sweeps
 * @param {readonly string[]} options.notes
 * @param {readonly string[]} [options.ways]     measured by default
 * @param {readonly string[]} [options.allowed]  names that are allowed
 * @param {'relay' | 'nothing'} [options.through]  content of the hub by default
 * @param {string} [options.summary] replaces the summary of a pair of legs for each way
 * @param {typeof runGrid} [options.run]
 * @param {(ways: readonly string[], condition: Condition) => Partial<Plan>} [options.plan]
 * @param {(command: Command) => void} [options.addOptions]  its own options
 * @param {Scenario['lacks']} [options.lacks]  common options that would change nothing in it
 * @param {(lab: Lab) => void} [options.check] throws, with a reason, if the machine lacks a
 *   requirement
 * @returns {Scenario}
 */
export function gridScenario({
  name,
  title,
  description,
  sweeps,
  notes,
  ways = WAYS,
  allowed = [...WAYS, ...BROWSER_WAYS],
  through: between = 'relay',
  summary = ALL_AT_ONCE,
  run = runGrid,
  plan = () => ({}),
  addOptions,
  lacks = ['transports', 'warmUp', 'browser'],
  check,
}) {
  const quantities = new Set([
    ...Object.values(GRID_QUANTITIES),
    ...sweeps.flatMap(({ more = [] }) => more.filter(({ from }) => !from).map(({ of }) => of)),
  ]);
  const asked = (/** @type {{ sweeps: string[] }} */ options) =>
    sweeps.filter((sweep) => options.sweeps.includes(sweep.name));
  return {
    name,
    title,
    description,
    quantities: [...quantities],
    lacks,
    defaults: {
      duration: 25,
      repetitions: 5,
      format: 'call',
      transports: ['webtransport'],
      link: 'clear',
    },
    addOptions: (command) => {
      addGridOptions(command, { sweeps, ways, allowed, through: between });
      addOptions?.(command);
    },

    seconds: (options) =>
      gridSeconds(
        options,
        conditionsOf({ options, blockSeconds: 0 }, asked(options), options.at).map((condition) => ({
          blocks: groupsOf(options.ways, condition.atOnce).length,
          ...plan(options.ways, condition),
          ...condition,
        })),
      ),

    async measure(lab) {
      const { ways: named, through, at, ...options } = /** @type {any} */ (lab.options);
      check?.(lab);
      await run(lab, { conditions: conditionsOf(lab, asked(options), at), ways: named, through });
    },

    result: (folder, options) => ({
      title,
      summary:
        `${summary} ` +
        (options.through === 'relay'
          ? 'A program in the hub passes packets on.'
          : 'The hub routes.'),
      headlines: [],
      ...gridViews(folder, asked(options), randomFor(options)),
      notes: [...notes],
    }),
  };
}

/**
 * @param {Command} command
 * @param {{ sweeps: readonly Swept[], ways: readonly string[], allowed: readonly string[],
 *   through: string }} scenario
 */
function addGridOptions(command, { sweeps, ways, allowed, through }) {
  const names = sweeps.map(({ name }) => name);
  const width = Math.max(...names.map(({ length }) => length));
  command
    .option(
      '--ways <list>',
      `of ${allowed.join(', ')}, separated by commas; the first of them is what others ` +
        'are compared with',
      listOf(allowed),
      [...ways],
    )
    .option(
      '--sweeps <list>',
      `of ${names.join(', ')}, separated by commas`,
      listOf(names),
      sweeps.filter(({ isExtra }) => !isExtra).map(({ name }) => name),
    )
    .option(
      '--marks',
      'marks of what would be heard by ViSQOL and ESTOI, and recordings for a survey: ' +
        'blocks of 8 s or more, and some 4 s of work for each',
      false,
    )
    .option(
      '--at <values>',
      "of what is swept, separated by commas, instead of the sweep's own",
      numbers,
    )
    .addOption(
      new Option(
        '--through <what>',
        'relay: a program at the hub passes packets on; nothing: the hub routes, from ' +
          'peer to peer',
      )
        .choices(['relay', 'nothing'])
        .default(through),
    )
    .option(
      '--frames',
      "what became of each frame, in frames.csv of the run's folder: sent, arrived, " +
        'played, heard; a million rows at most',
      false,
    )
    .addHelpText(
      'after',
      sweeps.map(({ name, stands }) => `\n${name.padEnd(width)} stands for ${stands}.`).join(''),
    );
}

/**
 * The conditions of sweeps: each value of the first, then of the second, and so on.
 * @param {Pick<Lab, 'options' | 'blockSeconds'>} lab
 * @param {readonly Swept[]} sweeps
 * @param {readonly number[]} [at]  values instead of the sweeps' own
 * @returns {Condition[]}
 */
export const conditionsOf = (lab, sweeps, at) =>
  sweeps.flatMap(({ name, values, condition }) =>
    (at ?? values).map((value) => ({ sweep: name, value, ...condition(value, lab) })),
  );
