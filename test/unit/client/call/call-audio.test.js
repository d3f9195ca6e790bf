import { describe, expect, it } from 'vitest';
import { warmUpCodec } from '../../../../public/client/call/call-audio.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { loadCodec } from '../../../../server/codec/codec.js';
import { addDevices, deviceDelaysOf } from '../../../../public/client/call/device-delays.js';
import { devicesSentence } from '../../../../public/ui/sound/sound-figures.js';

describe('warmUpCodec', () => {
  it.each([{}, { channels: 2 }, { frameMs: 2.5 }, { frameMs: 60, opusFrames: 3 }])(
    'encodes and decodes sound in the room’s format (%j)',
    async (wish) => {
      const codec = await loadCodec('libopus-wasm');
      let [encoded, decoded, concealed, open] = [0, 0, 0, 0];
      warmUpCodec(
        {
          ...codec,
          createEncoder: (settings) => {
            const encoder = codec.createEncoder(settings);
            open += 1;
            const encode = (/** @type {[Float32Array, Uint8Array, number]} */ ...args) => {
              const bytes = encoder.encode(...args);
              if (bytes > 3) encoded += 1;
              return bytes;
            };
            return { ...bound(encoder), encode, close: () => void ((open -= 1), encoder.close()) };
          },
          createDecoder: (settings) => {
            const decoder = codec.createDecoder(settings);
            open += 1;
            /** @type {typeof decoder.decode} */
            const decode = (...args) => {
              const isGood = decoder.decode(...args);
              if (isGood) decoded += 1;
              return isGood;
            };
            /** @type {typeof decoder.conceal} */
            const conceal = (...args) => {
              concealed += 1;
              return decoder.conceal(...args);
            };
            return { decode, conceal, close: () => void ((open -= 1), decoder.close()) };
          },
        },
        createAudioFormat(wish),
      );
      expect(encoded).toBeGreaterThan(10);
      expect(decoded).toBeGreaterThan(20);
      expect(concealed).toBeGreaterThan(1);
      expect(open).toBe(0);
    },
  );
});

/** @param {import('../../../../public/shared/stream/codec.js').Encoder} encoder */
const bound = (encoder) => ({
  lookahead: encoder.lookahead,
  setComplexity: encoder.setComplexity.bind(encoder),
  setMono: encoder.setMono.bind(encoder),
  setPrediction: encoder.setPrediction.bind(encoder),
});

const streamOf = (/** @type {unknown} */ stats, settings = {}) =>
  /** @type {any} */ ({ getAudioTracks: () => [{ stats, getSettings: () => settings }] });
const contextOf = (/** @type {unknown} */ outputLatency) => /** @type {any} */ ({ outputLatency });

describe('the delays of devices', () => {
  it('are what the browser tells, in milliseconds', () => {
    expect(deviceDelaysOf(streamOf({ latency: 44.2 }), contextOf(0.035))).toEqual({
      microphoneMs: 44.2,
      speakerMs: 35,
    });
  });

  it.each([
    [29, 0.0232, 5.8],
    [12.1, 0.01, 2.1],
    [9.5, 0.01, 0],
  ])('are without a piece: of %d ms with pieces of %d s, %d are left', (latency, piece, left) => {
    const stream = streamOf({ latency }, { latency: piece });
    expect(deviceDelaysOf(stream, null).microphoneMs).toBeCloseTo(left);
  });

  it.each([
    [undefined, undefined],
    [{ latency: 0 }, 0],
    [{ latency: NaN }, NaN],
    [{}, Infinity],
    [{ latency: '44' }, -0.1],
    [null, null],
  ])('are unknown where it tells %o and %o', (stats, outputLatency) => {
    expect(deviceDelaysOf(streamOf(stats), contextOf(outputLatency))).toEqual({
      microphoneMs: null,
      speakerMs: null,
    });
  });

  it('are unknown without a microphone, or a context', () => {
    expect(deviceDelaysOf(null, null)).toEqual({ microphoneMs: null, speakerMs: null });
    expect(
      deviceDelaysOf(/** @type {any} */ ({ getAudioTracks: () => [] }), contextOf(undefined)),
    ).toEqual({ microphoneMs: null, speakerMs: null });
  });

  it('are in the sum where they are known, and the sum says so', () => {
    const stats = () =>
      /** @type {any} */ ({
        delayMs: 120,
        delayParts: { frameMs: 20, serverDelayMs: 60, wayMs: 5, playoutMs: 25, outputMs: 10 },
        microphoneMs: null,
      });
    const known = stats();
    known.microphoneMs = 19.9;
    addDevices(known, { speakerMs: 35 });
    expect(known).toMatchObject({ delayMs: 155, delayParts: { speakerMs: 35 } });
    expect(devicesSentence(known)).toMatch(
      /others’ microphones .* not in it.*microphone adds 20 ms/,
    );
    known.delayParts.microphoneMs = 12;
    addDevices(known, { speakerMs: 35 });
    expect(known.delayMs).toBe(167);
    expect(devicesSentence(known)).toBe(
      'Your own microphone adds 20 ms to what others hear of you.',
    );
    const unknown = stats();
    addDevices(unknown, { speakerMs: null });
    expect(unknown.delayMs).toBe(120);
    expect(devicesSentence(unknown)).toMatch(/^This is without sound cards: [^.]*\.$/);
    expect(devicesSentence(stats())).toBe(devicesSentence(unknown));
  });
});
