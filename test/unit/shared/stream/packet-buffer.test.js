import { describe, expect, it } from 'vitest';
import { PacketBuffer } from '../../../../public/shared/stream/packet-buffer.js';
import { Stream } from '../../../../public/shared/wire/packet.js';

/** @param {PacketBuffer} packets @param {number} frame @returns {number[]} payload */
const payloadOf = (packets, frame) => {
  const start = packets.start(frame);
  return [...packets.bytes.subarray(start, start + packets.length(frame))];
};

describe('PacketBuffer', () => {
  const bytes = (/** @type {number[]} */ ...values) => Uint8Array.from(values);

  it('keeps a copy under the frame, and drops a second one', () => {
    const packets = new PacketBuffer(4);
    const payload = bytes(0, 1, 2, 3);
    expect(packets.put(5, payload, 1, 2, false)).toBe(true);
    payload.fill(9);
    expect(packets.put(5, payload, 1, 2, false)).toBe(false);
    expect(payloadOf(packets, 5)).toEqual([1, 2]);
    expect([packets.has(5), packets.has(1), packets.has(9)]).toEqual([true, false, false]);
  });

  it("lets a packet's own payload replace a repeated one, and never the other way", () => {
    const packets = new PacketBuffer(4);
    expect(packets.put(2, bytes(1), 0, 1, true)).toBe(true);
    expect(packets.isRedundant(2)).toBe(true);
    expect(packets.put(2, bytes(2), 0, 1, true)).toBe(false);
    expect(packets.put(2, bytes(3), 0, 1, false)).toBe(true);
    expect(packets.isRedundant(2)).toBe(false);
    expect(packets.put(2, bytes(4), 0, 1, true)).toBe(false);
    expect(payloadOf(packets, 2)).toEqual([3]);
  });

  it('forgets an earlier lap, and holds silent frames and growing payloads', () => {
    const packets = new PacketBuffer(4);
    packets.put(1, bytes(1), 0, 1, false);
    packets.put(5, new Uint8Array(1191).fill(5), 0, 1191, false);
    expect([packets.has(1), packets.has(5)]).toEqual([false, true]);
    expect(payloadOf(packets, 5)).toEqual(new Array(1191).fill(5));
    packets.put(2, bytes(7, 8), 0, 2, false);
    packets.put(3, new Uint8Array(1275).fill(6), 0, 1275, false);
    expect(payloadOf(packets, 2)).toEqual([7, 8]);
    expect(payloadOf(packets, 5)).toEqual(new Array(1191).fill(5));
    expect(payloadOf(packets, 3)).toEqual(new Array(1275).fill(6));
    packets.put(9, bytes(), 0, 0, false);
    expect([packets.has(9), packets.length(9)]).toEqual([true, 0]);
  });

  it('tells sound from silence, and whether anything is between two frames', () => {
    const packets = new PacketBuffer(8);
    packets.put(2, bytes(1), 0, 1, false);
    packets.put(5, bytes(), 0, 0, false);
    expect([2, 5, 6].map((frame) => packets.hasSound(frame))).toEqual([true, false, false]);
    expect([
      packets.hasAny(1, 2),
      packets.hasAny(2, 4),
      packets.hasAny(2, 5),
      packets.hasAny(5, 3),
    ]).toEqual([true, false, true, false]);
  });

  it('keeps level and stream, and forgets everything at once', () => {
    const packets = new PacketBuffer(4);
    packets.put(1, bytes(1), 0, 1, false, 20, Stream.mixMinus);
    expect([packets.level(1), packets.stream(1)]).toEqual([20, Stream.mixMinus]);
    packets.clear();
    expect([packets.has(1), packets.put(1, bytes(2), 0, 1, true)]).toEqual([false, true]);
    expect(payloadOf(packets, 1)).toEqual([2]);
  });

  it('frees the memory of payloads, and keeps later ones', () => {
    const packets = new PacketBuffer(4);
    packets.put(1, bytes(), 0, 0, false);
    packets.put(3, new Uint8Array(1191).fill(3), 0, 1191, false);
    packets.rest();
    expect([packets.has(1), packets.has(3), packets.bytes.length]).toEqual([true, false, 0]);
    packets.put(4, bytes(4), 0, 1, false);
    packets.put(6, new Uint8Array(100).fill(6), 0, 100, false);
    expect([payloadOf(packets, 4), payloadOf(packets, 6)]).toEqual([[4], new Array(100).fill(6)]);
  });
});
