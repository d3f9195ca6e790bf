import { defineConfig } from 'vitest/config';

/**
 * The three kinds of test run one kind after another, so that a browser's sound isn't measured while
 * others use the processor. What goes over real sockets, or through a browser, is in real time, and gets a
 * second try where the machine stood still; unit tests own their time and get none.
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
          name: 'integration',
          include: ['test/integration/**/*.test.js'],
          testTimeout: 30_000,
          retry: 1,
          hookTimeout: 30_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.js'],
          testTimeout: 90_000,
          retry: 1,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
