import { ctr } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { Sealing } from '../../../../public/client/call/sealing.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { PacketStream } from '../../../../public/shared/stream/packet-stream.js';
import { PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { streamBitrate } from '../../../../public/shared/stream/bitrate.js';
import * as wire from '../../../../public/shared/wire/packet.js';
import { codecNames, loadCodec } from '../../../../server/codec/codec.js';
import { seededRandom } from '../../../../testkit/random.js';

/** The bytes by which a bundle's header with one voice is longer than a packet's. */
const BUNDLE_BYTES = 4;

const primitives = { ctr, sha256, hmac, extract, expand };

/**
 * The packets of half a second that needs as many bits as there are: silence, and noise.
 * @param {import('../../../../public/shared/stream/codec.js').Codec} codec
 * @param {{ frameMs: number, opusFrames: number, limit: number, isSealed?: boolean,
 *   isConstant?: boolean }} wish
 */
function packetsOf(codec, { frameMs, opusFrames, limit, isSealed = false, isConstant = false }) {
  const format = createAudioFormat({ frameMs, opusFrames, channels: 2 });
  const { sampleRate, opusFrameSamples: frameSamples, channels } = format;
  const bitrate = streamBitrate(256_000, format);
  const settings = { sampleRate, frameSamples, channels, bitrate, isConstant };
  const plain = new PayloadEncoder(codec.createEncoder(settings), format);
  const sealing = new Sealing(primitives, new Uint8Array(16), '1');
  const encoder = isSealed ? sealing.encoder(plain) : plain;
  const stream = new PacketStream({ encoder, frameMs });
  const random = seededRandom(7);
  const packets = [];
  for (let frame = 0; frame < 500 / frameMs; frame++) {
    stream.limit = limit;
    const gain = frame % 4 === 0 ? 0 : 1;
    stream.encode(
      frame,
      new Float32Array(format.frameValues).map(() => gain * (2 * random() - 1)),
    );
    packets.push(stream.write(2).slice());
  }
  stream.close();
  return { packets, format, bitrate };
}

/** @param {Uint8Array} bytes @returns {wire.Packet} */
function read(bytes) {
  const packet = new wire.Packet();
  expect(wire.readPacket(bytes, packet)).toBe(null);
  return packet;
}

describe.each(codecNames)('packets of stereo at 256 kb/s a side, by %s', async (name) => {
  const codec = await loadCodec(name).catch(() => null);
  const shapes = [2.5, 5, 10, 20, 40, 60].map((frameMs) => ({ frameMs, opusFrames: 1 }));
  const several = [
    { frameMs: 80, opusFrames: 8 },
    { frameMs: 60, opusFrames: 3 },
  ];
  const most = (codec?.maxFrameValues ?? 0) / 96;
  const all = [...shapes, ...several].filter((shape) => shape.frameMs / shape.opusFrames <= most);

  it.each(all)('hold each frame, and fit ($frameMs ms, $opusFrames to a packet)', (shape) => {
    for (const limit of [wire.MAX_SENT_BYTES, 1024, wire.MAX_SENT_BYTES]) {
      for (const way of [{}, { isSealed: true }, { isConstant: true }]) {
        const { packets, format } = packetsOf(/** @type {any} */ (codec), {
          ...shape,
          limit,
          ...way,
        });
        for (const bytes of packets) {
          const { payloadBytes, payloadStart } = read(bytes);
          expect(bytes.length).toBeLessThanOrEqual(limit);
          expect(payloadBytes[0]).toBeGreaterThan(0);
          expect(9 + payloadBytes[0] + BUNDLE_BYTES).toBeLessThanOrEqual(limit);
          if (Object.hasOwn(way, 'isSealed')) continue;
          const [starts, lengths] = [new Uint16Array(8), new Uint16Array(8)];
          const { opusFrames } = format;
          const [start, length] = [payloadStart[0], payloadBytes[0]];
          expect(wire.readOpusFrames(bytes, start, length, opusFrames, starts, lengths)).toBe(true);
        }
      }
    }
  });
});

describe('the limit of a stream', () => {
  it('holds from the next frame on, and what was longer is repeated where it fits', () => {
    const rooms = /** @type {number[]} */ ([]);
    const size = { bytes: 600 };
    const encoder = {
      begin(/** @type {unknown} */ _pcm, /** @type {Uint8Array} */ out) {
        rooms.push(out.length);
      },
      end: () => size.bytes,
      close: () => {},
    };
    const stream = new PacketStream({ encoder, frameMs: 20 });
    const redundancies = [wire.MAX_SENT_BYTES, 1024, 1024, 1100, wire.MAX_SENT_BYTES].map(
      (limit, frame) => {
        size.bytes = frame === 0 ? 600 : 400;
        stream.limit = limit;
        stream.encode(frame, new Float32Array(960));
        const bytes = stream.write(2);
        expect(bytes.length).toBeLessThanOrEqual(limit);
        return read(bytes).redundancy;
      },
    );
    expect(rooms).toEqual([1136, 1011, 1011, 1087, 1136]);
    expect(redundancies).toEqual([0, 1, 1, 1, 1]);
  });
});
