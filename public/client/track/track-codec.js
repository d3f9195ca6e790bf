/**
 * Encodes and decodes the pieces of a backing track: see track-piece.js.
 * @import { Codec } from '../../shared/stream/codec.js'
 */

import { MAX_OPUS_BYTES } from '../../shared/stream/codec.js';
import { joinPackets, readPiece } from '../../shared/wire/piece-packets.js';
import {
  LEAD_SAMPLES,
  PACKET_SAMPLES,
  PIECE_PACKETS,
  TRACK_CHANNELS,
  TRACK_RATE,
} from '../../shared/wire/track-piece.js';

/** Bit rate at which stereo music is hardly distinguishable from the original, in bits a second. */
const BITRATE = 128_000;

const FORMAT = Object.freeze({
  sampleRate: TRACK_RATE,
  frameSamples: PACKET_SAMPLES,
  channels: TRACK_CHANNELS,
});
const PACKET_VALUES = PACKET_SAMPLES * TRACK_CHANNELS;

/**
 * @param {Codec} codec
 * @param {Float32Array} pcm SOURCE_SAMPLES, left and right interleaved; the piece's own sound
 *   begins after LEAD_SAMPLES
 * @returns {Uint8Array<ArrayBuffer>} the piece
 */
export function encodePiece(codec, pcm) {
  const encoder = codec.createEncoder({
    ...FORMAT,
    bitrate: BITRATE,
    application: 'audio',
    complexity: 10,
  });
  try {
    const packets = [];
    for (let i = 0; i < PIECE_PACKETS; i++) {
      const from = encoder.lookahead * TRACK_CHANNELS + i * PACKET_VALUES;
      const packet = new Uint8Array(MAX_OPUS_BYTES);
      packets.push(
        packet.subarray(0, encoder.encode(pcm.subarray(from, from + PACKET_VALUES), packet, 0)),
      );
    }
    return joinPackets(packets);
  } finally {
    encoder.close();
  }
}

/**
 * @param {Codec} codec
 * @param {Uint8Array} bytes
 * @returns {Float32Array<ArrayBuffer>[] | null} left and right, PIECE_SAMPLES each; null when it is
 *   no piece
 */
export function decodePiece(codec, bytes) {
  const decoder = codec.createDecoder(FORMAT);
  try {
    const pcm = new Float32Array(PIECE_PACKETS * PACKET_VALUES);
    let at = 0;
    const isPiece = readPiece(bytes, (start, length) => {
      if (!decoder.decode(bytes, start, length, pcm, at)) decoder.conceal(pcm, at);
      at += PACKET_VALUES;
    });
    return isPiece
      ? [0, 1].map((channel) => channelOf(pcm.subarray(LEAD_SAMPLES * TRACK_CHANNELS), channel))
      : null;
  } finally {
    decoder.close();
  }
}

/** @param {Float32Array} pcm interleaved @param {number} channel */
function channelOf(pcm, channel) {
  const samples = new Float32Array(pcm.length / TRACK_CHANNELS);
  for (let i = 0; i < samples.length; i++) samples[i] = pcm[i * TRACK_CHANNELS + channel];
  return samples;
}
