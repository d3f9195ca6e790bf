/**
 * The memory that one more silent participant takes of the server.
 * @import { Lab } from './lab.js'
 * @import { Scenario } from './scenario.js'
 * @import { Quantity, Sample } from '../report/result.js'
 */

import { targetsTable } from './targets.js';
import { mean, standardDeviation } from '../../testkit/statistics.js';
import { ENOUGH_REPETITIONS } from '../stats/bootstrap.js';
import { studentQuantile } from '../stats/student.js';

/** Participants in the room when memory is read; the others are compared with the first step. */
const STEPS = Object.freeze([100, 300, 500]);

/** Pause before memory is read, in seconds. */
const SETTLE_SECONDS = 3;

/** Target: most memory of a silent participant, in KB of 1 000 bytes. */
const TARGET_KB = 150;

const factors = [{ name: 'participants', label: 'Participants', unit: '' }];

/** @type {Record<string, Quantity>} */
const quantities = {
  rss: { name: 'rss', label: 'Resident memory', unit: 'KB', factors },
  heap: { name: 'heap', label: 'Heap', unit: 'KB', factors },
  external: { name: 'external', label: 'Outside of the heap, known to it', unit: 'KB', factors },
};

/** @type {Scenario} */
export const memory = {
  name: 'memory',
  title: 'Memory of a silent participant',
  description:
    "the server's memory against participants who are silent: what one more of them takes",
  quantities: Object.values(quantities),
  lacks: ['transports', 'duration', 'warmUp', 'browser'],
  defaults: { duration: 1, repetitions: 3, format: 'call', transports: ['webtransport'] },

  async measure(lab) {
    const { repetitions } = lab.options;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const most = STEPS[STEPS.length - 1];
      const crowd = await lab.startCrowd(
        ['--max-participants', String(most), '--max-sessions', String(most + 50)],
        'nothing',
      );
      let there = 0;
      for (const [i, count] of STEPS.entries()) {
        lab.progress(`${count} participants`, (repetition + i / STEPS.length) / repetitions);
        for (; there < count; there++) await crowd.call('join', { id: `P${there}`, room: 'room' });
        await lab.wait(SETTLE_SECONDS);
        await record(lab, repetition, count);
      }
    }
  },

  result(folder) {
    const slopes = Object.values(quantities).map((quantity) => [
      quantity,
      slopeOf(folder.samples(quantity.name)),
    ]);
    const [[, rss]] = /** @type {[Quantity, ReturnType<typeof slopeOf>][]} */ (slopes);
    return {
      title: memory.title,
      summary:
        `People join one room and stay silent; the server's memory is read at ` +
        `${STEPS.join(', ')} of them.`,
      headlines: [
        { label: 'Memory of a silent participant', unit: 'KB', protocol: '', ...rss, digits: 0 },
      ],
      tables: [
        targetsTable([
          {
            what: 'Memory of a silent participant',
            limit: TARGET_KB,
            reached: rss.value,
            unit: 'KB',
            digits: 0,
            why:
              `slope between ${STEPS[0]} and ${STEPS[STEPS.length - 1]} in one room, ` +
              'garbage collected',
          },
        ]),
        {
          name: 'slopes',
          title: 'What one more takes',
          caption:
            'A straight line for each repetition; the mean of their slopes, with its ' +
            'interval (Student).',
          columns: [{ label: 'Memory' }, { label: 'For one more', unit: 'KB', digits: 1 }],
          rows: slopes.map(([quantity, slope]) => [
            /** @type {Quantity} */ (quantity).label,
            /** @type {any} */ (slope),
          ]),
        },
        {
          name: 'steps',
          title: 'Memory at each step',
          columns: [
            { label: 'Participants' },
            ...Object.values(quantities).map(({ label }) => ({ label, unit: 'MB', digits: 1 })),
          ],
          rows: STEPS.map((count) => [
            count,
            ...Object.values(quantities).map(({ name }) =>
              mean(at(folder.samples(name), count).map(({ value }) => value / 1000)),
            ),
          ]),
        },
      ],
      plots: [memoryLine(folder)],
      notes: [
        'A server for each repetition. Before memory is read, garbage is collected wholly; ' +
          'what the allocator keeps for itself counts.',
        "Resident memory holds everything: the codecs', QUIC's and the kernel's share of " +
          'its buffers in the process.',
        'KB are of 1 000 bytes, MB of 1 000 KB.',
      ],
    };
  },
};

/** @param {import('./scenario.js').Samples} folder @returns {import('../report/result.js').Plot} */
const memoryLine = (folder) => ({
  name: 'memoryLine',
  title: 'Memory against participants',
  caption: 'Mean over repetitions.',
  kind: 'line',
  x: { label: 'Participants', unit: '', from: 0 },
  y: { label: 'Memory', unit: 'MB', from: 0 },
  series: Object.values(quantities).map(({ name, label }, variant) => ({
    name: label,
    protocol: '',
    variant,
    points: STEPS.map((count) => [
      count,
      mean(at(folder.samples(name), count).map(({ value }) => value / 1000)),
    ]),
  })),
});

/** @param {Lab} lab @param {number} repetition @param {number} participants */
async function record(lab, repetition, participants) {
  const { rss, heapUsed, external } = await lab.server.call('memory', { collect: true });
  const values = { rss, heap: heapUsed, external };
  for (const [name, bytes] of Object.entries(values)) {
    lab.folder.record(name, {
      protocol: '',
      repetition,
      client: '',
      atMs: lab.folder.elapsedMs,
      value: bytes / 1000,
      factors: { participants },
    });
  }
}

/** @param {readonly Sample[]} samples @param {number} count */
const at = (samples, count) =>
  samples.filter(({ factors: { participants } = {} }) => participants === count);

/**
 * @param {readonly Sample[]} samples
 * @returns {{ value: number, interval?: readonly [number, number] }} for one participant more
 */
function slopeOf(samples) {
  const repetitions = [...new Set(samples.map(({ repetition }) => repetition))];
  const slopes = repetitions
    .map((repetition) => {
      const of = (/** @type {number} */ count) =>
        at(samples, count).find((sample) => sample.repetition === repetition)?.value ?? NaN;
      const [first, last] = [STEPS[0], STEPS[STEPS.length - 1]];
      return (of(last) - of(first)) / (last - first);
    })
    .filter(Number.isFinite);
  const value = mean(slopes);
  if (slopes.length < ENOUGH_REPETITIONS) return { value };
  const reach =
    (studentQuantile(0.975, slopes.length - 1) * standardDeviation(slopes)) /
    Math.sqrt(slopes.length);
  const [least, most] = [Math.min(...slopes), Math.max(...slopes)];
  return { value, interval: [Math.max(least, value - reach), Math.min(most, value + reach)] };
}
