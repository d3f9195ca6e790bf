/** Steps of a rehearsal, with what they took, and the server that is tried. */

import { spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as pass } from 'node:timers/promises';

/** Least correlation of speech after two passes through Opus; 0.99 is usual. */
export const ALIKE = 0.9;

/** Time for a server to start, installation included, in milliseconds. */
const START_MS = 120_000;

/** @returns {string} this machine's load, for people */
export const describeLoad = () =>
  `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`;

/**
 * Starts a server and waits until its page answers.
 * @param {string} command
 * @param {string[]} args  without ports: it gets free ones
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} where
 * @returns {Promise<Server>}
 */
export const startServer = (command, args, where) =>
  startProcess(command, [...args, '--port', '0', '--h3-port', '0'], where);

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {string} report
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop
 */

/**
 * Starts a command that starts a server, and waits until its page answers.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} where
 * @returns {Promise<Server>}
 */
export async function startProcess(command, args, where) {
  const child = spawn(command, args, {
    ...where,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => void child.once('close', resolve));
  const stop = async (/** @type {NodeJS.Signals} */ signal = 'SIGINT') => {
    if (child.exitCode === null && child.pid) process.kill(-child.pid, signal);
    await ended;
  };
  let report = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => (report += bytes));
  const end = performance.now() + START_MS;
  for (;;) {
    const url = /http:\/\/localhost:\d+/.exec(report)?.[0];
    const page = url && (await fetch(`${url}/r/tea`).catch(() => null));
    if (url && page && page.ok) return { url, report, stop };
    if (performance.now() > end || child.exitCode !== null) {
      await stop();
      throw new Error(`the server didn't start: ${report}`);
    }
    await pass(20);
  }
}

/** @param {string} report */
export function checkReport(report) {
  if (!/WebTransport is on[^\n]*native/.test(report) || !/Opus codec is native/.test(report))
    throw new Error(`the addon isn't there: ${report}`);
}

/** Steps and what they took. */
export class Steps {
  failed = false;

  /**
   * @template T
   * @param {string} name
   * @param {() => T | Promise<T>} step
   * @param {number} [targetMs]
   * @returns {Promise<T>}
   */
  async run(name, step, targetMs) {
    const start = performance.now();
    const result = await step();
    const ms = performance.now() - start;
    const target = targetMs === undefined ? '' : `, target ${targetMs / 1000} s`;
    console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${name}${target}`);
    if (targetMs !== undefined && ms > targetMs) this.failed = true;
    return result;
  }
}
