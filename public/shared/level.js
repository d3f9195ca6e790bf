import { SILENT_LEVEL } from './packet.js';

/**
 * The level of a frame as packets have it (RFC 6464, section 3).
 * @param {Float32Array} pcm
 * @returns {number} -dBov: 0, a square wave at full scale, to 127, silence
 */
export function levelOf(pcm) {
  let power = 0;
  for (let i = 0; i < pcm.length; i++) power += pcm[i] * pcm[i];
  if (!(power > 0)) return SILENT_LEVEL;
  const level = Math.round(-10 * Math.log10(power / pcm.length));
  return Math.max(0, Math.min(SILENT_LEVEL, level));
}
