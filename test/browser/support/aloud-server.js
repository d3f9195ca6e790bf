import { loadConfig } from '../../../server/config/config.js';
import { createLog } from '../../../server/log.js';
import { createServer } from '../../../server/server.js';

/**
 * A real server on free ports, that says nothing but errors.
 * @param {...string} argv options, such as '--engine', 'none'
 */
export function startServer(...argv) {
  const config = loadConfig({
    argv: ['--port', '0', '--h3-port', '0', '--workers', '0', ...argv],
    env: {},
  });
  return createServer(config, { log: createLog({ level: 'error' }) });
}
