import { expect, it } from 'vitest';
import { plotFile } from '../../report/svg.js';
import { checkResult } from '../../report/result.js';
import { textTable } from '../../report/text-table.js';
import { scenarios } from '../../scenarios/index.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';

/**
 * A factor's value in the first sample of a run, by its name.
 * @param {any} options of the run
 * @returns {Record<string, string | number>}
 */
const factorsOf = (options) => ({
  ...{ rooms: options.cases?.[0], listeners: options.cases?.[0], server: 'here' },
  ...{ way: options.ways?.[0], link: options.links?.[0], nearness: options.choices?.[0] },
  ...{ rule: options.rules?.[0], choice: options.choices?.[0], carry: options.carries?.[0] },
  ...{ controller: options.controllers?.[0], sweep: options.sweeps?.[0], level: '' },
  ...{ at: options.stepSeconds && options.rules ? '' : 0, condition: 'clear', mode: 'live' },
  ...{ people: options.people?.[0] ?? 'ten', participants: 100, frameMs: 20, machine: 'free' },
  ...{ roundTripMs: 50, lossPercent: options.loss?.[0] ?? 0, rateKbits: 0, connection: 'new' },
  ...{ redundancy: 'auto', delayMs: 0, what: '1', end: 'node killed', where: 'server' },
  ...{ estimate: 'a formula', rate: 5, from: 5, part: 'level', why: 'late' },
});

/**
 * Samples of a run that was interrupted after the first one of some quantities.
 * @param {import('../../scenarios/scenario.js').Scenario} scenario
 * @param {any} options
 * @param {number} count  of the quantities, in their order
 * @returns {import('../../scenarios/scenario.js').Samples}
 */
function brokenOff({ quantities }, options, count) {
  const values = factorsOf(options);
  const recorded = new Map(
    quantities.slice(0, count).map(({ name, factors = [] }) => [
      name,
      [
        {
          protocol: options.ways?.[0] ?? 'webtransport',
          repetition: 0,
          client: 'A',
          atMs: 5,
          value: 1,
          factors: Object.fromEntries(factors.map((factor) => [factor.name, values[factor.name]])),
        },
      ],
    ]),
  );
  return { samples: (name) => recorded.get(name) ?? [] };
}

it.each(scenarios)('$name, interrupted, has tables of what there is', (scenario) => {
  const options = scenarioCommand(scenario).parse([], { from: 'user' }).opts();
  const all = scenario.quantities.length;
  for (let count = 0; count <= all; count++) {
    const folder = brokenOff(scenario, options, count);
    const { tables, plots } = checkResult(
      scenario.result(folder, { ...options, link: options.link }),
    );
    for (const table of tables) expect(textTable(table), table.name).toContain(table.title);
    // The report of a run that was broken off has its plots too.
    if (count === 1 || count === all)
      for (const plot of plots) expect(plotFile(plot), plot.name).toMatch(/^<\?xml|^<svg/);
  }
});

it('a plan that was interrupted foretells nothing from a part of its cases', () => {
  const plan = /** @type {import('../../scenarios/scenario.js').Scenario} */ (
    scenarios.find(({ name }) => name === 'plan')
  );
  const options = scenarioCommand(plan).parse([], { from: 'user' }).opts();
  const sample = (/** @type {string} */ rooms, /** @type {number} */ value) => ({
    ...{ protocol: '', repetition: 0, client: '', atMs: 0, value },
    factors: { rooms, server: 'here' },
  });
  const samples = (/** @type {string} */ name) =>
    name === 'serverCpu' || name === 'loopBusy'
      ? [sample('50x10/2', 80), sample('20x5/1', 30)]
      : [];
  const { tables } = checkResult(plan.result({ samples }, options));
  expect(tables.map(({ name, rows }) => [name, rows.length])).toEqual([['cases', 2]]);
});
