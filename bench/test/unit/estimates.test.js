import { describe, expect, it } from 'vitest';
import { checkResult } from '../../report/result.js';
import { estimatorsOf, figuresOf } from '../../scenarios/estimates-figures.js';
import { estimates } from '../../scenarios/estimates.js';

/** Ten seconds at 5 Mbit/s, ten at 1. */
const LEVELS = [
  { fromMs: 0, toMs: 10_000, rateBits: 5e6 },
  { fromMs: 10_000, toMs: 20_000, rateBits: 1e6 },
];

/** @param {(atMs: number) => number} bpsAt @param {number} everyMs */
const course = (bpsAt, everyMs = 100) =>
  Array.from({ length: 20_000 / everyMs }, (_, i) => ({
    atMs: i * everyMs,
    bps: bpsAt(i * everyMs),
  }));

/** @param {ReturnType<typeof figuresOf>} figures */
const known = (figures) => {
  if (figures === null) throw new Error('no figures');
  return figures;
};

describe('the figures of an estimate', () => {
  it('hold it against the rate of the link, and tell when a step is found', () => {
    const figures = known(
      figuresOf(
        course((atMs) => (atMs < 12_000 ? 4.5e6 : 1e6)),
        LEVELS,
      ),
    );
    expect(figures.perSecond).toBe(10);
    expect(figures.found).toEqual([2]);
    expect(figures.deviations.filter((percent) => Math.abs(percent + 10) < 1e-9)).toHaveLength(100);
    expect(figures.deviations.filter((percent) => percent === 350)).toHaveLength(20);
    expect(figures.deviations.filter((percent) => percent === 0)).toHaveLength(80);
  });

  it('make a player stall where they are too high, and change once where they are right', () => {
    const right = known(
      figuresOf(
        course((atMs) => (atMs < 10_000 ? 5e6 : 1e6)),
        LEVELS,
      ),
    );
    expect([right.changes, right.stalls]).toEqual([1, 0]);
    const high = known(
      figuresOf(
        course(() => 5e6),
        LEVELS,
      ),
    );
    expect(high.changes).toBe(0);
    expect(high.stalls).toBeGreaterThan(1);
    // 4 Mbit/s through 1: a quarter of the ten seconds and the buffer are heard.
    expect(high.stalledSeconds).toBeGreaterThan(2);
    expect(high.stalledSeconds).toBeLessThan(10);
    expect(high.chosen).toBe(4);
  });

  it('are none without an estimate', () => {
    expect(figuresOf([], LEVELS)).toBe(null);
  });
});

/** @param {number} fromMs @param {readonly number[]} gaps */
const segment = (fromMs, gaps, bytes = 400) => {
  const chunks = [{ atMs: fromMs, bytes }];
  for (const gap of gaps) chunks.push({ atMs: chunks[chunks.length - 1].atMs + gap, bytes });
  return { chunks, isWhole: true };
};

/** @param {Partial<Parameters<typeof estimatorsOf>[0]>} traced */
const byName = (traced) =>
  new Map(
    estimatorsOf({ notes: [], sent: [], received: [], isLive: false, ...traced }).map((one) => [
      one.name,
      one.estimates.map(({ bps }) => bps),
    ]),
  );

describe('estimates', () => {
  it('at the client are means of the last four segments, or the last alone', () => {
    // Five parts of 400 bytes in 40 ms are 400 kbit/s; in 80 ms, 200.
    const of = byName({
      received: [
        ...[0, 1, 2, 3].map((i) => segment(1000 * i, [10, 10, 10, 10])),
        segment(4000, [20, 20, 20, 20]),
        { ...segment(5000, [20]), isWhole: false },
        // All at once: no sample.
        segment(6000, []),
      ],
    });
    expect(of.get('window of 1')).toEqual([4e5, 4e5, 4e5, 4e5, 2e5]);
    expect(of.get('window of 4')?.at(-1)).toBe(3.5e5);
  });

  it('of a live channel leave out waits for the source, and so are too high', () => {
    // Frames each 20 ms that come in pairs: 2 ms and 38 ms by turns.
    const received = [segment(0, [2, 38, 2, 38, 2, 38, 2])];
    const of = byName({ received, isLive: true });
    expect(of.get('window of 4, all of the time')?.[0]).toBeCloseTo((8 * 8 * 400) / 0.122, -3);
    expect(of.get('window of 1, bursts')).toEqual([(8 * 8 * 400) / 0.008]);
  });

  it('of the server are put together by batches, with the lowest cut off', () => {
    const notes = Array.from({ length: 250 }, (_, i) => ({
      atMs: 5 * i,
      deliveryBps: i < 100 ? null : 1e5,
      // 1 to 100 kbit/s in each batch.
      bytesInFlight: 1.25 * ((i % 100) + 1),
      rttMs: 10,
    }));
    const of = byName({ notes, sent: [{ fromMs: 0, toMs: 495 }] });
    const batch = (/** @type {string} */ words) =>
      of.get(`formula (5.1), 100 in a batch: ${words}`);
    expect(batch('mean')).toEqual([50_500, 50_500]);
    expect(batch('mean, without the lowest 20 %')).toEqual([60_500, 60_500]);
    expect(batch('mean, without the lowest 50 %')).toEqual([75_500, 75_500]);
    expect(batch('median')?.[0]).toBeCloseTo(50_500, -3);
    expect(batch('median, without the lowest 50 %')?.[0]).toBeCloseTo(75_500, -3);
    expect(of.get('formula (5.2), a mean over each segment')).toEqual([50_500]);
    // Known once; later looks tell nothing new.
    expect(of.get("aloud's delivery rate")).toEqual([1e5]);
  });
});

it('a step that was never found is told apart from the median', () => {
  const factors = { mode: 'live', where: 'client', estimate: 'window of 1' };
  const values = /** @type {Record<string, number[]>} */ ({
    deviation: [-10, 0, 20],
    found: [1, 2, Infinity],
    stalls: [3],
  });
  const folder = {
    samples: (/** @type {string} */ name) =>
      (values[name] ?? []).map((value) => ({
        ...{ protocol: '', repetition: 0, client: '', atMs: 0, value, factors },
      })),
  };
  const { tables } = checkResult(
    estimates.result(folder, { modes: ['live'], stepSeconds: 10, controller: 'cubic', seed: 1 }),
  );
  expect(tables[0].rows).toEqual([
    ['client', 'window of 1', 0, -9, 18, 2, '1 of 3', null, null, { value: 3 }, null, null],
  ]);
});
