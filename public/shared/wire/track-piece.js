/**
 * The sound of a backing track, in pieces that can each be decoded alone. Their packets are in
 * piece-packets.js, which the page doesn't load. The first packets of a piece only prepare the
 * decoder (RFC 7845, section 4.6). During its last packet the next piece fades in.
 */

export const TRACK_RATE = 48_000;
export const TRACK_CHANNELS = 2;

/** Interval between the beginnings of pieces, and length of their cross-fade, in seconds. */
export const PIECE_SECONDS = 10;
export const FADE_SECONDS = 0.02;

/** Longest track, in seconds. */
export const MAX_TRACK_SECONDS = 900;

/** Longest piece, in bytes: 190 kbit/s. */
export const MAX_PIECE_BYTES = 240_000;

/** Samples of a packet, at TRACK_RATE. */
export const PACKET_SAMPLES = TRACK_RATE * FADE_SECONDS;

/** Packets before a piece's own sound. */
export const LEAD_PACKETS = 4;

/** All packets of a piece. */
export const PIECE_PACKETS = LEAD_PACKETS + PIECE_SECONDS / FADE_SECONDS + 1;

/** Samples of a piece before its own sound. */
export const LEAD_SAMPLES = LEAD_PACKETS * PACKET_SAMPLES;

/**
 * Samples that a piece is encoded from: one packet more than it holds, for the encoder's lookahead.
 */
export const SOURCE_SAMPLES = (PIECE_PACKETS + 1) * PACKET_SAMPLES;

/** Samples of a piece's own sound. */
export const PIECE_SAMPLES = (PIECE_PACKETS - LEAD_PACKETS) * PACKET_SAMPLES;

/**
 * @param {number} seconds  of a track, of which a server or a client may say any number
 * @returns {number} number of its pieces, at most those of the longest track
 */
export const piecesOf = (seconds) =>
  Math.ceil(Math.min(seconds, MAX_TRACK_SECONDS) / PIECE_SECONDS);
