import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';

/**
 * The server as it runs, on a free port of this machine.
 * @param {string[]} [argv]
 */
export async function startServer(argv = []) {
  /** @type {string[]} */
  const errors = [];
  const config = loadConfig({ argv: ['--port', '0', '--h3-port', '0', '--engine', 'native', ...argv], env: {} });
  const log = { error: (/** @type {string} */ text) => void errors.push(text), warn() {}, info() {}, debug() {} };
  const server = await createServer(config, { log });
  return {
    url: `https://127.0.0.1:${server.h3Port}`,
    http: server.port,
    port: /** @type {number} */ (server.h3Port),
    /** What was logged as an error. */
    errors,
    close: () => server.close(),
  };
}
