import { describe, expect, it } from 'vitest';
import {
  LossReport,
  PacketLoss,
  ReceivedShare,
  reportOf,
} from '../../../../public/client/playout/packet-loss.js';
import { Packet } from '../../../../public/shared/wire/packet.js';

describe('LossReport', () => {
  it('tells what changes at once, and what stays each five seconds', () => {
    const report = new LossReport();
    const told = [0, 0, 0.4, 0.4, 3, 3.2, 3.1, 3, 3, 3, null, 0.4, 0, 0, 0, 0, 0, 0].map(
      (lost, i) => report.isDue(lost, i * 1000),
    );
    expect(told.map(Number).join('')).toBe('100010000101000010');
    expect(report.isDue(null, 99_000)).toBe(false);
  });

  it('leaves out what can not be, so that the rest is taken', () => {
    const sound = { delayMs: 95, detail: { playout: { delayMs: 40.126, driftPpm: -12 } } };
    expect(reportOf(1, sound)).toEqual({
      type: 'report',
      lostPercent: 1,
      playoutDelayMs: 40.13,
      soundLatencyMs: 95,
      driftPpm: -12,
    });
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

describe('PacketLoss of packets that hold several frames', () => {
  /**
   * @param {number} stride
   * @param {[frame: number, bytes: number, repeats?: number][]} packets the packets that came
   * @param {number} [repeats] that others have
   */
  function lossOf(stride, packets, repeats = stride - 1) {
    const loss = new PacketLoss();
    loss.stride = stride;
    for (const [frame, bytes, own = repeats] of packets) {
      const packet = new Packet();
      // Numbers count all of the stream's packets.
      Object.assign(packet, { frame, sequence: frame, redundancy: own });
      packet.payloadBytes[0] = bytes;
      loss.add(packet, frame, frame * 20);
    }
    return [loss.expected, loss.lost];
  }
  const sound = (/** @type {number[]} */ ...frames) =>
    frames.map((frame) => /** @type {[number, number]} */ ([frame, 50]));

  it('is none where each stride has its packet', () => {
    expect(lossOf(3, sound(2, 5, 8, 11))).toEqual([4, 0]);
    expect(lossOf(2, sound(1, 3, 5))).toEqual([3, 0]);
  });

  it('counts the missing packets', () => {
    expect(lossOf(3, sound(2, 5, 11, 14, 23))).toEqual([8, 3]);
  });

  it('is none where packets come oftener for a while, as they do in a probe', () => {
    expect(lossOf(3, sound(2, 5, 7, 9, 11, 13, 14, 15, 16, 17, 20))).toEqual([11, 0]);
    expect(lossOf(3, sound(2, 5, 7, 13, 17, 20))).toEqual([8, 2]);
  });

  it('counts each missing one when they hold fewer than the maximum, as at high bit rates', () => {
    expect(lossOf(3, sound(2, 3, 4, 6, 7, 8, 10, 12, 13, 16), 0)).toEqual([15, 5]);
    expect(lossOf(3, sound(1, 3, 5, 9, 11, 17), 1)).toEqual([9, 3]);
  });

  it('is none where fewer frames are repeated, since those before were silent', () => {
    expect(lossOf(3, [...sound(2, 5), [8, 50, 1], [11, 50, 0], ...sound(14)])).toEqual([5, 0]);
  });

  it('reports only real loss when the sender left frames out, though all count as missed', () => {
    for (const stride of [1, 2, 3]) {
      for (const [isLost, percent] of /** @type {const} */ ([
        [false, 0],
        [true, 100 / 50],
      ])) {
        const loss = new PacketLoss();
        loss.stride = stride;
        let count = 0;
        for (
          let frame = stride - 1, sequence = frame;
          count < 50;
          frame += stride, sequence += stride
        ) {
          const packet = new Packet();
          // A pause of twelve frames, which have no numbers.
          const at = count < 20 ? frame : frame + 12;
          Object.assign(packet, { frame: at, sequence: sequence & 0xffff, redundancy: stride - 1 });
          packet.payloadBytes[0] = 50;
          count += 1;
          if (!isLost || count !== 30) loss.add(packet, at, count);
        }
        expect(loss.percent(50)).toBeCloseTo(percent);
        expect(loss.lost).toBe(12 / stride + Number(isLost));
      }
    }
  });

  it('knows the packet that ends sound between strides, and silence with few packets', () => {
    expect(lossOf(3, [...sound(2, 5), [7, 0], [17, 0], [27, 0], ...sound(32, 35)])).toEqual([7, 0]);
  });
});
