/**
 * The bit rates at which a broadcast's mix is encoded, in bits a second, from the least to the
 * most. Opus is meant for fullband music at 128 kb/s in stereo or 64 in mono, for wideband speech
 * at 16 (RFC 6716, section 2.1.1, and recommended rates in RFC 7587, section 3.1.1).
 */
export const RATES = Object.freeze([16_000, 32_000, 64_000, 96_000, 128_000]);
