/** An audio track of WebRTC: each packet is the payload of one RTP packet (RFC 3550) over SRTP. */

import { webrtc } from './webrtc.js';

export const PAYLOAD_TYPE = 111;
const SSRC = 1;

/** Ticks of the RTP timestamp in a packet of 20 ms (RFC 7587, section 4.1: the clock is 48 kHz). */
const TICKS = 960;

const HEADER_BYTES = 12;

export const rtp = webrtc({
  take(peer, onPacket, keep) {
    peer.onTrack((track) => {
      keep(track);
      track.onMessage((bytes) => {
        const payload = payloadOf(bytes);
        if (payload) onPacket(payload);
      });
    });
  },

  begin(peer, { Audio }) {
    const audio = new Audio('audio', 'SendOnly');
    audio.addOpusCodec(PAYLOAD_TYPE);
    audio.addSSRC(SSRC, 'aloud');
    const track = peer.addTrack(audio);
    let sequence = 0;
    return {
      opened: new Promise((resolve) => track.onOpen(resolve)),
      send: (bytes) => void track.sendMessageBinary(rtpPacket(bytes, sequence++)),
    };
  },
});

/**
 * @param {Uint8Array} payload
 * @param {number} sequence from 0; its low 16 bits are sent
 * @param {number} [ssrc]    of the speaker, where a track has several
 * @returns {Buffer}
 */
export function rtpPacket(payload, sequence, ssrc = SSRC) {
  const packet = Buffer.alloc(HEADER_BYTES + payload.length);
  packet[0] = 0x80;
  packet[1] = PAYLOAD_TYPE;
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE((sequence * TICKS) % 2 ** 32, 4);
  packet.writeUInt32BE(ssrc, 8);
  packet.set(payload, HEADER_BYTES);
  return packet;
}

/**
 * @param {Uint8Array} packet
 * @returns {Uint8Array | null} null where it is no packet that rtpPacket made, such as one of RTCP
 */
export function payloadOf(packet) {
  const isOurs =
    packet.length >= HEADER_BYTES && packet[0] === 0x80 && (packet[1] & 0x7f) === PAYLOAD_TYPE;
  return isOurs ? packet.subarray(HEADER_BYTES) : null;
}

/**
 * @param {Buffer} packet
 * @returns {{ ssrc: number, sequence: number } | null} as rtpPacket was given them, the sequence
 *   for a day at least; null as of payloadOf
 */
export const readRtp = (packet) =>
  payloadOf(packet) && { ssrc: packet.readUInt32BE(8), sequence: packet.readUInt32BE(4) / TICKS };
