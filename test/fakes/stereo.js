/** Sound with known sides: a different tone on each. */

/**
 * @param {number} samples
 * @param {{ leftHz?: number, rightHz?: number, sampleRate?: number, amplitude?: number, from?:
 *   number }} [options] 0 Hz: silence; from: the first sample's index
 * @returns {Float32Array} interleaved
 */
export function stereoTones(
  samples,
  { leftHz = 440, rightHz = 660, sampleRate = 48000, amplitude = 0.4, from = 0 } = {},
) {
  const sound = new Float32Array(2 * samples);
  for (let i = 0; i < samples; i++) {
    const phase = (2 * Math.PI * (from + i)) / sampleRate;
    sound[2 * i] = amplitude * Math.sin(phase * leftHz);
    sound[2 * i + 1] = amplitude * Math.sin(phase * rightHz);
  }
  return sound;
}

/** Samples measured at once: a call shifts the phase slightly, in pauses and by resampling. */
const PIECE_SAMPLES = 12_000;

/**
 * Strength of a tone in one channel: the mean power of its Fourier coefficient, piece by piece.
 * @param {ArrayLike<number>} sound interleaved
 * @param {number} channel 0 left, 1 right
 * @param {number} hz
 * @param {{ sampleRate?: number, channels?: number }} [options]
 * @returns {number} in dB over a sine at full scale
 */
export function toneDb(sound, channel, hz, { sampleRate = 48000, channels = 2 } = {}) {
  const samples = Math.floor(sound.length / channels);
  const size = Math.min(PIECE_SAMPLES, samples);
  let [power, pieces] = [0, 0];
  for (let from = 0; from + size <= samples; from += size) {
    let [re, im] = [0, 0];
    for (let i = 0; i < size; i++) {
      const phase = (2 * Math.PI * hz * i) / sampleRate;
      // Hann's window: the other tone's leakage would count as cross-talk.
      const sample =
        sound[(from + i) * channels + channel] * (1 - Math.cos((2 * Math.PI * i) / size));
      re += sample * Math.cos(phase);
      im += sample * Math.sin(phase);
    }
    power += (4 * (re * re + im * im)) / (size * size);
    pieces += 1;
  }
  return 10 * Math.log10(power / pieces + 1e-20);
}

/**
 * @param {ArrayLike<number>} sound interleaved; 440 Hz should be on the left, 660 Hz on the right
 * @param {number} [sampleRate]
 * @returns {{ leftDb: number, rightDb: number, crossTalkDb: number }} crossTalkDb: the worse
 *   side's, of the other's tone
 */
export function sidesOf(sound, sampleRate = 48000) {
  const db = (/** @type {number} */ channel, /** @type {number} */ hz) =>
    toneDb(sound, channel, hz, { sampleRate });
  const [leftDb, rightDb] = [db(0, 440), db(1, 660)];
  return { leftDb, rightDb, crossTalkDb: Math.max(db(0, 660) - leftDb, db(1, 440) - rightDb) };
}
