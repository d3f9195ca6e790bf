/** A voice on its way from the microphone's encoder to the server's mix: no network, no real time. */

import { createAudioFormat } from '../../public/shared/audio-format.js';
import { defaultEncoderSettings } from '../../public/shared/codec.js';
import { MAX_PACKET_BYTES, Packet, readPacket, writeAudioHeader } from '../../public/shared/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../public/shared/payload.js';
import { levelDb } from '../../public/shared/signal.js';
import { SampleClock } from '../../server/clock/sample-clock.js';
import { Lateness } from '../../server/source/lateness.js';
import { FrameState } from '../../server/source/pcm-ring.js';
import { Source } from '../../server/source/source.js';

/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { Codec, EncoderSettings } from '../../public/shared/codec.js'
 *
 * @typedef {object} SentPacket
 * @property {Uint8Array} bytes
 * @property {number} atMs  when it arrives: when its frame ends, on the sample clock
 *
 * @typedef {object} SentVoice
 * @property {AudioFormat} format
 * @property {SentPacket[]} packets  in the order of their frames
 */

/** The largest server-side delay that a room of the product can be set to, in milliseconds. */
const MAX_DELAY_MS = 400;

/**
 * @param {Codec} codec
 * @param {Float32Array} said  at 48 kHz, mono
 * @param {{ frameMs?: number } & Partial<Pick<EncoderSettings, 'bitrate' | 'application'>>} [options]  otherwise the product's
 * @returns {SentVoice}
 */
export function packetsOf(codec, said, { frameMs = 20, ...encoding } = {}) {
  const format = createAudioFormat({ frameMs });
  const { sampleRate, frameSamples, opusFrameSamples } = format;
  const encoder = new PayloadEncoder(codec.createEncoder({ ...defaultEncoderSettings, ...encoding, sampleRate, frameSamples: opusFrameSamples }), format);
  const packets = [];
  for (let frame = 0; (frame + 1) * frameSamples <= said.length; frame++) {
    const pcm = said.slice(frame * frameSamples, (frame + 1) * frameSamples);
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    const level = Math.min(127, Math.round(-levelDb(pcm)));
    const start = writeAudioHeader(bytes, Object.assign(new Packet(), { frame, sequence: frame & 0xffff, level, voice: true }));
    packets.push({ bytes: bytes.subarray(0, start + encoder.encode(pcm, bytes, start)), atMs: (frame + 1) * frameMs });
  }
  encoder.close();
  return { format, packets };
}

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
export const newDecoder = (codec, format) =>
  new PayloadDecoder(codec.createDecoder({ sampleRate: format.sampleRate, frameSamples: format.opusFrameSamples }), format);

/** @param {Uint8Array} bytes */
export function readAudio(bytes) {
  const packet = new Packet();
  if (readPacket(bytes, packet) !== null) throw new Error('a packet that cannot be read');
  return packet;
}

/**
 * The server's side of a voice: what the mix gets of it, where each frame is mixed when it ends.
 *
 * @param {Codec} codec
 * @param {SentVoice} sent  without the packets that were lost
 * @param {number} samples  of the voice
 * @returns {Float32Array} as long; silent where it was neither received nor concealed
 */
export function heardByServer(codec, { format, packets }, samples) {
  const clock = { ms: 0, now: () => clock.ms };
  const lateness = new Lateness({ frameMs: format.frameMs, maxMs: MAX_DELAY_MS, targetPercent: 99.5 });
  const sampleClock = new SampleClock(/** @type {any} */ (clock), format.sampleRate);
  const source = new Source({ id: '1', format, sampleClock, maxDelayMs: MAX_DELAY_MS, decoder: newDecoder(codec, format), lateness });
  source.mayFallBehind = true;
  const heard = new Float32Array(samples);
  const { frameSamples, frameMs } = format;
  for (let frame = 0, next = 0; (frame + 1) * frameSamples <= heard.length; frame++) {
    clock.ms = (frame + 1) * frameMs;
    for (; next < packets.length && packets[next].atMs <= clock.ms; next++) {
      source.receive(readAudio(packets[next].bytes), packets[next].bytes, clock.ms, 0, frame - 1);
    }
    if (source.pull(frame, true) < FrameState.concealed) continue;
    const at = source.ring.offset(frame);
    heard.set(source.ring.samples.subarray(at, at + frameSamples), frame * frameSamples);
  }
  source.close();
  return heard;
}
