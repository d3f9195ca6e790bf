/** Controllers whose build of the native engine is missing are left out. */

import { expect, it, vi } from 'vitest';

vi.mock('@aloud/native', async (original) => ({
  .../** @type {object} */ (await original()),
  loadError: (/** @type {string | null} */ library = null) =>
    library?.includes('noq') ? 'it is not built' : null,
}));

const { adapt } = await import('../../scenarios/adapt.js');
const { runByCarry } = await import('../../scenarios/comparisons/controllers.js');
const { usableWays } = await import('../../scenarios/comparisons/grid.js');
const { scenarioCommand } = await import('../../scenarios/scenario-command.js');
const { missingBuild } = await import('../../plugin/controllers.js');

it('a controller whose build the machine lacks is left out by name, with the remedy', async () => {
  expect([missingBuild('cubic'), missingBuild('copa')]).toEqual([null, null]);
  /** @type {string[]} */
  const warnings = [];
  const lab = /** @type {any} */ ({
    folder: { warn: (/** @type {string} */ warning) => warnings.push(warning) },
  });
  const asked = ['datagrams@cubic', 'datagrams@bbr3', 'streams@copa'];
  expect(await usableWays(lab, asked)).toEqual(['datagrams@cubic', 'streams@copa']);
  expect(warnings).toEqual([
    "Left out: datagrams@bbr3. The native engine's build for bbr3 is missing: npm run " +
      'build:native -- --noq.',
  ]);
});

it('a way of carrying without a controller that is built ends none of the others', async () => {
  /** @type {string[]} */
  const warnings = [];
  const lab = /** @type {any} */ ({
    folder: { warn: (/** @type {string} */ warning) => warnings.push(warning) },
  });
  /** @type {(readonly string[])[]} */
  const run = [];
  const ways = ['streams@bbr3', 'datagrams@bbr3', 'datagrams@copa', 'datagrams@cubic'];
  await runByCarry(lab, { conditions: [], ways, through: 'nothing' }, async (_, options) => {
    run.push(options.ways);
  });
  expect(run).toEqual([['datagrams@copa', 'datagrams@cubic']]);
  expect(warnings.map((warning) => warning.split('.')[0])).toEqual([
    'Left out: streams@bbr3',
    'Left out: datagrams@bbr3',
  ]);
});

it('a run of which nothing can be had here says so, and does not come to an end', async () => {
  /** @type {string[]} */
  const warnings = [];
  const options = scenarioCommand(adapt)
    .parse(['--players', 'aloud', '--controllers', 'bbr3'], { from: 'user' })
    .opts();
  const lab = /** @type {any} */ ({
    options,
    folder: { warn: (/** @type {string} */ warning) => warnings.push(warning) },
  });
  await expect(adapt.measure(lab)).rejects.toThrow(
    /^nothing that was asked for can be measured here\. bbr3 is left out: .*--noq/,
  );
  expect(warnings).toEqual([expect.stringMatching(/^bbr3 is left out: /)]);
});
