import { SILENT_LEVEL } from '../wire/packet.js';

/**
 * Measures the level of a frame in a packet's unit (RFC 6464, section 3).
 * @param {Float32Array} pcm
 * @param {number} [at] start of the frame
 * @param {number} [samples] its length
 * @returns {number} -dBov: 0, a square wave at full scale, to 127, silence
 */
export function levelOf(pcm, at = 0, samples = pcm.length - at) {
  let power = 0;
  for (let i = at; i < at + samples; i++) power += pcm[i] * pcm[i];
  if (!(power > 0)) return SILENT_LEVEL;
  const level = Math.round(-10 * Math.log10(power / samples));
  return Math.max(0, Math.min(SILENT_LEVEL, level));
}

/**
 * Multiplies a stretch of sound by a gain that changes linearly, the same for all channels.
 * @param {Float32Array} pcm changed in place
 * @param {number} at index of its first value
 * @param {number} samples
 * @param {number} channels
 * @param {number} from gain before the first sample
 * @param {number} to gain of the last
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
 * Adds a stretch of sound to another with gains as in rampGain(); the right side of stereo may have
 * its own.
 * @param {Float32Array} out
 * @param {number} outAt index of the first value added to
 * @param {Float32Array} pcm
 * @param {number} at
 * @param {number} samples
 * @param {number} channels
 * @param {number} from
 * @param {number} to
 * @param {number} [rightFrom]
 * @param {number} [rightTo]
 */
export function addRamped(
  out,
  outAt,
  pcm,
  at,
  samples,
  channels,
  from,
  to,
  rightFrom = from,
  rightTo = to,
) {
  for (let c = 0; c < channels; c++) {
    const first = c === 0 ? from : rightFrom;
    const step = ((c === 0 ? to : rightTo) - first) / samples;
    let place = c;
    for (let i = 1; i <= samples; i++) {
      out[outAt + place] += pcm[at + place] * (first + step * i);
      place += channels;
    }
  }
}
