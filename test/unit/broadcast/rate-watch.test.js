import { expect, it } from 'vitest';
import { RateCounts } from '../../../server/broadcast/layers.js';
import { RateWatch } from '../../../server/broadcast/rate-watch.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { FakeSession, fakeTransport } from '../../fakes/fake-session.js';

it('the watch checks listeners 10 times a second, 20 on a changing path, until they leave', () => {
  const clock = new FakeClock();
  const watch = new RateWatch({ clock, counts: new RateCounts(), onStep: () => {} });
  const listeners = Array.from({ length: 103 }, (_, i) => {
    const rate = { urgent: i % 10 === 0, looks: 0, step: () => (rate.looks++, null) };
    return /** @type {any} */ ({
      session: new FakeSession(fakeTransport()),
      reportedSince: () => null,
      rate,
    });
  });
  for (const listener of listeners) watch.add(listener);
  clock.advance(2000);
  const gone = listeners.splice(20, 30);
  for (const listener of gone) watch.remove(listener);
  watch.remove(gone[0]);
  for (const { rate } of [...listeners, ...gone]) rate.looks = 0;
  clock.advance(10_000);
  for (const { rate } of listeners)
    expect(Math.abs(rate.looks - (rate.urgent ? 200 : 100))).toBeLessThan(3);
  expect(gone.every(({ rate }) => rate.looks === 0)).toBe(true);
  expect(clock.waiting).toBe(1);
  for (const listener of listeners) watch.remove(listener);
  expect(clock.waiting).toBe(0);
});

it('the watch ignores packets in flight after a stall of the machine, until it reads acks', () => {
  const clock = new FakeClock();
  const watch = new RateWatch({ clock, counts: new RateCounts(), onStep: () => {} });
  /** @type {{ nowMs: number, underWayMs: number | null }[]} */
  const readings = [];
  const session = new FakeSession(fakeTransport());
  const stats = { rttMs: 40, lostPackets: 0, droppedOut: 0, underWayMs: 250 };
  const rate = {
    urgent: true,
    step: (/** @type {any} */ reading) => (readings.push(reading), null),
  };
  watch.add(
    /** @type {any} */ ({
      session: Object.assign(session, { pathStats: () => stats }),
      reportedSince: () => null,
      rate,
    }),
  );
  clock.advance(1000);
  expect(readings.every(({ underWayMs }) => underWayMs === 250)).toBe(true);
  readings.length = 0;
  clock.stall(400);
  clock.advance(1000);
  const unknown = readings.filter(({ underWayMs }) => underWayMs === null);
  expect(unknown.length).toBeGreaterThan(0);
  expect(unknown.every(({ nowMs }) => nowMs < 1400 + 100)).toBe(true);
  expect(
    readings.filter(({ nowMs }) => nowMs >= 1500).every(({ underWayMs }) => underWayMs === 250),
  ).toBe(true);
  watch.close();
});
