import { describe, expect, it } from 'vitest';
import { planDelays, planTurns } from '../../../public/lab/runs/protocol.js';
import {
  cumulative,
  histogram,
  leastDelay,
  quantile,
  sorted,
  summarize,
  axisEnd,
} from '../../../public/lab/summary.js';
import { unsupportedReason } from '../../../public/lab/views/protocols.js';
import { milliseconds, percentage, texts } from '../../../public/lab/texts.js';

describe('turns', () => {
  it.each([
    [['a', 'b', 'c'], 15_000],
    [['a', 'b', 'c'], 6000],
    [['a', 'b'], 300_000],
    [['a', 'b', 'c'], 1000],
  ])(
    'of %j for %i ms are as long for each, take the whole time, and are never two of one',
    (protocols, durationMs) => {
      const turns = planTurns(protocols, durationMs);
      const sums = protocols.map((protocol) =>
        turns.filter((turn) => turn.protocol === protocol).reduce((sum, { ms }) => sum + ms, 0),
      );
      for (const sum of sums) expect(sum).toBeCloseTo(durationMs / protocols.length, 6);
      const rounds = turns.length / protocols.length;
      expect(rounds).toBeGreaterThanOrEqual(2);
      for (let round = 0; round < rounds; round++) {
        const inRound = turns
          .filter((turn) => turn.round === round)
          .map(({ protocol }) => protocol);
        expect([...inRound].sort()).toEqual(protocols);
      }
    },
  );

  it('let each be first about as often, and follow each other', () => {
    const turns = planTurns(['a', 'b', 'c'], 72_000);
    const first = turns.filter((_, i) => i % 3 === 0).map(({ protocol }) => protocol);
    for (const protocol of ['a', 'b', 'c'])
      expect(first.filter((one) => one === protocol).length).toBe(4);
    const pairs = new Set(turns.slice(1).map(({ protocol }, i) => turns[i].protocol + protocol));
    for (const pair of ['ab', 'ba', 'ac', 'ca', 'bc', 'cb']) expect(pairs).toContain(pair);
  });

  it('are one where there is but one protocol', () => {
    expect(planTurns(['a'], 5000)).toEqual([{ protocol: 'a', ms: 5000, round: 0 }]);
  });

  it('of a sweep go from 0 to the end', () => {
    const delays = planDelays({ toMs: 400, stepMs: 8 });
    expect([delays.length, delays[0], delays[1], delays[50]]).toEqual([51, 0, 8, 400]);
  });
});

describe('figures', () => {
  it('are those of the values', () => {
    const values = Array.from({ length: 101 }, (_, i) => (i * 37) % 101);
    expect(summarize(values)).toEqual({
      count: 101,
      mean: 50,
      min: 0,
      max: 100,
      p50: 50,
      p95: 95,
      p99: 99,
    });
    expect(summarize([])).toBeNull();
    expect(summarize([7])).toEqual({ count: 1, mean: 7, min: 7, max: 7, p50: 7, p95: 7, p99: 7 });
  });

  it('take a quantile between neighbours in proportion', () => {
    expect(quantile(sorted([4, 1]), 0.25)).toBe(1.75);
    expect(quantile(sorted([1, 2, 3, 10]), 0.9)).toBeCloseTo(7.9, 9);
  });

  it('of a distribution add up', () => {
    const values = sorted([1, 1, 2, 3, 50]);
    expect(cumulative(values, [0, 1, 2.5, 3, 10])).toEqual([0, 40, 60, 80, 80]);
    expect(histogram(values, [0, 1, 2.5, 3, 10])).toEqual([0, 40, 20, 20, 0]);
    expect(cumulative(sorted([]), [1, 2])).toEqual([0, 0]);
  });

  it('end an axis where what is usual can be told apart', () => {
    const usual = sorted([...Array(99).fill(10), 1000]);
    expect(axisEnd([usual, sorted([])])).toBe(20);
    expect(axisEnd([sorted([10, 12])])).toBeCloseTo(12.6, 9);
    expect(axisEnd([])).toBe(0);
  });

  it('say the least delay at which everybody hears enough', () => {
    const a = new Map([
      [16, 95],
      [0, 10],
      [8, 89.9],
      [24, 100],
    ]);
    const b = new Map([
      [0, 100],
      [8, 100],
      [16, 80],
      [24, 99],
    ]);
    expect(leastDelay([a], 90)).toBe(16);
    expect(leastDelay([b], 90)).toBe(0);
    expect(leastDelay([a, b], 90)).toBe(24);
    expect(leastDelay([a, b], 99.5)).toBeNull();
    expect(leastDelay([a, new Map()], 1)).toBeNull();
    expect(leastDelay([], 1)).toBeNull();
  });
});

describe('the sentence', () => {
  it('has as many digits as mean something', () => {
    expect([0.4567, 9.994, 9.996, 99.94, 99.96, 445.77].map(milliseconds)).toEqual([
      '0.46 ms',
      '9.99 ms',
      '10.0 ms',
      '99.9 ms',
      '100 ms',
      '446 ms',
    ]);
    expect([0, 0.2, 99.9, 99.97, 100].map(percentage)).toEqual([
      '0 %',
      '0.2 %',
      '99.9 %',
      '100 %',
      '100 %',
    ]);
  });

  it('names what was found', () => {
    expect(
      texts.roundTripsDone([
        ['webtransport', 1],
        ['websocket', 2],
        ['http1', 3],
      ]),
    ).toBe('Done. Median round trip: WebTransport 1.00 ms, WebSocket 2.00 ms and HTTP/1 3.00 ms.');
    expect(texts.sweepDone([['http1', 24]])).toBe(
      'Done. Both clients hear 90 % from 24 ms on with HTTP/1.',
    );
    expect(texts.sweepDone([['http1', null]])).toMatch(/no measured delay/);
  });

  it('tells why a protocol is not there', () => {
    const config = { transports: { websocket: { path: '/session' }, webtransport: { port: 1 } } };
    const scope = { WebTransport: class {}, isSecureContext: true };
    expect(unsupportedReason('webtransport', config, scope)).toBe('');
    expect(unsupportedReason('websocket', config, {})).toBe('');
    expect(unsupportedReason('webtransport', config, { isSecureContext: true })).toMatch(
      /has no WebTransport/,
    );
    expect(unsupportedReason('webtransport', config, { isSecureContext: false })).toMatch(/https/);
    expect(unsupportedReason('http1', config, scope)).toMatch(/does not offer/);
    const off = { transports: { webtransport: null }, unavailable: { webtransport: 'It is off.' } };
    expect(unsupportedReason('webtransport', off, scope)).toBe('It is off.');
  });
});
