/** PCM between people who asked for it: their samples come through bit by bit. */

import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { PayloadDecoder } from '../../../public/shared/stream/payload.js';
import { fitsPcm, isPcm, PcmEncoder, readPcm } from '../../../public/shared/stream/pcm.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../../public/shared/wire/packet.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { Conference } from '../../fakes/conference.js';

const codec = await loadCodec('libopus-wasm');

/** @param {number} bits @param {number} values of a frame */
function soundOf(bits, values) {
  const scale = 2 ** (bits - 1);
  /** A tone with noise in its lowest bits. @param {number} i */
  const sampleAt = (i) => (Math.round(0.3 * scale * Math.sin(i / 17)) ^ ((i * 7919) % 7)) / scale;
  return (/** @type {number} */ frame) =>
    Float32Array.from({ length: values }, (_, i) => sampleAt(frame * values + i));
}

/**
 * @param {number} frame
 * @param {Float32Array} pcm
 * @param {number} bits
 */
function packetOf(frame, pcm, bits) {
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  const packet = Object.assign(new Packet(), { frame, sequence: frame & 0xffff, level: 12 });
  const at = writeAudioHeader(bytes, Object.assign(packet, { voice: true }));
  return bytes.slice(0, at + new PcmEncoder(bits).encode(pcm, bytes, at));
}

/** Lists the payloads with sound. @param {{ session: { packets: Uint8Array[] } }} who */
function payloadsOf({ session }) {
  const packet = new Packet();
  return session.packets.flatMap((bytes) => {
    if (readPacket(bytes, packet) !== null || packet.payloadBytes[0] === 0) return [];
    const [start, length] = [packet.payloadStart[0], packet.payloadBytes[0]];
    return [{ frame: packet.frame, payload: bytes.slice(start, start + length) }];
  });
}

describe('a room with people who asked for PCM', () => {
  it.each([
    [16, 1],
    [24, 1],
    [16, 2],
  ])('gives them what one sends in %i bits and %i channels bit by bit', async (bits, channels) => {
    const conference = new Conference({ frameMs: 5, channels, levelBalance: true });
    const ann = await conference.join('Ann', { pcm: bits });
    const ben = await conference.join('Ben', { pcm: bits });
    const cas = await conference.join('Cas');
    const [anns, bens, cass] = [ann, ben, cas].map((who) => who.session.told('welcome')[0].pcm);
    expect([anns, bens, cass]).toEqual([bits, bits, undefined]);
    const values = conference.format.frameValues;
    const frameOf = soundOf(bits, values);
    const first = 20;
    conference.pass(first);
    for (let frame = first; frame < first + 200; frame++) {
      ann.session.handler?.packet(packetOf(frame, frameOf(frame), bits), conference.clock.now());
      conference.pass(1);
    }
    conference.pass(20);
    // The frames after the last one are concealed.
    const heard = payloadsOf(ben).filter(({ frame }) => frame < first + 200);
    expect(heard.length).toBeGreaterThan(195);
    const out = new Float32Array(values);
    const wrong = heard.filter(({ frame, payload }) => {
      expect(isPcm(payload, 0, payload.length)).toBe(true);
      readPcm(payload, 0, payload.length, out, 0, values);
      const said = frameOf(frame);
      return out.some((value, i) => value !== said[i]);
    });
    // The sound's first frame fades in.
    expect(wrong.filter(({ frame }) => frame > first + 1)).toEqual([]);
    const opus = payloadsOf(cas);
    expect(opus.length).toBeGreaterThan(195);
    expect(opus.some(({ payload }) => isPcm(payload, 0, payload.length))).toBe(false);
  });

  it('has none in long frames, in replies, or with end-to-end encryption', async () => {
    const long = new Conference({ frameMs: 20 });
    const short = new Conference({ frameMs: 5 });
    const people = [
      await long.join('Ann', { pcm: 16 }),
      await short.join('Ann', { pcm: 16, replyOnly: true }),
      await short.join('Ann', { pcm: 16, room: 'sealed', mode: 'forward', e2e: true }),
    ];
    for (const { session } of people) expect(session.told('welcome')[0].pcm).toBeUndefined();
  });
});

describe('a payload of PCM', () => {
  it('fits frames of 2.5 and 5 ms', () => {
    const fits = (/** @type {number} */ frameMs, /** @type {number} */ channels) =>
      [16, 24].filter((bits) => fitsPcm(createAudioFormat({ frameMs, channels }), bits));
    expect([fits(2.5, 1), fits(2.5, 2), fits(5, 1), fits(5, 2), fits(20, 1)]).toEqual([
      [16, 24],
      [16, 24],
      [16, 24],
      [16],
      [],
    ]);
  });

  it('of another length is silent, and no Opus packet is taken for one', () => {
    const format = createAudioFormat({ frameMs: 5 });
    const shape = { sampleRate: 48_000, frameSamples: format.frameSamples, channels: 1 };
    const decoder = new PayloadDecoder(codec.createDecoder(shape), format);
    const out = new Float32Array(format.frameValues).fill(1);
    expect(decoder.decode(new Uint8Array([0xff, 0, 1, 2, 3]), 0, 5, out, 0)).toBe(false);
    expect(out.every((value) => value === 0)).toBe(true);
    expect(decoder.decode(new Uint8Array([0xff, 0x80, 1, 2, 3]), 0, 5, out, 0)).toBe(false);
    const encoder = codec.createEncoder(shape);
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    const length = encoder.encode(new Float32Array(format.frameValues).fill(0.1), bytes, 0);
    expect(isPcm(bytes, 0, length)).toBe(false);
    for (const part of [encoder, decoder]) part.close();
  });
});
