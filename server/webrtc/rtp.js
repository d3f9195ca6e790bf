/** Length of a header without additions, in bytes (RFC 3550, section 5.1). */
export const RTP_HEADER_BYTES = 12;

/** Fields of a packet, read into the same object each time. */
export class RtpPacket {
  payloadType = 0;
  sequence = 0;
  timestamp = 0;
  /** First byte of the payload, and the byte behind the last. */
  start = 0;
  end = 0;
}

/**
 * Reads the header of a packet.
 * @param {Uint8Array} bytes
 * @param {RtpPacket} packet  filled
 * @returns {boolean} false if it is no RTP packet with a payload, such as one of RTCP
 */
export function readRtp(bytes, packet) {
  if (bytes.length < RTP_HEADER_BYTES || bytes[0] >> 6 !== 2) return false;
  const payloadType = bytes[1] & 0x7f;
  // RTCP's types, with the marker bit in front, are 192 to 223 (RFC 5761, section 4).
  if (payloadType >= 64 && payloadType <= 95) return false;
  let start = RTP_HEADER_BYTES + 4 * (bytes[0] & 0x0f);
  if (bytes[0] & 0x10) {
    if (start + 4 > bytes.length) return false;
    start += 4 + 4 * ((bytes[start + 2] << 8) | bytes[start + 3]);
  }
  const padding = bytes[0] & 0x20 ? bytes[bytes.length - 1] : 0;
  packet.payloadType = payloadType;
  packet.sequence = (bytes[2] << 8) | bytes[3];
  packet.timestamp = ((bytes[4] << 24) | (bytes[5] << 16) | (bytes[6] << 8) | bytes[7]) >>> 0;
  packet.start = start;
  packet.end = bytes.length - padding;
  return packet.end > start;
}

/**
 * Writes a header without additions.
 * @param {Uint8Array} out
 * @param {{ payloadType: number, sequence: number, timestamp: number, ssrc: number, isFirst:
 *   boolean }} fields  isFirst: true for the first packet after a pause
 */
export function writeRtpHeader(out, { payloadType, sequence, timestamp, ssrc, isFirst }) {
  out[0] = 2 << 6;
  out[1] = payloadType | (isFirst ? 0x80 : 0);
  const view = new DataView(out.buffer, out.byteOffset, RTP_HEADER_BYTES);
  view.setUint16(2, sequence);
  view.setUint32(4, timestamp);
  view.setUint32(8, ssrc);
}
