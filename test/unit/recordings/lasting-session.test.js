import { describe, expect, it } from 'vitest';
import { LastingSession } from '../../../public/recordings/lasting-session.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** A session whose attempts and ends the test decides. */
function lasting() {
  const clock = new FakeClock();
  /** @type {{ closed: (why: string) => void, settle: () => void, fail: () => void }[]} */
  const attempts = [];
  const told = {
    reopened: 0,
    closed: /** @type {string[]} */ ([]),
    failed: /** @type {string[]} */ ([]),
  };
  const link = new LastingSession({
    open: (closed) =>
      new Promise((resolve, reject) => {
        attempts.push({
          closed,
          settle: () => resolve({}),
          fail: () => reject(new Error('refused')),
        });
      }),
    reopened: () => (told.reopened += 1),
    closed: (why) => told.closed.push(why),
    failed: (why) => told.failed.push(why),
    clock,
  });
  /** Lets promises settle. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { link, clock, attempts, told, settled };
}

describe('the session of a recording', () => {
  it('is opened again by one attempt, however often it is asked for', async () => {
    const { link, attempts, told, settled } = lasting();
    for (let i = 0; i < 5; i++) void link.reopen('gone');
    expect(attempts).toHaveLength(1);
    attempts[0].settle();
    await settled();
    for (let i = 0; i < 5; i++) void link.reopen('gone');
    expect(attempts).toHaveLength(1);
    expect(told).toEqual({ reopened: 1, closed: [], failed: [] });
  });

  it('is given up after three attempts, and tried again when it is asked for', async () => {
    const { link, clock, attempts, told, settled } = lasting();
    void link.reopen('gone');
    for (const count of [1, 2, 3]) {
      expect(attempts).toHaveLength(count);
      attempts[count - 1].fail();
      await settled();
      clock.advance(700);
      await settled();
    }
    expect(attempts).toHaveLength(3);
    expect(told.failed).toEqual(['Error: refused']);
    link.forgive();
    void link.reopen('gone');
    expect(attempts).toHaveLength(4);
  });

  it('counts attempts that opened one without use as failed', async () => {
    const { link, clock, attempts, told, settled } = lasting();
    for (let i = 0; i < 3; i++) {
      void link.reopen('gone');
      clock.advance(700);
      await settled();
      attempts[i].settle();
      await settled();
      attempts[i].closed('idle');
      expect(link.current).toBeNull();
    }
    void link.reopen('gone');
    await settled();
    expect(attempts).toHaveLength(3);
    expect(told).toEqual({ reopened: 3, closed: ['idle', 'idle', 'idle'], failed: ['gone'] });
  });

  it('that ends as it opens is opened again', async () => {
    const { link, clock, attempts, told, settled } = lasting();
    void link.reopen('gone');
    attempts[0].settle();
    attempts[0].closed('at once');
    await settled();
    clock.advance(700);
    await settled();
    expect(attempts).toHaveLength(2);
    attempts[1].settle();
    await settled();
    expect(link.current).not.toBeNull();
    expect(told).toEqual({ reopened: 1, closed: [], failed: [] });
  });
});
