import { expect, it } from 'vitest';
import { scenarios } from '../../scenarios/index.js';
import { secondsOfCommands } from '../../scenarios/runs.js';
import { runTimes, SMALLEST } from '../../scenarios/times.js';

it('there is a small plan of each scenario, of three minutes at most', () => {
  expect(Object.keys(SMALLEST).toSorted()).toEqual(scenarios.map(({ name }) => name).toSorted());
  for (const [name, argv] of Object.entries(SMALLEST)) {
    const told = secondsOfCommands([[name, ...argv]]);
    expect(told, name).toBeGreaterThan(10);
    expect(told, name).toBeLessThanOrEqual(180);
  }
});

it('a plan keeps to its told time, or is told not to, or why it broke off', async () => {
  const told = Object.fromEntries(
    ['rtt', 'starved', 'loss'].map((name) => [
      name,
      secondsOfCommands([[name, ...SMALLEST[name]]]),
    ]),
  );
  /** @type {string[]} */
  const warnings = [];
  /** @type {number[]} */
  const shares = [];
  const { rows } = await runTimes({
    only: ['rtt', 'starved', 'loss'],
    folder: /** @type {any} */ ({
      path: '/runs',
      warn: (/** @type {string} */ warning) => warnings.push(warning),
    }),
    signal: new AbortController().signal,
    progress: (_what, share) => shares.push(share),
    async run({ argv: [name] }) {
      if (name === 'loss') throw new Error('no root here');
      const share = name === 'starved' ? 1.3 : 1.05;
      return /** @type {any} */ ({ durationMs: 1000 * told[name] * share });
    },
  });
  expect(rows.map((row) => [row[3], row[4]])).toEqual([
    [expect.closeTo(5), 'kept'],
    [expect.closeTo(30), 'not kept'],
    [null, 'not measured: no root here'],
  ]);
  expect(warnings).toEqual(['loss: no root here']);
  const all = told.rtt + told.starved + told.loss;
  expect(shares).toEqual([0, told.rtt / all, (told.rtt + told.starved) / all]);
});
