import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/*
 * A test file's name says how it runs, in this order:
 *
 *   .measured  measures over real sockets or in a browser, a few such files at once
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

/** Tests wait for what comes late: see the file. Its place is for the lab's tests, too. */
const PATIENCE = fileURLToPath(new URL('testkit/vitest/patience.js', import.meta.url));

/** Time and interval of expect.poll(), in milliseconds. */
const POLL = { timeout: 10_000, interval: 100 };

/**
 * Fails a test whose page met an error. A browser stands still now and then: its tests get a second
 * try, which the end of the run names with the reason. Unit and integration tests get none.
 */
const IN_BROWSER = { setupFiles: [PATIENCE, 'test/browser/support/no-problems.js'], retry: 1 };

/**
 * Tests that measure nothing run first, those of all projects at once: while one waits, another
 * computes. Integration tests begin, and unit tests, which are short, come last and fill what the
 * others leave of both processors.
 */
const TOGETHER = {
  sequence: { groupOrder: 0 },
  maxWorkers: Math.max(4, availableParallelism()),
  isolate: false,
};

/**
 * Tests that measure while others do: each uses a part of one processor. Of those in browsers,
 * which are all long, two use both.
 */
const MEASURED = { sequence: { groupOrder: 1 }, maxWorkers: isLong ? 2 : 3, isolate: false };

/**
 * Settings of projects that run in real time, over sockets or in browsers. They give a busy machine
 * time, and repeat a disturbed measurement (testkit/undisturbed.js).
 */
export const REAL_TIME = {
  hookTimeout: 120_000,
  testTimeout: 120_000,
  setupFiles: [PATIENCE],
  expect: { poll: POLL },
};

/** A limit for each test, in milliseconds. */
const TIMEOUT = { testTimeout: isLong ? 240_000 : REAL_TIME.testTimeout };

/**
 * Projects that begin. Vitest goes by the projects' names, and theirs would come last, with nothing
 * else beside them. An integration test takes minutes, and the long unit tests simulate hours.
 */
const FIRST = isLong ? ['integration', 'unit'] : ['integration'];

class Sequencer extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const place = (/** @type {import('vitest/node').TestSpecification} */ { project }) =>
      2 * project.config.sequence.groupOrder + Number(!FIRST.includes(project.name));
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

/** Three groups of projects run one after another, each with less beside a test than the last. */
export default defineConfig({
  test: {
    reporters: ['default', './testkit/vitest/reporter.js'],
    sequence: { sequencer: Sequencer },
    projects: [
      {
        test: {
          name: 'unit',
          ...filesOf('test/unit'),
          // Simulations of minutes need processor time, of which a busy machine has little.
          testTimeout: isLong ? 240_000 : 60_000,
          hookTimeout: 60_000,
          ...TOGETHER,
          setupFiles: ['testkit/vitest/fresh-modules.js', PATIENCE],
          expect: { poll: { timeout: POLL.timeout } },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...TIMEOUT,
          name: 'integration',
          ...filesOf('test/integration'),
          ...TOGETHER,
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
          ...TOGETHER,
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...TIMEOUT,
          name: 'measured',
          ...filesOf('test/integration', '.measured'),
          ...MEASURED,
          maxConcurrency: 3,
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          ...TIMEOUT,
          name: 'measured-browser',
          ...filesOf('test/browser', '.measured'),
          ...MEASURED,
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
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Each attack has a server and a room beside it. Attacks that cost the processors much run
        // alone, the others three at once.
        test: {
          ...REAL_TIME,
          name: 'hostile',
          include: ['test/hostile/**/*.test.js'],
          isolate: false,
          fileParallelism: false,
          maxConcurrency: 3,
          sequence: { groupOrder: 3 },
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
          sequence: { groupOrder: 4 },
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
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
});
