import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readControl, writeControl } from '../../../../public/shared/wire/control.js';
import {
  lengthBytes,
  readLength,
  readOpusFrames,
  writeLength,
} from '../../../../public/shared/wire/packet.js';
import * as wire from '../../../../public/shared/wire/packet.js';

const { MAX_PACKET_BYTES, Packet, PacketType, Stream } = wire;

/**
 * @param {object} fields
 * @param {Uint8Array[]} payloads the packet's own first, then the repeated ones
 */
function audioPacket(fields, payloads) {
  const { listed = [], ...rest } = /** @type {{ listed?: [number, number][] }} */ (fields);
  const packet = Object.assign(new Packet(), rest, {
    redundancy: payloads.length - 1,
    speakers: listed.length,
  });
  listed.forEach(([id, level], i) => {
    packet.speakerIds[i] = id;
    packet.speakerLevels[i] = level;
  });
  payloads.forEach((payload, r) => (packet.payloadBytes[r] = payload.length));
  const bytes = new Uint8Array(2000);
  let at = wire.writeAudioHeader(bytes, packet);
  for (const payload of payloads.toReversed()) {
    bytes.set(payload, at);
    at += payload.length;
  }
  return bytes.slice(0, at);
}

describe('an audio packet', () => {
  it('is the bytes that docs/protocol.md shows', () => {
    const fields = {
      stream: Stream.mixMinus,
      voice: true,
      level: 30,
      sequence: 0x0102,
      frame: 0x0a0b0c0d,
    };
    const bytes = audioPacket(fields, [Uint8Array.of(7, 8), Uint8Array.of(9)]);
    expect([...bytes]).toEqual([0x11, 0x05, 0x9e, 0x01, 0x02, 0x0a, 0x0b, 0x0c, 0x0d, 1, 9, 7, 8]);
  });

  it('lists speakers as docs/protocol.md shows', () => {
    const listed = [
      [3, wire.VOICE_BIT | 20],
      [258, 50],
    ];
    const fields = {
      stream: Stream.mixMinus,
      voice: true,
      level: 30,
      sequence: 0x0102,
      frame: 0x0a0b0c0d,
      listed,
    };
    const bytes = audioPacket(fields, [Uint8Array.of(7, 8), Uint8Array.of(9)]);
    const list = [2, 0, 3, 0x94, 1, 2, 50];
    expect([...bytes]).toEqual([
      0x11,
      0x0d,
      0x9e,
      1,
      2,
      0x0a,
      0x0b,
      0x0c,
      0x0d,
      ...list,
      1,
      9,
      7,
      8,
    ]);
  });

  it('has at most 12 bytes of header for a frame of speech', () => {
    expect(wire.AUDIO_HEADER_BYTES).toBeLessThanOrEqual(12);
    expect(audioPacket({ frame: 2 ** 32 - 1 }, [new Uint8Array(80)]).length).toBe(
      80 + wire.AUDIO_HEADER_BYTES,
    );
  });

  it('comes back as it was written', () => {
    const payload = fc.uint8Array({ maxLength: 350 });
    const speaker = fc.tuple(fc.integer({ min: 0, max: 65535 }), fc.integer({ min: 0, max: 255 }));
    const fields = fc.record({
      stream: fc.constantFrom(Stream.fullMix, Stream.mixMinus),
      voice: fc.boolean(),
      level: fc.integer({ min: 0, max: 127 }),
      sequence: fc.integer({ min: 0, max: 65535 }),
      frame: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      listed: fc.array(speaker, { maxLength: wire.MAX_LISTED_SPEAKERS }),
    });
    const read = new Packet();
    fc.assert(
      fc.property(
        fields,
        fc.array(payload, { minLength: 1, maxLength: 3 }),
        (written, payloads) => {
          const bytes = audioPacket(written, payloads);
          expect(wire.readPacket(bytes, read)).toBe(null);
          const { listed, ...header } = written;
          expect(read).toMatchObject({
            ...header,
            type: PacketType.audio,
            redundancy: payloads.length - 1,
          });
          expect(read.speakers).toBe(listed.length);
          expect(listed.map((_, i) => [read.speakerIds[i], read.speakerLevels[i]])).toEqual(listed);
          payloads.forEach((expected, r) => {
            const start = read.payloadStart[r];
            expect(bytes.subarray(start, start + read.payloadBytes[r])).toEqual(expected);
          });
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });
});

it('a packet without a list after one with a list has none', () => {
  const read = new Packet();
  wire.readPacket(audioPacket({ listed: [[1, 2]] }, [new Uint8Array(1)]), read);
  expect(read.speakers).toBe(1);
  wire.readPacket(audioPacket({}, [new Uint8Array(1)]), read);
  expect(read.speakers).toBe(0);
});

describe('clock packets', () => {
  it.each([0, 1, 4799.9375, 2 ** 40 + 0.5, Number.MAX_SAFE_INTEGER])(
    'carry the sample clock %d exactly',
    (clock) => {
      const bytes = new Uint8Array(20);
      const read = new Packet();
      const end = wire.writeClockReply(bytes, 65535, clock);
      expect(wire.readPacket(bytes.subarray(0, end), read)).toBe(null);
      expect(read).toMatchObject({ type: PacketType.clockReply, id: 65535, clock });
      expect(wire.readPacket(bytes.subarray(0, wire.writeClockRequest(bytes, 513)), read)).toBe(
        null,
      );
      expect(read).toMatchObject({ type: PacketType.clockRequest, id: 513 });
    },
  );

  it.each([NaN, Infinity, -1, 2 ** 60])('are refused when the clock is %d', (clock) => {
    const bytes = new Uint8Array(wire.CLOCK_REPLY_BYTES);
    wire.writeClockReply(bytes, 1, clock);
    expect(wire.readPacket(bytes, new Packet())).toBe('malformed');
  });
});

describe('a bad packet', () => {
  it.each([
    ['empty', []],
    ['version', [0x01, 0, 0, 0]],
    ['version', [0x21, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['type', [0x10]],
    ['type', [0x14, 123]],
    ['truncated', [0x11, 0, 0, 0, 0, 0, 0, 0]],
    ['truncated', [0x11, 1, 0, 0, 0, 0, 0, 0, 0]],
    ['truncated', [0x11, 1, 0, 0, 0, 0, 0, 0, 0, 252]],
    ['truncated', [0x11, 1, 0, 0, 0, 0, 0, 0, 0, 2, 9]],
    ['truncated', [0x11, 2, 0, 0, 0, 0, 0, 0, 0, 1, 1, 9]],
    ['malformed', [0x11, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['malformed', [0x11, 128, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['malformed', [0x11, 0x60, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['malformed', [0x11, 0x14, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['truncated', [0x11, 8, 0, 0, 0, 0, 0, 0, 0]],
    ['malformed', [0x11, 8, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['malformed', [0x11, 8, 0, 0, 0, 0, 0, 0, 0, 21, ...new Array(63).fill(0)]],
    ['truncated', [0x11, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 9, 0, 2]],
    ['truncated', [0x11, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 9]],
    ['truncated', [0x12, 0, 1]],
    ['malformed', [0x12, 0, 1, 2, 3]],
    ['malformed', [0x12, 1, 1, 2]],
    ['truncated', [0x13, 0, 1, 2, 3]],
  ])('is dropped as %s: %j', (reason, bytes) => {
    expect(wire.readPacket(Uint8Array.from(bytes), new Packet())).toBe(reason);
  });

  it('is dropped as oversized beyond 1200 bytes', () => {
    const bytes = audioPacket({}, [new Uint8Array(MAX_PACKET_BYTES - wire.AUDIO_HEADER_BYTES)]);
    expect(wire.readPacket(bytes, new Packet())).toBe(null);
    expect(wire.readPacket(Uint8Array.of(...bytes, 0), new Packet())).toBe('oversized');
  });

  it('never throws, and never points outside of its bytes', () => {
    const read = new Packet();
    const start = fc.constantFrom(
      [],
      [0x11],
      [0x11, 1],
      [0x11, 2],
      [0x11, 8],
      [0x11, 10],
      [0x12],
      [0x13],
    );
    const anything = fc.tuple(start, fc.uint8Array({ maxLength: 1300 }));
    fc.assert(
      fc.property(anything, ([head, tail]) => {
        const bytes = Uint8Array.of(...head, ...tail);
        if (wire.readPacket(bytes, read) !== null || read.type !== PacketType.audio) return;
        const first = wire.AUDIO_HEADER_BYTES + wire.speakersBytes(read.speakers);
        for (let r = 0; r <= read.redundancy; r++) {
          expect(read.payloadStart[r]).toBeGreaterThanOrEqual(first);
          expect(read.payloadStart[r] + read.payloadBytes[r]).toBeLessThanOrEqual(bytes.length);
        }
      }),
      { seed: 2, numRuns: 3000 },
    );
  });
});

describe('lengths', () => {
  it('come back for every one of them, in as many bytes as is said', () => {
    const bytes = new Uint8Array(2);
    for (let length = 0; length <= 1275; length++) {
      const end = writeLength(bytes, 0, length);
      expect(end).toBe(lengthBytes(length));
      expect(readLength(bytes, 0, end)).toBe(length);
      expect(readLength(bytes, 0, end - 1)).toBe(-1);
    }
  });
});

describe('the Opus frames of a payload', () => {
  const starts = new Uint16Array(8);
  const lengths = new Uint16Array(8);

  it.each([
    ['one', [1, 2, 3], 1, [[0, 3]]],
    [
      'three',
      [1, 9, 2, 8, 8, 7, 7, 7],
      3,
      [
        [1, 1],
        [3, 2],
        [5, 3],
      ],
    ],
  ])('are found: %s', (_, bytes, count, expected) => {
    expect(readOpusFrames(Uint8Array.from(bytes), 0, bytes.length, count, starts, lengths)).toBe(
      true,
    );
    expect(expected.map((range, i) => [starts[i], lengths[i]])).toEqual(expected);
  });

  it.each([
    ['none', [], 1],
    ['one of two', [1, 9], 2],
    ['an empty one', [0, 9], 2],
    ['a length beyond the end', [5, 9], 2],
    ['half a length', [255], 2],
  ])('are refused: %s', (_, bytes, count) => {
    expect(readOpusFrames(Uint8Array.from(bytes), 0, bytes.length, count, starts, lengths)).toBe(
      false,
    );
  });

  it('never point outside of the payload', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 600 }),
        fc.integer({ min: 1, max: 8 }),
        (bytes, count) => {
          if (!readOpusFrames(bytes, 0, bytes.length, count, starts, lengths)) return;
          for (let i = 0; i < count; i++) {
            expect(lengths[i]).toBeGreaterThan(0);
            expect(starts[i] + lengths[i]).toBeLessThanOrEqual(bytes.length);
          }
        },
      ),
      { seed: 3, numRuns: 2000 },
    );
  });
});

describe('a frame index', () => {
  it.each([0, 5, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 7, 2 ** 40 + 3])(
    'is unwrapped around %d',
    (near) => {
      for (const difference of [-1000, -1, 0, 1, 1000, 2 ** 31 - 1]) {
        const frame = near + difference;
        if (frame < 0) continue;
        expect(wire.unwrapFrame(frame % 2 ** 32, near)).toBe(frame);
      }
    },
  );
});

describe('a control message', () => {
  it('comes back from its packet, and is undefined when it is no JSON', () => {
    const message = { type: 'join', name: 'Zoë "🎤"' };
    const bytes = writeControl(message);
    expect(wire.packetType(bytes)).toBe(PacketType.control);
    expect(readControl(bytes)).toEqual(message);
    expect(readControl(bytes.subarray(0, 5))).toBe(undefined);
    expect(readControl(Uint8Array.of(0x14, 0xff, 0xfe))).toBe(undefined);
    expect(wire.packetType(Uint8Array.of(0x24))).toBe(0);
    expect(wire.packetType(new Uint8Array(0))).toBe(0);
  });
});
