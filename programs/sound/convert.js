/** @import { Sound } from './sound.js' */

import { RateConverter } from './rate-converter.js';

/** Converts sound to a rate and a number of channels, piece by piece. */
export class Conversion {
  #mix;
  #converter;

  /**
   * @param {{ sampleRate: number, channels: number, speakers?: number }} from
   * @param {{ sampleRate: number, channels: number }} to
   */
  constructor(from, to) {
    this.#mix = downmix(from.channels, to.channels, from.speakers);
    this.#converter =
      from.sampleRate === to.sampleRate
        ? null
        : new RateConverter(from.sampleRate, to.sampleRate, to.channels);
  }

  /** @param {Float32Array} piece @returns {Float32Array} a new one, as far as it is complete */
  push(piece) {
    const mixed = this.#mix(piece);
    return this.#converter ? this.#converter.push(mixed) : mixed;
  }

  /** Remaining samples, after the last push; maybe none. */
  end() {
    return this.#converter ? this.#converter.end() : new Float32Array(0);
  }
}

/**
 * Converts sound to a rate and a number of channels.
 * @param {Pick<Sound, 'sampleRate' | 'channels' | 'speakers' | 'pieces'>} sound
 * @param {{ sampleRate: number, channels: number, gain?: number }} wanted gain: a factor of
 *   amplitude
 * @returns {AsyncGenerator<Float32Array>}
 */
export async function* convert(
  { sampleRate, channels, speakers, pieces },
  { gain = 1, ...wanted },
) {
  const conversion = new Conversion({ sampleRate, channels, speakers }, wanted);
  for await (const piece of pieces) yield amplified(conversion.push(piece), gain);
  const rest = conversion.end();
  if (rest.length > 0) yield amplified(rest, gain);
}

/** @param {Float32Array} samples changed @param {number} gain */
function amplified(samples, gain) {
  if (gain !== 1) for (let i = 0; i < samples.length; i++) samples[i] *= gain;
  return samples;
}

/**
 * Mix-down of many channels: ITU-R BS.775-3, table 2. A channel keeps its level on its own side.
 * The centre and the surrounds are 3 dB lower, a surround in the middle 6 dB. The channel for low
 * frequencies is left out.
 */

const LOWER = Math.SQRT1_2;

/** Gains to left and right of each loudspeaker of a WAV file, by its bit (dwChannelMask). */
const GAINS = Object.freeze([
  [1, 0],
  [0, 1],
  [LOWER, LOWER],
  [0, 0], // front left, front right, front centre, low frequencies
  [LOWER, 0],
  [0, LOWER], // back left, back right
  [1, 0],
  [0, 1], // front left of centre, front right of centre
  [0.5, 0.5], // back centre
  [LOWER, 0],
  [0, LOWER], // side left, side right
  [0.5, 0.5],
  [LOWER, 0],
  [0.5, 0.5],
  [0, LOWER], // top centre, top front
  [LOWER, 0],
  [0.5, 0.5],
  [0, LOWER], // top back
]);

/**
 * Usual loudspeakers of a file that names none, by its number of channels: left, right, centre, low
 * frequencies, surrounds.
 */
const USUAL = /** @type {Record<number, number>} */ ({
  3: 0x7,
  4: 0x33,
  5: 0x37,
  6: 0x3f,
  7: 0x13f,
  8: 0x63f,
});

/**
 * Gains of each channel to left and right.
 * @param {number} channels 3 or more
 * @param {number} speakers bits of the channels' loudspeakers, 0 if unknown
 * @returns {readonly (readonly number[])[]}
 */
function gainsOf(channels, speakers) {
  const placesOf = (/** @type {number} */ bits) => GAINS.filter((_, bit) => bits & (1 << bit));
  const places = placesOf(speakers);
  if (places.length === channels) return places;
  const standard = placesOf(USUAL[channels] ?? 0);
  // Without a usual arrangement all are equally loud.
  return standard.length === channels
    ? standard
    : Array(channels).fill([1 / channels, 1 / channels]);
}

/**
 * Makes a converter to mono or stereo. Mono goes to both sides; mono from more channels is the mean
 * of their stereo.
 * @param {number} from
 * @param {number} to 1 or 2
 * @param {number} [speakers] bits of the channels' loudspeakers, 0 if unknown
 * @returns {(piece: Float32Array) => Float32Array} takes interleaved samples, returns a new array
 */
export function downmix(from, to, speakers = 0) {
  if (from === to) return (piece) => piece.slice();
  const sides =
    from === 1
      ? [[1, 1]]
      : from === 2
        ? [
            [1, 0],
            [0, 1],
          ]
        : gainsOf(from, speakers);
  const gains = sides.map(([left, right]) =>
    to === 2 ? [left, right] : [(left + right) / (from === 1 ? 1 : 2)],
  );
  return (piece) => {
    const out = new Float32Array((piece.length / from) * to);
    for (let i = 0, at = 0; at < out.length; i += from, at += to) {
      for (let c = 0; c < from; c++) {
        for (let side = 0; side < to; side++) out[at + side] += piece[i + c] * gains[c][side];
      }
    }
    return out;
  };
}
