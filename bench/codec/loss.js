/**
 * Speech through a network that loses frames at random. Compares concealment, Opus's own in-band
 * error correction (LBRR: RFC 6716, section 2.1.7) and repeated payloads.
 *
 * @typedef {import('../../server/codec/codec.js').Codec} Codec
 * @typedef {Required<import('../../server/codec/codec.js').EncoderSettings>} Settings
 *
 * @typedef {object} LossFigures
 * @property {number} payloadKbps       of all that is sent, repeated payloads too
 * @property {number} missingPercent    frames that were neither received nor mended
 * @property {number} barkDistanceDb    see codec-quality.js
 * @property {number} weightedSnrDb
 */

import { Application, createDecoder, createEncoder } from 'libopus-wasm';
import { MAX_OPUS_BYTES } from '../../public/shared/stream/codec.js';
import { barkDistance, weightedSnr } from './quality.js';
import { seededRandom } from '../../testkit/random.js';

const SAMPLE_RATE = 48000;

/**
 * @param {number} frames
 * @param {number} percent of them are lost
 * @param {number} seed
 * @param {number} [run] number of frames lost in a row; runs may follow one another
 * @returns {boolean[]} each run on its own
 */
export function lossesOf(frames, percent, seed, run = 1) {
  const random = seededRandom(seed);
  // Probability that a run begins, which keeps the share of lost frames at `percent`.
  const beginPercent = (100 * percent) / (percent + run * (100 - percent));
  let left = 0;
  return Array.from({ length: frames }, () => {
    if (left === 0 && random() * 100 < beginPercent) left = run;
    return left > 0 && left-- > 0;
  });
}

/**
 * @param {Codec} codec
 * @param {Settings} settings
 * @param {Float32Array} sound at 48 kHz
 * @param {boolean[]} lost        by frame
 * @param {number} [redundancy]   number of earlier payloads in each packet
 * @returns {LossFigures}
 */
export function measureLoss(codec, settings, sound, lost, redundancy = 0) {
  const { frameSamples } = settings;
  const [encoder, decoder] = [codec.createEncoder(settings), codec.createDecoder(settings)];
  const decoded = new Float32Array(lost.length * frameSamples);
  const payload = new Uint8Array(MAX_OPUS_BYTES);
  let [bytes, missing] = [0, 0];
  for (let k = 0; k < lost.length; k++) {
    const length = encoder.encode(
      sound.subarray(k * frameSamples, (k + 1) * frameSamples),
      payload,
      0,
    );
    bytes += length * (1 + redundancy);
    if (lost.slice(k, k + 1 + redundancy).every((gone) => gone)) {
      decoder.conceal(decoded, k * frameSamples);
      missing++;
    } else decoder.decode(payload, 0, length, decoded, k * frameSamples);
  }
  encoder.close();
  decoder.close();
  return figuresOf(sound, decoded, encoder.lookahead, {
    bytes,
    missing,
    frames: lost.length,
    frameSamples,
  });
}

/**
 * Measures in-band error correction, where a frame holds a coarse copy of the one before it. It
 * needs the package's own classes: the Codec interface has no such setting.
 *
 * @param {Settings} settings
 * @param {Float32Array} sound at 48 kHz
 * @param {boolean[]} lost        by frame
 * @param {number} expectedPercent loss that the encoder expects
 * @returns {Promise<LossFigures>}
 */
export async function measureFec(
  { frameSamples, bitrate, complexity },
  sound,
  lost,
  expectedPercent,
) {
  const shape = /** @type {const} */ ({ sampleRate: 48000, channels: 1 });
  const encoder = await createEncoder({
    ...shape,
    application: Application.Voip,
    frameSize: frameSamples,
    bitrate,
    complexity,
    fec: expectedPercent > 0,
    packetLossPercent: expectedPercent,
  });
  const decoder = await createDecoder({ ...shape, maxFrameSize: frameSamples });
  const payloads = lost.map((_, k) =>
    encoder.encodeFloat(sound.slice(k * frameSamples, (k + 1) * frameSamples)),
  );
  const decoded = new Float32Array(lost.length * frameSamples);
  let missing = 0;
  lost.forEach((gone, k) => {
    const isMended = gone && expectedPercent > 0 && k + 1 < lost.length && !lost[k + 1];
    const options = { frameSize: frameSamples, decodeFec: isMended };
    const from = isMended ? payloads[k + 1] : gone ? null : payloads[k];
    decoded.set(decoder.decodeFloat(from, options), k * frameSamples);
    if (gone && !isMended) missing++;
  });
  const lookahead = encoder.getLookahead();
  encoder.free();
  decoder.free();
  const bytes = payloads.reduce((sum, { length }) => sum + length, 0);
  return figuresOf(sound, decoded, lookahead, {
    bytes,
    missing,
    frames: lost.length,
    frameSamples,
  });
}

/**
 * @param {Float32Array} sound
 * @param {Float32Array} decoded
 * @param {number} lookahead samples
 * @param {{ bytes: number, missing: number, frames: number, frameSamples: number }} counted
 * @returns {LossFigures}
 */
function figuresOf(sound, decoded, lookahead, { bytes, missing, frames, frameSamples }) {
  const late = decoded.subarray(lookahead);
  const original = sound.subarray(0, late.length);
  return {
    payloadKbps: (bytes * 8 * SAMPLE_RATE) / (frames * frameSamples) / 1000,
    missingPercent: (100 * missing) / frames,
    barkDistanceDb: barkDistance(original, late),
    weightedSnrDb: weightedSnr(original, late),
  };
}
