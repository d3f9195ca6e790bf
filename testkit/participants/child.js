/**
 * Processes of the lab and of tests, and calls between them. Times in a call are of one clock: the
 * machine's monotonic clock, in milliseconds.
 */

import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Time in which a process must end when it is asked to, in milliseconds. */
const CLOSE_MS = 5000;

/**
 * Number of readings of the two clocks side by side: the first are slow, and any may be
 * interrupted.
 */
const READINGS = 50;

/** The machine's monotonic clock less performance.now(). */
const offsetMs = measureOffset();

function measureOffset() {
  let closest = { offset: 0, within: Infinity };
  for (let i = 0; i < READINGS; i++) {
    const before = performance.now();
    const monotonic = Number(process.hrtime.bigint()) / 1e6;
    const within = performance.now() - before;
    if (within < closest.within) closest = { offset: monotonic - before - within / 2, within };
  }
  return closest.offset;
}

/**
 * @param {number} ms of this process's performance.now()
 * @returns {number} milliseconds of the machine's monotonic clock, which all processes share
 */
export const sharedMs = (ms) => ms + offsetMs;

/** The script of participants without a browser, for Child (see participants.js). */
export const CLIENT = new URL('client-process.js', import.meta.url);

/** A process that the lab or a test starts, and whose functions it calls. */
export class Child {
  #process;
  #nextId = 1;
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  /** @type {Promise<void>} */
  #exited;

  /**
   * @param {URL} script
   * @param {readonly string[]} exec  words before Node.js, such as `ip netns exec NAME`
   * @param {readonly string[]} [nodeOptions]
   */
  constructor(script, exec, nodeOptions = []) {
    const [command, ...args] = [...exec, process.execPath, ...nodeOptions, fileURLToPath(script)];
    this.#process = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#process.on('message', (/** @type {any} */ message) => this.#answered(message));
    this.#exited = new Promise((resolve) => {
      const ended = (/** @type {string} */ how) => {
        for (const { reject } of this.#waiting.values())
          reject(new Error(`a child process ended: ${how}`));
        this.#waiting.clear();
        resolve();
      };
      this.#process.once('error', (error) => ended(error.message));
      this.#process.once('exit', (code, signal) => ended(`${signal ?? `exit code ${code}`}`));
    });
  }

  /** The process's id. */
  get pid() {
    return Number(this.#process.pid);
  }

  /**
   * Calls a function that the process serves.
   * @param {string} name
   * @param {object} [options]
   * @returns {Promise<any>}
   */
  call(name, options = {}) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.send(
        { id, name, options },
        (error) => error && this.#answered({ id, error: error.message }),
      );
    });
  }

  /** @param {{ id: number, value?: unknown, error?: string }} answer */
  #answered({ id, value, error }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }

  /** Lets the process close what it has, or ends it. Idempotent. */
  async close() {
    if (this.#process.connected) this.#process.disconnect();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), CLOSE_MS);
    await this.#exited;
    clearTimeout(timer);
  }
}

/**
 * Serves calls to this process until its parent is gone.
 * @param {Record<string, (options: any) => unknown>} functions
 * @param {() => void | Promise<void>} close  called when the parent is gone
 */
export function serve(functions, close) {
  // A parent that has gone waits for no answer.
  const answer = (/** @type {object} */ message) =>
    void process.send?.(message, undefined, undefined, () => {});
  process.on('message', async (/** @type {any} */ { id, name, options }) => {
    try {
      answer({ id, value: await functions[name](options) });
    } catch (error) {
      answer({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  // The parent decides when it ends.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => {});
  process.once('disconnect', async () => {
    await close();
    process.exit();
  });
}

/** The CPU of this process since the last call, in percent of a core. */
export class CpuMeter {
  #usage = process.cpuUsage();
  #atMs = performance.now();

  /** @returns {number} */
  take() {
    const { user, system } = process.cpuUsage(this.#usage);
    const now = performance.now();
    const percent = (user + system) / 10 / Math.max(now - this.#atMs, 1);
    this.#usage = process.cpuUsage();
    this.#atMs = now;
    return percent;
  }
}

/** The CPU of all programs of the machine together since the last call, in percent of a core. */
export class MachineMeter {
  #before = cpuTimes();

  /** @returns {{ busyPercent: number, idlePercent: number }} together a hundred for each core */
  take() {
    const now = cpuTimes();
    const all = Math.max(now.all - this.#before.all, 1);
    const idlePercent = (100 * now.cores * (now.idle - this.#before.idle)) / all;
    this.#before = now;
    return { busyPercent: 100 * now.cores - idlePercent, idlePercent };
  }
}

function cpuTimes() {
  const times = cpus().map(({ times: { user, nice, sys, idle, irq } }) => ({
    idle,
    all: user + nice + sys + idle + irq,
  }));
  const sum = (/** @type {'idle' | 'all'} */ of) =>
    times.reduce((total, time) => total + time[of], 0);
  return { cores: times.length, idle: sum('idle'), all: sum('all') };
}
