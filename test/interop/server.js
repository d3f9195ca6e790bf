import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { asOperator, WITH_OPERATOR } from '../support/operator.js';
import { errorsTo } from '../../testkit/log-lines.js';

/**
 * The server as it runs, on a free port of this machine.
 * @param {string[]} [argv]
 */
export async function startServer(argv = []) {
  /** @type {string[]} */
  const errors = [];
  const config = loadConfig({
    argv: ['--port', '0', '--h3-port', '0', '--engine', 'native', ...WITH_OPERATOR, ...argv],
    env: {},
  });
  const server = await createServer(config, { log: errorsTo(errors) });
  return {
    url: `https://127.0.0.1:${server.h3Port}`,
    http: server.port,
    port: /** @type {number} */ (server.h3Port),
    /** Counts of QUIC connections, as the operator reads them. */
    admissions: async () =>
      /** @type {any} */ (await (await asOperator(server.url, '/status')).json()).admissions,
    /** Errors in the log. */
    errors,
    close: () => server.close(),
  };
}
