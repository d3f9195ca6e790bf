import { describe, expect, it } from 'vitest';
import { LossReport, ReceivedShare, reportOf } from '../../../../public/client/playout/packet-loss.js';

describe('LossReport', () => {
  it('tells what changes at once, and what stays each five seconds', () => {
    const report = new LossReport();
    const told = [0, 0, 0.4, 0.4, 3, 3.2, 3.1, 3, 3, 3, null, 0.4, 0, 0, 0, 0, 0, 0].map((lost, i) => report.isDue(lost, i * 1000));
    expect(told.map(Number).join('')).toBe('100010000101000010');
    expect(report.isDue(null, 99_000)).toBe(false);
  });

  it('leaves out what can not be, so that the rest is taken', () => {
    const sound = { delayMs: 95, detail: { playout: { delayMs: 40.126, driftPpm: -12 } } };
    expect(reportOf(1, sound)).toEqual({ type: 'report', lostPercent: 1, playoutDelayMs: 40.13, soundLatencyMs: 95, driftPpm: -12 });
    const wrong = { delayMs: NaN, detail: { playout: { delayMs: 10_001, driftPpm: -1e6 } } };
    expect(reportOf(0, wrong)).toEqual({ type: 'report', lostPercent: 0 });
  });
});

describe('ReceivedShare', () => {
  it('is of the last ten seconds', () => {
    const share = new ReceivedShare();
    expect(share.percent).toBeNull();
    share.add({ received: 25, late: 15, lost: 10 });
    expect(share.percent).toBe(50);
    for (let i = 1; i <= 12; i++) share.add({ received: 25 + i * 50, late: 15, lost: 10 });
    expect(share.percent).toBe(100);
  });
});
