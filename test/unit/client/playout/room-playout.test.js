import { describe, expect, it } from 'vitest';
import { BundleDecoder, VoiceGains } from '../../../../public/client/playout/bundle-decoder.js';
import { RoomPlayout } from '../../../../public/client/playout/room-playout.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { writeBundleHeader, writeVoiceHead } from '../../../../public/shared/wire/bundle.js';
import {
  MAX_VOICES,
  Packet,
  readPacket,
  writeAudioHeader,
  writeVoiceHeader,
} from '../../../../public/shared/wire/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { CONCEALED, PcmCodec } from '../../../fakes/pcm-codec.js';

const FRAME_MS = 20;

/** @param {number} channels */
function setUp(channels = 1) {
  const codec = new PcmCodec();
  const format = createAudioFormat({ channels });
  const shape = { frameSamples: format.frameSamples, channels };
  const encoder = new PayloadEncoder(codec.createEncoder(shape), format);
  codec.open = 0;
  const newDecoder = () => new PayloadDecoder(codec.createDecoder(shape), format);
  const gains = new VoiceGains(channels);
  const options = { format, openVoice: newDecoder, gains, own: 9 };
  /** @param {number} value */
  const payloadOf = (value) => {
    const out = new Uint8Array(1000);
    return out.slice(0, encoder.encode(new Float32Array(format.frameValues).fill(value), out, 0));
  };
  /** @param {[number: number, value: number | null][]} voices of a bundle's frame; null: missing */
  const frameOf = (voices) => {
    const out = new Uint8Array(9000);
    let at = 0;
    for (const [number, value] of voices) {
      const payload = value === null ? new Uint8Array(0) : payloadOf(value);
      at = writeVoiceHead(out, at, number, 20, payload.length);
      out.set(payload, at);
      at += payload.length;
    }
    return out.slice(0, at);
  };
  return { codec, format, gains, options, newDecoder, payloadOf, frameOf };
}

describe('the voices of a bundle', () => {
  const decode = (
    /** @type {ReturnType<typeof setUp>} */ { format, frameOf },
    /** @type {BundleDecoder} */ decoder,
    /** @type {[number, number | null][]} */ voices,
  ) => {
    const out = new Float32Array(format.frameValues);
    const bytes = frameOf(voices);
    expect(decoder.decode(bytes, 0, bytes.length, out, 0)).toBe(true);
    return out;
  };

  it('are added up on the same samples, without one’s own', () => {
    const parts = setUp();
    const decoder = new BundleDecoder(parts.options);
    const out = decode(parts, decoder, [
      [1, 0.25],
      [2, 0.5],
      [9, 0.1],
    ]);
    for (const value of out) expect(value).toBeCloseTo(0.75, 3);
  });

  it('have one’s own volumes, which move within a frame, and places in stereo', () => {
    const parts = setUp(2);
    const decoder = new BundleDecoder(parts.options);
    decode(parts, decoder, [[1, 0.25]]);
    parts.gains.set(1, 2, 1);
    const moving = decode(parts, decoder, [[1, 0.25]]);
    expect([moving[0], moving[1]].map((value) => value.toFixed(2))).toEqual(['0.25', '0.25']);
    const there = decode(parts, decoder, [[1, 0.25]]);
    expect(there[0]).toBeCloseTo(0, 3);
    expect(there[1]).toBeCloseTo(0.5, 3);
  });

  it('open no decoder once their receiver has left', () => {
    const parts = setUp();
    /** @type {number[]} */
    const heard = [];
    const leave = (/** @type {number} */ number) => heard.push(number) === 1 && decoder.close();
    const decoder = new BundleDecoder({ ...parts.options, heard: leave });
    decode(parts, decoder, [
      [1, 0.25],
      [2, 0.5],
    ]);
    expect([heard, parts.codec.open]).toEqual([[1], 0]);
  });

  it('never pass full scale', () => {
    const parts = setUp();
    const decoder = new BundleDecoder(parts.options);
    const out = decode(parts, decoder, [
      [1, 0.9],
      [2, 0.9],
      [3, 0.9],
    ]);
    for (const value of out.subarray(32)) expect(value).toBeLessThanOrEqual(1);
  });

  it('are concealed where their sound is missing, fading to silence within 80 ms', () => {
    const parts = setUp();
    const decoder = new BundleDecoder(parts.options);
    decode(parts, decoder, [[1, 0.5]]);
    for (let i = 0; i < 2; i++)
      expect(decode(parts, decoder, [[1, null]])[100]).toBeCloseTo(CONCEALED, 3);
    expect(decode(parts, decoder, [[1, null]])[0]).toBeCloseTo(CONCEALED, 3);
    const last = decode(parts, decoder, [[1, null]]);
    expect(last[0]).toBeCloseTo(CONCEALED / 2, 3);
    expect(last.at(-1)).toBeCloseTo(0, 3);
    expect(decode(parts, decoder, [[1, null]])[10]).toBe(0);
    // The voice begins again with a fade, because its decoder holds concealed sound.
    const again = decode(parts, decoder, [[1, 0.5]]);
    expect(again[0]).toBeLessThan(0.1);
    expect(again[300]).toBeCloseTo(0.5, 3);
  });

  it('fade out where they are left out in the middle, and the others go on', () => {
    const parts = setUp();
    const decoder = new BundleDecoder(parts.options);
    decode(parts, decoder, [
      [1, 0.5],
      [2, 0.25],
    ]);
    const out = decode(parts, decoder, [[2, 0.25]]);
    expect(out[1]).toBeGreaterThan(0.3);
    expect(out[300]).toBeCloseTo(0.25, 3);
  });

  it('of any number of people take no more than the most decoders', () => {
    const parts = setUp();
    const decoder = new BundleDecoder(parts.options);
    for (let number = 10; number < 100; number++)
      decode(parts, decoder, [
        [number, 0.1],
        [number + 1, 0.1],
      ]);
    expect(parts.codec.open).toBeLessThanOrEqual(MAX_VOICES);
    decoder.close();
    expect(parts.codec.open).toBe(0);
  });

  it('that are no voices are concealed', () => {
    const parts = setUp();
    const decoder = new BundleDecoder(parts.options);
    decode(parts, decoder, [[1, 0.5]]);
    const out = new Float32Array(parts.format.frameValues);
    expect(decoder.decode(new Uint8Array([0, 1, 20, 200, 7]), 0, 5, out, 0)).toBe(false);
    expect(out[100]).toBeCloseTo(CONCEALED, 3);
  });
});

describe('a room’s playout', () => {
  /** @param {number} channels */
  function play(channels = 1) {
    const parts = setUp(channels);
    const playout = new RoomPlayout([parts.newDecoder(), parts.newDecoder()], parts.options);
    let sequence = 0;
    const send = (
      /** @type {number} */ frame,
      /** @type {(out: Uint8Array, packet: Packet) => number} */ write,
    ) => {
      const bytes = new Uint8Array(4000);
      const packet = Object.assign(new Packet(), { frame, sequence: sequence++, level: 20 });
      const end = write(bytes, packet);
      const read = new Packet();
      expect(readPacket(bytes.subarray(0, end), read)).toBe(null);
      playout.receive(read, bytes.subarray(0, end), frame * FRAME_MS);
    };
    const body = (
      /** @type {Uint8Array} */ out,
      /** @type {number} */ at,
      /** @type {Uint8Array} */ bytes,
    ) => {
      out.set(bytes, at);
      return at + bytes.length;
    };
    return {
      ...parts,
      playout,
      mix: (/** @type {number} */ frame, /** @type {number} */ value) =>
        send(frame, (out, packet) =>
          body(out, writeAudioHeader(out, packet), parts.payloadOf(value)),
        ),
      /**
       * @param {number} frame
       * @param {[number, number | null][]} voices
       * @param {[number, number | null][][]} before
       */
      bundle: (frame, voices, before = []) =>
        send(frame, (out, packet) => {
          const bodies = [voices, ...before].map(parts.frameOf);
          packet.redundancy = before.length;
          bodies.forEach(({ length }, r) => (packet.payloadBytes[r] = length));
          return bodies
            .toReversed()
            .reduce((at, bytes) => body(out, at, bytes), writeBundleHeader(out, packet));
        }),
      /** @param {number} frame @param {number} number @param {number} value */
      voice: (frame, number, value) =>
        send(frame, (out, packet) => {
          packet.number = number;
          return body(out, writeVoiceHeader(out, packet), parts.payloadOf(value));
        }),
      /** @param {number} frames @param {number} nowMs */
      pull: (frames, nowMs) => {
        const heard = [];
        const out = new Float32Array(parts.format.frameValues);
        for (let i = 0; i < frames; i++)
          heard.push(...out.subarray(0, playout.pull(out, nowMs + i * FRAME_MS) * channels));
        return heard;
      },
    };
  }

  it('goes over from a mix to bundles and back without a gap', () => {
    const call = play();
    let heard = [];
    for (let frame = 0; frame < 40; frame++) {
      if (frame < 12 || frame >= 24) call.mix(frame, 0.5);
      else
        call.bundle(
          frame,
          [
            [1, 0.25],
            [2, 0.25],
          ],
          frame < 14
            ? [
                [
                  [1, 0.25],
                  [2, 0.25],
                ],
              ]
            : [],
        );
      heard.push(...call.pull(1, frame * FRAME_MS + 15));
    }
    const from = heard.findIndex((value) => value > 0.4);
    heard = heard.slice(from + 300);
    expect(heard.length).toBeGreaterThan(30 * 960);
    for (const value of heard) expect(Math.abs(value - 0.5)).toBeLessThan(0.4);
    // Only the seams are other than the sound: two cross-fades from a concealment.
    expect(heard.filter((value) => Math.abs(value - 0.5) > 0.01).length).toBeLessThan(2 * 300);
    expect(call.playout.counters).toMatchObject({ concealed: 0, lost: 0, late: 0 });
  });

  it('hears a lost bundle from the next one’s repeat', () => {
    const call = play();
    for (let frame = 0; frame < 20; frame++) {
      if (frame !== 10) call.bundle(frame, [[1, 0.5]], frame > 0 ? [[[1, 0.5]]] : []);
      call.pull(1, frame * FRAME_MS - 25);
    }
    expect(call.playout.counters.recovered).toBe(1);
    expect(call.playout.counters.concealed).toBe(0);
  });

  it('tells no place on the room’s clock for separate voices, though the mix had one', () => {
    const call = play();
    const places = [];
    for (let frame = 0; frame < 40; frame++) {
      if (frame < 20) call.mix(frame, 0.5);
      else call.voice(frame, 1, 0.5);
      call.pull(1, frame * FRAME_MS + 15);
      places.push(call.playout.originMs);
    }
    expect(places[19]).toBeGreaterThan(0);
    expect(places[39]).toBeNaN();
  });

  it('adds voices that come one by one, each with its own delay', () => {
    const call = play();
    let heard = [];
    for (let frame = 0; frame < 40; frame++) {
      call.voice(frame, 1, 0.25);
      call.voice(frame, 2, 0.5);
      call.voice(frame, 9, 0.1);
      heard.push(...call.pull(1, frame * FRAME_MS + 15));
    }
    heard = heard.slice(-20 * 960);
    for (const value of heard) expect(value).toBeCloseTo(0.75, 2);
    expect(call.playout.delayMs).toBeGreaterThan(0);
    // Nobody speaks any more: the places are given up.
    call.pull(200, 2000);
    expect(call.codec.open).toBe(2);
    call.playout.close();
    expect(call.codec.open).toBe(0);
  });
});
