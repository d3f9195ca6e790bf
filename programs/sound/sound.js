/**
 * @typedef {object} Sound
 * @property {number} sampleRate  in Hz
 * @property {number} channels
 * @property {number} [speakers] bits of the channels' loudspeakers, as WAV has them
 *   (dwChannelMask); unknown if 0 or absent
 * @property {number | null} seconds  its length; null if unknown
 * @property {AsyncIterable<Float32Array>} pieces  of any length, interleaved, -1 to 1
 * @property {() => Promise<void>} close  releases its source. Idempotent
 */

/**
 * Error of unplayable sound. The message is a sentence without its subject; a whole one from
 * openSound.
 */
export class NotSoundError extends Error {
  /** @override */
  name = 'NotSoundError';
}
