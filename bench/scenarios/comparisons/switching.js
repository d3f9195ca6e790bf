/**
 * A talker that changes from datagrams to a stream and back, beside talkers that stay with one.
 * Their path first loses packets, and then has too little rate.
 * @import { Swept } from './grid-scenario.js'
 */

import { wholeNumber } from '../../options.js';
import { factors } from './grid.js';
import { GRID_NOTES } from './grid-result.js';
import { gridScenario } from './grid-scenario.js';
import { QUEUE_MS } from './sweep.js';

/** Rates of each leg, in kbit/s: more than any way needs, and less than a stream does. */
const ENOUGH_KILOBITS = 1000;
const NARROW_KILOBITS = 70;

/** The shortest phase: the talker looks at 3 s of its path. */
const LEAST_PHASE_SECONDS = 6;

/** R in each phase of a block. */
const PHASES = Object.freeze(
  [
    ['ratingClear', 'R, clear'],
    ['ratingLossy', 'R, lossy'],
    ['ratingNarrow', 'R, narrow'],
    ['ratingClearAgain', 'R, clear again'],
  ].map(([name, label]) => ({
    of: { name, label, unit: '', factors },
    label,
    unit: '',
    digits: 1,
  })),
);

const rate = (/** @type {number} */ kilobits) => ({ rateBits: 1000 * kilobits });

/** @type {readonly Swept[]} */
const SWEEPS = Object.freeze([
  {
    name: 'loss',
    label: `Loss on each leg in the second of four phases, before ${NARROW_KILOBITS} kbit/s`,
    unit: '%',
    stands:
      'sections 2.2.3 and 5.2.1 of Paterson (2022), of which the first would take datagrams in ' +
      'place of streams while a network is unstable, and the second the reverse',
    values: [2, 5, 10],
    more: PHASES,
    condition(lossPercent, { options }) {
      const { phaseSeconds } = /** @type {any} */ (options);
      const atMs = (/** @type {number} */ phase) => 1000 * phaseSeconds * phase;
      return {
        leg: { ...rate(ENOUGH_KILOBITS), queueMs: QUEUE_MS, delayMs: 10 },
        seconds: PHASES.length * phaseSeconds,
        steps: [
          { atMs: atMs(1), changes: { lossPercent } },
          { atMs: atMs(2), changes: { lossPercent: 0, ...rate(NARROW_KILOBITS) } },
          { atMs: atMs(3), changes: rate(ENOUGH_KILOBITS) },
        ],
        phases: PHASES.map(({ of }) => of),
      };
    },
  },
]);

const WAYS = Object.freeze(['switching', 'datagrams', 'stream', 'redundant-datagrams', 'rtp']);

export const switching = gridScenario({
  name: 'switching',
  title: 'A talker that changes between datagrams and a stream',
  description:
    'datagrams, a stream, and a talker that takes the stream while its path loses packets: a ' +
    'path that is clear, lossy, narrow, and clear again (Paterson 2022)',
  sweeps: SWEEPS,
  ways: WAYS,
  allowed: WAYS,
  // A block is as long as its phases.
  lacks: ['transports', 'duration', 'warmUp', 'browser'],
  notes: [
    'A block has four phases, one after another: clear, lossy, narrow (70 kbit/s), and clear ' +
      'again. R of a phase is of its frames, as the playout comes into it from the one before.',
    'switching looks at its connection five times a second. If of the packets of the last 3 s ' +
      'more than 2 % were lost, and the round trip is at most 150 ms and shows no queue (60 ms ' +
      'over the shortest), it takes the stream. It goes back to datagrams at once where a queue ' +
      'shows, and after 3 s with less than 0.5 % lost; what waits on the stream then is reset. ' +
      'Each hop decides for itself.',
    ...GRID_NOTES,
  ],
  addOptions: (command) =>
    void command.option(
      '--phase-seconds <seconds>',
      'how long each of the four phases lasts',
      wholeNumber(LEAST_PHASE_SECONDS, 600),
      12,
    ),
});
