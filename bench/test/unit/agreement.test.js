import { expect, it } from 'vitest';
import { orderTable } from '../../report/agreement.js';
import { seededRandom } from '../../../testkit/random.js';

const RATING = {
  name: 'rating',
  label: 'R',
  unit: '',
  factors: [
    { name: 'sweep', label: 'Sweep', unit: '' },
    { name: 'at', label: 'At', unit: '' },
  ],
};

/**
 * A run with these ratings by way, at losses of 0, 1, … percent.
 * @param {Record<string, number[]>} ratings
 * @param {number} [repetitions]
 */
const run = (ratings, repetitions = 5) => ({
  samples: new Map([
    [
      'rating',
      Object.entries(ratings).flatMap(([protocol, values]) =>
        values.flatMap((value, at) =>
          Array.from({ length: repetitions }, (_, repetition) => ({
            protocol,
            repetition,
            client: '',
            atMs: 0,
            value: value + (repetition % 2),
            factors: { sweep: 'loss', at },
          })),
        ),
      ),
    ],
  ]),
});

/** @param {ReturnType<typeof run>[]} runs */
const rowsOf = (...runs) =>
  orderTable([RATING, { ...RATING, name: 'other' }], runs, seededRandom(1)).rows;

it('runs order pairs alike, or show a difference in one alone, or in none, or either way', () => {
  const first = run({ datagrams: [100, 100, 100, 100], stream: [90, 90, 100, 90] });
  const second = run({ datagrams: [80, 100, 100, 80], stream: [70, 100, 100, 90] });
  expect(rowsOf(first, second)).toEqual([
    ['R', 4, 1, 1, 1, 1, 'loss 3: WebTransport datagrams, WebTransport on one stream'],
  ]);
});

it('only what two runs have in five repetitions is compared', () => {
  const whole = run({ datagrams: [100], stream: [90] });
  expect(rowsOf(whole, run({ datagrams: [100], websocket: [90] }))).toEqual([]);
  expect(rowsOf(whole, run({ datagrams: [100], stream: [90] }, 4))).toEqual([]);
  expect(rowsOf(whole, whole, run({ stream: [90] }))).toEqual([['R', 1, 1, 0, 0, 0, '']]);
});

it('of several quantities there is the sum', () => {
  const { samples } = run({ datagrams: [100, 100], stream: [90, 100] });
  const both = { samples: new Map([...samples, ['other', samples.get('rating') ?? []]]) };
  expect(rowsOf(both, both).map(([, ...counts]) => counts)).toEqual([
    [2, 1, 0, 1, 0, ''],
    [2, 1, 0, 1, 0, ''],
    [4, 2, 0, 2, 0, ''],
  ]);
});

it('pairs of ways are of the repetitions that both have', () => {
  const voices = [10, 70, 30, 90, 50, 20, 80];
  const of = (/** @type {number[]} */ lacking) => ({
    samples: new Map([
      [
        'rating',
        ['datagrams', 'stream'].flatMap((protocol, way) =>
          voices.flatMap((value, repetition) =>
            repetition === lacking[way]
              ? []
              : [
                  {
                    ...{ protocol, repetition, client: '', atMs: 0, value: value + way },
                    factors: { sweep: 'loss', at: 0 },
                  },
                ],
          ),
        ),
      ],
    ]),
  });
  expect(rowsOf(of([3, 5]), of([1, 6]))).toEqual([['R', 1, 1, 0, 0, 0, '']]);
});
