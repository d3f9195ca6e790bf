/** Packets of white noise, as a program sends them that has made them before. */

import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { MAX_PACKET_BYTES, Packet, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { random } from '../../fakes/random.js';
import { answerOf } from './answer.js';

/** Number of different frames of noise. */
const FRAMES = 50;

/** Level in the packets, in -dBov: among the loudest. */
const LEVEL = 8;

const packet = new Packet();

/** White noise, frame by frame, as Opus. @param {number} [frameMs] */
export async function makeNoise(frameMs) {
  const format = createAudioFormat({ frameMs });
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  const codec = await loadCodec('libopus-wasm');
  const encoder = new PayloadEncoder(
    await codec.createEncoder({ sampleRate, frameSamples, bitrate: 64_000 }),
    format,
  );
  const next = random(1);
  const out = new Uint8Array(MAX_PACKET_BYTES);
  const frames = Array.from({ length: FRAMES }, () => {
    const pcm = Float32Array.from({ length: format.frameSamples }, () => next() - 0.5);
    return out.slice(0, encoder.encode(pcm, out, 0));
  });
  encoder.close();
  return { frames, periodMs: format.frameMs };
}

/** When the server's sample clock was zero, on this process's clock. @param {string} origin */
export async function zeroOf(origin) {
  const { clock, sampleRate } = await answerOf(`${origin}/api/clock`);
  return performance.now() - (clock * 1000) / sampleRate;
}

/**
 * A packet that says that it is loud.
 * @param {number} frame
 * @param {number} sequence
 * @param {Uint8Array} payload
 */
export function packetOf(frame, sequence, payload) {
  const bytes = new Uint8Array(20 + payload.length);
  Object.assign(packet, { frame, sequence: sequence & 0xffff, level: LEVEL, voice: true });
  const end = writeAudioHeader(bytes, packet);
  bytes.set(payload, end);
  return bytes.subarray(0, end + payload.length);
}
