import { describe, expect, it } from 'vitest';
import { Rates } from '../../../public/admin/rates.js';

/**
 * The state of a server that has run for some seconds, and has done the same in each.
 * @param {number} seconds
 * @param {{ refused?: number }} [options]
 */
function after(seconds, { refused = 0 } = {}) {
  return {
    uptimeSeconds: seconds,
    load: { mixCpuSeconds: 0.25 * seconds },
    packets: { received: 95 * seconds, late: 19 * seconds, lost: 5 * seconds },
    ticks: {
      count: 50 * seconds,
      bins: [
        { upToMs: 10, count: 40 * seconds },
        { upToMs: 20, count: 49 * seconds },
      ],
    },
    refusals: [
      { of: 'join', code: 'room-full', count: refused },
      { of: 'http', code: 'not-found', count: 100 },
    ],
  };
}

describe('the rates of the operator’s page', () => {
  it('know nothing before the second look', () => {
    const rates = new Rates();
    expect(rates.recent.mixingPercent).toBeNull();
    expect(rates.refusals).toEqual([]);
    rates.add(after(100));
    expect(rates.recent).toEqual({
      mixingPercent: null,
      lateTickPercent: null,
      lostPercent: null,
      latePercent: null,
    });
  });

  it('are of the last ten seconds', () => {
    const rates = new Rates();
    rates.add({ ...after(100), load: { mixCpuSeconds: 0 } });
    for (let second = 101; second <= 130; second++) rates.add(after(second));
    const { mixingPercent, lateTickPercent, lostPercent, latePercent } = rates.recent;
    expect(
      [mixingPercent, lateTickPercent, lostPercent, latePercent].map((one) =>
        Math.round(one ?? NaN),
      ),
    ).toEqual([25, 2, 5, 20]);
  });

  it('are none where nobody sent anything', () => {
    const rates = new Rates();
    const still = after(0);
    rates.add({ ...still, uptimeSeconds: 10 });
    rates.add({ ...still, uptimeSeconds: 11 });
    expect(rates.recent).toEqual({
      mixingPercent: 0,
      lateTickPercent: null,
      lostPercent: null,
      latePercent: null,
    });
  });

  it('count refusals of the last minute, and put those first', () => {
    const rates = new Rates();
    for (let second = 0; second <= 200; second++) rates.add(after(second, { refused: second }));
    expect(rates.refusals).toEqual([
      { of: 'join', code: 'room-full', count: 200, recent: 60 },
      { of: 'http', code: 'not-found', count: 100, recent: 0 },
    ]);
  });

  it('start over with a restarted server', () => {
    const rates = new Rates();
    rates.add(after(1000, { refused: 50 }));
    rates.add(after(1));
    expect(rates.recent.mixingPercent).toBeNull();
    rates.add(after(2, { refused: 3 }));
    expect(Math.round(rates.recent.mixingPercent ?? NaN)).toBe(25);
    expect(rates.refusals[0]).toMatchObject({ code: 'room-full', recent: 3 });
  });
});
