/** Controllers whose build of the native engine is missing are left out. */

import { expect, it, vi } from 'vitest';

vi.mock('@aloud/native', async (original) => ({
  .../** @type {object} */ (await original()),
  loadError: (/** @type {string | null} */ library = null) =>
    library?.includes('noq') ? 'it is not built' : null,
}));

const { usableWays } = await import('../../scenarios/comparisons/grid.js');
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
