import { describe, expect, it } from 'vitest';
import { Ladder } from '../../../server/broadcast/ladder.js';
import { RULES, SimpleRule } from '../../plugin/index.js';

/** @import { Reading } from '../../../server/broadcast/rate-rule.js' */

const ladder = new Ladder({ frameMs: 20, opusFrames: 1 }, 128_000, 3);
const kbps = (/** @type {{ index: number }} */ { index }) => ladder.rates[index] / 1000;

/** @type {Reading} */
const UNKNOWN = {
  nowMs: 0,
  carriage: 'once',
  sent: null,
  lost: null,
  blocked: 0,
  reported: null,
  roundTripMs: null,
  deliveryBps: null,
  deliveryIsLimit: false,
  underWayMs: null,
};

const known = (/** @type {number} */ deliveryBps, deliveryIsLimit = true) => ({
  ...UNKNOWN,
  deliveryBps,
  deliveryIsLimit,
});

describe('the rules of the thesis', () => {
  it('simple takes what the estimate carries', () => {
    const rule = new SimpleRule(ladder);
    expect([rule.step(known(50_000)), kbps(rule)]).toEqual(['down', 32]);
    expect([rule.step(known(200_000, false)), kbps(rule)]).toEqual(['up', 128]);
    expect([rule.step(known(50_000, false)), kbps(rule)]).toEqual([null, 128]);
    rule.ask(64_000);
    rule.step(known(1_000_000));
    expect([rule.step(UNKNOWN), kbps(rule)]).toEqual([null, 64]);
  });

  it.each(/** @type {const} */ (['static', 'basic']))(
    '%s keeps the rate that the client asked for',
    (name) => {
      const rule = new RULES[name](ladder);
      for (const reading of [UNKNOWN, known(50_000), known(1_000_000)])
        expect([rule.step(reading), kbps(rule)]).toEqual([null, 128]);
      rule.ask(64_000);
      expect([rule.step(known(16_000)), kbps(rule)]).toEqual([null, 64]);
    },
  );
});
