import { describe, expect, it } from 'vitest';
import { warmUpCodec } from '../../../../public/client/call/client-audio.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { loadCodec } from '../../../../server/codec/codec.js';

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
