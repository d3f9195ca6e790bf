import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redundancy } from '../../../public/shared/redundancy.js';
import { FakeClock } from '../../fakes/fake-clock.js';

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

  it('stays while there is half of the loss for which it rose, and when loss comes back in time', () => {
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
