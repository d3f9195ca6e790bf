/**
 * The server under attack, in a process of its own, so that its memory, descriptors and processor
 * time can be read from /proc.
 * @import { RunningServer } from '../../../server/server.js'
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serve } from '../../../testkit/participants/child.js';
import { loadConfig } from '../../../server/config/config.js';
import { createServer } from '../../../server/server.js';
import { textOf } from '../../../testkit/log-lines.js';

setFlagsFromString('--expose-gc');
const collectGarbage = /** @type {() => void} */ (runInNewContext('gc'));

/** The lines of each level that are kept; the rest is only counted. */
const KEPT_LINES = 20;

/** Log since the start. */
const logged = { error: note(), warn: note(), info: note() };

function note() {
  return { count: 0, lines: /** @type {string[]} */ ([]) };
}

/** @param {keyof typeof logged} level */
const logTo =
  (level) =>
  (
    /** @type {import('../../../server/log.js').Fields} */ fields,
    /** @type {string} */ message,
  ) => {
    const { lines } = logged[level];
    logged[level].count += 1;
    if (lines.length < KEPT_LINES) lines.push(textOf(fields, message));
  };

const log = { error: logTo('error'), warn: logTo('warn'), info: logTo('info'), debug() {} };

/** @type {RunningServer | null} */
let server = null;

serve(
  {
    /** @param {{ argv: string[] }} options */
    async start({ argv }) {
      const config = loadConfig({ argv: ['--port', '0', '--h3-port', '0', ...argv], env: {} });
      server = await createServer(config, { log });
      return { pid: process.pid, port: server.port, h3Port: server.h3Port };
    },
    logged: () => logged,
    /**
     * Memory in use once garbage has been collected, in bytes: V8's, and what buffers hold outside
     * of it.
     */
    memory() {
      for (let i = 0; i < 3; i++) collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
  },
  () => server?.close(),
);
