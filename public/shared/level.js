import { SILENT_LEVEL } from './packet.js';

/**
 * The level of a frame as packets have it (RFC 6464, section 3).
 * @param {Float32Array} pcm
 * @param {number} [at]  where the frame begins
 * @param {number} [samples]  how long it is
 * @returns {number} -dBov: 0, a square wave at full scale, to 127, silence
 */
export function levelOf(pcm, at = 0, samples = pcm.length - at) {
  let power = 0;
  for (let i = at; i < at + samples; i++) power += pcm[i] * pcm[i];
  if (!(power > 0)) return SILENT_LEVEL;
  const level = Math.round(-10 * Math.log10(power / samples));
  return Math.max(0, Math.min(SILENT_LEVEL, level));
}
