/**
 * The audio format of a room, by the contents of one frame of the grid.
 *
 * @typedef {object} AudioFormat
 * @property {number} sampleRate       Hz; one of SAMPLE_RATES
 * @property {number} channels 1 or 2. Stereo is interleaved: left, right, left …; clocks and
 *   indices count samples of both at once
 * @property {number} frameSamples     samples in one frame of the grid, and so in one packet
 * @property {number} frameValues      numbers in one frame of the grid: frameSamples × channels
 * @property {number} opusFrames       Opus frames in one packet (1; the thesis: 8)
 * @property {number} opusFrameSamples samples in one Opus frame: frameSamples / opusFrames
 * @property {number} frameMs          length of one frame of the grid, in milliseconds
 */

/** Sample rates of Opus, in Hz (RFC 6716, section 2). */
export const SAMPLE_RATES = Object.freeze([8000, 12000, 16000, 24000, 48000]);

export const CHANNELS = Object.freeze([1, 2]);

/** Frame lengths of Opus, in milliseconds (RFC 6716, section 2.1.4). */
export const OPUS_FRAME_MS = Object.freeze([2.5, 5, 10, 20, 40, 60]);

/** Frame lengths that a room's first person may choose, in milliseconds. */
export const ROOM_FRAME_MS = Object.freeze(/** @type {const} */ ([2.5, 5, 10, 20]));

/** Bits of a sample of PCM, for people who ask for it in place of Opus. */
export const PCM_BITS = Object.freeze(/** @type {const} */ ([16, 24]));

/** Most Opus frames in a packet. */
export const MAX_OPUS_FRAMES = 8;

/** Longest frame of the grid, in milliseconds. */
export const MAX_FRAME_MS = 120;

/**
 * @param {{ sampleRate?: number, channels?: number, frameMs?: number, opusFrames?: number }}
 *   [options] sampleRate in Hz, channels 1 or 2, frameMs in milliseconds, opusFrames to a packet
 * @returns {Readonly<AudioFormat>}
 * @throws {RangeError} when Opus has no such rate, frame length or number of channels; the message
 *   says what is allowed
 */
export function createAudioFormat({
  sampleRate = 48000,
  channels = 1,
  frameMs = 20,
  opusFrames = 1,
} = {}) {
  if (!SAMPLE_RATES.includes(sampleRate)) {
    throw new RangeError(`sample rate ${sampleRate}: allowed are ${SAMPLE_RATES.join(', ')} Hz`);
  }
  if (!CHANNELS.includes(channels))
    throw new RangeError(`${channels} channels: allowed are ${CHANNELS.join(' and ')}`);
  if (!Number.isInteger(opusFrames) || opusFrames < 1 || opusFrames > MAX_OPUS_FRAMES) {
    throw new RangeError(
      `${opusFrames} Opus frames to a packet: allowed are 1 to ${MAX_OPUS_FRAMES}`,
    );
  }
  const opusFrameMs = frameMs / opusFrames;
  if (!OPUS_FRAME_MS.includes(opusFrameMs) || frameMs > MAX_FRAME_MS) {
    throw new RangeError(
      `a frame of ${frameMs} ms in ${opusFrames} Opus frame(s): each Opus frame must be ` +
        `${OPUS_FRAME_MS.join(', ')} ms, and the whole at most ${MAX_FRAME_MS} ms`,
    );
  }
  const opusFrameSamples = (sampleRate * opusFrameMs) / 1000;
  const frameSamples = opusFrameSamples * opusFrames;
  return Object.freeze({
    sampleRate,
    channels,
    frameSamples,
    frameValues: frameSamples * channels,
    opusFrames,
    opusFrameSamples,
    frameMs,
  });
}

/**
 * Bit rates of a broadcast's mix, in bits a second, ascending. Opus needs 128 kb/s for fullband
 * music in stereo, 64 in mono, and 16 for wideband speech (RFC 6716, section 2.1.1; RFC 7587,
 * section 3.1.1).
 */
export const RATES = Object.freeze([16_000, 32_000, 64_000, 96_000, 128_000]);
