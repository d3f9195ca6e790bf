/** A quick run of `setup` on a clock of its own. */

import { expect, it, vi } from 'vitest';

/** Seconds that have passed. */
const clock = vi.hoisted(() => ({ seconds: 0 }));

vi.mock('../../setup/joiner.js', () => {
  class ClientJoiner {
    /** @param {any} lab */
    constructor(lab) {
      this.open = async () => lab.options.transports;
    }

    async prepare() {}

    async join() {
      clock.seconds += 0.8;
      return { total: 100, joined: 50, parts: {}, isResumed: true };
    }

    async leave() {}

    async load() {
      return { latenessMs: [0], cpuPercent: 1 };
    }

    async close() {}
  }
  return { ClientJoiner, PageJoiner: ClientJoiner, patienceOf: () => 5 };
});

const { setup } = await import('../../scenarios/comparisons/setup.js');
const { QUICK_SECONDS } = await import('../../scenarios/durations.js');
const { scenarioCommand } = await import('../../scenarios/scenario-command.js');

it('many conditions end within a minute too, and those that had no time are named', async () => {
  const options = scenarioCommand(setup)
    .parse(['--quick', '--round-trips', '0,20,50,100,200', '--losses', '1,3,10'], { from: 'user' })
    .opts();
  /** @type {string[]} */
  const warnings = [];
  const take = (/** @type {number} */ more) => async () => void (clock.seconds += more);
  await setup.measure(
    /** @type {any} */ ({
      options,
      link: {
        isEmulated: true,
        set: take(0),
        reset: take(0),
        stats: async () => null,
        ping: async () => {
          clock.seconds += 1.3;
          return { minMs: 50 };
        },
      },
      folder: {
        warn: (/** @type {string} */ warning) => warnings.push(warning),
        record: () => {},
        get elapsedMs() {
          return 1000 * clock.seconds;
        },
      },
      signal: new AbortController().signal,
      progress: () => {},
      tellGenerator: () => {},
      wait: async (/** @type {number} */ more) => void (clock.seconds += more),
    }),
  );
  expect(clock.seconds).toBeLessThan(QUICK_SECONDS);
  expect(warnings).toContain('There was no time left for 50 ms, 1000 kbit/s.');
});
