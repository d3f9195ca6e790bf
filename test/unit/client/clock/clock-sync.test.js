import { describe, expect, it } from 'vitest';
import { ClockExchange, ClockSync } from '../../../../public/client/clock/clock-sync.js';
import { Packet, readPacket } from '../../../../public/shared/wire/packet.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';
import { random as randomOf } from '../../../fakes/random.js';

const RATE = 48000;
const ORIGIN = 123_456_789;

/**
 * One exchange with a server whose clock is at ORIGIN at the client's time 0.
 * @param {ClockSync} sync @param {number} sentMs @param {number} upMs @param {number} downMs
 */
function exchange(sync, sentMs, upMs, downMs) {
  return sync.add(sentMs, sentMs + upMs + downMs, ORIGIN + ((sentMs + upMs) * RATE) / 1000);
}

const errorMs = (/** @type {ClockSync} */ sync, /** @type {number} */ ms) =>
  ((sync.sampleClockAt(ms) - ORIGIN) * 1000) / RATE - ms;

describe('ClockSync', () => {
  it('knows nothing before the first exchange', () => {
    const sync = new ClockSync(RATE);
    expect(sync.sampleClockAt(5)).toBeNaN();
    expect(sync.msAt(5)).toBeNaN();
    expect(sync.roundTripMs).toBeNull();
    expect(sync.leastRoundTripMs).toBeNull();
    expect(sync.quality(0)).toBe(Infinity);
  });

  it('is exact where both ways take the same time', () => {
    const sync = new ClockSync(RATE);
    exchange(sync, 1000, 20, 20);
    expect(errorMs(sync, 2000)).toBeCloseTo(0, 6);
    expect(sync.msAt(sync.sampleClockAt(1234))).toBeCloseTo(1234, 6);
    expect(sync.roundTripMs).toBe(40);
  });

  it('believes the least round trip among jittered and one-sided ones', () => {
    const random = randomOf(7);
    const sync = new ClockSync(RATE);
    for (let i = 0; i < 8; i++) {
      const queued = i === 3 ? 0.4 : 30 + random() * 200;
      exchange(sync, i * 25, 10 + queued, 10 + random() * 3);
    }
    expect(Math.abs(errorMs(sync, 300))).toBeLessThan(2);
    expect(sync.leastRoundTripMs).toBeLessThan(25);
    expect(Math.abs(errorMs(sync, 300))).toBeLessThanOrEqual(sync.quality(300));
  });

  it('holds its own bound under any delays (100 seeds)', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = randomOf(seed);
      const sync = new ClockSync(RATE);
      for (let i = 0; i < 40; i++) {
        const at = i * 500;
        exchange(sync, at, random() ** 3 * 300, random() ** 3 * 300);
        expect(Math.abs(errorMs(sync, at))).toBeLessThanOrEqual(sync.quality(at) + 1e-6);
      }
    }
  });

  it('gives up an old exchange for a fresh one, when it may have drifted away', () => {
    const sync = new ClockSync(RATE);
    exchange(sync, 0, 1, 1);
    exchange(sync, 1000, 1.5, 1.5);
    expect(sync.leastRoundTripMs).toBe(2);
    exchange(sync, 20_000, 1.5, 1.5);
    expect(sync.leastRoundTripMs).toBe(3);
  });

  it('goes on evenly when a better exchange tells another time, and arrives there', () => {
    const sync = new ClockSync(RATE);
    for (let i = 0; i < 20; i++) exchange(sync, i * 2000, 12, 2);
    exchange(sync, 40_000, 1, 1);
    const off = errorMs(sync, 40_002);
    expect(Math.abs(off)).toBeGreaterThan(4.5);
    expect(sync.quality(40_002)).toBeGreaterThanOrEqual(Math.abs(off));
    const second = sync.sampleClockAt(41_002) - sync.sampleClockAt(40_002);
    expect(Math.abs(second / RATE - 1)).toBeLessThan(501e-6);
    for (let i = 21; i < 50; i++) exchange(sync, i * 2000, 1, 1);
    expect(Math.abs(errorMs(sync, 100_000))).toBeLessThan(0.2);
    expect(sync.jumps).toBe(0);
  });

  it('restarts at the first exchange after a sleep in which the client’s clock stood still', () => {
    const sync = new ClockSync(RATE);
    for (let i = 0; i < 40; i++) exchange(sync, i * 2000, 5, 5);
    const sleepMs = 3_600_000;
    const sentMs = 80_000;
    sync.add(sentMs, sentMs + 60, ORIGIN + ((sentMs + sleepMs + 30) * RATE) / 1000);
    expect(errorMs(sync, 90_000)).toBeCloseTo(sleepMs, 3);
    expect(sync.jumps).toBe(1);
    expect(sync.leastRoundTripMs).toBe(60);
  });

  it('refuses what can’t be', () => {
    const sync = new ClockSync(RATE);
    expect(sync.add(10, 5, 100)).toBe(false);
    expect(sync.add(10, NaN, 100)).toBe(false);
    expect(sync.add(10, 20, Infinity)).toBe(false);
    expect(sync.exchanges).toBe(0);
  });
});

describe('ClockExchange', () => {
  it('tells the first reply, and knows the clock after eight, by the best of them', async () => {
    const clock = new FakeClock();
    const sync = new ClockSync(RATE);
    const packet = new Packet();
    const told = /** @type {string[]} */ ([]);
    let asked = 0;
    const exchanges = new ClockExchange({
      clock,
      sync,
      send: (bytes) => {
        const upMs = asked++ === 5 ? 20 : 45 + asked;
        readPacket(bytes, packet);
        const { id } = packet;
        const reading = ((clock.now() + upMs) * RATE) / 1000;
        clock.setTimeout(() => exchanges.reply(id, reading, clock.now()), upMs + 20);
        return true;
      },
    });
    exchanges.onKnown = () => told.push(`known after ${sync.exchanges}`);
    const answered = exchanges.answered.then(() => told.push(`answered after ${sync.exchanges}`));
    const started = exchanges.start();
    while (sync.exchanges === 0) clock.advance(1);
    await answered;
    expect(exchanges.isKnown).toBe(false);
    clock.advance(500);
    await started;
    expect(told).toEqual(['answered after 1', 'known after 8']);
    expect(sync.sampleClockAt(clock.now())).toBeCloseTo((clock.now() * RATE) / 1000, 3);
    exchanges.close();
  });

  it('asks every two seconds, and in a burst when it has slept', async () => {
    const clock = new FakeClock();
    const sync = new ClockSync(RATE);
    const packet = new Packet();
    let asked = 0;
    const exchanges = new ClockExchange({
      clock,
      sync,
      send: (bytes) => {
        asked += 1;
        readPacket(bytes, packet);
        const { id } = packet;
        clock.setTimeout(() => exchanges.reply(id, (clock.now() * RATE) / 1000, clock.now()), 10);
        return true;
      },
    });
    const started = exchanges.start();
    clock.advance(1000);
    await started;
    asked = 0;
    clock.advance(60_000);
    expect(asked).toBeGreaterThanOrEqual(29);
    expect(asked).toBeLessThanOrEqual(31);
    clock.stall(600_000);
    asked = 0;
    clock.advance(1000);
    expect(asked).toBe(8);
    clock.advance(20_000);
    expect(asked).toBeLessThanOrEqual(19);
    exchanges.close();
    clock.advance(1000);
    expect(clock.waiting).toBe(0);
  });

  it('of a pure listener asks sooner if nothing comes, and keeps the session alive', async () => {
    const clock = new FakeClock();
    const packet = new Packet();
    let [asked, heardMs, isThere] = [0, 0, true];
    const exchanges = new ClockExchange({
      clock,
      sync: new ClockSync(RATE),
      send: (bytes) => {
        asked += 1;
        readPacket(bytes, packet);
        const { id } = packet;
        if (isThere)
          clock.setTimeout(
            () => exchanges.reply(id, (clock.now() * RATE) / 1000, (heardMs = clock.now())),
            10,
          );
        return true;
      },
    });
    const started = exchanges.start();
    clock.advance(1000);
    await started;
    /**
     * Requests in ten seconds, with a packet every `interval` milliseconds.
     * @param {number} everyMs
     */
    const requests = (everyMs) => {
      asked = 0;
      for (let ms = 0; ms < 10_000; ms += 20) {
        clock.advance(20);
        if (ms % everyMs === 0) heardMs = clock.now();
      }
      return asked;
    };
    exchanges.listens({ heardMs: () => heardMs, idleTimeoutMs: 15_000 });
    requests(60);
    expect(requests(60)).toBe(5);
    // In a silence there are answers alone.
    expect(requests(Infinity)).toBe(20);
    isThere = false;
    requests(Infinity);
    expect(requests(Infinity)).toBeGreaterThanOrEqual(39);
    isThere = true;
    exchanges.listens({ heardMs: () => heardMs, idleTimeoutMs: 1000 });
    requests(60);
    expect(requests(60)).toBe(40);
    exchanges.listens(null);
    requests(Infinity);
    expect(requests(Infinity)).toBe(5);
    exchanges.close();
  });
});
