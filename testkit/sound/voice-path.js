/**
 * A voice on its way from the microphone's encoder to the server's mix, or to a listener: no
 * network, no real time.
 */

import { Playout, pullSamples } from '../../public/client/playout/playout.js';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { defaultEncoderSettings } from '../../public/shared/stream/codec.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../public/shared/wire/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../public/shared/stream/payload.js';
import { levelDb } from '../../public/shared/sound/signal.js';
import { SampleClock } from '../../server/clock/sample-clock.js';
import { Lateness } from '../../server/source/lateness.js';
import { FrameState } from '../../server/source/pcm-ring.js';
import { Source } from '../../server/source/source.js';

/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Codec, EncoderSettings } from '../../public/shared/stream/codec.js'
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

/** The sound that a listener's sound card takes at once, in milliseconds. */
const BURST_MS = 10;

/**
 * @param {Codec} codec
 * @param {Float32Array} said  at 48 kHz, mono
 * @param {{ frameMs?: number, opusFrames?: number } & Partial<Pick<EncoderSettings, 'bitrate' |
 *   'application'>>} [options] otherwise the product's
 * @returns {SentVoice}
 */
export function packetsOf(codec, said, { frameMs = 20, opusFrames = 1, ...encoding } = {}) {
  const format = createAudioFormat({ frameMs, opusFrames });
  const { sampleRate, frameSamples, opusFrameSamples } = format;
  const encoder = new PayloadEncoder(
    codec.createEncoder({
      ...defaultEncoderSettings,
      ...encoding,
      sampleRate,
      frameSamples: opusFrameSamples,
    }),
    format,
  );
  const packets = [];
  const payload = new Uint8Array(MAX_PACKET_BYTES);
  for (let frame = 0; (frame + 1) * frameSamples <= said.length; frame++) {
    const pcm = said.slice(frame * frameSamples, (frame + 1) * frameSamples);
    const length = encoder.encode(pcm, payload, 0);
    packets.push({
      bytes: writePacket(frame, pcm, payload.subarray(0, length)),
      atMs: (frame + 1) * frameMs,
    });
  }
  encoder.close();
  return { format, packets };
}

/**
 * @param {number} frame
 * @param {Float32Array} pcm      the frame's sound, from which its level is taken
 * @param {Uint8Array} payload
 * @returns {Uint8Array} the packet of a frame with voice in it
 */
export function writePacket(frame, pcm, payload) {
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  const level = Math.min(127, Math.round(-levelDb(pcm)));
  const start = writeAudioHeader(
    bytes,
    Object.assign(new Packet(), { frame, sequence: frame & 0xffff, level, voice: true }),
  );
  bytes.set(payload, start);
  return bytes.subarray(0, start + payload.length);
}

/**
 * @param {Codec} codec
 * @param {AudioFormat} format
 */
export const newDecoder = (codec, format) =>
  new PayloadDecoder(
    codec.createDecoder({ sampleRate: format.sampleRate, frameSamples: format.opusFrameSamples }),
    format,
  );

/** @param {Uint8Array} bytes */
export function readAudio(bytes) {
  const packet = new Packet();
  if (readPacket(bytes, packet) !== null) throw new Error('a packet that cannot be read');
  return packet;
}

/**
 * Returns a voice from a decoder alone, without network and buffer.
 *
 * @param {Codec} codec
 * @param {SentVoice} sent
 * @returns {Float32Array}
 */
export function decodedSound(codec, { format, packets }) {
  const decoder = newDecoder(codec, format);
  const sound = new Float32Array(packets.length * format.frameSamples);
  for (const [i, { bytes }] of packets.entries()) {
    const { payloadStart, payloadBytes } = readAudio(bytes);
    decoder.decode(bytes, payloadStart[0], payloadBytes[0], sound, i * format.frameSamples);
  }
  decoder.close();
  return sound;
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
  const lateness = new Lateness({
    frameMs: format.frameMs,
    maxMs: MAX_DELAY_MS,
    targetPercent: 99.5,
  });
  const sampleClock = new SampleClock(/** @type {any} */ (clock), format.sampleRate);
  const source = new Source({
    id: '1',
    format,
    sampleClock,
    maxDelayMs: MAX_DELAY_MS,
    decoder: newDecoder(codec, format),
    lateness,
  });
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

/**
 * @typedef {object} Pull one piece that a listener's playout gave
 * @property {number} frame the frame that was due, or the first of the given frames; -1 before the
 *   first packet
 * @property {number} played     frames in the piece that had come
 * @property {number} concealed  frames that it made up in their place
 * @property {number} heardMs    when the piece begins to be heard
 * @property {number} delayMs    the delay that the playout added to the quickest packet's
 */

/**
 * A listener's side of a voice: the client's playout, emptied by a sound card that pulls BURST_MS
 * at once. Each burst is heard from the time of its pull.
 *
 * @param {Codec} codec
 * @param {SentVoice} sent  without lost packets, in the order of their arrival
 * @param {number} samples  number of samples to play
 * @returns {{ sound: Float32Array, pulls: Pull[] }} sound from the start of
 *   the first frame
 */
export function heardByListener(codec, { format, packets }, samples) {
  const playout = new Playout(format, [newDecoder(codec, format), newDecoder(codec, format)]);
  const sound = new Float32Array(samples);
  const out = new Float32Array(pullSamples(format));
  const perMs = format.sampleRate / 1000;
  const pulls = [];
  let [next, count] = [0, 0];
  for (let ms = BURST_MS; count < samples; ms += BURST_MS) {
    for (; next < packets.length && packets[next].atMs <= ms; next++) {
      playout.receive(readAudio(packets[next].bytes), packets[next].bytes, packets[next].atMs);
    }
    while (count < Math.min(samples, ms * perMs)) {
      const before = playout.counters;
      const pulled = playout.pull(out, ms, count / perMs - ms + BURST_MS, 0);
      const { played, concealed } = playout.counters;
      const given = played - before.played;
      pulls.push({
        frame: given > 0 ? playout.nextFrame - given : playout.nextFrame,
        played: given,
        concealed: concealed - before.concealed,
        heardMs: count / perMs + BURST_MS,
        delayMs: playout.delayMs,
      });
      const heardAt = count + BURST_MS * perMs;
      sound.set(
        out.subarray(0, Math.max(0, Math.min(pulled, samples - heardAt))),
        Math.min(heardAt, samples),
      );
      count += pulled;
    }
  }
  playout.close();
  return { sound, pulls };
}
