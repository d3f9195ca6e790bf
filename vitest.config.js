import { defineConfig } from 'vitest/config';

/** What hears or measures in a browser: nothing else may use the processors meanwhile. */
const SOUND = ['sound', 'steady', 'stereo', 'lab', 'lab-browser'].map((name) => `test/browser/${name}.test.js`);

/** Fails a test in which a page met an error. */
const IN_BROWSER = { setupFiles: ['test/browser/support/no-problems.js'] };

/** What goes over real sockets, or through a browser, is in real time: a busy machine may take its time. */
const REAL_TIME = { retry: 1, hookTimeout: 60_000, expect: { poll: { timeout: 10_000 } } };

/**
 * The kinds of test run one kind after another, so that a browser's sound isn't measured while others use the
 * processors. What is in real time gets a second try where the machine stood still; unit tests own their time
 * and get none.
 */
export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.js'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.js'],
          // Simulations of hours take processor time, and a busy machine has little.
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          name: 'integration',
          include: ['test/integration/**/*.test.js'],
          testTimeout: 30_000,
          maxWorkers: 2,
          maxConcurrency: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          name: 'browser',
          include: ['test/browser/**/*.test.js'],
          exclude: SOUND,
          testTimeout: 90_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          name: 'sound',
          include: SOUND,
          testTimeout: 90_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
