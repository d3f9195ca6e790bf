/** A call between programs of the packages of a release. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt } from '@aloud/native';
import { expect, it } from 'vitest';
import { LIBRARY } from '../../native/binding.js';
import { holdCall } from '../../release/call.js';
import { ALIKE, checkReport } from '../../release/steps.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { Packages } from '../support/packages.js';

requireOrSkip(
  isBuilt() && existsSync(LIBRARY),
  'the native engine is not built',
  canBuildNative,
).describe('the package of this system', () => {
  const packages = new Packages();

  it('holds a call over WebTransport', async () => {
    packages.install(packages.all());
    const { url, report } = await packages.start();
    checkReport(report);
    const { folder } = packages;
    const aloud = join(folder, 'node_modules', '.bin', 'aloud');
    const env = packages.environment();
    expect(await holdCall({ aloud, url, folder, env })).toBeGreaterThan(ALIKE);
  });
});
