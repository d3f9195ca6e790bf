import { describe, expect, it } from 'vitest';
import { seededRandom, normal } from '../../../../testkit/random.js';
import { align } from '../../../../testkit/sound/signal.js';
import { decodePiece, encodePiece } from '../../../../public/client/track/track-codec.js';
import { createLibopusCodec } from '../../../../public/shared/stream/libopus-codec.js';
import {
  FADE_SECONDS,
  LEAD_SAMPLES,
  MAX_PIECE_BYTES,
  PIECE_SAMPLES,
  PIECE_SECONDS,
  SOURCE_SAMPLES,
  TRACK_RATE,
} from '../../../../public/shared/wire/track-piece.js';

const LIBOPUS = '../../../../node_modules/libopus-wasm/dist/generated/libopus.generated.mjs';
const codec = createLibopusCodec(await (await import(LIBOPUS)).default());

/** Noise on the left, a chord on the right. @param {number} samples */
function music(samples) {
  const random = seededRandom(1);
  const [left, right] = [new Float32Array(samples), new Float32Array(samples)];
  let low = 0;
  for (let i = 0; i < samples; i++) {
    low += (normal(random) * 0.3 - low) / 8;
    left[i] = low;
    right[i] = [220, 277, 330].reduce(
      (sum, hz) => sum + 0.1 * Math.sin((2 * Math.PI * hz * i) / TRACK_RATE),
      0,
    );
  }
  return [left, right];
}

/** @param {Float32Array[]} channels @param {number} number  of the piece */
function sourceOf(channels, number) {
  const from = number * PIECE_SECONDS * TRACK_RATE - LEAD_SAMPLES;
  return Float32Array.from(
    { length: 2 * SOURCE_SAMPLES },
    (_, i) => channels[i % 2][from + (i >> 1)] ?? 0,
  );
}

describe("a backing track's pieces", () => {
  const own = music(2.1 * PIECE_SECONDS * TRACK_RATE);
  const pieces = [0, 1].map((number) => encodePiece(codec, sourceOf(own, number)));
  const heard = pieces.map((bytes) => /** @type {Float32Array[]} */ (decodePiece(codec, bytes)));

  it('hold the sound of their ten seconds, on the sample, left and right', () => {
    for (const [number, channels] of heard.entries()) {
      for (const [channel, samples] of channels.entries()) {
        expect(samples).toHaveLength(PIECE_SAMPLES);
        for (const second of [0, 4, 9]) {
          const at = second * TRACK_RATE;
          const said = own[channel].subarray(
            number * PIECE_SECONDS * TRACK_RATE + at - (number + second > 0 ? 100 : 0),
          );
          const { lag, correlation } = align(
            samples.subarray(at, at + TRACK_RATE),
            said.subarray(0, TRACK_RATE + 200),
          );
          expect(lag).toBe(number + second > 0 ? 100 : 0);
          expect(correlation).toBeGreaterThan(channel === 0 ? 0.95 : 0.998);
        }
      }
    }
  });

  it('go over into each other without a step', () => {
    const fade = FADE_SECONDS * TRACK_RATE;
    const [[, before], [, after]] = heard;
    for (let i = 0; i < fade; i++)
      expect(Math.abs(before[PIECE_SECONDS * TRACK_RATE + i] - after[i])).toBeLessThan(0.02);
  });

  it('are no larger than may be sent', () => {
    for (const { length } of pieces) expect(length).toBeLessThan(MAX_PIECE_BYTES);
  });

  it('are none where anything is missing or too much', () => {
    const [bytes] = pieces;
    for (const bad of [
      bytes.subarray(0, -1),
      bytes.subarray(1),
      new Uint8Array(bytes.length + 1),
      new Uint8Array(0),
    ]) {
      expect(decodePiece(codec, bad)).toBe(null);
    }
  });
});
