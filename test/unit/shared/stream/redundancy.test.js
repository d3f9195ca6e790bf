import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redundancy } from '../../../../public/shared/stream/redundancy.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

/** @param {'auto' | 0 | 1 | 2} setting */
function setUp(setting) {
  const clock = new FakeClock();
  const redundancy = new Redundancy(setting, clock);
  /** A report each second. @param {number} seconds @param {number | null} lostPercent */
  const pass = (seconds, lostPercent) => {
    for (let i = 0; i < seconds; i++) {
      redundancy.report(lostPercent);
      clock.advance(1000);
    }
    return redundancy.count;
  };
  return { clock, redundancy, pass };
}

describe('Redundancy', () => {
  it('rises at once, as far as the loss asks', () => {
    expect(setUp('auto').redundancy.count).toBe(0);
    expect(setUp('auto').pass(1, 0.4)).toBe(0);
    expect(setUp('auto').pass(1, 0.5)).toBe(1);
    expect(setUp('auto').pass(1, 1.9)).toBe(1);
    expect(setUp('auto').pass(1, 2)).toBe(2);
    expect(setUp('auto').pass(1, 100)).toBe(2);
  });

  it('falls one at a time, after thirty seconds well below', () => {
    const { pass } = setUp('auto');
    expect(pass(1, 5)).toBe(2);
    expect(pass(28, 0)).toBe(2);
    expect(pass(2, 0)).toBe(1);
    expect(pass(28, 0)).toBe(1);
    expect(pass(3, 0)).toBe(0);
  });

  it('stays while half of the loss that raised it remains, and when loss returns in time', () => {
    const { pass } = setUp('auto');
    pass(1, 2);
    expect(pass(300, 1)).toBe(2);
    expect(pass(60, 0.3)).toBe(1);
    expect(pass(300, 0.25)).toBe(1);
    expect(pass(20, 0)).toBe(1);
    expect(pass(1, 0.3)).toBe(1);
    expect(pass(20, 0)).toBe(1);
  });

  it('falls too when nobody reports any more', () => {
    const { clock, redundancy, pass } = setUp('auto');
    pass(1, 1);
    clock.advance(30_000);
    expect(redundancy.count).toBe(0);
  });

  it('learns nothing from what isn’t known', () => {
    const { pass } = setUp('auto');
    expect(pass(1, null)).toBe(0);
    expect(pass(1, NaN)).toBe(0);
    pass(1, 3);
    expect(pass(31, null)).toBe(1);
  });

  describe('while a queue stands on the path', () => {
    /** Reports, one a second; gives the count after each. */
    function path() {
      const { clock, redundancy } = setUp('auto');
      return (
        /** @type {number} */ seconds,
        /** @type {number} */ lostPercent,
        /** @type {number | null} */ roundTripMs,
      ) =>
        Array.from({ length: seconds }, () => {
          redundancy.report(lostPercent, roundTripMs);
          clock.advance(1000);
          return redundancy.count;
        });
    }

    it('repeats nothing, and nothing for a minute once it has drained', () => {
      const pass = path();
      expect(pass(10, 1, 40)).toEqual(Array(10).fill(1));
      expect(pass(4, 20, 340)).toEqual([2, 2, 0, 0]);
      expect(pass(58, 5, 40)).toEqual(Array(58).fill(0));
      expect(pass(1, 5, 40)).toEqual([2]);
    });

    it('begins no repetition', () => {
      const pass = path();
      pass(10, 0, 40);
      pass(3, 0, 150);
      expect(pass(9, 10, 150)).toEqual(Array(9).fill(0));
    });

    it('repeats again after 10 s if it doesn’t drain: a longer path or others’ queue', () => {
      const pass = path();
      pass(10, 5, 40);
      expect(pass(13, 5, 240)).toEqual([2, 2, ...Array(10).fill(0), 2]);
      expect(pass(300, 5, 240)).toEqual(Array(300).fill(2));
      expect(pass(3, 20, 440)).toEqual([2, 2, 0]);
    });

    it('goes on where the round trip grows now and then, or for two reports, or a little', () => {
      const pass = path();
      expect(
        pass(2, 5, 40).concat(pass(2, 5, 400), pass(1, 5, 60), pass(2, 5, 400), pass(1, 5, 89)),
      ).toEqual(Array(8).fill(2));
    });

    it('is as without where the round trip isn’t known', () => {
      const pass = path();
      pass(3, 5, 40);
      expect(pass(30, 5, null)).toEqual(Array(30).fill(2));
    });
  });

  it('is what it is set to, whatever is lost', () => {
    for (const setting of /** @type {const} */ ([0, 1, 2])) {
      const { pass } = setUp(setting);
      expect(pass(10, 20)).toBe(setting);
      expect(pass(100, 0)).toBe(setting);
    }
    for (const setting of /** @type {any[]} */ ([3, -1, 1.5, NaN, 'yes', null, undefined])) {
      expect(() => new Redundancy(setting)).toThrow(RangeError);
    }
  });

  it('is a number of payloads whatever is reported', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double(), fc.nat(60_000))), (reports) => {
        const { clock, redundancy } = setUp('auto');
        for (const [lost, ms] of reports) {
          redundancy.report(lost);
          clock.advance(ms);
          expect([0, 1, 2]).toContain(redundancy.count);
        }
      }),
    );
  });
});
