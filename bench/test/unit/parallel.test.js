import { describe, expect, it } from 'vitest';
import {
  blocksOf,
  parallel,
  partOf,
  receivedKilobits,
  runBlock,
  settleOf,
} from '../../scenarios/comparisons/parallel.js';
import { checkResult } from '../../report/result.js';

/**
 * Payloads of 10, 20, 30 and 40 bytes, each a frame of two samples, and one sample that is too
 * many.
 */
const payloads = [10, 20, 30, 40].map((length) => new Uint8Array(length));
const content = /** @type {import('../../scenarios/comparisons/heard.js').Voice} */ ({
  payloads,
  speech: Float32Array.of(1, 1, 2, 2, 3, 3, 4, 4, 9),
  codec: /** @type {any} */ ({}),
});

describe("a call's part of the speech", () => {
  it.each([
    [0, [10, 20, 30, 40], [1, 1, 2, 2, 3, 3, 4, 4]],
    [0.5, [30, 40, 10, 20], [3, 3, 4, 4, 1, 1, 2, 2]],
    [0.9, [40, 10, 20, 30], [4, 4, 1, 1, 2, 2, 3, 3]],
  ])('at %f has the payloads of its frames', (place, lengths, samples) => {
    const part = partOf(content, place);
    expect(part.payloads.map(({ length }) => length)).toEqual(lengths);
    expect([...part.speech]).toEqual(samples);
  });
});

it('each way comes first as often as the others, under each condition', () => {
  const conditions = [1, 2].map((value) => ({ sweep: 'all', value, leg: {} }));
  const blocks = blocksOf(conditions, ['a', 'b', 'c'], 4);
  expect(blocks.map(({ way }) => way).join('')).toBe('abcabc' + 'bcabca' + 'cabcab' + 'abcabc');
  expect(blocks.map(({ condition: { value } }) => value).join('')).toBe('111222'.repeat(4));
  expect(blocks.map(({ repetition }) => repetition).join('')).toBe('000000111111222222333333');
});

describe('what a call received', () => {
  it('is all that came from the first packet that counts until the last is due', () => {
    // In 40 ms: the packets of 30 and 40 bytes.
    expect(receivedKilobits(content, [1, 1, 1, 1], 2)).toBe((70 * 8) / 40);
    // The second comes when others count, and the last too late.
    expect(receivedKilobits(content, [1, 25, 1, 21], 2)).toBe((50 * 8) / 40);
    expect(receivedKilobits(content, [1, 1, Infinity, Infinity], 2)).toBe(0);
  });
});

describe('what counts of a call', () => {
  it('is from when the last of them has begun: two seconds later', () => {
    expect([0, 1, 2].map((call) => settleOf({ sweep: 'apart', value: 5 }, call))).toEqual([
      600, 350, 100,
    ]);
    expect([0, 1, 2].map((call) => settleOf({ sweep: 'all', value: 3 }, call))).toEqual([
      100, 100, 100,
    ]);
  });
});

/**
 * Runs a block of one call on legs that do nothing.
 * @param {{ seed?: number, repetition?: number }} [options]
 */
async function blockDone({ seed = 1, repetition = 0 } = {}) {
  /** @type {string[]} */
  const done = [];
  /** @type {number[]} */
  const seeds = [];
  const stats = { up: { arrived: { bytes: 0 } }, seconds: 1 };
  const noting =
    (/** @type {string} */ name, /** @type {unknown} */ value) =>
    async (/** @type {any} */ given) => {
      done.push(given?.delayMs && !given.up ? `${name} ${given.delayMs} ms` : name);
      return value;
    };
  const legs = ['sender', 'receiver'].map((name) => ({
    set: noting(`${name} set`, undefined),
    reset: noting(`${name} reset`, undefined),
    stats: noting(`${name} stats`, stats),
  }));
  const star = {
    legs,
    set: noting('all set', undefined),
    async seedAnew(/** @type {unknown} */ _, /** @type {number} */ given) {
      done.push('seed');
      seeds.push(given);
    },
    clear: noting('clear', undefined),
  };
  const path = {
    connect: noting('connect', undefined),
    carry: noting('carry', { ages: [] }),
    hangUp: noting('hang up', undefined),
  };
  const lab = {
    options: { seed },
    blockSeconds: 1,
    signal: new AbortController().signal,
    wait: async () => {},
  };
  await runBlock(/** @type {any} */ (lab), /** @type {any} */ (star), {
    way: 'stream',
    repetition,
    condition: {
      ...{ sweep: 'all', value: 1 },
      leg: { delayMs: 10, up: { rateBits: 80_000, queueMs: 300 } },
    },
    calls: [{ ...content, path: /** @type {any} */ (path) }],
  });
  return { done, seeds };
}

it('calls connect on legs that have their delay already, and are impaired later', async () => {
  const { done } = await blockDone();
  expect(done.slice(0, 4)).toEqual(['all set 10 ms', 'connect', 'seed', 'sender set']);
  expect(done.slice(-2)).toEqual(['clear', 'hang up']);
});

it('a second run with the next seed has other losses in each repetition', async () => {
  const all = [];
  for (const seed of [1, 2, 3])
    for (const repetition of [0, 1, 2, 3, 4])
      all.push(...(await blockDone({ seed, repetition })).seeds);
  expect(all).toHaveLength(15);
  expect(new Set(all).size).toBe(15);
});

it('a part of it has a result, with a mean over the calls', () => {
  const at = { sweep: 'half', at: 2 };
  const rows = (/** @type {number[][]} */ values) =>
    values.flatMap((calls, repetition) =>
      calls.map((value, i) => ({
        protocol: 'rtp',
        repetition,
        client: `call ${i + 1}`,
        atMs: 0,
        value,
        factors: at,
      })),
    );
  const all = {
    rating: rows([
      [80, 100],
      [60, 80],
    ]),
    fairness: rows([[0.9], [1], [1], [0.9], [0.95]]),
  };
  const result = parallel.result(
    { samples: (name) => all[/** @type {keyof typeof all} */ (name)] ?? [] },
    { sweeps: ['half', 'all'], through: 'relay', seed: 1 },
  );
  checkResult(result);
  const {
    columns,
    rows: [figures],
  } = /** @type {import('../../report/result.js').Table} */ (
    result.tables.find(({ name }) => name === 'halfFigures')
  );
  const cell = (/** @type {string} */ label) =>
    figures[columns.findIndex((column) => column.label === label)];
  expect(cell('R')).toMatchObject({ value: 80 });
  const fairness = /** @type {any} */ (cell('Fairness'));
  expect(fairness.value).toBeCloseTo(0.95);
  expect(fairness.interval[1]).toBe(1);
});
