import { describe, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { drainRooms } from '../../../server/drain.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { Conference } from '../../fakes/conference.js';

/** @param {Promise<unknown>} promise */
async function isSettled(promise) {
  let settled = false;
  void promise.then(() => (settled = true));
  for (let i = 0; i < 10; i++) await Promise.resolve();
  return settled;
}

describe('draining', () => {
  it('is over at once where nobody is there', async () => {
    const clock = new FakeClock();
    expect(
      await isSettled(
        drainRooms({ people: async () => 0, drain: async () => {} }, { ms: 25_000, clock }),
      ),
    ).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('is over when the last has left', async () => {
    const clock = new FakeClock();
    let people = 2;
    const rooms = { people: async () => people, drain: async () => {} };
    const drained = drainRooms(rooms, { ms: 25_000, clock });
    expect(await isSettled(drained)).toBe(false);
    clock.advance(5000);
    expect(await isSettled(drained)).toBe(false);
    people = 0;
    clock.advance(250);
    expect(await isSettled(drained)).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('is over at its end', async () => {
    const clock = new FakeClock();
    const drained = drainRooms(
      { people: async () => 2, drain: async () => {} },
      { ms: 25_000, clock },
    );
    expect(await isSettled(drained)).toBe(false);
    clock.advance(24_900);
    expect(await isSettled(drained)).toBe(false);
    clock.advance(250);
    expect(await isSettled(drained)).toBe(true);
  });
});

describe('draining that hangs', () => {
  const never = () => new Promise(() => {});
  const nodes = () => [];

  it('on a room without another node notifies its people, and is over at its end', async () => {
    const clock = new FakeClock();
    /** @type {number[]} */
    const told = [];
    const rooms = {
      people: async () => 2,
      drain: async (/** @type {number} */ seconds) => void told.push(seconds),
    };
    const drained = drainRooms(rooms, { ms: 20_000, clock, cluster: { drain: never, nodes } });
    clock.advance(9990);
    expect(await isSettled(drained)).toBe(false);
    expect(told).toEqual([]);
    clock.advance(20);
    expect(await isSettled(drained)).toBe(false);
    expect(told).toEqual([10]);
    clock.advance(9980);
    expect(await isSettled(drained)).toBe(false);
    clock.advance(20);
    expect(await isSettled(drained)).toBe(true);
  });

  it.each([
    ['draining', { people: async () => 2, drain: never }],
    ['counting', { people: never, drain: async () => {} }],
  ])('on a worker thread that stands still while %s is over at its end', async (_name, rooms) => {
    const clock = new FakeClock();
    const drained = drainRooms(/** @type {any} */ (rooms), { ms: 20_000, clock });
    clock.advance(19_990);
    expect(await isSettled(drained)).toBe(false);
    clock.advance(20);
    expect(await isSettled(drained)).toBe(true);
    expect(clock.waiting).toBe(0);
  });
});

describe('rooms that are draining', () => {
  it('tell everybody, let nobody new in, and let those back who had a place', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    const [{ resume }] = ann.session.told('welcome');
    conference.rooms.drain(25);
    expect(conference.rooms.draining).toBe(true);
    expect(ann.session.told('draining')).toEqual([{ type: 'draining', seconds: 25 }]);
    for (const wish of [
      {},
      { room: 'other' },
      { mirror: true },
      { resume: 'x'.repeat(resume.length) },
    ]) {
      const { session } = await conference.join('Bob', wish);
      expect(session.told('refused')).toEqual([
        { type: 'refused', code: 'draining', message: errors.draining.message },
      ]);
      expect(session.closed).toEqual({
        code: errors.draining.close,
        reason: errors.draining.message,
      });
    }
    ann.session.close(19, 'lost');
    const back = await conference.join('Ann', { resume });
    expect(back.session.told('welcome')).toHaveLength(1);
  });
});
