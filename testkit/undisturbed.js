/**
 * Tells the code's faults from the machine's. A test in real time fails without processor time,
 * whatever the code does. Such a measurement is no verdict, and is repeated.
 *
 * @import { RunnerTestCase as Task } from 'vitest'
 * @import { Disturbance } from './machine.js'
 */

import { TestRunner } from 'vitest';
import { describeDisturbance, watchMachine } from './machine.js';

/** The number of measurements before the machine is given up. */
const TRIES = 4;

/**
 * A host that takes more than this, in processors, does so the next time too: it is measured once
 * more, no oftener.
 */
const STOLEN_SHARE = 0.2;

/**
 * Interval at which the processors' times are read, in milliseconds. A browser's children end
 * within a measurement, and what they used is the run's up to the last reading.
 */
const READ_MS = 1000;

const watchOften = () => watchMachine({ windowMs: READ_MS });

/** Messages of JavaScript about code that can't run, on any machine. */
const BROKEN = /is not a (?:function|constructor)|is not defined|Cannot read properties of/;

/**
 * Runs a measurement with its assertions. If they fail on an undisturbed machine, or the code can't
 * run, the code is at fault, and the test fails at once. After a disturbance it says so and repeats
 * the measurement, within the test's time limit. It tries `TRIES` times at most, or twice if the
 * host took much. If every try was disturbed there is no verdict: the test is skipped, and named at
 * the run's end.
 *
 * @template T
 * @param {() => Promise<T>} measure can be run several times
 * @param {() => unknown} [cleanUp] closes what a failed measurement left, before the next
 * @param {object} [options]
 * @param {Task} [options.task] the test, which must be given where several run at once
 * @param {() => Promise<() => Disturbance>} [options.watch] watches the machine during one
 *   measurement
 * @returns {Promise<T>} result of the measurement
 * @throws {Error} error of the measurement on an undisturbed machine
 */
export async function undisturbed(
  measure,
  cleanUp = () => {},
  { task = TestRunner.getCurrentTest(), watch = watchOften } = {},
) {
  const fromMs = performance.now();
  for (let tries = 1; ; tries += 1) {
    const endWatch = await watch();
    try {
      return await measure();
    } catch (error) {
      const disturbance = endWatch();
      const what = describeDisturbance(disturbance);
      if (!what) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (BROKEN.test(message)) throw error;
      const seen = `"${message.split('\n')[0]}"`;
      if (!task) throw error;
      const wouldTakeMs = ((performance.now() - fromMs) / tries) * (tries + 1);
      const most = disturbance.stolenShare > STOLEN_SHARE ? 2 : TRIES;
      if (tries >= most || wouldTakeMs > task.timeout)
        task.context.skip(
          `no verdict in ${tries} measurements: the last time ${what}, and ${seen}`,
        );
      const meta = /** @type {any} */ (task.meta);
      (meta.measuredAgain ??= []).push(`${what}: measured again after ${seen}`);
      await cleanUp();
    } finally {
      endWatch();
    }
  }
}

/**
 * Runs a test that is one of several at once as `undisturbed` does, and closes what it opened after
 * each try.
 * @param {{ task: Task }} context the test's
 * @param {(test: { onTestFinished: (close: () => Promise<void>) => void }) => Promise<void>} run
 * @param {() => Promise<() => Disturbance>} [watch]
 */
export async function undisturbedTest({ task }, run, watch) {
  /** @type {(() => Promise<void>)[]} */
  const open = [];
  const cleanUp = async () => {
    for (const close of open.splice(0).reverse()) await close();
  };
  try {
    await undisturbed(() => run({ onTestFinished: (close) => void open.push(close) }), cleanUp, {
      task,
      watch,
    });
  } finally {
    await cleanUp();
  }
}
