/**
 * Watches whether the machine lets a measurement in real time run.
 *
 * @typedef {object} Disturbance what the machine did during a measurement
 * @property {number} hasStalled number of times that a timer of its own thread was more than
 *   `LATE_MS` late
 * @property {number} longestMs  the longest of these
 * @property {number} stolenMs   processor time that the machine's host took away
 * @property {number} stolenShare the same, in processors: 1 is one of them all the time
 * @property {number} othersShare processor time that processes outside of the run used, in
 *   processors: 1 is one of them all the time
 *
 * @typedef {{ stolenShare: number, othersShare: number }} Shares
 *
 * @typedef {Disturbance & { worst: Shares }} Watched worst: the largest share of each in a window
 *   of the watch, which a mean over a long run hides
 */

import { readFileSync, readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** The period of the sentinel's timer, in milliseconds. */
const PERIOD_MS = 5;

/**
 * A sound card's buffer bridges a shorter standstill. The sentinel of an idle machine is less than
 * 5 ms late.
 */
const LATE_MS = 20;

/**
 * More of it within one measurement disturbs, in milliseconds: two ticks of /proc/stat on one
 * processor.
 */
const STOLEN_MS = 20;

/**
 * Longest time between two readings of a watch with windows, in milliseconds. What a process of the
 * run uses after its last reading counts as others' where its parent doesn't wait for it, as
 * Chromium's doesn't.
 */
const READ_MS = 1000;

/** Other processes that use more are a disturbance, in processors. */
const OTHERS_SHARE = 0.25;

/**
 * A tick of the times in /proc, in milliseconds (proc(5): USER_HZ is 100 on every machine that Node
 * runs on).
 */
const TICK_MS = 10;

/**
 * @param {Disturbance} disturbance
 * @returns {string} in words; empty where the machine was steady
 */
export function describeDisturbance({ hasStalled, longestMs, stolenMs, othersShare }) {
  const said = [];
  if (hasStalled > 0)
    said.push(`the machine stood still ${hasStalled} times, for up to ${Math.round(longestMs)} ms`);
  if (stolenMs > STOLEN_MS) said.push(`its host took ${stolenMs} ms of processor time`);
  if (othersShare > OTHERS_SHARE)
    said.push(`other processes used ${othersShare.toFixed(1)} processors`);
  return said.join(', ');
}

/**
 * Sleeps and notes how late it wakes: a thread of its own, so that what the measurement does on the
 * event loop delays nothing.
 */
const SENTINEL = `
  const { parentPort, workerData: { memory, periodMs, lateMs } } = require('node:worker_threads');
  const [notes, sleep] = [new Float64Array(memory), new Int32Array(new SharedArrayBuffer(4))];
  const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;
  notes[3] = monotonicMs();
  parentPort.postMessage('watching');
  while (notes[0] === 0) {
    Atomics.wait(sleep, 0, 0, periodMs);
    const nowMs = monotonicMs();
    const late = nowMs - notes[3] - periodMs;
    if (late > lateMs) {
      notes[1] += 1;
      notes[2] = Math.max(notes[2], late);
    }
    notes[3] = nowMs;
  }`;

/**
 * @param {{ windowMs?: number }} [options] windowMs: length of the windows of `worst`, which is 0
 *   without it. To read the times takes some 2 ms, once a second or in each window.
 * @returns {Promise<() => Watched>} ends the watch, and says what was seen since the start
 */
export async function watchMachine({ windowMs } = {}) {
  const memory = new SharedArrayBuffer(4 * Float64Array.BYTES_PER_ELEMENT);
  const notes = new Float64Array(memory);
  const workerData = { memory, periodMs: PERIOD_MS, lateMs: LATE_MS };
  const sentinel = new Worker(SENTINEL, { eval: true, execArgv: [], workerData });
  // Its thread runs before its script does.
  await new Promise((resolve) => void sentinel.once('message', () => resolve(undefined)));
  const ownTime = new OwnTime();
  const read = () => {
    const { own, ...times } = readTimes();
    return { ...times, ownMs: ownTime.add(own) };
  };
  const before = read();
  const worst = { stolenShare: 0, othersShare: 0 };
  let window = before;
  const endWindow = (/** @type {Times} */ now) => {
    const shares = sharesBetween(window, now, windowMs);
    worst.stolenShare = Math.max(worst.stolenShare, shares.stolenShare);
    worst.othersShare = Math.max(worst.othersShare, shares.othersShare);
    window = now;
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  if (windowMs !== undefined) {
    const readMs = Math.min(READ_MS, windowMs);
    timer = setInterval(() => {
      const now = read();
      if (now.atMs - window.atMs > windowMs - readMs / 2) endWindow(now);
    }, readMs).unref();
  }
  /** @type {Watched | undefined} */
  let seen;
  return () => {
    if (seen) return seen;
    notes[0] = 1;
    clearInterval(timer);
    // A standstill may be over for this thread, and not yet for the sentinel's.
    const lateMs = Number(process.hrtime.bigint()) / 1e6 - notes[3] - PERIOD_MS;
    const isLate = lateMs > LATE_MS;
    const now = read();
    if (windowMs !== undefined) endWindow(now);
    return (seen = {
      hasStalled: notes[1] + (isLate ? 1 : 0),
      longestMs: isLate ? Math.max(notes[2], lateMs) : notes[2],
      stolenMs: now.stolenMs - before.stolenMs,
      ...sharesBetween(before, now),
      worst,
    });
  };
}

/**
 * @typedef {{ whole: number, self: number }} OwnTicks  of a process of the run: with those of its
 *   children that have ended, and its own alone
 * @typedef {object} Times  processor times until a reading, in milliseconds
 * @property {number} atMs
 * @property {number} usedMs  of all processes, since the machine's start
 * @property {number} stolenMs  that the host took
 * @property {number} ownMs  of the run's processes, since the first reading
 */

/**
 * The processors that the host and other processes had between two readings.
 * @param {Times} from
 * @param {Times} to
 * @param {number} [leastMs]  time over which they count at least: one tick in a short time, such as
 *   a watch's last window, is no share
 * @returns {Shares}
 */
export function sharesBetween(from, to, leastMs = 1) {
  const elapsedMs = Math.max(leastMs, to.atMs - from.atMs);
  const others = to.usedMs - from.usedMs - (to.ownMs - from.ownMs);
  return {
    stolenShare: (to.stolenMs - from.stolenMs) / elapsedMs,
    othersShare: others / elapsedMs,
  };
}

/** Processor time of the run's processes. What ended between two readings stays in it. */
export class OwnTime {
  /** @type {ReadonlyMap<number, OwnTicks> | null} */
  #last = null;
  #ms = 0;

  /** @param {ReadonlyMap<number, OwnTicks>} own  a reading @returns {number} ms since the first */
  add(own) {
    if (this.#last) this.#ms += TICK_MS * ownBetween(this.#last, own);
    this.#last = own;
    return this.#ms;
  }
}

/**
 * The run's own ticks between two readings. A process that ends gives its ticks to its parent. If
 * the parent has ended before, they leave the run with it, and the times of the others count.
 * @param {ReadonlyMap<number, OwnTicks>} from
 * @param {ReadonlyMap<number, OwnTicks>} to
 */
function ownBetween(from, to) {
  const whole = (/** @type {ReadonlyMap<number, OwnTicks>} */ all) =>
    [...all.values()].reduce((sum, ticks) => sum + ticks.whole, 0);
  const ofThose = [...to].reduce(
    (sum, [pid, { self }]) => sum + Math.max(0, self - (from.get(pid)?.self ?? 0)),
    0,
  );
  return Math.max(whole(to) - whole(from), ofThose);
}

/** @returns {Omit<Times, 'ownMs'> & { own: Map<number, OwnTicks> }} */
function readTimes() {
  try {
    const [user, nice, system, , , irq, softIrq, stolen] = readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]
      .split(/\s+/)
      .slice(1)
      .map(Number);
    const usedMs = (user + nice + system + irq + softIrq) * TICK_MS;
    return {
      atMs: performance.now(),
      usedMs,
      own: ownTicks(),
      stolenMs: stolen * TICK_MS,
    };
  } catch {
    // Only Linux has /proc: elsewhere the sentinel is alone.
    return { atMs: performance.now(), usedMs: 0, own: new Map(), stolenMs: 0 };
  }
}

/**
 * Process of the run, whose children aren't foreign load: this process, or Vitest in tests.
 * Vitest's children are the test files' processes; their load on a measurement is a fault of the
 * tests' arrangement.
 */
const RUN = process.env.VITEST ? process.ppid : process.pid;

/** Processor times of the run's processes, by their ids. @returns {Map<number, OwnTicks>} */
function ownTicks() {
  /** @type {Map<number, OwnTicks & { parent: number }>} */
  const processes = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = fieldsOf(pid);
    // proc(5): the parent is field 4; the times of the process and of its children that have ended
    // are 14 to 17.
    if (!fields) continue;
    const [user, system, childrensUser, childrensSystem] = fields.slice(11, 15).map(Number);
    processes.set(Number(pid), {
      parent: Number(fields[1]),
      whole: user + system + childrensUser + childrensSystem,
      self: user + system,
    });
  }
  const isOwn = (/** @type {number} */ pid) => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) if (at === RUN) return true;
    return false;
  };
  return new Map([...processes].filter(([pid]) => isOwn(pid)));
}

/**
 * @param {string} pid
 * @returns {string[] | null} the fields of its stat from the third on, behind its name; null where
 *   it has ended
 */
function fieldsOf(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
