import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/** Tests that hear or measure in a browser: nothing else may use the processors meanwhile. */
const SOUND = ['test/browser/sound/sound.test.js', 'test/browser/sound/forward.test.js'];

/**
 * What measures over real sockets, without a browser: those that ask test/support/undisturbed.js.
 */
const MEASURED = [
  'cluster',
  'forward',
  'listeners',
  'native/congestion',
  'programs',
  'quality',
  'social',
  'stereo',
  'stuck',
  'workers',
].map((name) => `test/integration/${name}.test.js`);

/** Measuring tests that a few milliseconds of another test spoil. */
const ALONE = ['test/integration/start-stop.test.js'];

/**
 * The lab, whose figures are looked at. This and what follows is in `npm run test:all`, and not in
 * `npm test`.
 */
const LAB = ['test/integration/bench/**/*.test.js'];

/** Others' players and converters, where they are installed. */
const OF_OTHERS = ['listen-players', 'sound-kinds'].map(
  (name) => `test/integration/${name}.test.js`,
);

/** Files that install, run several servers, or make networks. */
const LONG = [
  'drain',
  'local-cluster',
  'narrow-path',
  'package',
  'portable-state',
  'worker-faults',
].map((name) => `test/integration/${name}.test.js`);

/**
 * Calls that are cut off for long, devices that come and go, stereo, what moderators and the
 * operator do, looks at many pages, and players of a room's link.
 */
const LONG_BROWSER = [
  'admin',
  'carry',
  'cluster',
  'comeback',
  'devices',
  'everyone',
  'listen-link',
  'listeners',
  'moderation',
  'one-tab',
  'phone',
  'recording-view',
  'signs',
  'stereo',
  'survey',
  'together',
].map((name) => `test/browser/${name}.test.js`);

/** The lab in a browser: its pages wait more than they work. */
const LAB_BROWSER = ['lab', 'lab-browser', 'lab-delays'].map(
  (name) => `test/browser/${name}.test.js`,
);

/** Tests that listen, or measure sound, for long. */
const LONG_SOUND = [
  'sound/backing-track',
  'sound/lab',
  'sound/microphone-modes',
  'sound/nearness',
  'sound/stall',
  'sound/steady',
  'sound/stereo',
  'sound/thin-uplink',
].map((name) => `test/browser/${name}.test.js`);

/** Tests that are run in each browser that there is: `npm run test:browsers`. */
const IN_EACH = ['sound/sound', 'comeback', 'moderation', 'page'].map(
  (name) => `test/browser/${name}.test.js`,
);

/** Tests in browsers other than Chromium alone. */
const IN_OTHERS = ['sound/no-speaker', 'webkit'].map((name) => `test/browser/${name}.test.js`);
const isChromium = process.env.ALOUD_TEST_BROWSER !== 'firefox';

/**
 * Tests that run longer, or in more kinds, under `npm run test:long`: they ask
 * test/support/long.js.
 */
const LONGER = [
  'test/integration/cluster.test.js',
  'test/integration/listeners.test.js',
  'test/unit/client/clock/drift.test.js',
  'test/unit/client/playout/loss-presence.test.js',
  'test/integration/comeback.test.js',
  'test/integration/conference.test.js',
];
const LONGER_BROWSER = ['test/browser/broadcast.test.js', 'test/browser/presence.test.js'];

/**
 * Fails a test in which a page met an error. A browser is a machine of its own, which stands still
 * now and then: its tests get a second try, which the end of the run names with the reason. Unit
 * and integration tests get none.
 */
const IN_BROWSER = { setupFiles: ['test/browser/support/no-problems.js'], retry: 1 };

/**
 * Real sockets and browsers are in real time: a busy machine takes its time, and a measurement that
 * it disturbed is made again (test/support/undisturbed.js).
 */
const REAL_TIME = {
  hookTimeout: 60_000,
  testTimeout: 120_000,
  expect: { poll: { timeout: 10_000, interval: 100 } },
};

/** The files that take longest, longest first. */
const SLOW = [
  'integration/bench/ways',
  'integration/cluster',
  'integration/bench/link',
  'browser/comeback',
  'browser/lab',
  'browser/together',
  'browser/failures',
  'browser/recording-view',
  'browser/moderation',
  'browser/lab-browser',
  'browser/everyone',
  'browser/signs',
  'browser/green-room',
  'browser/call',
  'browser/devices',
  'browser/lab-delays',
  'browser/page',
  'browser/admin',
  'browser/one-tab',
  'browser/carry',
  'browser/phone',
  'browser/presence',
  'integration/portable-state',
  'integration/narrow-path',
  'integration/forward',
  'integration/package',
  'integration/bench/lab',
  'integration/conference',
  'integration/cli',
  'integration/comeback',
  'integration/quality',
  'integration/programs',
  'integration/stuck',
  'integration/listeners',
  'integration/worker-faults',
  'integration/access',
  'unit/room/room-delay',
  'unit/client/playout/playout',
  'unit/recording/recording',
  'unit/client/playout/steadiness',
].map((name) => `/test/${name}.test.js`);

/**
 * Begins with the files that take longest, so that at a project's end no worker is left alone with
 * one of them.
 */
class SlowestFirst extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const groupOf = (/** @type {import('vitest/node').TestSpecification} */ { project }) =>
      project.config.sequence.groupOrder;
    const rankOf = (/** @type {import('vitest/node').TestSpecification} */ { moduleId }) => {
      const rank = SLOW.findIndex((name) => moduleId.endsWith(name));
      return rank < 0 ? SLOW.length : rank;
    };
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
  }
}

/**
 * The kinds of test run one after another, so that a browser's sound isn't measured while others
 * use the processors. Those of one order run as one: none waits for the other's last file.
 */
export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.js'],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.js'],
          // Simulations of minutes take processor time, and a busy machine has little.
          testTimeout: 60_000,
          isolate: false,
          // Vitest leaves one processor to itself otherwise: of two, that is half.
          maxWorkers: '100%',
          setupFiles: ['test/support/fresh-modules.js'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          name: 'integration',
          include: ['test/integration/**/*.test.js'],
          exclude: [...OF_OTHERS, ...LONG, ...LAB, ...MEASURED, ...ALONE],
          isolate: false,
          // They wait more than they work: all together take 90 s of a processor, and 110 s three
          // at a time.
          maxWorkers: 4,
          maxConcurrency: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          name: 'measured',
          include: MEASURED,
          isolate: false,
          // One for each of two processors, of which each uses a part.
          maxWorkers: 2,
          maxConcurrency: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          name: 'alone',
          include: ALONE,
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          name: 'browser',
          include: ['test/browser/**/*.test.js'],
          exclude: [...SOUND, ...LONG_BROWSER, ...LAB_BROWSER, ...LONG_SOUND, ...IN_OTHERS],
          env: { ALOUD_TEST_QUICK_START: '1' },
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          name: 'sound',
          include: SOUND,
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          name: 'long',
          include: [...LONG, ...LONGER],
          env: { ALOUD_TEST_LONG: '1' },
          isolate: false,
          testTimeout: 240_000,
          // They wait more than they work, and so does the lab.
          maxWorkers: 3,
          maxConcurrency: 3,
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          name: 'long-browser',
          include: [...LONG_BROWSER, ...LONGER_BROWSER],
          env: { ALOUD_TEST_LONG: '1', ALOUD_TEST_QUICK_START: '1' },
          isolate: false,
          testTimeout: 240_000,
          maxWorkers: 3,
          sequence: { groupOrder: 7 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          name: 'lab',
          include: LAB,
          isolate: false,
          testTimeout: 240_000,
          maxWorkers: 3,
          maxConcurrency: 3,
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          name: 'lab-browser',
          include: LAB_BROWSER,
          env: { ALOUD_TEST_LONG: '1' },
          isolate: false,
          testTimeout: 240_000,
          maxWorkers: 3,
          sequence: { groupOrder: 7 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          name: 'long-sound',
          include: [...LONG_SOUND, ...SOUND, ...ALONE],
          env: { ALOUD_TEST_LONG: '1' },
          isolate: false,
          testTimeout: 240_000,
          fileParallelism: false,
          sequence: { groupOrder: 8 },
        },
      },
      {
        // Each attack has a server and a room beside it. Those that cost the processors much run
        // alone, the others three at once.
        test: {
          ...REAL_TIME,
          name: 'hostile',
          include: ['test/hostile/**/*.test.js'],
          fileParallelism: false,
          maxConcurrency: 3,
          sequence: { groupOrder: 9 },
        },
      },
      {
        // Clients of others' making, built at first: minutes, and some of them from registries.
        test: {
          ...REAL_TIME,
          name: 'interop',
          include: ['test/interop/**/*.test.js', ...OF_OTHERS],
          hookTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 10 },
        },
      },
      {
        test: {
          ...REAL_TIME,
          ...IN_BROWSER,
          name: 'browsers',
          setupFiles: [...IN_BROWSER.setupFiles, 'test/browser/support/tell-browser.js'],
          include: [...IN_EACH, ...(isChromium ? [] : IN_OTHERS)],
          env: { ALOUD_TEST_LONG: '1', ALOUD_TEST_SHORT: '1' },
          testTimeout: 240_000,
          fileParallelism: false,
          sequence: { groupOrder: 11 },
        },
      },
    ],
  },
});
