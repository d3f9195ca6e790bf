import { expect, it } from 'vitest';
import { RateCounts } from '../../../server/broadcast/rate-counts.js';
import { RateWatch } from '../../../server/broadcast/rate-watch.js';
import { FakeClock } from '../../fakes/fake-clock.js';
import { FakeSession, fakeTransport } from '../../fakes/fake-session.js';

it('looks at each listener four times a second, at those whose way is changing ten times, and at nobody who has gone', () => {
  const clock = new FakeClock();
  const watch = new RateWatch({ clock, counts: new RateCounts(), onStep: () => {} });
  const listeners = Array.from({ length: 103 }, (_, i) => {
    const rate = { urgent: i % 10 === 0, looks: 0, step: () => (rate.looks++, null) };
    return /** @type {any} */ ({ session: new FakeSession(fakeTransport()), reportedSince: () => null, rate });
  });
  for (const listener of listeners) watch.add(listener);
  clock.advance(2000);
  const gone = listeners.splice(20, 30);
  for (const listener of gone) watch.remove(listener);
  watch.remove(gone[0]);
  for (const { rate } of [...listeners, ...gone]) rate.looks = 0;
  clock.advance(10_000);
  for (const { rate } of listeners) expect(Math.abs(rate.looks - (rate.urgent ? 100 : 40))).toBeLessThan(3);
  expect(gone.every(({ rate }) => rate.looks === 0)).toBe(true);
  expect(clock.waiting).toBe(1);
  for (const listener of listeners) watch.remove(listener);
  expect(clock.waiting).toBe(0);
});
