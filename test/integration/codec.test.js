import { loadOpus } from '@aloud/native';
import { expect } from 'vitest';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { canBuildOpus, requireOrSkip } from '../../testkit/skip.js';
import { closeAfter } from '../../testkit/transport-cases.js';

/** Why the addon has no Opus; null when it has. */
function missing() {
  try {
    loadOpus();
    return null;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

const reason = missing();

requireOrSkip(reason === null, `the native Opus codec: ${reason}`, canBuildOpus).it(
  'a server uses the native codec by default',
  async () => {
    const argv = ['--port', '0', '--engine', 'none', '--log', 'error'];
    const server = await createServer(loadConfig({ argv, env: {}, version: '0' }));
    closeAfter(server);
    expect(server.report).toContain('The Opus codec is native.');
  },
);
