import { describe, expect, it } from 'vitest';
import { writeControlLine } from '../../../public/shared/wire/control.js';
import { errors } from '../../../public/shared/errors.js';
import { RATES } from '../../../public/shared/sound/audio-format.js';
import { SEGMENT_HEADER_BYTES } from '../../../public/shared/wire/segment.js';
import { Reader } from '../../../server/ondemand/reader.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** A session of the engine, as far as a reader needs one. */
class FakeNative {
  /**
   * Bytes on each stream of a segment.
   * @type {{ number: number, epoch: number, rate: number }[]}
   */
  sent = [];
  /** @type {any[]} */
  told = [];
  /** @type {any} */
  onStream = null;
  /** @type {any} */
  onClosed = null;
  /** @type {number | null} */
  closedWith = null;
  /** @type {number | null} */
  deliveryBps = null;
  blocked = false;
  /** Segments' streams that were broken off. */
  resets = 0;
  /** @type {Uint8Array[]} */
  #incoming = [];

  /** The client's control stream. */
  control = {
    bidi: true,
    onReadable: () => {},
    read: (/** @type {Uint8Array} */ bytes) => {
      const next = this.#incoming.shift();
      if (next) bytes.set(next);
      return next?.length ?? 0;
    },
    write: (/** @type {Uint8Array} */ bytes) =>
      this.told.push(JSON.parse(new TextDecoder().decode(bytes))) > 0,
  };

  /** @param {object | Uint8Array} message */
  say(message) {
    this.#incoming.push(message instanceof Uint8Array ? message : writeControlLine(message));
    this.control.onReadable();
  }

  openStream() {
    if (this.blocked) return null;
    const write = (/** @type {Uint8Array} */ bytes) => {
      const view = new DataView(bytes.buffer);
      return (
        this.sent.push({
          number: view.getUint32(0),
          epoch: view.getUint16(4),
          rate: view.getUint16(6) * 1000,
        }) > 0
      );
    };
    return { write, finish: () => {}, reset: () => void (this.resets += 1) };
  }

  stats() {
    return { deliveryBps: this.deliveryBps };
  }

  /** @param {number} code */
  close(code) {
    this.closedWith = code;
  }
}

const settle = async () => {
  for (let i = 0; i < 10; i++) await null;
};

/** @param {{ count?: number, whole?: boolean }} [segments] */
function open({ count = 100, whole = true } = {}) {
  const clock = new FakeClock();
  const native = new FakeNative();
  const segments = { rates: [...RATES], channels: 1, count, whole };
  let [reads, ends] = [0, 0];
  const read = async (/** @type {number} */ rate) => {
    reads += 1;
    return new Uint8Array(rate / 8);
  };
  const reader = new Reader({
    native: /** @type {any} */ (native),
    clock,
    segments,
    read,
    describe: () => ({ on: !whole }),
    onEnd: () => void (ends += 1),
  });
  native.onStream(native.control);
  /** Lets time pass, with each segment acknowledged as it comes. @param {number} ms */
  const pass = async (ms, acknowledges = true) => {
    let acknowledged = native.sent.length;
    for (let t = 0; t < ms; t += 100) {
      clock.advance(100);
      await settle();
      if (!acknowledges) continue;
      for (; acknowledged < native.sent.length; acknowledged++) {
        const { number, epoch } = native.sent[acknowledged];
        native.say({ type: 'got', epoch, number });
        await settle();
      }
    }
  };
  return { clock, native, segments, reader, pass, reads: () => reads, ends: () => ends };
}

describe('a reader of a recording', () => {
  it('learns of the recording, gets a buffer of segments, then one for each it plays', async () => {
    const { native, pass } = open();
    expect(native.told).toEqual([
      { type: 'recording', rates: RATES, channels: 1, count: 100, whole: true, on: false },
    ]);
    native.say({ type: 'play', epoch: 1, from: 7, rule: 'static', rate: 64_000, max: 10 });
    await pass(2000);
    expect(native.sent.map(({ number }) => number).slice(0, 10)).toEqual([
      7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    ]);
    const before = native.sent.length;
    await pass(10_000);
    expect(native.sent.length - before).toBeGreaterThanOrEqual(9);
    expect(native.sent.length - before).toBeLessThanOrEqual(11);
    expect(new Set(native.sent.map(({ rate }) => rate))).toEqual(new Set([64_000]));
    native.say({ type: 'pace', speed: 1, paused: true });
    await pass(3000);
    const paused = native.sent.length;
    await pass(5000);
    expect(native.sent.length).toBe(paused);
    native.say({ type: 'pace', speed: 2, paused: false });
    await pass(5000);
    expect(native.sent.length - paused).toBeGreaterThanOrEqual(9);
  });

  it('seeks at once, cancels segments on their way, and ignores earlier acks', async () => {
    const { native, pass } = open();
    native.say({ type: 'play', epoch: 1, from: 0 });
    await pass(200, false);
    native.say({ type: 'got', epoch: 1, number: 0 });
    await pass(200, false);
    expect([native.sent.length, native.resets]).toEqual([4, 0]);
    native.say({ type: 'play', epoch: 2, from: 50 });
    expect(native.resets).toBe(3);
    for (let number = 50; number < 60; number++) native.say({ type: 'got', epoch: 1, number });
    await pass(1000, false);
    const after = native.sent.filter(({ epoch }) => epoch === 2);
    expect(after.map(({ number }) => number)).toEqual([50, 51, 52]);
  });

  it('begins low, and climbs as its way allows', async () => {
    const { native, pass } = open();
    native.deliveryBps = 1_000_000;
    native.say({ type: 'play', epoch: 1, from: 0 });
    await pass(15_000);
    expect(native.sent[0].rate).toBe(16_000);
    expect(native.sent.at(-1)?.rate).toBe(128_000);
    native.deliveryBps = 40_000;
    await pass(8000);
    expect(native.sent.at(-1)?.rate).toBe(16_000);
  });

  it('that reads nothing costs few segments beside others, and is closed later', async () => {
    const stalled = open();
    stalled.native.say({ type: 'play', epoch: 1, from: 0 });
    await stalled.pass(29_000, false);
    expect([stalled.native.sent.length, stalled.native.closedWith]).toEqual([3, null]);
    await stalled.pass(2000, false);
    expect([stalled.native.closedWith, stalled.ends()]).toEqual([errors['idle-timeout'].close, 1]);
    const blocked = open();
    blocked.native.blocked = true;
    blocked.native.say({ type: 'play', epoch: 1, from: 0 });
    await blocked.pass(5000, false);
    expect(blocked.reads()).toBeLessThan(15);
    blocked.native.blocked = false;
    await blocked.pass(1000);
    expect(blocked.native.sent[0].number).toBe(0);
  });

  it('has its time to acknowledge, though the server stands still', async () => {
    const { native, clock, pass } = open();
    native.say({ type: 'play', epoch: 1, from: 0 });
    await pass(10_000, false);
    clock.stall(40_000);
    await pass(10_000, false);
    expect(native.closedWith).toBe(null);
    await pass(15_000, false);
    expect(native.closedWith).toBe(errors['idle-timeout'].close);
  });

  it('waits at the end of a growing recording, and hears as it grows', async () => {
    const { native, segments, pass } = open({ count: 2, whole: false });
    native.say({ type: 'play', epoch: 1, from: 1 });
    await pass(3000);
    expect(native.sent.map(({ number }) => number)).toEqual([1]);
    segments.count = 4;
    await pass(1000);
    expect(native.sent.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(native.told.at(-1)).toMatchObject({ count: 4, whole: false, on: true });
    native.say({ type: 'play', epoch: 2, from: 0xffffffff });
    await pass(1000);
    expect(native.sent.length).toBe(3);
  });

  it.each([
    ['no JSON', new TextEncoder().encode('}\n'), 'bad-request'],
    ['another message', { type: 'stop' }, 'bad-request'],
    ['a moment that is none', { type: 'play', epoch: 1, from: -1 }, 'bad-request'],
    [
      'a rule that is none',
      { type: 'play', epoch: 1, from: 0, rule: 'constructor' },
      'bad-request',
    ],
    ['a speed that is none', { type: 'pace', speed: 1e9, paused: false }, 'bad-request'],
  ])('is closed for %s', async (_, said, code) => {
    const { native, ends } = open();
    native.say(said);
    expect([native.closedWith, ends()]).toEqual([
      errors[/** @type {'bad-request'} */ (code)].close,
      1,
    ]);
  });

  it('is closed for asking without end, and after a long time for asking nothing', async () => {
    const flood = open();
    for (let i = 0; i < 200; i++) flood.native.say({ type: 'play', epoch: i, from: 0 });
    expect(flood.native.closedWith).toBe(errors['too-many-requests'].close);
    const silent = open();
    silent.clock.advance(11 * 60_000);
    expect(silent.native.closedWith).toBe(errors['idle-timeout'].close);
    expect(SEGMENT_HEADER_BYTES).toBe(8);
  });
});
