import { describe, expect, it } from 'vitest';
import { Ladder } from '../../../server/broadcast/ladder.js';
import { PROBE_RULE } from '../../../server/broadcast/probe-rule.js';
import { BasicRule, ProbeRule } from '../../../server/broadcast/rate-rule.js';
import { random } from '../../fakes/random.js';

/** @import { RateEvent, Reading } from '../../../server/broadcast/rate-rule.js' */

const format = { frameMs: 20, opusFrames: 1 };
const ladder = new Ladder(format, 128_000, 3);
/** True if packets of the higher rates hold one frame. */
const byRate = new Ladder(format, 128_000, 3, true);
const kbps = (/** @type {{ index: number }} */ { index }) => ladder.rates[index] / 1000;

/** @param {Partial<Reading>} fields @returns {Reading} */
const reading = (fields) => ({
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
  ...fields,
});

/**
 * A way with a queue, that loses some packets besides, and one listener at its end.
 * @param {object} way
 * @param {(second: number) => number} way.bps rate of the path
 * @param {number} [way.lossShare] of packets lost beside the queue
 * @param {number} [way.queueMs] the most that waits
 * @param {number} [way.seed]
 * @param {Ladder} [way.rates]
 * @param {Reading['carriage']} [way.carriage] with `surely`, dropped packets are sent again, until
 *   the rate goes down; then all waiting ones are sent at the lowest rate. It is `thrice` unless
 *   the rule says otherwise
 */
function simulate(
  { bps, lossShare = 0, queueMs = 1500, seed = 1, rates = ladder, carriage: usual = 'once' },
  seconds = 120,
) {
  const rule = new ProbeRule(rates);
  const chance = random(seed);
  let [queue, sent, lost, smoothed, dueMs, longestMs] = [0, 0, 0, 40, 1000, 0];
  /**
   * Packets under way: their acknowledgements are held for as long as receivers do.
   * @type {{ sentMs: number, knownMs: number }[]}
   */
  let flight = [];
  /**
   * @type {{ second: number, kbps: number, bare: boolean, waitsMs: number, event: RateEvent | null
   *   }[]}
   */
  const steps = [];
  for (let frame = 1; frame < seconds * 50; frame++) {
    const nowMs = 20 * frame;
    const carries = bps(nowMs / 1000);
    const carriage = usual === 'thrice' && rule.bare ? 'once' : usual;
    const isSure = carriage === 'surely';
    const { stride, repeats } =
      rule.probe ?? (carriage === 'once' ? rates : ladder).usual[rule.index];
    queue = Math.max(0, queue - carries * 0.02);
    if (frame % stride === 0) {
      const bits =
        (ladder.rates[rule.index] * 0.02 * (repeats + 1) + 576) * (carriage === 'thrice' ? 3 : 1);
      sent += 1;
      const waitsMs = (1000 * (queue + bits)) / carries;
      if (waitsMs > queueMs || chance() < lossShare) lost += 1;
      if (isSure || waitsMs <= queueMs) {
        queue += bits;
        longestMs = Math.max(longestMs, waitsMs);
        flight.push({ sentMs: nowMs, knownMs: nowMs + 40 + waitsMs + 25 });
        smoothed += (40 + Math.min(waitsMs, queueMs) - smoothed) / 8;
      }
    }
    if (nowMs < dueMs) continue;
    const { index } = rule;
    flight = flight.filter(({ knownMs }) => knownMs > nowMs);
    const event = rule.step(
      reading({
        nowMs,
        carriage,
        sent,
        lost,
        roundTripMs: smoothed,
        underWayMs: nowMs - (flight[0]?.sentMs ?? nowMs),
      }),
    );
    if (isSure && rule.index < index) queue *= ladder.wire[0] / ladder.wire[index];
    dueMs = nowMs + (rule.urgent ? 100 : 250);
    steps.push({
      second: nowMs / 1000,
      kbps: kbps(rule),
      bare: rule.bare,
      waitsMs: (1000 * queue) / carries,
      event,
    });
  }
  const at = (/** @type {number} */ second) =>
    steps.findLast((step) => step.second <= second) ?? steps[0];
  const counts = (/** @type {RateEvent} */ name, from = 0) =>
    steps.filter(({ event, second }) => event === name && second >= from).length;
  return { steps, at, counts, longestMs };
}

describe('the rule that probes', () => {
  it('goes up to what is asked for on a wide way, and stays there', () => {
    const { at, counts } = simulate({ bps: () => 2_000_000 });
    expect([at(1).kbps, at(6).kbps, at(10).kbps, at(119).kbps]).toEqual([64, 96, 128, 128]);
    expect([counts('down'), counts('failed')]).toEqual([0, 0]);
  });

  for (const queueMs of [150, 400, 1500]) {
    it.each([ladder, byRate])(
      `follows a path from 200 to 40 kb/s and back, queue ${queueMs} ms, by rate: $byRate`,
      (rates) => {
        const { at } = simulate(
          { bps: (second) => (second > 40 && second < 80 ? 40_000 : 200_000), queueMs, rates },
          160,
        );
        expect(at(39).kbps).toBe(128);
        expect(at(43).kbps).toBeLessThanOrEqual(32);
        // The queue is empty, and no probe delays more than a second of sound.
        expect(at(50).waitsMs).toBeLessThan(200);
        expect(at(95).kbps).toBe(128);
      },
    );
  }

  it('tries again as soon as packets are faster than they were after the last failed probe', () => {
    // The probe from 16 to 32 kb/s fails some seconds after it seemed to succeed; the next ones at
    // once.
    for (const wideAgain of [54, 75]) {
      const { steps, at } = simulate(
        { bps: (second) => (second > 40 && second < wideAgain ? 40_000 : 200_000) },
        100,
      );
      const failed = steps.findLast(
        ({ event, second }) => (event === 'failed' || event === 'down') && second < wideAgain,
      );
      expect(failed?.second).toBeGreaterThan(wideAgain === 54 ? 48 : 60);
      expect(
        [wideAgain - 1, wideAgain + 4, wideAgain + 12].map((second) => at(second).kbps),
      ).toEqual([16, 32, 128]);
    }
  });

  for (const queueMs of [150, 300, 1500]) {
    it(`keeps reliable sound in time from 200 to 40 kb/s and back, queue of ${queueMs} ms`, () => {
      const { at, longestMs } = simulate(
        {
          bps: (second) => (second > 40 && second < 60 ? 40_000 : 200_000),
          queueMs,
          carriage: 'surely',
        },
        160,
      );
      expect([at(39).kbps, at(75).kbps]).toEqual([128, 128]);
      expect(at(45).kbps).toBeLessThanOrEqual(32);
      // Sound waits 1500 ms at such a listener.
      expect(longestMs).toBeLessThan(1300);
    });
  }

  it('notices a fall by what is under way, before a round trip has grown', () => {
    const rule = new ProbeRule(ladder);
    const step = (/** @type {number} */ nowMs, /** @type {number} */ underWayMs) => (
      rule.step(
        reading({ nowMs, carriage: 'surely', sent: 0, lost: 0, roundTripMs: 50, underWayMs }),
      ),
      [kbps(rule), rule.isCalm]
    );
    step(1000, 0);
    // An acknowledgement may be held for a while.
    expect(step(1250, 50 + PROBE_RULE.ackMs)).toEqual([96, true]);
    expect(step(1500, 50 + PROBE_RULE.ackMs + PROBE_RULE.mildQueueMs + 1)).toEqual([96, false]);
    expect(step(1600, 50 + PROBE_RULE.ackMs + PROBE_RULE.lateMs)).toEqual([96, false]);
    expect(step(1750, 50 + PROBE_RULE.ackMs + PROBE_RULE.lateMs + 1)).toEqual([64, false]);
    // The path gets worse, though no round trip has ended; the delay grew faster before, by more
    // than 66 % of the sent time.
    expect(step(2000, 50 + PROBE_RULE.ackMs + PROBE_RULE.lateMs + PROBE_RULE.worseMs + 2)).toEqual([
      16,
      false,
    ]);
  });

  it('notices a fall by packets that arrive later and later, which in a stall none does', () => {
    const after = (/** @type {number[]} */ underWay) => {
      const rule = new ProbeRule(new Ladder(format, 64_000, 3, true));
      const step = (/** @type {number} */ nowMs, /** @type {number} */ underWayMs) =>
        rule.step(reading({ nowMs, sent: 0, lost: 0, roundTripMs: 50, underWayMs }));
      expect([step(1000, 60), kbps(rule)]).toEqual([null, 64]);
      underWay.forEach((underWayMs, i) => step(1100 + 50 * i, underWayMs));
      return kbps(rule);
    };
    // The path carries in 50 ms the packets of 20 ms.
    expect(after([125, 155])).toBe(64);
    expect(after([125, 155, 185])).toBe(16);
    // None arrives, and then all do.
    expect(after([125, 175, 225, 60])).toBe(64);
    // Some are held up, and wait no longer than an acknowledgement is held for.
    expect(after([125, 155, 166, 155, 166])).toBe(64);
  });

  it("isn't moved by the stalls of a radio: neither the rate nor a probe", () => {
    for (const carriage of /** @type {const} */ (['once', 'surely'])) {
      const rule = new ProbeRule(ladder);
      const events = [];
      for (let nowMs = 0; nowMs < 60_000; nowMs += 250)
        events.push(
          rule.step(
            reading({
              nowMs,
              carriage,
              sent: nowMs / 20,
              lost: 0,
              roundTripMs: 40,
              underWayMs: nowMs % 2000 === 0 ? 200 : 60,
            }),
          ),
        );
      expect([
        kbps(rule),
        events.filter((event) => event === 'down' || event === 'failed'),
      ]).toEqual([128, []]);
    }
  });

  it('knows that packets before the oldest in flight have arrived, unless some were lost', () => {
    const rule = new ProbeRule(ladder);
    const step = (/** @type {number} */ nowMs, /** @type {Partial<Reading>} */ fields) => (
      rule.step(
        reading({ nowMs, carriage: 'surely', sent: 0, lost: 0, roundTripMs: 50, ...fields }),
      ),
      rule.arrivedMs
    );
    expect(step(1000, {})).toBe(-Infinity);
    expect(step(1250, { underWayMs: 60 })).toBe(1190);
    expect(step(1500, { underWayMs: 200 })).toBe(1300);
    // Lost packets are sent again now, and have arrived once nothing older is under way.
    expect(step(1750, { lost: 1, underWayMs: 100 })).toBe(1300);
    expect(step(2000, { lost: 1, underWayMs: 260 })).toBe(1300);
    expect(step(2250, { lost: 1, underWayMs: 100 })).toBe(2150);
  });

  it('calls the path narrow while even its lowest rate is too much, so nothing is repeated', () => {
    const rule = new ProbeRule(ladder);
    rule.ask(16_000);
    const suffers = (/** @type {number} */ nowMs, /** @type {number} */ roundTripMs) => (
      rule.step(reading({ nowMs, roundTripMs })),
      rule.suffers
    );
    expect([
      suffers(1000, 40),
      suffers(2000, 400),
      suffers(9000, 400),
      suffers(15_000, 40),
      suffers(16_001, 40),
    ]).toEqual([false, true, true, true, false]);
    // Loss without a queue is for repeats to mend.
    const lossy = new ProbeRule(ladder);
    lossy.ask(16_000);
    const loses = (/** @type {number} */ nowMs, /** @type {number} */ lost) => (
      lossy.step(reading({ nowMs, roundTripMs: 40, sent: nowMs / 20, lost })),
      lossy.suffers
    );
    expect([loses(1000, 0), loses(2000, 20), loses(2500, 30)]).toEqual([false, false, false]);
  });

  it('undoes a step too far at once with reliable packets, and tries less and less often', () => {
    const { at, counts, longestMs } = simulate({ bps: () => 90_000, carriage: 'surely' }, 600);
    expect(at(599).kbps).toBe(64);
    expect(longestMs).toBeLessThan(1000);
    expect(counts('failed', 300) + counts('down', 300)).toBeLessThan(8);
  });

  it('drops repeats to near listeners before lowering the rate, and resumes them on loss', () => {
    const { at, counts } = simulate(
      { bps: (second) => (second < 40 ? 2_000_000 : 200_000), queueMs: 300, carriage: 'thrice' },
      120,
    );
    expect(at(39)).toMatchObject({ kbps: 128, bare: false });
    expect(at(44)).toMatchObject({ bare: true });
    expect(at(119)).toMatchObject({ kbps: 128, bare: true });
    expect(counts('down', 60)).toBe(0);
    const lossy = simulate(
      {
        bps: (second) => (second > 20 && second < 40 ? 150_000 : 5_000_000),
        queueMs: 300,
        carriage: 'thrice',
        lossShare: 0.2,
      },
      200,
    );
    expect(lossy.at(30).bare).toBe(true);
    expect(lossy.at(199).bare).toBe(false);
  });

  it('waits longer after each probe that failed, up to a minute', () => {
    const { counts, at } = simulate({ bps: () => 90_000 }, 600);
    expect(at(599).kbps).toBe(64);
    expect(counts('failed') + counts('down')).toBeLessThan(20);
    expect(counts('failed', 300) + counts('down', 300)).toBeLessThan(8);
  });

  it("puts up with loss that a lower rate doesn't cure", () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { at } = simulate({ bps: () => 2_000_000, lossShare: 0.12, seed }, 300);
      const below = Array.from({ length: 300 }, (_, second) => at(second).kbps).filter(
        (rate) => rate < 64,
      );
      expect(below.length / 300).toBeLessThan(0.15);
    }
  });

  it("isn't moved by a little loss, nor by a few slow packets", () => {
    const { counts, at } = simulate({ bps: () => 2_000_000, lossShare: 0.02 }, 600);
    expect(at(599).kbps).toBe(128);
    expect(counts('down')).toBeLessThan(2);
  });

  it('goes down if packets are blocked or loss is reported, and never above the request', () => {
    const rule = new ProbeRule(ladder);
    rule.step(reading({ nowMs: 1000, blocked: 3 }));
    expect([
      rule.probe,
      rule.step(reading({ nowMs: 2000, blocked: 4 })),
      kbps(rule),
      rule.probe,
    ]).toEqual([{ stride: 2, repeats: 2 }, 'failed', 64, null]);
    rule.step(reading({ nowMs: 2250, blocked: 5 }));
    expect(kbps(rule)).toBe(32);
    rule.step(reading({ nowMs: 4000, blocked: 5, reported: 30 }));
    expect(kbps(rule)).toBe(16);
    const modest = new ProbeRule(ladder);
    modest.ask(33_000);
    for (let nowMs = 0; nowMs < 60_000; nowMs += 1000)
      modest.step(reading({ nowMs, roundTripMs: 20 }));
    expect([kbps(modest), modest.probe]).toEqual([32, null]);
    modest.ask(Infinity);
    for (let nowMs = 60_000; nowMs < 90_000; nowMs += 1000)
      modest.step(reading({ nowMs, roundTripMs: 20 }));
    expect(kbps(modest)).toBe(128);
  });

  it('goes at once down to what the estimate says that the way carries', () => {
    const rule = new ProbeRule(ladder);
    for (let nowMs = 0; nowMs < 10_000; nowMs += 1000)
      rule.step(reading({ nowMs, roundTripMs: 20 }));
    expect(kbps(rule)).toBe(128);
    rule.step(
      reading({ nowMs: 10_000, roundTripMs: 300, deliveryBps: 30_000, deliveryIsLimit: true }),
    );
    expect([kbps(rule), rule.urgent, rule.suffers]).toEqual([16, true, true]);
  });

  it('goes down as far as the wait grows by what is sent beyond what the way carries', () => {
    const after = (/** @type {number} */ grownMs, /** @type {number} */ fullMs = 2 * grownMs) => {
      const rule = new ProbeRule(byRate);
      for (let nowMs = 0; nowMs <= 10_000; nowMs += 250)
        rule.step(reading({ nowMs, roundTripMs: 20 }));
      expect(kbps(rule)).toBe(128);
      for (const n of [1, 2])
        rule.step(
          reading({ nowMs: 10_000 + 250 * n, roundTripMs: 20 + Math.min(grownMs * n, fullMs) }),
        );
      return kbps(rule);
    };
    expect([10, 80, 130, 150].map((grownMs) => after(grownMs))).toEqual([128, 64, 32, 32]);
    // A queue that is full grows no more.
    expect(after(145, 155)).toBe(32);
  });

  it('tries the next rate itself where repeats would make far more bits', () => {
    const single = new Ladder(format, 128_000, 1);
    expect(
      single.rates.slice(0, -1).map((_, index) => single.probeOf(index, index + 1) !== null),
    ).toEqual([true, true, true, false]);
    const rule = new ProbeRule(single);
    const probed = new Set();
    for (let nowMs = 0; nowMs <= 30_000; nowMs += 250) {
      rule.step(reading({ nowMs, roundTripMs: 20 }));
      if (rule.probe !== null) probed.add(kbps(rule));
    }
    expect([kbps(rule), [...probed]]).toEqual([128, [64]]);
  });

  it('repeats as much as shows the next rate while it probes', () => {
    for (const rates of [ladder, byRate]) {
      const forms = rates.rates.slice(0, -1).map((_, index) => rates.probeOf(index, index + 1));
      expect(forms).toEqual([
        { stride: 2, repeats: 2 },
        { stride: 1, repeats: 1 },
        { stride: 2, repeats: 2 },
        { stride: 2, repeats: 2 },
      ]);
    }
    expect(PROBE_RULE.startBps).toBe(ladder.rates[2]);
  });
});

describe('the basic rule', () => {
  it('keeps to what is asked for', () => {
    const rule = new BasicRule(ladder);
    rule.ask(64_000);
    rule.step(reading({ deliveryBps: 10_000, deliveryIsLimit: true }));
    expect(kbps(rule)).toBe(64);
  });
});

describe('the rates of a room', () => {
  it('have packets that pass a narrow path soon, of at most the frames the room allows', () => {
    const strides = (/** @type {number} */ stride) =>
      new Ladder(format, 128_000, stride, true).usual.map((form) => form.stride);
    expect([strides(3), strides(2), strides(1)]).toEqual([
      [3, 3, 1, 1, 1],
      [2, 2, 1, 1, 1],
      [1, 1, 1, 1, 1],
    ]);
    expect(ladder.usual).toEqual(Array(5).fill({ stride: 3, repeats: 2 }));
  });

  it("end where the room's most is, and where a packet does", () => {
    expect(new Ladder(format, 64_000, 3).rates).toEqual([16_000, 32_000, 64_000]);
    expect(new Ladder({ frameMs: 120, opusFrames: 2 }, 128_000, 1).rates.at(-1)).toBe(64_000);
    expect(new Ladder(format, 1, 1).rates).toEqual([16_000]);
  });
});
