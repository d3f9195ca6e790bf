import { describe, expect, it, vi } from 'vitest';
import { LightListener, strideOf } from '../../../server/mix/light-listener.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { FakeSession, fakeTransport } from '../../fakes/fake-session.js';

describe('strideOf', () => {
  it('is what was asked for, as far as it makes 60 ms and fits a packet', () => {
    const stride = (
      /** @type {number} */ asked,
      /** @type {number} */ frameMs,
      /** @type {number} */ bitrate,
    ) => strideOf(asked, { frameMs }, bitrate, 1100);
    expect([1, 2, 3].map((asked) => stride(asked, 20, 48_000))).toEqual([1, 2, 3]);
    expect([2.5, 10, 20, 40, 60, 120].map((frameMs) => stride(3, frameMs, 48_000))).toEqual([
      3, 3, 3, 1, 1, 1,
    ]);
    expect([96_000, 128_000, 256_000, 512_000].map((bitrate) => stride(3, 20, bitrate))).toEqual([
      3, 2, 1, 1,
    ]);
  });
});

describe('LightListener', () => {
  const create = (
    /** @type {number} */ stride,
    /** @type {'auto' | 0 | 1 | 2} */ redundancy = 'auto',
  ) => {
    const clock = new FakeClock();
    return {
      clock,
      listener: new LightListener({
        id: '7',
        session: new FakeSession(),
        stride,
        redundancy,
        clock,
      }),
    };
  };

  it('gets a packet per stride without loss, and each frame’s with repeats during loss', () => {
    const { clock, listener } = create(3);
    expect([listener.stride, listener.repeats]).toEqual([3, 2]);
    listener.reportLoss(0, 20);
    listener.reportLoss(3, 20);
    expect([listener.stride, listener.repeats]).toEqual([1, 2]);
    for (let i = 0; i < 20; i++) {
      clock.advance(10_000);
      listener.reportLoss(0, 20);
      void listener.repeats;
    }
    expect([listener.stride, listener.repeats]).toEqual([3, 2]);
  });

  it('repeats nothing for what a way that was too narrow has lost', () => {
    const { listener } = create(3);
    listener.rate = /** @type {any} */ ({ suffers: true });
    listener.reportLoss(30, 20);
    listener.rate = /** @type {any} */ ({ suffers: false });
    expect([listener.stride, listener.repeats]).toEqual([3, 2]);
    listener.reportLoss(30, 20);
    expect([listener.stride, listener.repeats]).toEqual([1, 2]);
  });

  it('uses the loss that the session counts in a broadcast, as its client’s may be wrong', () => {
    const { listener } = create(3);
    const counts = { sentPackets: 100, lostPackets: 0, droppedOut: 0, rttMs: 20 };
    /** @type {any} */ (listener.session).pathStats = () => counts;
    listener.rate = /** @type {any} */ ({ suffers: false });
    listener.reportLoss(0, 20);
    counts.sentPackets = 200;
    listener.reportLoss(30, 20);
    expect([listener.stride, listener.repeats]).toEqual([3, 2]);
    Object.assign(counts, { sentPackets: 300, lostPackets: 3 });
    listener.reportLoss(0, 20);
    expect([listener.stride, listener.repeats]).toEqual([1, 2]);
  });

  it('keeps to a redundancy that is set', () => {
    expect(
      [create(1, 2).listener, create(3, 0).listener].map(({ stride, repeats }) => [
        stride,
        repeats,
      ]),
    ).toEqual([
      [1, 2],
      [3, 2],
    ]);
    const { listener } = create(3, 0);
    listener.reportLoss(50, null);
    expect(listener.stride).toBe(3);
  });

  /**
   * @param {Partial<import('../../../server/session/session.js').Transport>} transport
   * @param {boolean} isSure
   */
  const createAt = (
    transport,
    isSure,
    nearness = /** @type {import('../../../public/shared/nearness.js').Nearness} */ (
      'conversation'
    ),
  ) => {
    const clock = new FakeClock();
    const surely = { send: vi.fn(() => true), end: vi.fn(), restart: vi.fn(() => 0) };
    const session = Object.assign(new FakeSession(fakeTransport(transport)), isSure && { surely });
    return {
      clock,
      surely,
      listener: new LightListener({
        id: '7',
        session,
        stride: 1,
        longStride: 3,
        nearness,
        redundancy: 'auto',
        clock,
      }),
    };
  };

  it('gets long packets three times when near, or reliably when steady, whatever the loss', () => {
    const { surely, listener } = createAt({}, true);
    const told = () => [listener.carriage, listener.stride, listener.repeats];
    expect(told()).toEqual(['once', 1, 0]);
    listener.reportLoss(5, 20);
    expect(told()).toEqual(['once', 1, 2]);
    listener.nearness = 'near';
    expect(told()).toEqual(['thrice', 3, 2]);
    listener.rate = /** @type {any} */ ({ bare: true });
    expect(told()).toEqual(['once', 3, 2]);
    listener.rate = null;
    listener.nearness = 'steady';
    expect(told()).toEqual(['surely', 3, 2]);
    surely.end.mockClear();
    listener.nearness = 'conversation';
    expect(told()).toEqual(['once', 1, 2]);
    expect(surely.end).toHaveBeenCalledOnce();
  });

  it('gets each packet once if the transport loses none, thrice if it can’t send reliably', () => {
    expect(createAt({ name: 'websocket' }, false, 'near').listener.carriage).toBe('once');
    expect(createAt({ name: 'websocket' }, false, 'steady').listener.carriage).toBe('once');
    expect(createAt({ engine: 'quiche' }, false, 'steady').listener.carriage).toBe('thrice');
  });

  it('has its buffer filled at times only, and not in a conversation', () => {
    const { clock, listener } = createAt({}, true, 'steady');
    expect([listener.takeFill(), listener.takeFill()]).toEqual([1500, 0]);
    clock.advance(6000);
    listener.nearness = 'near';
    expect(listener.takeFill()).toBe(250);
    clock.advance(6000);
    listener.nearness = 'conversation';
    expect(listener.takeFill()).toBe(0);
  });
});
