/**
 * Multiplies a stretch of sound by a gain that moves linearly over it, the same for all channels.
 * @param {Float32Array} pcm changed in place
 * @param {number} at index of its first number
 * @param {number} samples of it
 * @param {number} channels
 * @param {number} from the gain before the first sample
 * @param {number} to   and of the last
 */
export function rampGain(pcm, at, samples, channels, from, to) {
  const step = (to - from) / samples;
  for (let c = 0; c < channels; c++) {
    let place = at + c;
    for (let i = 1; i <= samples; i++) {
      pcm[place] *= from + step * i;
      place += channels;
    }
  }
}

/**
 * Adds a stretch of sound to another, by a gain that moves as in rampGain().
 * @param {Float32Array} out
 * @param {number} outAt index of the first number that is added to
 * @param {Float32Array} pcm
 * @param {number} at
 * @param {number} samples
 * @param {number} channels
 * @param {number} from
 * @param {number} to
 */
export function addRamped(out, outAt, pcm, at, samples, channels, from, to) {
  const step = (to - from) / samples;
  for (let c = 0; c < channels; c++) {
    let place = c;
    for (let i = 1; i <= samples; i++) {
      out[outAt + place] += pcm[at + place] * (from + step * i);
      place += channels;
    }
  }
}
