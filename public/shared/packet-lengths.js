/** The lengths that stand in front of payloads, and of the Opus frames in one. */

/**
 * The bytes that a length takes in front of a payload (the coding of RFC 6716, section 3.2.1).
 * @param {number} length 0 to 1275 bytes
 */
export const lengthBytes = (length) => (length < 252 ? 1 : 2);

/**
 * @param {Uint8Array} out
 * @param {number} at
 * @param {number} length 0 to 1275 bytes
 * @returns {number} where the next byte goes
 */
export function writeLength(out, at, length) {
  if (length < 252) {
    out[at] = length;
    return at + 1;
  }
  const low = 252 + (length & 3);
  out[at] = low;
  out[at + 1] = (length - low) >> 2;
  return at + 2;
}

/**
 * Reads a length. Where it ends is `at + lengthBytes(length)`.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end the first byte that is not to be read
 * @returns {number} the length, or -1 when the bytes end before it does
 */
export function readLength(bytes, at, end) {
  if (at >= end) return -1;
  const low = bytes[at];
  if (low < 252) return low;
  return at + 1 < end ? low + bytes[at + 1] * 4 : -1;
}

/**
 * The Opus frames of one payload. A payload of m Opus frames is m - 1 of them, each behind its
 * length, then the last, which takes the rest.
 *
 * @param {Uint8Array} bytes
 * @param {number} start where the payload starts
 * @param {number} length its bytes
 * @param {number} opusFrames how many it must hold
 * @param {Uint16Array} starts filled: where each Opus frame starts; at least opusFrames long
 * @param {Uint16Array} lengths filled: how many bytes each has
 * @returns {boolean} false when the payload doesn't hold so many, or has an empty one
 */
export function readOpusFrames(bytes, start, length, opusFrames, starts, lengths) {
  const end = start + length;
  let at = start;
  for (let i = 0; i < opusFrames - 1; i++) {
    const frameBytes = readLength(bytes, at, end);
    if (frameBytes <= 0) return false;
    at += lengthBytes(frameBytes);
    starts[i] = at;
    lengths[i] = frameBytes;
    at += frameBytes;
  }
  if (at >= end) return false;
  starts[opusFrames - 1] = at;
  lengths[opusFrames - 1] = end - at;
  return true;
}
