import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { ReceivedSound } from '../../../server/webrtc/received-sound.js';
import {
  readRtp,
  RTP_HEADER_BYTES,
  RtpPacket,
  writeRtpHeader,
} from '../../../server/webrtc/rtp.js';

const TYPE = 111;
const format = createAudioFormat();

/** Packets of a tone, 20 ms each. @param {number} count @returns {Promise<Buffer[]>} */
async function packetsOf(count) {
  const codec = await loadCodec();
  const { opusFrameSamples: frameSamples } = format;
  const encoder = new PayloadEncoder(codec.createEncoder({ ...format, frameSamples }), format);
  const pcm = new Float32Array(960);
  const payload = new Uint8Array(1500);
  const packets = [];
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < 960; i++)
      pcm[i] = 0.5 * Math.sin((2 * Math.PI * 500 * (960 * k + i)) / 48_000);
    const length = encoder.encode(pcm, payload, 0);
    const packet = Buffer.alloc(RTP_HEADER_BYTES + length);
    const fields = { payloadType: TYPE, ssrc: 7, isFirst: k === 0 };
    writeRtpHeader(packet, {
      ...fields,
      sequence: (65_530 + k) & 0xffff,
      timestamp: (2 ** 32 - 2000 + 960 * k) >>> 0,
    });
    packet.set(payload.subarray(0, length), RTP_HEADER_BYTES);
    packets.push(packet);
  }
  encoder.close();
  return packets;
}

/** @param {ReceivedSound} sound @param {Buffer} packet @param {number} [nowMs] */
const samplesIn = (sound, packet, nowMs = 0) =>
  sound.take(packet, nowMs).reduce((sum, { length }) => sum + length, 0);

describe('received sound', () => {
  it('has the length of what was sent, over the ends of both counters', async () => {
    const packets = await packetsOf(30);
    const sound = await ReceivedSound.open(TYPE, { sampleRate: 48_000, channels: 2 });
    for (const packet of packets) expect(samplesIn(sound, packet)).toBe(1920);
    expect(sound.counters).toEqual({ foreign: 0, late: 0, lost: 0, garbage: 0, excess: 0 });
    sound.close();
  });

  it('conceals what is lost, is silent in a pause, and drops what is late', async () => {
    const packets = await packetsOf(40);
    const sound = await ReceivedSound.open(TYPE, { sampleRate: 48_000, channels: 1 });
    const lengths = [0, 1, 2, 5, 4, 5, 6].map((k) => samplesIn(sound, packets[k]));
    expect(lengths).toEqual([960, 960, 960, 3 * 960, 0, 0, 960]);
    // A pause: the numbers go on, the times don't.
    const late = Buffer.from(packets[7]);
    late.writeUInt32BE((packets[7].readUInt32BE(4) + 9600) >>> 0, 4);
    const [silence, own] = sound.take(late, 0);
    expect([silence.length, Math.max(...silence), own.length]).toEqual([9600, 0, 960]);
    expect(sound.counters).toMatchObject({ late: 2, lost: 2 });
    sound.close();
  });

  it('goes on with a sender that begins at lower numbers again, not with old packets', async () => {
    const packets = await packetsOf(10);
    const sound = await ReceivedSound.open(TYPE, { sampleRate: 48_000, channels: 1 });
    const at = (/** @type {number} */ k, /** @type {number} */ sequence) => {
      const packet = Buffer.from(packets[k]);
      packet.writeUInt16BE(sequence & 0xffff, 2);
      return samplesIn(sound, packet);
    };
    const numbers = [40_000, 40_001, 39_950, 39_951, 39_500, 40_002, 12_000, 12_001, 12_002];
    expect(numbers.map((sequence, k) => at(k, sequence))).toMatchObject([
      960,
      960,
      0,
      0,
      0,
      expect.any(Number),
      0,
      expect.any(Number),
      960,
    ]);
    expect(sound.counters).toMatchObject({ late: 4, lost: 0 });
    sound.close();
  });

  /**
   * Packets of 120 ms that follow each other, each after a gap.
   * @param {Buffer} packet  of 20 ms
   * @param {number} gap  in samples
   */
  function longPackets(packet, gap) {
    const payload = packet.subarray(RTP_HEADER_BYTES);
    // Six frames of one length (RFC 6716, section 3.2.5), which are silent here.
    const head = Buffer.from([payload[0] | 3, 6]);
    return (/** @type {number} */ k) => {
      const long = Buffer.concat([packet.subarray(0, RTP_HEADER_BYTES), head]);
      long.writeUInt16BE(k & 0xffff, 2);
      long.writeUInt32BE((k * (5760 + gap)) >>> 0, 4);
      return long;
    };
  }

  it.each([0, 48_000])('makes no more sound than time passes, with gaps of %i', async (gap) => {
    const [packet] = await packetsOf(1);
    const make = longPackets(packet, gap);
    const sound = await ReceivedSound.open(TYPE, { sampleRate: 48_000, channels: 1 });
    let samples = 0;
    // 800 packets a second, as many as are read, for five seconds.
    for (let k = 0; k < 4000; k++) samples += samplesIn(sound, make(k), k * 1.25);
    expect(samples / 48_000).toBeGreaterThan(9);
    expect(samples / 48_000).toBeLessThan(13);
    expect(sound.counters.excess).toBeGreaterThan(3800);
    // A sender that keeps to the time again is heard again.
    const heard = [0, 1, 2, 3].map((k) => samplesIn(sound, make(4000 + k), 8000 + k * 1200));
    expect(heard.every((count) => count >= 5760)).toBe(true);
    sound.close();
  });

  it('takes nothing from garbage, other types and RTCP', async () => {
    const [packet] = await packetsOf(1);
    const sound = await ReceivedSound.open(TYPE, { sampleRate: 48_000, channels: 1 });
    const other = Buffer.from(packet);
    other[1] = 96;
    const rtcp = Buffer.from(packet);
    rtcp[1] = 201;
    for (const bytes of [other, rtcp, Buffer.alloc(0), Buffer.alloc(12), packet.subarray(0, 12)])
      expect(samplesIn(sound, bytes)).toBe(0);
    const garbage = Buffer.from(packet.subarray(0, 14));
    garbage[12] = 0xff;
    expect(samplesIn(sound, garbage)).toBe(0);
    expect(sound.counters).toMatchObject({ foreign: 5, garbage: 1 });
    sound.close();
  });

  it('reads headers with sources, extensions and padding, within the packet', () => {
    const packet = new RtpPacket();
    const bytes = Buffer.alloc(40);
    bytes[0] = 0x80 | 0x20 | 0x10 | 2;
    bytes[1] = TYPE;
    bytes.writeUInt16BE(1, 22);
    bytes[39] = 3;
    expect(readRtp(bytes, packet)).toBe(true);
    expect(packet).toMatchObject({ payloadType: TYPE, start: 28, end: 37 });
    bytes.writeUInt16BE(0xffff, 22);
    expect(readRtp(bytes, packet)).toBe(false);
    bytes.writeUInt16BE(1, 22);
    bytes[39] = 255;
    expect(readRtp(bytes, packet)).toBe(false);
  });
});
