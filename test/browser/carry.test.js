/** Calls whose packets go on streams, in a browser: see public/shared/wire/carry.js. */

import { isBuilt } from '@aloud/native';
import { expect } from 'vitest';
import { canBuildNative, requireOrSkip } from '../skip.js';
import { CARRIES } from '../../public/shared/wire/carry.js';
import { BROWSER, chromiumPath, inBrowser } from './support/browser.js';
import { useSite } from './support/site.js';

const tests = chromiumPath
  ? requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative)
  : inBrowser;

/**
 * One stream for all packets, and one for each; the third way differs from the second at its end
 * alone.
 */
for (const carry of CARRIES.filter((way) => way === 'stream' || way === 'reset-streams')) {
  tests.describe(`packets on streams in ${BROWSER}: ${carry}`, () => {
    const site = useSite(['--carry', carry]);

    tests.it('carry what two people say to each other', async () => {
      const pages = await Promise.all(
        ['Ann', 'Bob'].map((name) => site.join(carry, { name, transport: 'webtransport' })),
      );
      const room = () => site.server.rooms.get(carry)?.describe().people ?? [];
      await expect
        .poll(
          () =>
            room().map(
              ({ transport, stats }) => transport === 'webtransport' && stats.received > 30,
            ),
          { timeout: 20_000 },
        )
        .toEqual([true, true]);
      for (const page of pages) {
        const receivedPercent = await page.evaluate(
          () =>
            new Promise((tell) => {
              const { call } = /** @type {any} */ (window).aloud;
              call.addEventListener(
                'stats',
                (/** @type {any} */ { detail: { detail } }) =>
                  detail.playout.played > 30 && tell(detail.playout.receivedPercent),
              );
            }),
        );
        expect(receivedPercent).toBeGreaterThan(95);
      }
    });
  });
}
