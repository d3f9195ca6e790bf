import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { readWav } from '../../../testkit/sound/wav.js';
import { OPUS_FRAME_MS, SAMPLE_RATES } from '../../../public/shared/sound/audio-format.js';
import { payloadSamples } from '../../../public/shared/stream/codec.js';
import { createLibopusCodec } from '../../../public/shared/stream/libopus-codec.js';
import { codecNames, defaultEncoderSettings, loadCodec } from '../../../server/codec/codec.js';
import { createOpusscriptCodec } from '../../../server/codec/opusscript.js';
import { canBuildOpus, requireOrSkip } from '../../../testkit/skip.js';

const LIBOPUS = '../../../node_modules/libopus-wasm/dist/generated/libopus.generated.mjs';
/** @type {() => Promise<import('../../../public/shared/stream/libopus-codec.js').LibopusModule>} */
const createLibopus = (await import(LIBOPUS)).default;

/** True when the native codec is built. */
const hasOpus = await loadCodec('native').then(
  () => true,
  () => false,
);

const speech = (await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url)))
  .channels[0];
const SECONDS = 1.5;
const BITRATE = 48000;
const CANARY = 7.25;

/** @type {{ close: () => void }[]} */
const opened = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/**
 * The speech at a lower rate: a low-pass (windowed sinc), then every q-th sample.
 * @param {number} sampleRate
 */
function speechAt(sampleRate) {
  const source = speech.subarray(0, 48000 * SECONDS);
  const q = 48000 / sampleRate;
  if (q === 1) return source;
  const reach = 12 * q;
  const taps = Array.from({ length: 2 * reach + 1 }, (_, j) => {
    const t = ((j - reach) / q) * 0.9;
    const sinc = t === 0 ? 1 : Math.sin(Math.PI * t) / (Math.PI * t);
    return (sinc * 0.9 * (0.5 + 0.5 * Math.cos((Math.PI * (j - reach)) / (reach + 1)))) / q;
  });
  return Float32Array.from({ length: Math.floor(source.length / q) }, (_, n) =>
    taps.reduce((sum, tap, j) => sum + tap * (source[n * q + j - reach] ?? 0), 0),
  );
}

const speechByRate = new Map(SAMPLE_RATES.map((rate) => [rate, speechAt(rate)]));

/**
 * @param {Float32Array} sound
 * @param {Float32Array} decoded
 * @param {number} lag
 */
function correlation(sound, decoded, lag) {
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i + lag < decoded.length; i++) {
    xy += sound[i] * decoded[i + lag];
    xx += sound[i] ** 2;
    yy += decoded[i + lag] ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

/** @param {Float32Array} sound */
const rms = (sound) =>
  Math.sqrt(sound.reduce((sum, sample) => sum + sample ** 2, 0) / sound.length);

/**
 * @param {import('../../../server/codec/codec.js').Codec} encoding
 * @param {import('../../../server/codec/codec.js').Codec} decoding
 * @param {number} sampleRate
 * @param {number} frameSamples
 * @param {object} [settings]
 */
async function pairOf(encoding, decoding, sampleRate, frameSamples, settings = {}) {
  const encoder = encoding.createEncoder({
    sampleRate,
    frameSamples,
    bitrate: BITRATE,
    ...settings,
  });
  const decoder = decoding.createDecoder({ sampleRate, frameSamples });
  opened.push(encoder, decoder);
  return { encoder, decoder };
}

/**
 * @param {import('../../../server/codec/codec.js').Encoder} encoder
 * @param {Float32Array} sound
 * @param {number} frameSamples
 * @returns {Uint8Array[]} payloads
 */
function encodeAll(encoder, sound, frameSamples) {
  const out = new Uint8Array(1275);
  const payloads = [];
  for (let at = 0; at + frameSamples <= sound.length; at += frameSamples) {
    const length = encoder.encode(sound.subarray(at, at + frameSamples), out, 0);
    if (!(length > 0)) throw new Error(`the frame at ${at} was not encoded`);
    payloads.push(out.slice(0, length));
  }
  return payloads;
}

/**
 * @param {import('../../../server/codec/codec.js').Decoder} decoder
 * @param {Uint8Array[]} payloads
 * @param {number} frameSamples
 */
function decodeAll(decoder, payloads, frameSamples) {
  const out = new Float32Array(payloads.length * frameSamples);
  payloads.forEach((payload, k) => {
    if (!decode(decoder, payload, out, k * frameSamples))
      throw new Error(`payload ${k} was not decoded`);
  });
  return out;
}

/**
 * @param {import('../../../server/codec/codec.js').Decoder} decoder
 * @param {Uint8Array} payload
 * @param {Float32Array} out
 * @param {number} at
 */
const decode = (decoder, payload, out, at) => decoder.decode(payload, 0, payload.length, out, at);

/** @param {Uint8Array[]} payloads */
const hex = (payloads) => payloads.map((payload) => Buffer.from(payload).toString('hex'));

describe('the choice of codecs', () => {
  it('refuses other names', async () => {
    for (const name of ['mp3', '', 'toString', '__proto__']) {
      await expect(loadCodec(name)).rejects.toThrow(
        'allowed are auto, native, libopus-wasm, opusscript',
      );
    }
  });

  it('loads a codec once', async () => {
    expect(await loadCodec('opusscript')).toBe(await loadCodec('opusscript'));
  });
});

describe('the duration of a payload', () => {
  it.each([
    [[], 0],
    [[0 << 3], 480],
    [[3 << 3], 2880],
    [[11 << 3], 2880],
    [[12 << 3], 480],
    [[15 << 3], 960],
    [[16 << 3], 120],
    [[(31 << 3) | 1], 1920],
    [[(30 << 3) | 2], 960],
    [[(28 << 3) | 3], 0],
    [[(28 << 3) | 3, 8], 960],
    [[(31 << 3) | 3, 0], 0],
  ])('of %j is %i samples at 48 kHz', (bytes, samples) => {
    expect(payloadSamples(Uint8Array.from(bytes), 0, bytes.length, 48000)).toBe(samples);
  });

  it('is none beyond the longest payload', () => {
    expect(payloadSamples(new Uint8Array(1275), 0, 1275, 8000)).toBe(80);
    expect(payloadSamples(new Uint8Array(1276), 0, 1276, 8000)).toBe(0);
  });

  it('is read where it starts, and none beyond the bytes that there are', () => {
    const bytes = Uint8Array.of(0, 0, 3 << 3, 0);
    expect(payloadSamples(bytes, 2, 2, 48000)).toBe(2880);
    for (const [start, length] of [
      [2, 3],
      [5, 1],
      [-1, 2],
      [0, -1],
      [0, NaN],
      [NaN, 1],
    ]) {
      expect(payloadSamples(bytes, start, length, 48000)).toBe(0);
    }
  });
});

/** @param {string} name @returns {ReturnType<typeof requireOrSkip>} */
const where = (name) =>
  requireOrSkip(name !== 'native' || hasOpus, 'the native Opus codec is not built', canBuildOpus);

for (const name of codecNames)
  where(name).describe(name, () => {
    /**
     * @type {(sampleRate: number, frameSamples: number, settings?: object) => ReturnType<typeof
     *   pairOf>}
     */
    const pair = async (sampleRate, frameSamples, settings) => {
      const codec = await loadCodec(name);
      return pairOf(codec, codec, sampleRate, frameSamples, settings);
    };

    describe.each(SAMPLE_RATES)('at %i Hz', (sampleRate) => {
      it.each(OPUS_FRAME_MS)('gives speech back in frames of %f ms', async (ms) => {
        const samples = (sampleRate * ms) / 1000;
        const { encoder, decoder } = await pair(sampleRate, samples);
        const sound = /** @type {Float32Array} */ (speechByRate.get(sampleRate));
        const payloads = encodeAll(encoder, sound, samples);
        const decoded = decodeAll(decoder, payloads, samples);
        expect(correlation(sound, decoded, encoder.lookahead)).toBeGreaterThan(0.95);
        const bitrate =
          (payloads.flatMap((p) => [...p]).length * 8) / ((payloads.length * ms) / 1000);
        expect(bitrate / BITRATE).toBeGreaterThan(0.8);
        expect(bitrate / BITRATE).toBeLessThan(1.15);
      });
    });

    it('has less lookahead for low delay', async () => {
      const lookaheads = [];
      for (const application of ['audio', 'voip', 'low-delay']) {
        lookaheads.push((await pair(48000, 960, { application })).encoder.lookahead);
      }
      expect(lookaheads).toEqual([312, 312, 120]);
    });

    it('keeps to its bit rate and complexity', async () => {
      const bytes = [];
      for (const [bitrate, complexity] of [
        [16000, 5],
        [64000, 5],
        [64000, 0],
      ]) {
        const { encoder } = await pair(48000, 960, { bitrate, complexity });
        bytes.push(
          encodeAll(encoder, speech.subarray(0, 48000), 960).reduce((sum, p) => sum + p.length, 0),
        );
      }
      expect(bytes[1] / bytes[0]).toBeGreaterThan(2.5);
      expect(bytes[2]).not.toBe(bytes[1]);
    });

    it("gives each payload the bit rate's bytes where that is asked for", async () => {
      for (const bitrate of [16_000, 64_000, 128_000]) {
        // An encoder that another one had before it may be used again.
        const { encoder: average } = await pair(48000, 960, { bitrate });
        const lengths = encodeAll(average, speech, 960).map(({ length }) => length);
        expect(Math.max(...lengths)).toBeGreaterThan((1.2 * bitrate) / 400);
        average.close();
        const { encoder } = await pair(48000, 960, { bitrate, isConstant: true });
        expect(new Set(encodeAll(encoder, speech, 960).map(({ length }) => length))).toEqual(
          new Set([bitrate / 400]),
        );
      }
    });

    it('takes another complexity between two frames', async () => {
      const sound = speech.subarray(0, 48000);
      const { encoder, decoder } = await pair(48000, 960, { complexity: 8 });
      const { encoder: constant } = await pair(48000, 960, { complexity: 8 });
      const first = encodeAll(encoder, sound, 960);
      expect(hex(first)).toEqual(hex(encodeAll(constant, sound, 960)));
      encoder.setComplexity(0);
      const second = encodeAll(encoder, sound, 960);
      expect(hex(second)).not.toEqual(hex(encodeAll(constant, sound, 960)));
      const out = new Float32Array(960);
      for (const payload of [...first, ...second])
        expect(decoder.decode(payload, 0, payload.length, out, 0)).toBe(true);
      encoder.close();
      encoder.setComplexity(8);
      expect(encoder.encode(new Float32Array(960), new Uint8Array(1275), 0)).toBe(0);
    });

    it('codes a frame on its own, which sounds the same after unencoded silence', async () => {
      /**
       * By how much of its level sound differs between two decoders, one of which was given the
       * silence.
       * @param {boolean} predicts
       */
      const differenceOf = async (predicts) => {
        const { encoder, decoder } = await pair(48000, 960);
        const { decoder: other } = await pair(48000, 960);
        const [out, otherOut] = [new Float32Array(960), new Float32Array(960)];
        let [difference, level] = [0, 0];
        let wasSilent = true;
        for (let at = 0; at + 960 <= speech.length; at += 960) {
          const frame = speech.subarray(at, at + 960);
          const isSilent = frame.every((sample) => sample === 0);
          if (isSilent) other.decode(Uint8Array.of(31 << 3, 0xff, 0xfe), 0, 3, otherOut, 0);
          else {
            encoder.setPrediction(predicts || !wasSilent);
            const [payload] = encodeAll(encoder, frame, 960);
            decoder.decode(payload, 0, payload.length, out, 0);
            other.decode(payload, 0, payload.length, otherOut, 0);
          }
          // The first frame of sound overlaps with what was before it.
          const values = isSilent || wasSilent ? 0 : 960;
          for (let i = 0; i < values; i++) {
            difference += (out[i] - otherOut[i]) ** 2;
            level += out[i] ** 2;
          }
          wasSilent = isSilent;
        }
        return difference / level;
      };
      const [predicted, itself] = [await differenceOf(true), await differenceOf(false)];
      expect(predicted).toBeGreaterThan(0.003);
      expect(itself).toBeLessThan(0.01 * predicted);
    });

    it('takes its defaults where a setting is left out or undefined', async () => {
      const { encoder: bare } = await pair(48000, 960, { bitrate: undefined });
      const { encoder: full } = await pair(48000, 960, defaultEncoderSettings);
      const sound = speech.subarray(0, 24000);
      expect(hex(encodeAll(bare, sound, 960))).toEqual(hex(encodeAll(full, sound, 960)));
    });

    it.each([
      { sampleRate: 44100 },
      { frameSamples: 961 },
      { frameSamples: 5760 },
      { frameSamples: NaN },
      { bitrate: 499 },
      { bitrate: 512001 },
      { bitrate: 32000.5 },
      { complexity: 11 },
      { complexity: -1 },
      { application: 'toString' },
    ])('refuses %j', async (wrong) => {
      const codec = await loadCodec(name);
      const settings = /** @type {any} */ ({ sampleRate: 48000, frameSamples: 960, ...wrong });
      expect(() => codec.createEncoder(settings)).toThrow(RangeError);
      if ('sampleRate' in wrong || 'frameSamples' in wrong) {
        expect(() => codec.createDecoder(settings)).toThrow(RangeError);
      }
    });

    it('keeps silence silent', async () => {
      const { encoder, decoder } = await pair(48000, 960);
      const payloads = encodeAll(encoder, new Float32Array(48000), 960);
      expect(rms(decodeAll(decoder, payloads, 960))).toBeLessThan(1e-4);
      expect(payloads.at(-1)?.length).toBeLessThan(20);
    });

    it('writes only into the given buffer', async () => {
      const { encoder, decoder } = await pair(48000, 480);
      const bytes = new Uint8Array(1400).fill(0xa5);
      const length = encoder.encode(speech.subarray(30000, 30480), bytes, 50);
      expect(length).toBeGreaterThan(10);
      expect(bytes.subarray(0, 50).every((byte) => byte === 0xa5)).toBe(true);
      expect(bytes.subarray(50 + length).every((byte) => byte === 0xa5)).toBe(true);

      const out = new Float32Array(1000).fill(CANARY);
      expect(decoder.decode(bytes, 50, length, out, 100)).toBe(true);
      decoder.conceal(out, 500);
      const untouched = [out.subarray(0, 100), out.subarray(580 - 80, 500), out.subarray(980)];
      for (const part of untouched) expect(part.every((sample) => sample === CANARY)).toBe(true);
      expect(out.subarray(100, 500).includes(CANARY)).toBe(false);
    });

    it('gives up, without a trace, where there is no room for the payload', async () => {
      const { encoder } = await pair(48000, 960, { bitrate: 510000 });
      const bytes = new Uint8Array(100).fill(0xa5);
      for (const at of [99, 100, 101])
        expect(encoder.encode(speech.subarray(0, 960), bytes, at)).toBe(0);
      expect(bytes.every((byte) => byte === 0xa5)).toBe(true);
      for (let k = 0; k < 50; k++) {
        const length = encoder.encode(speech.subarray(k * 960, (k + 1) * 960), bytes, 40);
        expect(length).toBeLessThanOrEqual(60);
      }
      expect(bytes.subarray(0, 40).every((byte) => byte === 0xa5)).toBe(true);
    });

    it('never exceeds the longest payload', async () => {
      const { encoder } = await pair(48000, 2880, { bitrate: 512000 });
      const out = new Uint8Array(4000);
      const noise = Float32Array.from({ length: 2880 * 20 }, (_, i) => Math.sin(i * i * 0.37));
      for (let at = 0; at < noise.length; at += 2880) {
        expect(encoder.encode(noise.subarray(at, at + 2880), out, 0)).toBeLessThanOrEqual(1275);
      }
    });

    it('tells a caller whose buffers are not of one frame', async () => {
      const { encoder, decoder } = await pair(48000, 960);
      expect(() => encoder.encode(new Float32Array(959), new Uint8Array(1275), 0)).toThrow(
        RangeError,
      );
      expect(() => decode(decoder, new Uint8Array(10), new Float32Array(1000), 41)).toThrow(
        RangeError,
      );
      expect(() => decoder.conceal(new Float32Array(1000), -1)).toThrow(RangeError);
    });

    it('takes samples that are no numbers for silence and clips the rest', async () => {
      const { encoder, decoder } = await pair(48000, 960);
      const bad = new Float32Array(960);
      for (let i = 0; i < 960; i++) bad[i] = [NaN, Infinity, -Infinity, 1e30, -1e30, 1e-42][i % 6];
      const decoded = decodeAll(decoder, encodeAll(encoder, bad, 960), 960);
      expect(decoded.every((sample) => Math.abs(sample) <= 1)).toBe(true);
      const sound = speech.subarray(0, 48000);
      const after = decodeAll(decoder, encodeAll(encoder, sound, 960), 960);
      expect(correlation(sound, after, encoder.lookahead)).toBeGreaterThan(0.9);
    });

    it.each(['audio', 'voip', 'low-delay'])(
      'conceals what is missing after %s, and fades',
      async (application) => {
        const { encoder, decoder } = await pair(48000, 960, { application, bitrate: 24000 });
        const tone = Float32Array.from(
          { length: 48000 },
          (_, i) => 0.3 * Math.sin((2 * Math.PI * 440 * i) / 48000),
        );
        const heard = decodeAll(decoder, encodeAll(encoder, tone, 960), 960);
        const level = rms(heard.subarray(-960));
        const concealed = Array.from({ length: 50 }, () => {
          const out = new Float32Array(960).fill(NaN);
          decoder.conceal(out, 0);
          return out;
        });
        expect(rms(concealed[0]) / level).toBeGreaterThan(0.3);
        expect(Math.abs(concealed[0][0] - heard[heard.length - 1])).toBeLessThan(0.1);
        expect(rms(concealed[49]) / level).toBeLessThan(0.2);
      },
    );

    it.each(OPUS_FRAME_MS)('conceals exactly %f ms, also before it ever decoded', async (ms) => {
      for (const sampleRate of SAMPLE_RATES) {
        const samples = (sampleRate * ms) / 1000;
        const { encoder, decoder } = await pair(sampleRate, samples);
        const out = new Float32Array(samples + 2).fill(CANARY);
        decoder.conceal(out, 1);
        expect(rms(out.subarray(1, samples + 1))).toBe(0);
        const sound = /** @type {Float32Array} */ (speechByRate.get(sampleRate));
        decodeAll(decoder, encodeAll(encoder, sound.subarray(0, sampleRate / 2), samples), samples);
        decoder.conceal(out, 1);
        expect(rms(out.subarray(1, samples + 1))).toBeGreaterThan(0);
        expect([out[0], out[samples + 1]]).toEqual([CANARY, CANARY]);
      }
    });

    it('takes a lost frame in its stride', async () => {
      const { encoder, decoder } = await pair(48000, 960);
      const sound = speech.subarray(0, 72000);
      const decoded = new Float32Array(72000);
      encodeAll(encoder, sound, 960).forEach((payload, k) => {
        if (k % 20 === 19) decoder.conceal(decoded, k * 960);
        else expect(decode(decoder, payload, decoded, k * 960)).toBe(true);
      });
      expect(correlation(sound, decoded, encoder.lookahead)).toBeGreaterThan(0.9);
    });

    it('takes payloads of another duration for garbage', async () => {
      const codec = await loadCodec(name);
      const lengths = OPUS_FRAME_MS.map((ms) => 48 * ms);
      for (const encoded of lengths) {
        const { encoder } = await pair(48000, encoded);
        const [payload] = encodeAll(encoder, speech.subarray(30000, 30000 + encoded), encoded);
        for (const frameSamples of lengths) {
          const decoder = codec.createDecoder({ sampleRate: 48000, frameSamples });
          opened.push(decoder);
          const out = new Float32Array(frameSamples).fill(CANARY);
          expect(decode(decoder, payload, out, 0)).toBe(encoded === frameSamples);
          expect(out.every((sample) => sample === CANARY)).toBe(encoded !== frameSamples);
        }
      }
    });

    it('survives any bytes', async () => {
      const { encoder, decoder } = await pair(48000, 960);
      const { decoder: bystander } = await pair(48000, 960);
      const sound = speech.subarray(0, 48000);
      const payloads = encodeAll(encoder, sound, 960);
      const out = new Float32Array(962);
      // Half of them start like a payload of the right duration, so that they reach the decoder
      // itself.
      const first = fc.oneof(
        fc.nat(255),
        fc.constantFrom(1, 5, 9, 13, 15, 19, 23, 27, 31).map((c) => c << 3),
      );
      const bytes = fc.tuple(first, fc.uint8Array({ maxLength: 1274, size: 'max' }));
      fc.assert(
        fc.property(bytes, ([toc, rest]) => {
          out.fill(CANARY);
          const isOpus = decode(decoder, Uint8Array.of(toc, ...rest), out, 1);
          expect([out[0], out[961]]).toEqual([CANARY, CANARY]);
          const frame = out.subarray(1, 961);
          expect(
            frame.every((sample) => (isOpus ? Math.abs(sample) <= 1 : sample === CANARY)),
          ).toBe(true);
        }),
        { seed: 6716, numRuns: 600 },
      );
      expect(decode(decoder, new Uint8Array(0), out, 0)).toBe(false);
      expect(decode(decoder, new Uint8Array(1276), out, 0)).toBe(false);
      expect(
        correlation(sound, decodeAll(bystander, payloads, 960), encoder.lookahead),
      ).toBeGreaterThan(0.95);
      decodeAll(decoder, payloads, 960);
      const recovered = decodeAll(decoder, payloads, 960);
      expect(correlation(sound, recovered, encoder.lookahead)).toBeGreaterThan(0.9);
    });

    it('survives payloads with flipped bits', async () => {
      const { encoder, decoder } = await pair(48000, 960, { application: 'voip', bitrate: 24000 });
      const payloads = encodeAll(encoder, speech.subarray(0, 48000), 960);
      const flips = fc.array(fc.tuple(fc.nat(400), fc.nat(7)), { minLength: 1, maxLength: 8 });
      fc.assert(
        fc.property(fc.nat(payloads.length - 1), fc.nat(100), flips, (k, cut, places) => {
          const payload = payloads[k].slice(
            0,
            Math.max(1, payloads[k].length - Math.max(0, cut - 50)),
          );
          for (const [byte, bit] of places) payload[byte % payload.length] ^= 1 << bit;
          const out = new Float32Array(960);
          decode(decoder, payload, out, 0);
          expect(out.every((sample) => Math.abs(sample) <= 1)).toBe(true);
        }),
        { seed: 3, numRuns: 400 },
      );
    });

    it('does nothing more once closed, however often', async () => {
      const { encoder, decoder } = await pair(48000, 960);
      const { encoder: other } = await pair(48000, 960);
      const [payload] = encodeAll(encoder, speech.subarray(30000, 30960), 960);
      for (let i = 0; i < 3; i++) {
        encoder.close();
        decoder.close();
      }
      const out = new Float32Array(960).fill(CANARY);
      expect(encoder.encode(speech.subarray(0, 960), new Uint8Array(1275), 0)).toBe(0);
      expect(decode(decoder, payload, out, 0)).toBe(false);
      expect(out[0]).toBe(CANARY);
      decoder.conceal(out, 0);
      expect(rms(out)).toBe(0);
      expect(hex(encodeAll(other, speech.subarray(30000, 30960), 960))).toEqual(hex([payload]));
    });

    it('starts afresh in memory that another one used', async () => {
      const codec = await loadCodec(name);
      const settings = { sampleRate: 16000, frameSamples: 320 };
      const sound = /** @type {Float32Array} */ (speechByRate.get(16000)).subarray(0, 8000);
      const keptDecoder = codec.createDecoder(settings);
      const runs = [];
      for (const application of /** @type {const} */ ([
        'audio',
        'voip',
        'audio',
        'low-delay',
        'audio',
      ])) {
        const encoder = codec.createEncoder({ ...settings, application, bitrate: 20000 });
        runs.push(hex(encodeAll(encoder, sound, 320)));
        encoder.close();
      }
      keptDecoder.close();
      expect(runs[2]).toEqual(runs[0]);
      expect(runs[4]).toEqual(runs[0]);
      expect(runs[1]).not.toEqual(runs[0]);
    });

    it('holds 200 people at once, each with a state of their own', async () => {
      const sound = speech.subarray(24000, 24000 + 960 * 6);
      const people = [];
      for (let i = 0; i < 200; i++) people.push(await pair(48000, 960));
      const payloads = people.map(() => /** @type {Uint8Array[]} */ ([]));
      const out = new Float32Array(960);
      for (let at = 0; at < sound.length; at += 960) {
        people.forEach(({ encoder, decoder }, i) => {
          const [payload] = encodeAll(encoder, sound.subarray(at, at + 960), 960);
          payloads[i].push(payload);
          if (!decode(decoder, payload, out, 0)) throw new Error(`nothing decoded for ${i}`);
        });
      }
      expect(new Set(payloads.map((one) => hex(one).join())).size).toBe(1);
    });

    it('gives back what it took, 2 000 times', async () => {
      const codec = await loadCodec(name);
      const settings = { sampleRate: 48000, frameSamples: 960 };
      const out = new Uint8Array(1275);
      const sound = new Float32Array(960);
      const cycle = async () => {
        const encoder = codec.createEncoder(settings);
        const decoder = codec.createDecoder(settings);
        decoder.decode(out, 0, encoder.encode(speech.subarray(0, 960), out, 0), sound, 0);
        encoder.close();
        decoder.close();
      };
      for (let i = 0; i < 200; i++) await cycle();
      const before = process.memoryUsage().rss;
      for (let i = 0; i < 2000; i++) await cycle();
      // 2 000 pairs that stayed would be 116 MB with libopus-wasm, 170 MB with opusscript.
      expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(50);
    });
  });

describe.each([
  ['libopus-wasm', async () => createLibopusCodec(await createLibopus(), { maxInstances: 3 })],
  ['opusscript', async () => createOpusscriptCodec({ maxInstances: 3 })],
])('%s with room for three', (name, create) => {
  it('refuses a fourth by a code, until one is closed', async () => {
    const codec = await create();
    const settings = { sampleRate: 8000, frameSamples: 160 };
    expect(codec.maxInstances).toBe(3);
    const encoder = codec.createEncoder(settings);
    opened.push(encoder, codec.createDecoder(settings), codec.createDecoder(settings));
    const refusal = expect.objectContaining({
      code: 'codec-instances',
      message: expect.stringContaining(`${name} holds no more than 3`),
    });
    expect(() => codec.createEncoder(settings)).toThrow(refusal);
    expect(() => codec.createDecoder(settings)).toThrow(refusal);
    expect(() => codec.createEncoder({ ...settings, complexity: 99 })).toThrow(RangeError);
    encoder.close();
    encoder.close();
    opened.push(codec.createDecoder(settings));
    expect(() => codec.createDecoder(settings)).toThrow(refusal);
  });
});

it('libopus-wasm: says by the same code that the memory is full', async () => {
  const module = await createLibopus();
  const full = (/** @type {number[]} */ ...args) => {
    module.HEAP32[(args.at(-1) ?? 0) >> 2] = -7;
    return 0;
  };
  const codec = createLibopusCodec({
    ...module,
    _oc_create_encoder: full,
    _oc_create_decoder: full,
  });
  const settings = { sampleRate: 8000, frameSamples: 160 };
  const refusal = expect.objectContaining({ code: 'codec-instances' });
  expect(() => codec.createEncoder(settings)).toThrow(refusal);
  expect(() => codec.createDecoder(settings)).toThrow(refusal);
});

const pairs = codecNames.flatMap((from) =>
  codecNames.filter((to) => to !== from).map((to) => [from, to]),
);
for (const [encoding, decoding] of pairs)
  where([encoding, decoding].includes('native') ? 'native' : '').it(
    `packets of ${encoding} are decoded and concealed alike by ${decoding}`,
    async () => {
      const [from, to] = [await loadCodec(encoding), await loadCodec(decoding)];
      for (const application of ['audio', 'voip', 'low-delay']) {
        const { encoder, decoder } = await pairOf(from, to, 48000, 960, { application });
        const { decoder: own } = await pairOf(from, from, 48000, 960);
        const sound = speech.subarray(0, 48000);
        const payloads = encodeAll(encoder, sound, 960);
        const decoded = decodeAll(decoder, payloads, 960);
        const ownDecoded = decodeAll(own, payloads, 960);
        expect(correlation(ownDecoded, decoded, 0)).toBeGreaterThan(0.999);
        const [concealed, ownConcealed] = [decoder, own].map((one) => {
          const out = new Float32Array(960);
          one.conceal(out, 0);
          return out;
        });
        expect(correlation(ownConcealed, concealed, 0)).toBeGreaterThan(0.95);
      }
    },
  );
