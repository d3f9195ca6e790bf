import { describe, expect, it } from 'vitest';
import { errorOf, tellStar } from '../../link/check.js';
import { parsePing, summarize } from '../../link/measure.js';
import { staleNames } from '../../../testkit/network-namespace.js';

const PING = `PING 198.18.0.2 (198.18.0.2) 56(84) bytes of data.
64 bytes from 198.18.0.2: icmp_seq=1 ttl=64 time=24.4 ms
64 bytes from 198.18.0.2: icmp_seq=3 ttl=64 time=86.342 ms
64 bytes from 198.18.0.2: icmp_seq=3 ttl=64 time=99 ms (DUP!)
64 bytes from 198.18.0.2: icmp_seq=9 ttl=64 time=1 ms

--- 198.18.0.2 ping statistics ---
4 packets transmitted, 2 received, 50% packet loss, time 3004ms
`;

describe('parsePing', () => {
  it('finds each round trip once, and those that are missing', () => {
    expect(parsePing(PING, 4)).toEqual([24.4, null, 86.342, null]);
  });
});

describe('summarize', () => {
  it('gives the figures of ping', () => {
    const found = summarize([10, null, 20, 30], 'echo');
    expect(found).toMatchObject({
      count: 4,
      received: 3,
      lossPercent: 25,
      minMs: 10,
      meanMs: 20,
      maxMs: 30,
    });
    expect(found.deviationMs).toBeCloseTo(Math.sqrt(200 / 3));
  });

  it('has no figures when nothing came back', () => {
    const found = summarize([null, null], 'echo');
    expect(found).toMatchObject({
      received: 0,
      lossPercent: 100,
      minMs: NaN,
      meanMs: NaN,
      maxMs: NaN,
      deviationMs: NaN,
    });
  });
});

describe('errorOf', () => {
  it('is what was measured less what was wanted, in milliseconds', () => {
    const delaysUs = Array.from({ length: 1000 }, (_, i) => 21_000 - i);
    const error = errorOf(delaysUs, 20);
    expect(error.mean).toBeCloseTo(0.5005);
    expect(error.p50).toBeCloseTo(0.5);
    expect(error.p99).toBeCloseTo(0.99);
    expect(error.p999).toBeCloseTo(0.999);
    expect(error.max).toBeCloseTo(1);
  });

  it('is nothing to go by when nothing was measured', () => {
    expect(errorOf([], 20)).toEqual({ mean: NaN, p50: NaN, p99: NaN, p999: NaN, max: NaN });
  });
});

describe('tellStar', () => {
  const side = { lateness: { p50Us: 1, p99Us: 2, p999Us: 3, maxUs: 4 } };
  const stats = /** @type {any} */ ({ cpuMs: 10, seconds: 1, up: side, down: side });
  /** @type {(delayUs: number, waitUs: number) => [number, number, number, number][]} */
  const packets = (delayUs, waitUs) =>
    Array.from({ length: 100 }, (_, i) => [0, i, delayUs, waitUs]);

  it('holds where packets were in time, however late they were read', () => {
    const legs = [20_400, 19_600].map((delayUs) => ({
      up: { packets: packets(delayUs, 9000) },
      down: { packets: packets(delayUs, 9000) },
    }));
    const { held, lines } = tellStar(legs, [stats, stats]);
    expect(held).toBe(true);
    expect(lines).toContainEqual(expect.stringMatching(/^read later by +9\.000/));
  });

  it('does not hold where one direction of one leg is off, or nothing came', () => {
    const good = { packets: packets(20_000, 0) };
    for (const bad of [packets(20_600, 0), packets(19_400, 0), []]) {
      expect(
        tellStar(
          [
            { up: good, down: good },
            { up: good, down: { packets: bad } },
          ],
          [stats, stats],
        ).held,
      ).toBe(false);
    }
  });
});

describe('staleNames', () => {
  it("are those of ours whose maker is gone, and nobody else's", () => {
    const listing =
      'aloud-12-1-c (id: 3)\naloud-12-1-s\naloud-34-1-c\naloud-12\n' +
      'other-12-1-c\nmyaloud-12-1-c\n\n';
    expect(staleNames(listing, (pid) => pid === 34)).toEqual(['aloud-12-1-c', 'aloud-12-1-s']);
  });
});
