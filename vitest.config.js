import { defineConfig } from 'vitest/config';
import { REAL_TIME } from './testkit/vitest/real-time.js';

/*
 * A test file's name says how it runs, in this order:
 *
 *   .measured  measures over real sockets, at most one other such file beside it
 *   .alone     measures or records sound with nothing else beside it
 *   .long      runs under `npm run test:long` only
 *   .longer    runs under both, and under `npm run test:long` for longer, or in more kinds
 *              (test/support/long.js)
 *   .browsers  runs under `npm run test:browsers` too, in each browser
 *   .others    runs under `npm run test:browsers` only, in browsers other than Chromium
 *   .interop   needs other people's programs: `npm run test:interop`
 */

const isLong = Boolean(process.env.ALOUD_TEST_LONG);
const isChromium = process.env.ALOUD_TEST_BROWSER !== 'firefox';

/**
 * The files of a folder that run with this command.
 * @param {string} folder
 * @param {string} [kind] for example `.alone`, to take these alone
 */
function filesOf(folder, kind = '') {
  return {
    include: [`${folder}/**/*${kind}${isLong ? '.long' : ''}*.test.js`],
    exclude: [
      ...(kind ? [] : ['**/*.{measured,alone}.*']),
      ...(isLong ? [] : ['**/*.long.*']),
      '**/*.{others,interop}.*',
    ],
  };
}

/**
 * Fails a test whose page met an error. A browser stands still now and then: its tests get a second
 * try, which the end of the run names with the reason. Unit and integration tests get none.
 */
const IN_BROWSER = { setupFiles: ['test/browser/support/no-problems.js'], retry: 1 };

/**
 * The order of a project without a browser, and its number of workers. Its long tests are few and
 * wait more than they compute: those of all three projects run at once.
 * @param {number} groupOrder
 * @param {number | string} maxWorkers
 */
const inTurn = (groupOrder, maxWorkers) => ({
  sequence: { groupOrder: isLong ? 0 : groupOrder },
  maxWorkers: isLong ? 3 : maxWorkers,
});

/** A limit for each test, in milliseconds. */
const TIMEOUT = { testTimeout: isLong ? 240_000 : REAL_TIME.testTimeout };

/**
 * The projects run one after another, so that nothing else uses the processors while sound is
 * measured.
 */
export default defineConfig({
  test: {
    reporters: ['default', './testkit/vitest/reporter.js'],
    projects: [
      {
        test: {
          name: 'unit',
          ...filesOf('test/unit'),
          // Simulations of minutes need processor time, of which a busy machine has little.
          testTimeout: isLong ? 240_000 : 60_000,
          isolate: false,
          // Vitest leaves one processor to itself otherwise: of two, that is half.
          ...inTurn(0, '100%'),
          setupFiles: ['testkit/vitest/fresh-modules.js'],
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...TIMEOUT,
          name: 'integration',
          ...filesOf('test/integration'),
          isolate: false,
          // These tests wait more than they compute.
          ...inTurn(1, 4),
          maxConcurrency: 3,
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...TIMEOUT,
          name: 'measured',
          ...filesOf('test/integration', '.measured'),
          isolate: false,
          // One for each of two processors, of which each uses a part.
          ...inTurn(2, 2),
          maxConcurrency: 3,
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          ...TIMEOUT,
          name: 'browser',
          ...filesOf('test/browser'),
          env: { ALOUD_TEST_QUICK_START: '1' },
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          ...TIMEOUT,
          name: 'alone',
          ...filesOf('test/{integration,browser}', '.alone'),
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        // Each attack has a server and a room beside it. Attacks that cost the processors much run
        // alone, the others three at once.
        test: {
          ...REAL_TIME,
          name: 'hostile',
          include: ['test/hostile/**/*.test.js'],
          fileParallelism: false,
          maxConcurrency: 3,
          sequence: { groupOrder: 5 },
        },
      },
      {
        // Other people's clients, built first: minutes, and some of them from registries.
        test: {
          ...REAL_TIME,
          name: 'interop',
          include: ['test/interop/**/*.test.js', 'test/integration/**/*.interop.test.js'],
          hookTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          setupFiles: [...IN_BROWSER.setupFiles, 'test/browser/support/tell-browser.js'],
          name: 'browsers',
          include: [`test/browser/**/*.${isChromium ? 'browsers' : '{browsers,others}'}.test.js`],
          env: { ALOUD_TEST_LONG: '1', ALOUD_TEST_SHORT: '1' },
          testTimeout: 240_000,
          fileParallelism: false,
          sequence: { groupOrder: 7 },
        },
      },
    ],
  },
});
