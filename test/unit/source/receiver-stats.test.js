import { describe, expect, it } from 'vitest';
import { ReceiverStats, SequenceTracker } from '../../../server/source/receiver-stats.js';
import { Lateness } from '../../../server/source/lateness.js';
import { TokenBucket } from '../../../server/token-bucket.js';
import { random } from '../../fakes/random.js';

const newReceiverStats = () =>
  new ReceiverStats(new Lateness({ frameMs: 20, maxMs: 400, targetPercent: 99.5 }));

describe('sequence numbers', () => {
  it('tell what never came, however it was ordered or doubled, over the turn of 16 bits', () => {
    const sequences = new SequenceTracker();
    const chance = random(4);
    const sent = Array.from({ length: 3000 }, (_, i) => (65_000 + i) & 0xffff);
    const came = sent.filter(() => chance() >= 0.1);
    for (let i = 0; i + 4 < came.length; i += 5) {
      const some = came.slice(i, i + 5).toSorted(() => chance() - 0.5);
      for (const sequence of some) {
        expect(sequences.arrived(sequence)).toBe(true);
        if (chance() < 0.1) expect(sequences.arrived(sequence)).toBe(false);
      }
    }
    const counted = came.length - (came.length % 5);
    expect(sequences.sent - sequences.lost).toBe(counted);
    expect(
      Math.abs(sequences.lost - (sent.indexOf(came[counted - 1]) + 1 - counted)),
    ).toBeLessThanOrEqual(5);
  });

  it('tell what is lost at the turn itself', () => {
    const sequences = new SequenceTracker();
    for (const sequence of [65533, 65534, 1, 2]) sequences.arrived(sequence);
    expect([sequences.sent, sequences.lost]).toEqual([6, 2]);
  });

  it('are checked over 5 seconds and 100 packets at least, and 20 seconds at most', () => {
    const sequences = new SequenceTracker();
    let next = 0;
    const second = (/** @type {number} */ packets, /** @type {number} */ lost) => {
      for (let i = 0; i < packets; i++) {
        if (i >= lost) sequences.arrived(next);
        next += 1;
      }
      sequences.endSecond();
    };
    second(50, 0);
    for (let i = 0; i < 5; i++) second(50, 5);
    expect(sequences.recent()).toEqual({ sent: 250, lost: 25 });
    for (let i = 0; i < 5; i++) second(50, 0);
    expect(sequences.recent()).toEqual({ sent: 250, lost: 0 });
    expect(sequences.recent(10)).toEqual({ sent: 500, lost: 25 });
    // In silence five a second.
    for (let i = 0; i < 10; i++) second(5, 1);
    expect(sequences.recent()).toEqual({ sent: 100, lost: 10 });
    for (let i = 0; i < 30; i++) second(2, 0);
    expect(sequences.recent()).toEqual({ sent: 40, lost: 0 });
  });

  it('of a restarted sender are no loss, and random ones cause only bounded loss', () => {
    const sequences = new SequenceTracker();
    for (let i = 0; i < 1000; i++) sequences.arrived(40_000 + i);
    for (let i = 0; i < 1000; i++) sequences.arrived(i);
    expect(sequences.lost).toBe(0);
    const chance = random(8);
    for (let i = 0; i < 10_000; i++) sequences.arrived(Math.floor(chance() * 65536));
    expect(sequences.lost).toBeGreaterThanOrEqual(0);
    expect(sequences.lost).toBeLessThan(10_000 * 3000);
  });
});

describe('a bucket of tokens', () => {
  it('lets through the rate and the burst, and no more, whatever the clock does', () => {
    const bucket = new TokenBucket({ perSecond: 100, atOnce: 20 });
    const through = (/** @type {number} */ nowMs, /** @type {number} */ tries) => {
      let count = 0;
      for (let i = 0; i < tries; i++) if (bucket.take(nowMs) === 0) count += 1;
      return count;
    };
    expect(through(1000, 50)).toBe(20);
    expect(through(1100, 50)).toBe(10);
    expect(through(500, 50)).toBe(0);
    expect(through(1e9, 50)).toBe(20);
    expect(through(2e9, 5)).toBe(5);
    expect(through(2e9 - 100, 50)).toBe(15);
  });
});

describe('the delay for redundancy', () => {
  /**
   * A minute of packets with a loss at random.
   * @param {{ loss: number, redundancy: number, lost?: (frame: number, chance: number) => boolean
   *   }} link
   */
  function needOf({ loss, redundancy, lost = (_, chance) => chance < loss }) {
    const reception = newReceiverStats();
    const chance = random(11);
    const has = new Uint8Array(3001);
    for (let frame = 0; frame < 3000; frame++) {
      if (!lost(frame, chance())) {
        reception.sequences.arrived(frame & 0xffff);
        has[frame] = 1;
        for (let r = 1; r <= redundancy && frame >= r; r++) {
          if (!has[frame - r]) reception.repeated(r);
          has[frame - r] = 1;
        }
        reception.lateness.add(9.5 + chance(), frame * 20);
        reception.arrived(true, 10, redundancy);
      }
      if (frame % 50 === 49) reception.endSecond(frame * 20, null);
    }
    return reception.lateness.needMs;
  }

  it.each([
    ['none without loss', { loss: 0, redundancy: 2 }, 10.5],
    ['none where nothing is repeated', { loss: 0.1, redundancy: 0 }, 10.5],
    ['one frame for a little loss', { loss: 0.01, redundancy: 2 }, 31],
    ['two for more', { loss: 0.05, redundancy: 2 }, 51],
    ['as many as there are', { loss: 0.1, redundancy: 1 }, 31],
    [
      'none for a packet or two',
      { loss: 0, redundancy: 2, lost: (/** @type {number} */ frame) => frame % 600 === 9 },
      10.5,
    ],
    [
      'two where a little loss comes in pairs',
      { loss: 0, redundancy: 2, lost: (/** @type {number} */ f) => f % 200 < 2 },
      51,
    ],
  ])('is %s', (_name, link, need) => {
    expect(needOf(link)).toBe(need);
  });
});

describe('the delay for silent people', () => {
  it('is their ordinary lateness, and the whole of it once they speak', () => {
    const lateness = new Lateness({ frameMs: 20, maxMs: 400, targetPercent: 99.5 });
    for (let i = 0; i < 100; i++) lateness.add(i % 20 === 0 ? 80 : 12, i * 200, false);
    expect(lateness.needMs).toBe(12);
    lateness.add(12, 20_000, true);
    lateness.review(20_000, null);
    expect(lateness.needMs).toBe(80);
  });
});

describe('the counters of an uplink', () => {
  it('has the jitter of RFC 3550', () => {
    const reception = newReceiverStats();
    for (let i = 0; i < 400; i++) reception.arrived(true, i % 2 ? 14 : 10, 0);
    expect(reception.snapshot().jitterMs).toBeCloseTo(4, 3);
    for (let i = 0; i < 400; i++) reception.arrived(true, 10, 0);
    expect(reception.snapshot().jitterMs).toBeCloseTo(0, 3);
  });

  it('has the share that was lost before redundancy mended it; null while nothing was sent', () => {
    const reception = newReceiverStats();
    reception.endSecond(0, null);
    expect(reception.snapshot().lostPercent5s).toBeNull();
    for (let i = 0; i < 200; i++) if (i % 10) reception.sequences.arrived(i);
    reception.endSecond(1000, null);
    expect(reception.snapshot().lostPercent5s).toBeCloseTo(9.5, 0);
  });
});
