import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNativeCodec } from '../../../server/codec/native.js';
import { random } from '../../fakes/random.js';
import { opusOrNull } from '../../../testkit/native.js';
import { readSpeech } from '../../../testkit/participants/speech.js';
import { canBuildOpus, requireOrSkip } from '../../../testkit/skip.js';

const SEED = 6716;
const CANARY = 7.25;

const opus = opusOrNull();
const native = requireOrSkip(opus, 'the native Opus codec is not built', canBuildOpus);
const { OpusEncoder, OpusDecoder, opusVersion } = /** @type {NonNullable<typeof opus>} */ (
  opus ?? {}
);

/** Values that JavaScript may hand over where a number is wanted. */
const anyNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(
    0,
    -1,
    1,
    2,
    120,
    959,
    960,
    961,
    1275,
    1276,
    2880,
    2 ** 31,
    2 ** 32 - 1,
    2 ** 32,
    2 ** 53,
    NaN,
  ),
);

native.it('the native codec is libopus 1.6 or later', () => {
  expect(opusVersion()).toMatch(/^libopus 1\.([6-9]|\d\d)/);
});

native.describe('the addon itself, whatever it is handed', () => {
  it('opens no encoder and no decoder by settings that Opus does not have', () => {
    const rates = fc.oneof(
      anyNumber,
      fc.constantFrom(8000, 12000, 16000, 24000, 44100, 48000, 96000),
    );
    const channelCounts = fc.oneof(anyNumber, fc.constantFrom(undefined, 1, 2, 3));
    const applications = fc.oneof(anyNumber, fc.constantFrom(2048, 2049, 2050, 2051, 2052, 2053));
    fc.assert(
      fc.property(
        rates,
        anyNumber,
        anyNumber,
        anyNumber,
        applications,
        channelCounts,
        (rate, samples, bitrate, complexity, application, channels) => {
          const isFrame = [1, 2, 4, 8, 16, 24].includes((samples * 400) / rate);
          const isCount = [undefined, 1, 2].includes(channels);
          const isRate = [8000, 12000, 16000, 24000, 48000].includes(rate);
          for (const open of [
            () => new OpusEncoder(rate, samples, bitrate, complexity, application, channels),
            () => new OpusDecoder(rate, samples, channels),
          ]) {
            try {
              open().close();
              // Numbers become whole ones of 32 bits on their way.
              expect(isRate || !Number.isInteger(rate)).toBe(true);
              expect(isCount || !Number.isInteger(channels)).toBe(true);
              expect(isFrame || !Number.isInteger(samples)).toBe(true);
            } catch (error) {
              expect(error).toMatchObject({ code: 'InvalidArg' });
            }
          }
        },
      ),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('throws for arguments of another type, and lives on', () => {
    const [encoder, decoder] = [
      new OpusEncoder(48000, 960, 48000, 5, 2051),
      new OpusDecoder(48000, 960),
    ];
    const wrong = [
      undefined,
      null,
      'x',
      {},
      [],
      new Uint16Array(960),
      new DataView(new ArrayBuffer(8)),
      Symbol('x'),
    ];
    for (const value of /** @type {any[]} */ (wrong)) {
      expect(() => encoder.encode(value, new Uint8Array(1275), 0)).toThrow();
      expect(() => encoder.encode(new Float32Array(960), value, 0)).toThrow();
      expect(() => decoder.decode(value, 0, 1, new Float32Array(960), 0)).toThrow();
      expect(() => decoder.decode(new Uint8Array(9), 0, 1, value, 0)).toThrow();
      expect(() => decoder.conceal(value, 0)).toThrow();
    }
    expect(() => /** @type {any} */ (OpusEncoder)()).toThrow();
    expect(() =>
      /** @type {any} */ (encoder.encode).call({}, new Float32Array(960), new Uint8Array(9), 0),
    ).toThrow();
    expect(encoder.encode(new Float32Array(960), new Uint8Array(1275), 0)).toBeGreaterThan(0);
  });

  it('reads and writes within the arrays only', () => {
    const encoder = new OpusEncoder(48000, 960, 64000, 5, 2049);
    const sound = Float32Array.from({ length: 960 }, (_, i) => Math.sin(i * i));
    fc.assert(
      fc.property(
        fc.nat(1400),
        anyNumber,
        fc.oneof(fc.nat(1000), fc.constant(960)),
        (size, at, samples) => {
          const out = new Uint8Array(size + 8).fill(0xa5);
          const within = out.subarray(4, 4 + size);
          const bytes = encoder.encode(sound.subarray(0, samples), within, at);
          if (samples < 960) expect(bytes).toBe(0);
          expect(bytes).toBeLessThanOrEqual(
            Math.max(0, size - (Number.isInteger(at) ? at >>> 0 : 0)),
          );
          expect([...out.subarray(0, 4), ...out.subarray(-4)]).toEqual(new Array(8).fill(0xa5));
        },
      ),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('decodes no bytes but those of the payload, and touches nothing when it can not', () => {
    const decoder = new OpusDecoder(48000, 960);
    const payloads = fc.tuple(
      fc.oneof(
        fc.nat(255),
        fc.constantFrom(1, 5, 9, 13, 15, 19, 23, 27, 31).map((config) => config << 3),
      ),
      fc.uint8Array({ maxLength: 1300, size: 'max' }),
    );
    fc.assert(
      fc.property(
        payloads,
        anyNumber,
        anyNumber,
        anyNumber,
        fc.nat(1200),
        ([toc, rest], start, length, at, size) => {
          const bytes = Uint8Array.of(toc, ...rest);
          const out = new Float32Array(size + 2).fill(CANARY);
          const within = out.subarray(1, size + 1);
          for (const [from, count, to] of [
            [start, length, at],
            [0, bytes.length, at],
            [0, bytes.length, 0],
          ]) {
            const isDone = decoder.decode(bytes, from, count, within, to);
            expect(isDone || within.every((sample) => sample === CANARY)).toBe(true);
            within.fill(CANARY);
          }
          const isConcealed = decoder.conceal(within, at);
          if (isConcealed)
            expect(within.every((sample) => Math.abs(sample) <= 1 || sample === CANARY)).toBe(true);
          expect([out[0], out[size + 1]]).toEqual([CANARY, CANARY]);
        },
      ),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('may be handed one memory for what it reads and what it writes', () => {
    const [encoder, decoder] = [
      new OpusEncoder(48000, 960, 64000, 5, 2051),
      new OpusDecoder(48000, 960),
    ];
    const memory = new ArrayBuffer(960 * 4);
    const [pcm, bytes] = [new Float32Array(memory), new Uint8Array(memory)];
    for (let k = 0; k < 20; k++) {
      pcm.forEach((_, i) => (pcm[i] = Math.sin((k * 960 + i) / 20) / 2));
      const length = encoder.encode(pcm, bytes, 0);
      expect(decoder.decode(bytes, 0, length, pcm, 0)).toBe(true);
    }
    expect(Math.max(...pcm)).toBeGreaterThan(0.4);
  });

  it('ends begun frames with the bytes that encode gives, on any thread and in any order', () => {
    const any = random(SEED);
    const open = () =>
      Array.from({ length: 40 }, (_, i) => new OpusEncoder(48000, 960, 32000 + 1000 * i, 8, 2051));
    const [begun, encoded] = [open(), open()];
    const [pcm, out, expected] = [
      new Float32Array(960),
      new Uint8Array(1275),
      new Uint8Array(1275),
    ];
    for (let frame = 0; frame < 30; frame++) {
      const payloads = begun.map((encoder, i) => {
        pcm.forEach(
          (_, k) => (pcm[k] = Math.sin(((frame * 960 + k) * (i + 3)) / 100) / 2 + any() / 50),
        );
        const isBegun = encoder.begin(pcm, 1200);
        expect(isBegun).toBe(true);
        const length = encoded[i].encode(pcm, expected, 0);
        return [...expected.subarray(0, length)];
      });
      const order = begun.map((_, i) => i).sort(() => any() - 0.5);
      for (const i of order) {
        if (any() < 0.2) expect(begun[i].setComplexity(8)).toBe(true);
        expect([...out.subarray(0, begun[i].end(out, 0))]).toEqual(payloads[i]);
      }
    }
    for (const encoder of [...begun, ...encoded]) {
      encoder.begin(pcm, 1200);
      encoder.close();
      expect(encoder.end(out, 0)).toBe(0);
      expect(encoder.begin(pcm, 1200)).toBe(false);
    }
  });

  it('ends begun payloads with the sound that decode gives, on any thread and in any order', () => {
    const any = random(SEED);
    const encoder = new OpusEncoder(48000, 960, 48000, 8, 2051);
    const open = () => Array.from({ length: 40 }, () => new OpusDecoder(48000, 960));
    const [begun, decoded] = [open(), open()];
    const [pcm, bytes, out, expected] = [
      new Float32Array(960),
      new Uint8Array(1275),
      new Float32Array(962),
      new Float32Array(962),
    ];
    for (let frame = 0; frame < 30; frame++) {
      const sounds = begun.map((decoder, i) => {
        pcm.forEach((_, k) => (pcm[k] = Math.sin(((frame * 960 + k) * (i + 3)) / 100) / 2));
        const length = encoder.encode(pcm, bytes, 3);
        expect(decoder.begin(bytes, 3, length)).toBe(true);
        expect(decoded[i].decode(bytes, 3, length, expected, 1)).toBe(true);
        bytes.fill(0);
        return expected.slice();
      });
      for (const i of begun.map((_, k) => k).sort(() => any() - 0.5)) {
        out.fill(0);
        // A frame that is concealed or begun before the end replaces the one that was begun.
        const isLost = any() < 0.1;
        if (isLost)
          expect([begun[i], decoded[i]].map((decoder) => decoder.conceal(out, 1))).toEqual([
            true,
            true,
          ]);
        expect(begun[i].end(out, 1)).toBe(!isLost);
        if (!isLost) expect(out).toEqual(sounds[i]);
      }
    }
    for (const decoder of begun) {
      expect(decoder.begin(bytes, 0, 0)).toBe(false);
      expect(decoder.begin(bytes, 1270, 6)).toBe(false);
      expect(decoder.end(out, 0)).toBe(false);
      decoder.begin(bytes, 0, 3);
      decoder.close();
      expect(decoder.end(out, 0)).toBe(false);
      expect(decoder.begin(bytes, 0, 3)).toBe(false);
    }
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 1300 }),
        anyNumber,
        anyNumber,
        anyNumber,
        fc.nat(1200),
        (payload, start, length, at, size) => {
          const decoder = decoded[0];
          decoder.begin(payload, start, length);
          decoder.begin(payload, 0, payload.length);
          const room = new Float32Array(size + 2).fill(CANARY);
          decoder.end(room.subarray(1, size + 1), at);
          expect([room[0], room[size + 1]]).toEqual([CANARY, CANARY]);
        },
      ),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('begins no frame that is none, and ends nothing twice', () => {
    const encoder = new OpusEncoder(48000, 960, 64000, 5, 2051);
    const [pcm, out] = [new Float32Array(960).fill(0.1), new Uint8Array(1275)];
    expect(encoder.end(out, 0)).toBe(0);
    expect(encoder.begin(pcm.subarray(1), 1275)).toBe(false);
    expect(encoder.begin(pcm, 1)).toBe(false);
    expect(encoder.begin(pcm, 20)).toBe(true);
    // A frame that is begun before the one before was ended takes its place.
    expect(encoder.begin(pcm, 1275)).toBe(true);
    expect(encoder.end(out, 0)).toBeGreaterThan(0);
    expect(encoder.end(out, 0)).toBe(0);
    expect(encoder.begin(pcm, 1275)).toBe(true);
    expect(encoder.end(out, 1274)).toBe(0);
    expect(encoder.begin(pcm, 1275)).toBe(true);
    expect(encoder.encode(pcm, out, 0)).toBeGreaterThan(0);
    fc.assert(
      fc.property(anyNumber, anyNumber, fc.nat(1300), (most, at, size) => {
        encoder.begin(pcm, most);
        const room = new Uint8Array(size + 8).fill(0xa5);
        encoder.end(room.subarray(4, 4 + size), at);
        expect([...room.subarray(0, 4), ...room.subarray(-4)]).toEqual(new Array(8).fill(0xa5));
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  for (const [channels, words] of /** @type {const} */ ([
    [1, 'mono'],
    [2, 'stereo'],
  ])) {
    it(`encodes ${words} by application 2053 as by restricted low-delay, 2051`, async () => {
      const any = random(SEED);
      const speech = (await readSpeech(48000)).subarray(0, 72_000);
      const sound = new Float32Array(2 * speech.length * channels);
      // Speech, then noise that grows, at another level in the second channel.
      for (let i = 0; i < sound.length; i++) {
        const at = Math.floor(i / channels);
        const value =
          at < speech.length ? speech[at] : ((any() - 0.5) * (at - speech.length)) / speech.length;
        sound[i] = value * (1 - 0.4 * (i % channels));
      }
      const settings = [
        { bitrate: 16000, complexity: 0 },
        { bitrate: 48000, complexity: 8 },
        { bitrate: 128000, complexity: 10, isConstant: true },
      ];
      for (const frameSamples of [120, 240, 480, 960, 1920, 2880]) {
        for (const { bitrate, complexity, isConstant } of settings) {
          const encoders = [2051, 2053].map(
            (application) =>
              new OpusEncoder(
                48000,
                frameSamples,
                bitrate,
                complexity,
                application,
                channels,
                isConstant,
              ),
          );
          expect(encoders[0].lookahead).toBe(encoders[1].lookahead);
          const outs = encoders.map(() => new Uint8Array(1275));
          const values = frameSamples * channels;
          for (let at = 0; at + values <= sound.length; at += values) {
            const frame = sound.subarray(at, at + values);
            const turn = at / values;
            const lengths = encoders.map((encoder, i) => {
              // Settings that streams change on their way.
              if (turn % 16 === 5) encoder.setComplexity(turn % 32 === 5 ? 0 : complexity);
              if (turn % 16 === 7) encoder.setMono(turn % 32 === 7);
              if (turn % 16 === 9) encoder.setPrediction(turn % 32 === 9);
              return encoder.encode(frame, outs[i].fill(0), 0);
            });
            expect(lengths[0]).toBeGreaterThan(0);
            expect(lengths[1]).toBe(lengths[0]);
            if (Buffer.compare(outs[0], outs[1]) !== 0) expect(outs[1]).toEqual(outs[0]);
          }
          for (const encoder of encoders) encoder.close();
        }
      }
    });
  }

  it('takes arrays whose memory has gone for empty ones', () => {
    const [encoder, decoder] = [
      new OpusEncoder(48000, 960, 64000, 5, 2051),
      new OpusDecoder(48000, 960),
    ];
    const gone = new Float32Array(960);
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    expect(encoder.encode(gone, new Uint8Array(1275), 0)).toBe(0);
    expect(decoder.conceal(gone, 0)).toBe(false);
  });
});

it('the native codec reports missing memory by a code, and passes on other errors', () => {
  const settings = { sampleRate: 8000, frameSamples: 160 };
  for (const [code, expected] of [
    ['GenericFailure', 'codec-instances'],
    ['InvalidArg', 'InvalidArg'],
  ]) {
    const fails = class {
      constructor() {
        throw Object.assign(new Error('no memory for it'), { code });
      }
    };
    const codec = createNativeCodec(
      /** @type {any} */ ({ OpusEncoder: fails, OpusDecoder: fails }),
    );
    expect(() => codec.createEncoder(settings)).toThrow(
      expect.objectContaining({ code: expected }),
    );
    expect(() => codec.createDecoder(settings)).toThrow(
      expect.objectContaining({ code: expected }),
    );
  }
});

it('the native codec encodes low delay by RESTRICTED_CELT if libopus has it', () => {
  for (const [has, expected] of [
    [2053, 2053],
    [2051, 2051],
  ]) {
    const opened = /** @type {number[]} */ ([]);
    const Encoder = class {
      constructor(/** @type {number[]} */ ...settings) {
        if (settings[4] > has) throw new Error('an application that Opus does not have');
        opened.push(settings[4]);
      }
      close() {}
    };
    const codec = createNativeCodec(/** @type {any} */ ({ OpusEncoder: Encoder }));
    codec.createEncoder({ sampleRate: 48000, frameSamples: 960, application: 'low-delay' });
    expect(opened.at(-1)).toBe(expected);
    codec.createEncoder({ sampleRate: 48000, frameSamples: 960, application: 'audio' });
    expect(opened.at(-1)).toBe(2049);
  }
});
