import { expect, onTestFinished } from 'vitest';
import { isBuilt } from '@aloud/native';
import { join } from '../../programs/client.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { inBrowser, openBrowser } from '../../testkit/browsers/browser.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/**
 * Runs in the page: joins by the best transport that works, and tells its name. As text, since its
 * imports are the page's.
 */
const BEST_TRANSPORT = `(async () => {
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
  const { connection, took } = await connect({
    transport: 'auto',
    origin: location.origin,
    config,
    message,
    handler,
    prove: async () => {},
    clock: patient,
  });
  connection.close();
  return took;
})()`;

const native = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

inBrowser.describe('the printed address', () => {
  native.it(
    'reaches HTTP/3, from pages and programs, whatever --host is, and so does localhost ' +
      'where it reaches the page',
    async () => {
      const opened = await openBrowser();
      onTestFinished(() => opened.close());
      const page = await opened.browser.newPage();
      for (const [host, name] of [
        ['::', 'localhost'],
        ['0.0.0.0', 'localhost'],
        ['localhost', 'localhost'],
        ['127.0.0.1', '127.0.0.1'],
        ['::1', '[::1]'],
      ]) {
        const config = loadConfig({
          argv: ['--port', '0', '--h3-port', '0', '--engine', 'native', '--host', host],
          env: {},
        });
        const server = await createServer(config, { log: quiet });
        try {
          expect(server.url).toBe(`http://${name}:${server.port}`);
          for (const url of new Set([server.url, `http://localhost:${server.port}`])) {
            await page.goto(url);
            expect([host, url, await page.evaluate(BEST_TRANSPORT)]).toEqual([
              host,
              url,
              'webtransport',
            ]);
          }
          const program = await join({ url: server.url, room: 'tea', transport: 'webtransport' });
          expect(program.state).toBe('joined');
          await program.leave();
        } finally {
          await server.close();
        }
      }
    },
  );
});
