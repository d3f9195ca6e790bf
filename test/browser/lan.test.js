import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt } from '@aloud/native';
import { expect, onTestFinished } from 'vitest';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { inBrowser, openBrowser } from '../../testkit/browsers/browser.js';
import { ofTheMachine, requireOrSkip } from '../../testkit/skip.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };

const hasNetwork = Object.values(networkInterfaces())
  .flat()
  .some((info) => info && !info.internal && info.family === 'IPv4');
const network = requireOrSkip(
  hasNetwork && isBuilt(),
  'this machine has no network, or the native engine is not built',
  ofTheMachine,
);

/** Runs in the page: opens both transports. As text, since its imports are the page's. */
const TRANSPORTS = `(async () => {
  const [{ connect }, { fetchConfig }, { systemClock }] = await Promise.all(
    ['client/connection/choose.js', 'client/connection/join.js', 'shared/clock.js'].map(
      (file) => import('/public/' + file),
    ),
  );
  // A busy machine is given more time before the next transport is tried.
  const setTimeout = (run, ms) => systemClock.setTimeout(run, 10 * ms);
  const patient = { ...systemClock, setTimeout };
  const config = await fetchConfig(location.origin);
  const message = { type: 'join', version: 1, room: 'tea', name: 'Ann' };
  const handler = { onPacket() {}, onControl() {}, onClosed() {} };
  const all = [];
  for (const transport of ['auto', 'websocket']) {
    const { connection, took } = await connect({
      transport,
      origin: location.origin,
      config,
      message,
      handler,
      prove: async () => {},
      clock: patient,
    });
    connection.close();
    all.push(took);
  }
  return { all, isSecureContext, canCapture: 'mediaDevices' in navigator };
})()`;

inBrowser.describe('a page of --lan', () => {
  network.it(
    'has a microphone and every transport, once its certificate is accepted, and keeps it',
    async () => {
      const opened = await openBrowser();
      onTestFinished(() => opened.close());
      const directory = mkdtempSync(join(tmpdir(), 'aloud-lan-'));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const context = await opened.browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      const certificates = [];
      for (let start = 0; start < 2; start++) {
        const argv = ['--lan', '--port', '0', '--h3-port', '0', '--cert-dir', directory];
        const server = await createServer(loadConfig({ argv, env: {} }), { log: quiet });
        try {
          const [, url] = /^aloud is at (https:\/\/\S+)$/.exec(server.report[0]) ?? [];
          const answer = await page.goto(url);
          const details = await answer?.securityDetails();
          const days = (Number(details?.validTo) - Number(details?.validFrom)) / 86_400;
          expect(days).toBeCloseTo(397, 1);
          certificates.push(details);
          expect(await page.evaluate(TRANSPORTS)).toEqual({
            all: ['webtransport', 'websocket'],
            isSecureContext: true,
            canCapture: true,
          });
        } finally {
          await server.close();
        }
      }
      expect(certificates[0]).toEqual(certificates[1]);
    },
  );
});
