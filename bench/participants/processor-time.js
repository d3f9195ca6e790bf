/**
 * Measures processes' processor time. It can also emulate a slow machine: by a quota (control
 * groups, cgroups(7)) or by a busy loop on the same core.
 */

import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MAIN } from './server-profile.js';

/**
 * The controller of processor time, where version 1 of control groups has it, and where version 2
 * does.
 */
const GROUPS = Object.freeze(['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']);

/** The time over which a quota holds, in microseconds: Linux's own default. */
const PERIOD_US = 100_000;

/**
 * The time of each second in which threads in real time may run, in microseconds: half of what
 * Linux gives to all.
 */
const REAL_TIME_US = 475_000;

/** A busy loop ends on its own after this time, in seconds, and with the process that began it. */
const BUSY_SECONDS = 600;

/**
 * A process and its descendants.
 * @param {number} root a process's id
 * @returns {number[]}
 */
export function descendants(root) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const parent = parentOf(pid);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = [root];
  for (let i = 0; i < found.length; i++) found.push(...(children.get(found[i]) ?? []));
  return found;
}

/**
 * @param {number} pid
 * @param {string} [name]  beginning of the names of the threads that count
 * @returns {number} the time for which a process's threads have run, in milliseconds
 */
export function threadsMs(pid, name = '') {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    if (readFileSync(`${folder}/comm`, 'utf8').startsWith(name))
      ns += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ', 1)[0]);
  }
  return ns / 1e6;
}

/**
 * @param {number} pid
 * @returns {Map<number, { name: string, ms: number }>} the time for which each thread has run, in
 *   milliseconds, by its id; the first thread of Node.js is named JavaScript
 */
export function threadTimes(pid) {
  const times = new Map();
  for (const thread of readdirSync(`/proc/${pid}/task`).map(Number)) {
    const folder = `/proc/${pid}/task/${thread}`;
    try {
      const name = thread === pid ? MAIN : readFileSync(`${folder}/comm`, 'utf8').trim();
      const [ns] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ', 1);
      times.set(thread, { name, ms: Number(ns) / 1e6 });
    } catch {
      // The thread has ended in the meantime.
    }
  }
  return times;
}

/** @param {number} pid @returns {number} resident memory of a process, in bytes */
export function residentBytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN);
}

/** @param {number} pid */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // The process has ended.
    return 0;
  }
}

let made = 0;

/**
 * Processes that together get no more than a share of the processors, as on a machine whose host
 * takes the rest.
 */
export class Quota {
  #parent;
  #folder;

  /**
   * @param {number} cores 0.5: half of one
   * @param {{ hasRealTime?: boolean }} [options] true to accept real-time threads, such as a
   *   browser's for sound; there is time for two such groups
   * @throws {Error} where no control group can be made: it needs root, and a controller of
   *   processor time
   */
  constructor(cores, { hasRealTime = false } = {}) {
    const parent = GROUPS.find(
      (folder) => existsSync(folder) && existsSync(join(folder, 'cgroup.procs')),
    );
    if (!parent) throw new Error('there are no control groups (/sys/fs/cgroup)');
    this.#parent = parent;
    this.#folder = join(parent, `aloud-${process.pid}-${++made}`);
    const quota = Math.round(cores * PERIOD_US);
    try {
      mkdirSync(this.#folder);
      if (existsSync(this.#file('cpu.cfs_quota_us'))) {
        writeFileSync(this.#file('cpu.cfs_period_us'), String(PERIOD_US));
        writeFileSync(this.#file('cpu.cfs_quota_us'), String(quota));
        // Threads in real time have a quota of their own: without one they aren't taken in.
        if (hasRealTime && existsSync(this.#file('cpu.rt_runtime_us')))
          writeFileSync(this.#file('cpu.rt_runtime_us'), String(REAL_TIME_US));
      } else {
        writeFileSync(this.#file('cpu.max'), `${quota} ${PERIOD_US}`);
      }
    } catch (error) {
      this.close();
      throw new Error(`no control group can be made: ${/** @type {Error} */ (error).message}`, {
        cause: error,
      });
    }
  }

  /** @param {string} name */
  #file(name) {
    return join(this.#folder, name);
  }

  /**
   * Adds processes, with their later children.
   * @param {readonly number[]} pids
   */
  add(pids) {
    move(pids, this.#file('cgroup.procs'));
  }

  /**
   * Share of the busy periods at whose end the processes were stopped.
   * @returns {number} percent
   */
  stoppedPercent() {
    const stat = readFileSync(this.#file('cpu.stat'), 'utf8');
    const [periods, stopped] = ['nr_periods', 'nr_throttled'].map((name) =>
      Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1]),
    );
    return periods === 0 ? 0 : (100 * stopped) / periods;
  }

  /** Lets all go. Idempotent. */
  close() {
    if (!existsSync(this.#folder)) return;
    const procs = this.#file('cgroup.procs');
    const left = existsSync(procs)
      ? readFileSync(procs, 'utf8').trim().split('\n').filter(Boolean).map(Number)
      : [];
    move(left, join(this.#parent, 'cgroup.procs'));
    rmdirSync(this.#folder);
  }
}

/** @param {readonly number[]} pids @param {string} file */
function move(pids, file) {
  for (const pid of pids) {
    try {
      writeFileSync(file, String(pid));
    } catch (error) {
      // The process has ended.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
    }
  }
}

/** One core for some processes and a busy loop. */
export class SharedCore {
  #loop;
  /** @type {Set<number>} */
  #pinned = new Set();

  /** @param {number} [core] */
  constructor(core = 0) {
    const loop =
      `for (const endMs = Date.now() + ${BUSY_SECONDS * 1000}; Date.now() < endMs && ` +
      `process.ppid === ${process.pid}; );`;
    this.core = core;
    this.#loop = spawn('taskset', ['-c', String(core), process.execPath, '-e', loop], {
      stdio: 'ignore',
    });
  }

  /**
   * Adds processes, with their later children.
   * @param {readonly number[]} pids
   */
  async add(pids) {
    for (const pid of pids) {
      this.#pinned.add(pid);
      await pin(pid, String(this.core));
    }
  }

  /** Lets all go. Idempotent. */
  async close() {
    this.#loop.kill('SIGKILL');
    const all = `0-${availableParallelism() - 1}`;
    const pinned = [...this.#pinned];
    this.#pinned.clear();
    for (const each of new Set(
      pinned.flatMap((pid) => (existsSync(`/proc/${pid}`) ? descendants(pid) : [])),
    ))
      await pin(each, all);
  }
}

/** @param {number} pid @param {string} cores */
async function pin(pid, cores) {
  await promisify(execFile)('taskset', ['-acp', cores, String(pid)]).catch((error) => {
    // A process that has ended in the meantime needs none.
    if (existsSync(`/proc/${pid}`)) throw error;
  });
}
