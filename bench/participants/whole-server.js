/**
 * Processes of a measurement: the lab's own scripts, and a whole server, `node server/main.js` of
 * this checkout or of another, read from outside.
 */

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('../..', import.meta.url));

/** The scripts of the lab's own processes, for Child: a server, participants, and a crowd. */
export const SERVER = new URL('server-process.js', import.meta.url);
export const CLIENT = new URL('client-process.js', import.meta.url);
export const CROWD = new URL('crowd-process.js', import.meta.url);

export const SERVER_MAIN = 'server/main.js';

/** Longest time for a server to start or to end, in milliseconds. */
const START_MS = 20_000;
const CLOSE_MS = 5000;

/** Ports that are free, and no line for what isn't an error. */
const ARGUMENTS = ['--port', '0', '--h3-port', '0', '--log-level', 'error'];

/** A server in a process of its own, in which nothing of a measurement runs. */
export class WholeServer {
  #process;
  #exited;
  /** Sum of V8's pauses so far, in milliseconds, where Node.js runs with --trace-gc. */
  pausesMs = 0;

  /**
   * @param {object} options
   * @param {string} [options.folder] of the checkout; by default this one
   * @param {readonly string[]} options.argv further options of the server
   * @param {readonly string[]} [options.node] options of Node.js
   */
  constructor({ folder = HERE, argv, node = [] }) {
    const all = [...node, join(folder, SERVER_MAIN), ...ARGUMENTS, ...argv];
    this.#process = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#exited = new Promise((end) => void this.#process.once('exit', end));
  }

  get pid() {
    return Number(this.#process.pid);
  }

  /** @returns {Promise<string>} origin of the started server @throws {Error} if it doesn't start */
  origin() {
    const lines = createInterface({ input: /** @type {any} */ (this.#process.stdout) });
    const found = new Promise((take) => {
      lines.on('line', (line) => {
        const [, origin] = /^aloud is at (\S+)/.exec(line) ?? [];
        if (origin) take(origin);
        const [, ms] = / ms: (?:Scavenge|Mark-Compact) .* MB, ([\d.]+) \/ /.exec(line) ?? [];
        if (ms) this.pausesMs += Number(ms);
      });
    });
    const failed = Promise.race([this.#exited, wait(START_MS, undefined, { ref: false })]).then(
      () => {
        throw new Error('a server did not start');
      },
    );
    return Promise.race([found, failed]);
  }

  /**
   * Its processor time so far, in milliseconds: of JavaScript's thread, of the addon's threads, and
   * of V8's and Node's others.
   */
  times() {
    const times = { javascript: 0, addon: 0, others: 0 };
    for (const thread of readdirSync(`/proc/${this.pid}/task`)) {
      const folder = `/proc/${this.pid}/task/${thread}`;
      const ms = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
      const isAddon = readFileSync(`${folder}/comm`, 'utf8').startsWith('aloud-');
      times[Number(thread) === this.pid ? 'javascript' : isAddon ? 'addon' : 'others'] += ms;
    }
    return times;
  }

  /** Ends it. Idempotent. */
  async close() {
    this.#process.kill('SIGINT');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), CLOSE_MS);
    await this.#exited;
    clearTimeout(timer);
  }
}
