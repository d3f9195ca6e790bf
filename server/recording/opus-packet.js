import { OPUS_FRAME_MS } from '../../public/shared/sound/audio-format.js';
import { MAX_OPUS_BYTES, payloadSamples } from '../../public/shared/stream/codec.js';
import { lengthBytes, readLength } from '../../public/shared/wire/packet.js';
import { GRANULE_RATE } from './ogg-opus.js';

/** Maximum length of a packet, in samples of GRANULE_RATE (RFC 6716, section 3.2.5: R5). */
export const MAX_PACKET_SAMPLES = (GRANULE_RATE * 120) / 1000;

/**
 * Configuration of full-band CELT of 20 ms, its longest frame, and CELT's frame lengths (RFC 6716,
 * table 2).
 */
const CELT_20_MS = 31;
const CELT_MS = Object.freeze([2.5, 5, 10, 20]);

/**
 * A CELT frame whose first symbol, "silence", is set (RFC 6716, section 4.3): the range coder's
 * highest value.
 */
const SILENT_FRAME = Object.freeze([0xff, 0xfe]);

/** First TOC byte of CELT, and its bits and step for the frame length: all are set for 20 ms. */
const FIRST_CELT = 16 << 3;
const CELT_LENGTH_MASK = 0b11 << 3;
const CELT_LENGTH_STEP = 1 << 3;

/** Bits of a TOC byte for the packing of frames (RFC 6716, sections 3.1 and 3.2). */
const PACKING_MASK = 0b11;
const TWO_EQUAL = 1;
const TWO_OF_ANY = 2;
const ANY_NUMBER = 3;
const VARIABLE_BIT = 0x80;
const PADDING_BIT = 0x40;
const COUNT_MASK = 0x3f;

/**
 * Checks that bytes are one whole Opus packet of a given duration, by R1 to R7 of RFC 6716, section
 * 3.4. One bad packet makes a file unplayable.
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} length
 * @param {number} samples  duration at GRANULE_RATE
 */
export function isOpusPacket(bytes, start, length, samples) {
  if (samples <= 0 || samples > MAX_PACKET_SAMPLES) return false;
  if (payloadSamples(bytes, start, length, GRANULE_RATE) !== samples) return false;
  const end = start + length;
  switch (bytes[start] & PACKING_MASK) {
    case TWO_EQUAL:
      return length % 2 === 1;
    case TWO_OF_ANY: {
      const first = readLength(bytes, start + 1, end);
      return first >= 0 && start + 1 + lengthBytes(first) + first <= end;
    }
    case ANY_NUMBER:
      return hasAllFrames(bytes, start + 1, end);
    default:
      return true;
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {number} start of the byte with the number of frames
 * @param {number} end of the packet
 */
function hasAllFrames(bytes, start, end) {
  const count = bytes[start] & COUNT_MASK;
  let at = start + 1;
  if (bytes[start] & PADDING_BIT) {
    let more = 255;
    while (more === 255) {
      if (at >= end) return false;
      more = bytes[at++];
      end -= more === 255 ? 254 : more;
    }
  }
  if ((bytes[start] & VARIABLE_BIT) === 0) return end >= at && (end - at) % count === 0;
  let sum = 0;
  for (let i = 0; i < count - 1; i++) {
    const frameBytes = readLength(bytes, at, end);
    if (frameBytes < 0) return false;
    at += lengthBytes(frameBytes);
    sum += frameBytes;
  }
  return at + sum <= end && end - at - sum <= MAX_OPUS_BYTES;
}

/**
 * Writes a packet that makes the decoder conceal a gap (RFC 7845, section 4.1). It has empty frames
 * in the mode of the previous packet, so that the decoder continues from it. Frames of CELT last at
 * most 10 ms. Since libopus fades by a share per frame, three lost packets of 20 ms are then 18 dB
 * softer instead of 5.
 * @param {Uint8Array} out  two bytes, filled
 * @param {Uint8Array} bytes
 * @param {number} start  of the previous packet
 * @returns {number} length of the packet in bytes
 */
export function writeMissing(out, bytes, start) {
  const toc = bytes[start];
  const packing = toc & PACKING_MASK;
  const count = packing === ANY_NUMBER ? bytes[start + 1] & COUNT_MASK : packing === 0 ? 1 : 2;
  if (toc < FIRST_CELT || (toc & CELT_LENGTH_MASK) !== CELT_LENGTH_MASK)
    return writeEmpty(out, toc, count);
  return writeEmpty(out, toc - CELT_LENGTH_STEP, 2 * count);
}

/**
 * @param {Uint8Array} out
 * @param {number} toc  its packing bits are ignored
 * @param {number} count  of empty frames
 */
function writeEmpty(out, toc, count) {
  out[0] = (toc & ~PACKING_MASK) | (count > 2 ? ANY_NUMBER : count - 1);
  out[1] = count;
  return count > 2 ? 2 : 1;
}

/** Maximum padding for one length byte (RFC 6716, section 3.2.5). */
const PADDING_STEP = 254;

/**
 * Writes a packet with padding, by packing code 3 (RFC 6716, section 3.2.5).
 * @param {Uint8Array} out  filled
 * @param {Uint8Array} bytes
 * @param {number} start  of one whole packet
 * @param {number} length
 * @param {number} wanted  length with padding, at most that of `out`
 * @returns {number} bytes written, at most a few fewer than wanted; 0 to keep the packet: it has
 *   padding, is long enough, or asks for concealment
 */
export function padPacket(out, bytes, start, length, wanted) {
  const code = bytes[start] & PACKING_MASK;
  const isCounted = code === ANY_NUMBER;
  const body = start + (isCounted ? 2 : 1);
  const end = start + length;
  const spare = wanted - 2 - (end - body);
  if (end <= body || spare < 1 || (isCounted && bytes[start + 1] & PADDING_BIT)) return 0;
  const padding = Math.floor(((spare - 1) * PADDING_STEP) / (PADDING_STEP + 1));
  let at = 0;
  out[at++] = bytes[start] | ANY_NUMBER;
  out[at++] =
    PADDING_BIT |
    (isCounted ? bytes[start + 1] : code === 0 ? 1 : code === TWO_OF_ANY ? VARIABLE_BIT | 2 : 2);
  let left = padding;
  for (; left >= PADDING_STEP; left -= PADDING_STEP) out[at++] = PADDING_STEP + 1;
  out[at++] = left;
  for (let i = body; i < end; i++) out[at++] = bytes[i];
  out.fill(0, at, at + padding);
  return at + padding;
}

/**
 * Makes a packet of silence; a decoder fades to it from earlier sound.
 * @param {number} samples  at GRANULE_RATE: of an Opus frame, or MAX_PACKET_SAMPLES
 * @returns {Uint8Array}
 */
export function silenceOf(samples) {
  const ms = (samples * 1000) / GRANULE_RATE;
  const config = CELT_MS.indexOf(ms);
  if (config >= 0)
    return Uint8Array.of((CELT_20_MS - (CELT_MS.length - 1) + config) << 3, ...SILENT_FRAME);
  if (!OPUS_FRAME_MS.includes(ms) && samples !== MAX_PACKET_SAMPLES)
    throw new RangeError(`no packet has ${ms} ms`);
  const frames = ms / 20;
  return Uint8Array.of(
    (CELT_20_MS << 3) | ANY_NUMBER,
    frames,
    ...Array(frames).fill(SILENT_FRAME).flat(),
  );
}
