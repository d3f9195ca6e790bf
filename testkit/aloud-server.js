import { loadConfig } from '../server/config/config.js';
import { createLog } from '../server/log.js';
import { createServer } from '../server/server.js';

/**
 * A real server on free ports, that says nothing but errors.
 * @param {...string} argv options, such as '--engine', 'none'
 */
export const startServer = (...argv) => startServerWith({}, ...argv);

/**
 * @param {import('../server/plugin.js').Plugin} plugin
 * @param {...string} argv
 */
export function startServerWith(plugin, ...argv) {
  const config = loadConfig({
    argv: ['--port', '0', '--h3-port', '0', '--workers', '0', ...argv],
    env: {},
    more: plugin.options,
  });
  return createServer(config, { log: createLog({ level: 'error' }), plugin });
}
