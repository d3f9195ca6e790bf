import { describe, expect, it } from 'vitest';
import { crowd } from '../../scenarios/crowd.js';
import { starved } from '../../scenarios/starved.js';
import { stragglers } from '../../scenarios/stragglers.js';
import { intervalWords } from '../../scenarios/targets.js';
import { seededRandom as random } from '../../../testkit/random.js';

const REPETITIONS = [0, 1, 2, 3, 4];

/**
 * A run's folder with samples, each as a function of the repetition.
 * @param {{ name: string, factors: Record<string, string>, client?: string, valueOf: (repetition:
 *   number) => number, times?: number }[]} quantities
 */
function folderOf(quantities) {
  const noise = random(3);
  const samples = quantities.flatMap(({ name, factors, client = '', valueOf, times = 20 }) =>
    REPETITIONS.flatMap((repetition) =>
      Array.from({ length: times }, (_, i) => ({
        name,
        factors,
        client,
        repetition,
        protocol: '',
        atMs: 1000 * repetition + i,
        value: valueOf(repetition) + noise() / 10,
      })),
    ),
  );
  return /** @type {any} */ ({
    samples: (/** @type {string} */ name) => samples.filter((sample) => sample.name === name),
  });
}

/**
 * The rows of a result's targets: figure, target, reached, met, remark.
 * @param {any} scenario
 * @param {any} folder
 * @param {object} options
 */
const targetsIn = (scenario, folder, options) =>
  scenario
    .result(folder, { seed: 1, ...options })
    .tables.find((/** @type {any} */ { name }) => name === 'targets').rows;

const INTERVAL = /95 % from -?[\d.]+ to -?[\d.]+/;

describe('targets with intervals', () => {
  it('of stragglers judge each of the nine alone, and take the worst as the figure', () => {
    const near = Array.from({ length: 9 }, (_, i) => `near-${i + 1}`);
    const people = (/** @type {string} */ name, /** @type {number} */ moreMs) => [
      {
        name: 'serverDelay',
        factors: { people: name },
        valueOf: (/** @type {number} */ r) => 10 + r + moreMs,
      },
      ...near.map((client, i) => ({
        name: 'heard',
        factors: { people: name },
        client,
        valueOf: (/** @type {number} */ r) => 20 + 2 * r + (moreMs > 0 && i === 3 ? 7 : moreMs),
      })),
    ];
    const received = {
      name: 'received',
      factors: { people: 'ten' },
      client: 'tenth',
      valueOf: () => 99.4,
      times: 1,
    };
    const rows = targetsIn(
      stragglers,
      folderOf([
        ...people('nine', 0),
        ...people('ten', 2),
        ...people('ten, one clock', 100),
        ...people('ten, one hostile', 1),
        received,
      ]),
      {},
    );
    expect(rows.map((/** @type {string[]} */ [, limit, , met]) => [limit, met])).toEqual([
      ['≤ 5.0 ms', 'met'],
      ['≤ 5.0 ms', 'met'],
      ['≤ 5.0 ms', 'not met'],
      ['≤ 5.0 ms', 'met'],
      ['≥ 99.00 %', 'met'],
    ]);
    for (const [, , , , why] of rows) expect(why).toMatch(INTERVAL);
    // A disturbance affects all cases of a repetition: paired, the repetitions' own differences are
    // out of the interval.
    const [, low, high] = /** @type {RegExpExecArray} */ (
      /from ([\d.]+) to ([\d.]+)/.exec(rows[0][4])
    );
    expect(Number(high) - Number(low)).toBeLessThan(0.5);
    expect(rows[2][4]).toMatch(/^near-4; /);
  });

  it('of a machine without time', () => {
    const machines = ['shared core', 'three', 'one starved'];
    const folder = folderOf(
      machines.flatMap((machine, i) => [
        { name: 'added', factors: { machine }, valueOf: () => 50 },
        {
          name: 'present',
          factors: { machine },
          valueOf: (/** @type {number} */ r) => 99 + r / 10,
          times: 1,
        },
        { name: 'serverDelay', factors: { machine }, valueOf: () => 5 + 3 * i },
      ]),
    );
    const rows = targetsIn(starved, folder, { machines, settle: 5 });
    expect(rows.map((/** @type {string[]} */ [, limit, , met]) => [limit, met])).toEqual([
      ['≥ 99.00 %', 'met'],
      ['≤ 150 ms', 'met'],
      ['≤ 5.0 ms', 'met'],
    ]);
    for (const [, , , , why] of rows) expect(why).toMatch(INTERVAL);
  });

  it('of rooms of many, musicians among them', () => {
    const rooms = '25/25k25f2.5';
    const folder = folderOf([
      { name: 'serverCpu', factors: { rooms }, valueOf: (r) => 60 + r, times: 1 },
      { name: 'tickLateness', factors: { rooms }, valueOf: () => 0.5 },
      { name: 'received', factors: { rooms }, valueOf: () => 99.95 },
    ]);
    const rows = targetsIn(crowd, folder, { cases: [rooms], complexity: '8' });
    expect(rows.map((/** @type {string[]} */ [what, limit, , met]) => [what, limit, met])).toEqual([
      [
        'CPU, one room of 25, all talk, 25 mixed, complexity 8, frames of 2.5 ms',
        '≤ 1.00 cores',
        'met',
      ],
      [
        "Tick's lateness p99, one room of 25, all talk, 25 mixed, complexity 8, frames of 2.5 ms",
        '≤ 5.0 ms',
        'met',
      ],
      [
        'Received, one room of 25, all talk, 25 mixed, complexity 8, frames of 2.5 ms',
        '≥ 99.90 %',
        'met',
      ],
    ]);
    for (const [, , , , why] of rows) expect(why).toMatch(INTERVAL);
  });

  it('say so where there is none', () => {
    expect(intervalWords({ estimate: NaN, low: NaN, high: NaN }, 'ms', 1)).toBe('no interval');
  });
});
