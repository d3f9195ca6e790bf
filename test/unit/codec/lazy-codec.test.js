import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/audio-format.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { newDecoder, newEncoder } from '../../../server/codec/room-codecs.js';
import { random } from '../../fakes/random.js';

const codec = await loadCodec('libopus-wasm');
const format = createAudioFormat();
const settings = /** @type {any} */ ({ codec, format, bitrate: 48000, complexity: 8, application: 'low-delay' });

describe('codecs that are opened when they are needed', () => {
  it('begin a word after a long silence as they would have without it', () => {
    const chance = random(5);
    const [encoder, decoder] = [newEncoder(settings), newDecoder(settings)];
    const payload = new Uint8Array(1275);
    const pcm = new Float32Array(format.frameSamples);
    let heard = new Float32Array(format.frameSamples);
    const pass = (/** @type {(i: number) => number} */ sample) => {
      for (let i = 0; i < pcm.length; i++) pcm[i] = sample(i);
      const length = encoder.encode(pcm, payload, 0);
      heard = new Float32Array(format.frameSamples);
      expect(decoder.decode(payload, 0, length, heard, 0)).toBe(true);
    };
    const level = (/** @type {Float32Array} */ of) => 10 * Math.log10(of.reduce((sum, v) => sum + v * v, 0) / of.length + 1e-12);
    for (let k = 0; k < 12; k++) pass((i) => (chance() - 0.5) * 0.003 * (k === 11 ? 1 - i / pcm.length : 1));
    for (let k = 0; k < 5; k++) {
      pass((i) => 0.02 * Math.sin((2 * Math.PI * 300 * (i + k * pcm.length)) / 48_000));
      expect(Math.abs(level(heard) - level(pcm))).toBeLessThan(6);
    }
    for (const each of [encoder, decoder]) each.close();
  });

  it('follow the effort that the server makes', () => {
    const effort = { complexity: 8 };
    const [following, constant] = [newEncoder({ ...settings, effort }), newEncoder(settings)];
    const chance = random(7);
    const pcm = new Float32Array(format.frameSamples);
    const payloads = [new Uint8Array(1275), new Uint8Array(1275)];
    const areSame = () => {
      for (let i = 0; i < pcm.length; i++) pcm[i] = (chance() - 0.5) * 0.2 + 0.3 * Math.sin(i / 9);
      const lengths = [following, constant].map((encoder, i) => encoder.encode(pcm, payloads[i].fill(0), 0));
      return lengths[0] === lengths[1] && payloads[0].every((byte, i) => byte === payloads[1][i]);
    };
    expect(Array.from({ length: 10 }, areSame)).not.toContain(false);
    effort.complexity = 0;
    expect(Array.from({ length: 10 }, areSame)).toContain(false);
    for (const each of [following, constant]) each.close();
  });

  it('do nothing once they are closed', () => {
    const [encoder, decoder] = [newEncoder(settings), newDecoder(settings)];
    for (const each of [encoder, decoder, encoder]) each.close();
    const pcm = new Float32Array(format.frameSamples).fill(0.1);
    expect(encoder.encode(pcm, new Uint8Array(1275), 0)).toBe(0);
    expect(decoder.decode(new Uint8Array(10), 0, 10, pcm, 0)).toBe(false);
    expect(pcm.every((sample) => sample === 0)).toBe(true);
  });
});
