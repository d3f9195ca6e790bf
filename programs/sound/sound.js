/**
 * @typedef {object} Sound
 * @property {number} sampleRate  in Hz
 * @property {number} channels
 * @property {number | null} seconds  how long it is, where that is known
 * @property {AsyncIterable<Float32Array>} pieces  of any length, interleaved, -1 to 1
 * @property {() => Promise<void>} close  gives up what it is read from. Idempotent
 */

/** Something can't be played: its message is a sentence for whoever asked for it. */
export class NotSoundError extends Error {
  /** @override */
  name = 'NotSoundError';
}
