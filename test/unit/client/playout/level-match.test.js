import { describe, expect, it } from 'vitest';
import { readWav } from '../../../../testkit/sound/wav.js';
import { LevelMatch } from '../../../../public/client/playout/stream-decoder.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { defaultEncoderSettings } from '../../../../public/shared/stream/codec.js';
import { loadCodec } from '../../../../server/codec/codec.js';

const codec = await loadCodec('libopus-wasm');
const words = (
  await readWav(new URL('../../../../testkit/speech/speech-high.wav', import.meta.url))
).channels[0];

/** In dB. @param {Float32Array} sound @param {Float32Array} other */
function levelBetween(sound, other) {
  const power = (/** @type {Float32Array} */ values) =>
    values.reduce((sum, value) => sum + value * value, 0);
  return 10 * Math.log10(power(sound) / power(other));
}

/**
 * A stream whose decoder missed a loud voice in it, and begins again with two frames right behind
 * it.
 * @param {number} frameMs
 * @param {number} back the frame with which it does
 * @returns {{ off: number[], matched: number[] }} error of its next frames, in dB: as decoded, and
 *   corrected
 */
function beginAgain(frameMs, back) {
  const format = createAudioFormat({ frameMs });
  const { sampleRate, frameSamples } = format;
  const settings = { ...defaultEncoderSettings, sampleRate, frameSamples };
  const [encoder, steady, decoder] = [
    codec.createEncoder(settings),
    codec.createDecoder(settings),
    codec.createDecoder(settings),
  ];
  const levels = new LevelMatch(format);
  const loud = 20;
  const [bytes, reference] = [new Uint8Array(1275), new Float32Array(frameSamples)];
  /** @type {{ off: number[], matched: number[] }} */
  const result = { off: [], matched: [] };
  for (let frame = 0; frame < back + 3; frame++) {
    const sound = Float32Array.from({ length: frameSamples }, (_, i) => {
      const sample = frame * frameSamples + i;
      const at = (2 * Math.PI * sample) / sampleRate;
      const voice =
        [1, 2, 3, 4, 5].reduce((sum, n) => sum + Math.sin(170 * n * at + n) / n, 0) *
        (1 + 0.3 * Math.sin(3 * at));
      return (
        0.1 * voice +
        (frame >= loud && frame < back - 2
          ? 0.8 * words[(sampleRate + back * 997 + sample) % words.length]
          : 0)
      );
    });
    const length = encoder.encode(sound, bytes, 0);
    steady.decode(bytes, 0, length, reference, 0);
    const decoded = new Float32Array(frameSamples);
    if (frame === loud) decoder.conceal(decoded, 0);
    if (frame >= loud && frame < back - 2) continue;
    decoder.decode(bytes, 0, length, decoded, 0);
    // In the meantime the frame was heard from the other stream.
    if (frame === back - 1) {
      levels.apply(reference.slice());
      levels.primed(decoded);
      levels.begin();
    }
    if (frame < back) continue;
    result.off.push(levelBetween(decoded, reference));
    levels.apply(decoded);
    result.matched.push(levelBetween(decoded, reference));
  }
  for (const part of [encoder, steady, decoder]) part.close();
  return result;
}

/** The largest. @param {number[]} values */
const most = (values) => Math.max(...values.map(Math.abs));

/** @param {number[]} values */
const rms = (values) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);

describe('LevelMatch', () => {
  it.each([10, 20])('sets right a decoder that begins again, with frames of %i ms', (frameMs) => {
    const all = Array.from({ length: 30 }, (_, i) => beginAgain(frameMs, 40 + 2 * i));
    const [off, matched] = [all.flatMap((one) => one.off), all.flatMap((one) => one.matched)];
    expect(most(off)).toBeGreaterThan(1.5);
    expect(rms(matched)).toBeLessThan(rms(off) / 2);
  });

  it('changes nothing where it does not know what was heard, and never by more than 6 dB', () => {
    const format = createAudioFormat();
    const levels = new LevelMatch(format);
    const frame = (/** @type {number} */ value) => new Float32Array(format.frameValues).fill(value);
    const first = frame(0.25);
    levels.primed(frame(0.5));
    levels.begin();
    levels.apply(first);
    expect(first).toEqual(frame(0.25));
    levels.primed(frame(0.001));
    levels.begin();
    const second = frame(0.1);
    levels.apply(second);
    expect(most([...second])).toBeLessThanOrEqual(0.2);
    levels.forget();
    levels.primed(frame(0.5));
    levels.begin();
    const third = frame(0.25);
    levels.apply(third);
    expect(third).toEqual(frame(0.25));
  });
});
