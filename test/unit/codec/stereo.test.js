import { describe, expect, it } from 'vitest';
import { createAudioFormat, OPUS_FRAME_MS } from '../../../public/shared/sound/audio-format.js';
import { mostBitrate, streamBitrate } from '../../../public/shared/stream/bitrate.js';
import { PayloadDecoder, PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { codecNames, loadCodec } from '../../../server/codec/codec.js';
import { sidesOf, stereoTones, toneDb } from '../../fakes/stereo.js';
import { canBuildOpus, requireOrSkip } from '../../../testkit/skip.js';

const CANARY = 7.25;
const SECONDS = 0.6;

/** Bit 2 of an Opus packet's first byte: stereo (RFC 6716, section 3.1). */
const isStereo = (/** @type {Uint8Array} */ payload) => (payload[0] & 4) !== 0;

/**
 * @param {import('../../../public/shared/stream/codec.js').Codec} codec
 * @param {{ frameMs?: number, opusFrames?: number, sampleRate?: number, decoded?: number,
 *   application?: import('../../../public/shared/stream/codec.js').Application }} [shape]
 */
function pairOf(
  codec,
  { frameMs = 20, opusFrames = 1, sampleRate = 48000, decoded = 2, ...settings } = {},
) {
  const format = createAudioFormat({ sampleRate, frameMs, opusFrames, channels: 2 });
  const { opusFrameSamples: frameSamples } = format;
  const encoder = new PayloadEncoder(
    codec.createEncoder({ sampleRate, frameSamples, channels: 2, bitrate: 128_000, ...settings }),
    format,
  );
  const heard = createAudioFormat({ sampleRate, frameMs, opusFrames, channels: decoded });
  const decoder = new PayloadDecoder(
    codec.createDecoder({ sampleRate, frameSamples, channels: decoded }),
    heard,
  );
  return {
    format,
    heard,
    encoder,
    decoder,
    close: () => [encoder, decoder].forEach((one) => one.close()),
  };
}

/**
 * @param {ReturnType<typeof pairOf>} pair
 * @param {Float32Array} sound
 */
function throughCodec({ format, heard, encoder, decoder }, sound) {
  const frames = Math.floor(sound.length / format.frameValues);
  const out = new Float32Array(frames * heard.frameValues);
  const bytes = new Uint8Array(1500);
  const payloads = [];
  for (let k = 0; k < frames; k++) {
    const length = encoder.encode(
      sound.subarray(k * format.frameValues, (k + 1) * format.frameValues),
      bytes,
      0,
    );
    expect(length).toBeGreaterThan(0);
    payloads.push(bytes.slice(0, length));
    expect(decoder.decode(bytes, 0, length, out, k * heard.frameValues)).toBe(true);
  }
  return { out, payloads, second: out.subarray(out.length / 2) };
}

/** True when the native codec is built. */
const hasOpus = await loadCodec('native').then(
  () => true,
  () => false,
);

/** @param {string} name @returns {ReturnType<typeof requireOrSkip>} */
const where = (name) =>
  requireOrSkip(name !== 'native' || hasOpus, 'the native Opus codec is not built', canBuildOpus);

for (const name of codecNames)
  where(name).describe(`stereo through ${name}`, () => {
    it.each(OPUS_FRAME_MS)('keeps left and right apart in frames of %f ms', async (frameMs) => {
      for (const application of /** @type {const} */ (['audio', 'low-delay'])) {
        const codec = await loadCodec(name);
        if (2 * 48 * frameMs > codec.maxFrameValues) {
          expect(() => pairOf(codec, { frameMs })).toThrow(/opusscript allows at most 1440$/);
          continue;
        }
        const pair = pairOf(codec, { frameMs, application });
        const { second, payloads } = throughCodec(pair, stereoTones(48000 * SECONDS));
        const { leftDb, rightDb, crossTalkDb } = sidesOf(second);
        expect(crossTalkDb, application).toBeLessThan(-30);
        for (const db of [leftDb, rightDb])
          expect(Math.abs(db - 20 * Math.log10(0.4))).toBeLessThan(1);
        expect(payloads.every(isStereo)).toBe(true);
        pair.close();
      }
    });

    it('has several Opus frames to a packet', async () => {
      const pair = pairOf(await loadCodec(name), { frameMs: 40, opusFrames: 4 });
      expect(
        sidesOf(throughCodec(pair, stereoTones(48000 * SECONDS)).second).crossTalkDb,
      ).toBeLessThan(-30);
      pair.close();
    });

    it('has what is on one side alone on that side', async () => {
      const pair = pairOf(await loadCodec(name));
      const { second } = throughCodec(pair, stereoTones(48000 * SECONDS, { leftHz: 0 }));
      expect(toneDb(second, 1, 660)).toBeGreaterThan(-9);
      expect(toneDb(second, 0, 660) - toneDb(second, 1, 660)).toBeLessThan(-40);
      pair.close();
    });

    it('sends equal sides as centred mono, and switches both ways without a click', async () => {
      const pair = pairOf(await loadCodec(name));
      const tones = [
        stereoTones(9600, { rightHz: 440 }),
        stereoTones(9600, { from: 9600 }),
        stereoTones(9600, { rightHz: 440, from: 19200 }),
      ];
      const sound = Float32Array.from(tones.flatMap((part) => [...part]));
      const { out, payloads } = throughCodec(pair, sound);
      expect(payloads.map(isStereo)).toEqual([
        ...Array(10).fill(false),
        ...Array(11).fill(true),
        ...Array(9).fill(false),
      ]);
      const middle = out.subarray(9600, 19200);
      expect(toneDb(middle, 0, 440)).toBeCloseTo(toneDb(middle, 1, 440), 1);
      // The left side's tone goes on throughout: no step in it is larger than its own.
      const steepest = (0.4 * 2 * Math.PI * 440) / 48000;
      for (let i = 1; i < out.length / 2; i++) {
        if (Math.abs(out[2 * i] - out[2 * i - 2]) > 2 * steepest)
          expect.fail(`a step at sample ${i}`);
      }
      pair.close();
    });

    it('is heard by a decoder of one channel, and a mono payload by one of two', async () => {
      const codec = await loadCodec(name);
      const down = pairOf(codec, { decoded: 1 });
      const { out } = throughCodec(down, stereoTones(48000 * SECONDS));
      const half = out.subarray(out.length / 2);
      for (const hz of [440, 660])
        expect(toneDb(half, 0, hz, { channels: 1 })).toBeCloseTo(20 * Math.log10(0.2), 0);
      down.close();

      const encoder = codec.createEncoder({ sampleRate: 48000, frameSamples: 960, bitrate: 64000 });
      const decoder = codec.createDecoder({ sampleRate: 48000, frameSamples: 960, channels: 2 });
      const tone = Float32Array.from(
        { length: 48000 },
        (_, i) => 0.4 * Math.sin((2 * Math.PI * 440 * i) / 48000),
      );
      const [bytes, heard] = [new Uint8Array(1275), new Float32Array(96000)];
      for (let k = 0; k < 50; k++) {
        const length = encoder.encode(tone.subarray(k * 960, (k + 1) * 960), bytes, 0);
        expect(decoder.decode(bytes, 0, length, heard, 1920 * k)).toBe(true);
      }
      for (const side of [0, 1])
        expect(toneDb(heard.subarray(48000), side, 440)).toBeCloseTo(20 * Math.log10(0.4), 0);
      for (const one of [encoder, decoder]) one.close();
    });

    it('conceals each side by what was on it', async () => {
      const pair = pairOf(await loadCodec(name));
      throughCodec(pair, stereoTones(48000 * SECONDS));
      const made = new Float32Array(1920);
      pair.decoder.conceal(made, 0);
      expect(sidesOf(made).crossTalkDb).toBeLessThan(-15);
      pair.close();
    });

    it('writes one frame of both channels and nothing beside it', async () => {
      const { encoder, decoder, ...pair } = pairOf(await loadCodec(name));
      const bytes = new Uint8Array(1275);
      const length = encoder.encode(stereoTones(960), bytes, 0);
      const out = new Float32Array(1920 + 200).fill(CANARY);
      expect(decoder.decode(bytes, 0, length, out, 100)).toBe(true);
      decoder.conceal(out, 100);
      for (const part of [out.subarray(0, 100), out.subarray(2020)])
        expect(part.every((sample) => sample === CANARY)).toBe(true);
      expect(out.subarray(100, 2020).includes(CANARY)).toBe(false);
      expect(() => decoder.conceal(out, 201)).toThrow(RangeError);
      expect(() => encoder.encode(new Float32Array(960), bytes, 0)).toThrow(RangeError);
      pair.close();
    });

    it.each([0, 3, 1.5, NaN])('says that there are no %d channels', async (channels) => {
      const codec = await loadCodec(name);
      const settings = { sampleRate: 48000, frameSamples: 960, channels };
      for (const create of [codec.createEncoder, codec.createDecoder]) {
        expect(() => create(settings)).toThrow(
          new RangeError(`${channels} channels: allowed are 1 and 2`),
        );
      }
    });

    it('opens and closes mono and stereo in any order', async () => {
      const codec = await loadCodec(name);
      const shapes = [1, 2, 2, 1, 2, 1, 1, 2].map((channels) => ({
        sampleRate: 48000,
        frameSamples: 960,
        channels,
      }));
      const encoders = shapes.map((shape) => codec.createEncoder(shape));
      encoders.filter((_, i) => i % 2).forEach((encoder) => encoder.close());
      const decoders = shapes.map((shape) => codec.createDecoder(shape));
      const bytes = new Uint8Array(1275);
      for (const [i, shape] of shapes.entries()) {
        if (i % 2) continue;
        const length = encoders[i].encode(stereoTones(480 * shape.channels), bytes, 0);
        expect(length).toBeGreaterThan(0);
        for (const [j, decoder] of decoders.entries()) {
          expect(
            decoder.decode(bytes, 0, length, new Float32Array(960 * shapes[j].channels), 0),
          ).toBe(true);
        }
      }
      for (const one of [...encoders, ...decoders]) one.close();
    });
  });

describe('the format of a room', () => {
  it('has interleaved frames where it is stereo', () => {
    expect(createAudioFormat()).toMatchObject({ channels: 1, frameSamples: 960, frameValues: 960 });
    const stereo = createAudioFormat({ channels: 2, frameMs: 10 });
    expect(stereo).toMatchObject({
      channels: 2,
      frameSamples: 480,
      frameValues: 960,
      opusFrameSamples: 480,
    });
  });

  it.each([0, 3, '2', NaN])('has no %j channels', (channels) => {
    const wrong = /** @type {any} */ ({ channels });
    expect(() => createAudioFormat(wrong)).toThrow(
      new RangeError(`${channels} channels: allowed are 1 and 2`),
    );
  });

  it('has a bit rate for each channel, as far as a packet has room', () => {
    const [mono, stereo] = [1, 2].map((channels) => createAudioFormat({ channels }));
    expect(streamBitrate(48_000, mono)).toBe(48_000);
    expect(streamBitrate(48_000, stereo)).toBe(96_000);
    expect(streamBitrate(256_000, stereo)).toBe(mostBitrate(stereo));
    expect(mostBitrate(stereo)).toBeLessThan((1200 * 8) / 0.02);
  });

  it.each([
    [10, 48_000],
    [5, 53_333],
    [2.5, 64_000],
  ])('has more bits for frames of %d ms', (frameMs, bitrate) => {
    expect(streamBitrate(48_000, createAudioFormat({ frameMs }))).toBe(bitrate);
    expect(streamBitrate(48_000, createAudioFormat({ frameMs: 4 * frameMs, opusFrames: 4 }))).toBe(
      bitrate,
    );
  });
});
