import { describe, expect, it } from 'vitest';
import {
  VoiceList,
  writeBundleHeader,
  writeVoiceHead,
} from '../../../../public/shared/wire/bundle.js';
import {
  MAX_VOICES,
  Packet,
  PacketType,
  readPacket,
  Stream,
  VOICE_BIT,
  writeVoiceHeader,
} from '../../../../public/shared/wire/packet.js';

/** @typedef {[number: number, level: number, payload: number[]]} Voice */

/** @param {Voice[]} voices */
function frameOf(voices) {
  const out = new Uint8Array(2000);
  let at = 0;
  for (const [number, level, payload] of voices) {
    at = writeVoiceHead(out, at, number, level, payload.length);
    out.set(payload, at);
    at += payload.length;
  }
  return out.slice(0, at);
}

/** @param {Voice[][]} frames the packet's own first, then the repeated ones */
function bundleOf(frames, fields = {}) {
  const packet = Object.assign(new Packet(), fields, { redundancy: frames.length - 1 });
  const bodies = frames.map(frameOf);
  bodies.forEach((body, r) => (packet.payloadBytes[r] = body.length));
  const out = new Uint8Array(4000);
  let at = writeBundleHeader(out, packet);
  for (const body of bodies.toReversed()) {
    out.set(body, at);
    at += body.length;
  }
  return out.slice(0, at);
}

describe('a bundle', () => {
  it('is the bytes that docs/protocol.md shows', () => {
    const bytes = bundleOf(
      [
        [
          [3, VOICE_BIT | 20, [7, 8]],
          [258, 50, []],
        ],
        [[3, 21, [9]]],
      ],
      { sequence: 0x0102, frame: 0x0a0b0c0d },
    );
    expect([...bytes]).toEqual([
      0x15, 1, 1, 2, 0x0a, 0x0b, 0x0c, 0x0d, 5, 0, 3, 21, 1, 9, 0, 3, 0x94, 2, 7, 8, 1, 2, 50, 0,
    ]);
  });

  it('is read as it was written, with its loudest voice as its level', () => {
    const bytes = bundleOf(
      [
        [
          [3, VOICE_BIT | 20, [7, 8]],
          [258, 10, []],
        ],
        [[3, 21, [9]]],
      ],
      { sequence: 7, frame: 99 },
    );
    const packet = new Packet();
    expect(readPacket(bytes, packet)).toBe(null);
    expect(packet).toMatchObject({
      type: PacketType.bundle,
      stream: Stream.voices,
      sequence: 7,
      frame: 99,
      redundancy: 1,
      level: 10,
      voice: true,
      speakers: 2,
    });
    expect([...packet.speakerIds.subarray(0, 2)]).toEqual([3, 258]);
    const list = new VoiceList();
    expect(list.read(bytes, packet.payloadStart[0], packet.payloadBytes[0])).toBe(true);
    expect(list.count).toBe(2);
    expect(bytes[list.starts[0]]).toBe(7);
    expect([...list.lengths.subarray(0, 2)]).toEqual([2, 0]);
    expect(list.read(bytes, packet.payloadStart[1], packet.payloadBytes[1])).toBe(true);
    expect([list.count, bytes[list.starts[0]]]).toEqual([1, 9]);
  });

  it('is read from anywhere in a large buffer', () => {
    const frame = frameOf([
      [3, 20, [7, 8]],
      [258, 10, [9]],
    ]);
    const start = 100_000;
    const bytes = new Uint8Array(start + frame.length);
    bytes.set(frame, start);
    const list = new VoiceList();
    expect(list.read(bytes, start, frame.length)).toBe(true);
    expect([...list.starts.subarray(0, list.count)]).toEqual([start + 4, start + 10]);
    expect([bytes[list.starts[0]], bytes[list.starts[1]]]).toEqual([7, 9]);
  });

  it('of nobody is silence', () => {
    const packet = new Packet();
    expect(readPacket(bundleOf([[]]), packet)).toBe(null);
    expect(packet).toMatchObject({ speakers: 0, level: 127, voice: false });
    expect(packet.payloadBytes[0]).toBe(0);
  });

  it('that is cut off, has too many voices, or one twice is dropped', () => {
    const packet = new Packet();
    const good = bundleOf([[[3, 20, [7, 8, 9]]], [[3, 20, [1]]]]);
    // Cut off where its own frame begins it is one of silence.
    const repeatedEnd = good.length - 7;
    for (let length = 1; length < good.length; length++) {
      if (length === repeatedEnd) continue;
      expect(readPacket(good.subarray(0, length), packet)).toMatch(/truncated|malformed/);
    }
    const many = /** @type {Voice[]} */ (
      Array.from({ length: MAX_VOICES + 1 }, (_, i) => [i, 20, [1]])
    );
    expect(readPacket(bundleOf([many.slice(1)]), packet)).toBe(null);
    expect(readPacket(bundleOf([many]), packet)).toBe('malformed');
    expect(
      readPacket(
        bundleOf([
          [
            [3, 20, [1]],
            [3, 20, [1]],
          ],
        ]),
        packet,
      ),
    ).toBe('malformed');
    const strange = bundleOf([[[3, 20, [1]]]]);
    strange[1] = 3;
    expect(readPacket(strange, packet)).toBe('malformed');
  });
});

describe('a voice packet', () => {
  it('is the bytes that docs/protocol.md shows, and is read as it was written', () => {
    const packet = Object.assign(new Packet(), {
      number: 258,
      level: 30,
      voice: true,
      sequence: 0x0102,
      frame: 0x0a0b0c0d,
      redundancy: 1,
    });
    packet.payloadBytes[1] = 1;
    const out = new Uint8Array(100);
    const at = writeVoiceHeader(out, packet);
    out.set([9, 7, 8], at);
    const bytes = out.slice(0, at + 3);
    expect([...bytes]).toEqual([0x16, 1, 2, 1, 0x9e, 1, 2, 0x0a, 0x0b, 0x0c, 0x0d, 1, 9, 7, 8]);
    const read = new Packet();
    expect(readPacket(bytes, read)).toBe(null);
    expect(read).toMatchObject({
      number: 258,
      level: 30,
      voice: true,
      sequence: 0x0102,
      frame: 0x0a0b0c0d,
      redundancy: 1,
      stream: Stream.fullMix,
      speakers: 0,
    });
    expect([read.payloadStart[0], read.payloadBytes[0], read.payloadBytes[1]]).toEqual([13, 2, 1]);
    for (let length = 1; length < at + 1; length++)
      expect(readPacket(bytes.subarray(0, length), read)).toBe('truncated');
    bytes[3] = 4;
    expect(readPacket(bytes, read)).toBe('malformed');
  });
});
