import { describe, expect, it } from 'vitest';
import { startup } from '../../scenarios/startup.js';
import { foundAfter, throughput } from '../../scenarios/throughput.js';

/** Looks 20 ms apart. @param {(atMs: number) => number | null} bpsAt */
const notes = (bpsAt) =>
  Array.from({ length: 250 }, (_, i) => ({
    atMs: 1000 + 20 * i,
    deliveryBps: bpsAt(20 * i),
    isLimit: true,
    bytesInFlight: 0,
    rttMs: 20,
  }));

describe('a step of the rate', () => {
  it('is found from when on the estimate keeps to the new rate', () => {
    expect(
      foundAfter(
        notes((atMs) => (atMs < 1200 ? 5e6 : 1e6)),
        1,
      ),
    ).toBe(1200);
    expect(
      foundAfter(
        notes(() => 1e6),
        1,
      ),
    ).toBe(0);
  });

  it('is not found by an estimate that only passes it, misses it or knows nothing', () => {
    expect(
      foundAfter(
        notes((atMs) => 5e6 - 4000 * atMs),
        4.5,
      ),
    ).toBe(Infinity);
    expect(
      foundAfter(
        notes(() => 1.06e6),
        1,
      ),
    ).toBe(Infinity);
    expect(
      foundAfter(
        notes(() => 0.84e6),
        1,
      ),
    ).toBe(Infinity);
    expect(
      foundAfter(
        notes(() => null),
        1,
      ),
    ).toBe(Infinity);
  });
});

/** @param {Record<string, { value: number, factors: object, protocol?: string }[]>} all */
const folder = (all) => ({
  samples: (/** @type {string} */ name) =>
    (all[name] ?? []).map((sample, i) => ({
      protocol: '',
      client: '',
      atMs: 100 * i,
      repetition: 0,
      ...sample,
      factors: /** @type {any} */ (sample.factors),
    })),
});

/** @param {import('../../report/result.js').Result} result @param {string} name */
const rowsOf = (result, name) => result.tables.find((table) => table.name === name)?.rows ?? [];

describe('the results', () => {
  it('of the estimate name what is met and what is not', () => {
    const errors = [-20, -1, 0, 1, 9].map((value) => ({
      value,
      factors: { part: 'level', rate: 5 },
    }));
    const known = [{ value: -3, factors: { part: 'liveKnown', rate: 5 } }];
    const result = throughput.result(folder({ estimateError: [...errors, ...known] }), {
      seed: 1,
      controller: 'cubic',
    });
    const text = rowsOf(result, 'targets').map((row) => row.join(' '));
    const met = (/** @type {string} */ what) =>
      text
        .filter((row) => row.includes(what))
        .map((row) => / met\b/.test(row) && !row.includes('not met'));
    expect(met('at 5 Mbit/s')).toEqual([false, false]);
    expect(met('path known')).toEqual([true, true]);
    expect(rowsOf(result, 'levels')[0][0]).toBe(5);
  });

  it('of a listener stand beside HTTP/1.1 and the paper', () => {
    const at = (/** @type {number} */ roundTripMs, /** @type {number} */ rateKbits) => ({
      roundTripMs,
      lossPercent: 0,
      rateKbits,
      connection: 'new',
    });
    const heard = [
      [0, 0, 40, 200],
      [50, 0, 240, 480],
      [50, 500, 300, 500],
    ].flatMap(([roundTripMs, rate, webtransport, http1]) => [
      { protocol: 'webtransport', value: webtransport, factors: at(roundTripMs, rate) },
      { protocol: 'http1', value: http1, factors: at(roundTripMs, rate) },
    ]);
    const result = startup.result(folder({ firstSound: heard }), { seed: 1 });
    expect(rowsOf(result, 'sooner')).toEqual([[500, 300, NaN, 500, 40, 26.56, 40.29]]);
    expect(rowsOf(result, 'targets').map((row) => row[3])).toEqual(['met', 'met', 'met', 'met']);
  });
});
