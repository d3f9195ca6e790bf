import { describe, expect, it, vi } from 'vitest';
import { repeat, settlesWithin } from '../../../server/timers.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

describe('repeat', () => {
  it('calls at its interval until it is stopped, also by the call itself', () => {
    const clock = new FakeClock();
    const run = vi.fn();
    const stop = repeat(clock, 10, run);
    clock.advance(35);
    expect(run).toHaveBeenCalledTimes(3);
    run.mockImplementation(stop);
    clock.advance(100);
    expect([run.mock.calls.length, clock.waiting]).toEqual([4, 0]);
  });

  it('tells how late a call is after the process stood still', () => {
    const clock = new FakeClock();
    const run = vi.fn();
    repeat(clock, 10, run);
    clock.advance(10);
    clock.stall(500);
    clock.advance(10);
    expect(run.mock.calls).toEqual([[0], [490], [0]]);
  });
});

describe('settlesWithin', () => {
  it('tells whether a promise was fulfilled in time, and leaves no timer', async () => {
    const clock = new FakeClock();
    expect(await settlesWithin(clock, 10, Promise.resolve('x'))).toBe(true);
    const late = settlesWithin(clock, 10, new Promise(() => {}));
    clock.advance(10);
    expect(await late).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  it('passes on a rejection in time, and ignores a later one', async () => {
    const clock = new FakeClock();
    await expect(settlesWithin(clock, 10, Promise.reject(new Error('no')))).rejects.toThrow('no');
    /** @type {(error: Error) => void} */
    let reject = () => {};
    const late = settlesWithin(clock, 10, new Promise((_, fail) => (reject = fail)));
    clock.advance(10);
    expect(await late).toBe(false);
    reject(new Error('late'));
    await new Promise((resolve) => void setImmediate(resolve));
  });
});
