/** The remainder of each byte by Ogg's polynomial. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder << 1) ^ (remainder < 0 ? 0x04c11db7 : 0);
  return remainder;
});

/**
 * The checksum of an Ogg page, whose own four bytes are 0 (RFC 3533, section 6: direct, beginning with 0).
 * @param {Uint8Array} bytes
 * @returns {number} 32 bits
 */
export function oggCrc(bytes) {
  let crc = 0;
  for (let i = 0; i < bytes.length; i++) crc = (crc << 8) ^ TABLE[(crc >>> 24) ^ bytes[i]];
  return crc >>> 0;
}
