/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';
import { createAudioFormat } from '../../../public/shared/audio-format.js';
import { MAX_PACKET_BYTES, Packet, writeAudioHeader } from '../../../public/shared/packet.js';
import { PayloadEncoder } from '../../../public/shared/payload.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { random } from '../../fakes/random.js';
import { answerOf } from '../support/answer.js';
import { addressOf, count, Joining } from '../support/web-socket.js';
import { JoiningsByWebTransport } from '../support/web-transport.js';

/** How many different frames of noise there are. */
const FRAMES = 50;

/** The level of the noise as it is told, in -dBov: among the loudest. */
const LEVEL = 8;

/** The pause after which one who was refused tries again, in milliseconds. */
const AGAIN_MS = 200;

const packet = new Packet();

/** White noise, frame by frame, as Opus. @param {number} [frameMs] */
async function makeNoise(frameMs) {
  const format = createAudioFormat({ frameMs });
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  const codec = await loadCodec('libopus-wasm');
  const encoder = new PayloadEncoder(await codec.createEncoder({ sampleRate, frameSamples, bitrate: 64_000 }), format);
  const next = random(1);
  const out = new Uint8Array(MAX_PACKET_BYTES);
  const frames = Array.from({ length: FRAMES }, () => {
    const pcm = Float32Array.from({ length: format.frameSamples }, () => next() - 0.5);
    return out.slice(0, encoder.encode(pcm, out, 0));
  });
  encoder.close();
  return { frames, periodMs: format.frameMs };
}

/**
 * Many sessions that send noise without a pause.
 * @type {Attack} options: { sessions, perRoom, addresses: how many they come from; overHttp3: whether they come by
 *   WebTransport instead, from one address; frameMs: of their rooms' frames, the server's without }
 */
export async function attack(target, { sessions, perRoom, addresses, overHttp3 = false, frameMs }) {
  const { frames, periodMs } = await makeNoise(frameMs);
  const zeroMs = await zeroOf(target.origin);
  const { transports } = await answerOf(`${target.origin}/api/config`);
  const http3 = overHttp3 ? new JoiningsByWebTransport(target, transports.webtransport) : null;
  /** @type {Record<string, number>} */
  const answers = {};
  /** @type {(Joining | ReturnType<JoiningsByWebTransport['join']>)[]} */
  const inside = [];
  let [sent, next] = [0, 0];
  /** @type {(number: number) => Promise<void>} */
  const join = async (number) => {
    const room = `noise-${Math.floor(number / perRoom)}`;
    const eve = http3?.join({ room, frameMs }) ?? new Joining(target, { room, from: addressOf(number % addresses), frameMs });
    const answer = await eve.answer;
    count(answers, answer);
    if (answer === 'welcome') {
      inside.push(eve);
      return;
    }
    eve.leave();
    await pause(AGAIN_MS);
    if (!target.isOver()) await join(number);
  };
  // All in one moment: so many handshakes, and joins, are a part of the attack.
  const joins = Array.from({ length: sessions }, (_, number) => join(number));
  const frameAt = (/** @type {number} */ ms) => Math.floor((ms - zeroMs) / periodMs);
  for (let frame = frameAt(performance.now()); !target.isOver(); ) {
    const now = performance.now();
    // A timer may be late by several short frames.
    for (const last = Math.min(frameAt(now), frame + FRAMES); frame < last; frame++, next++) {
      for (let i = 0; i < inside.length; i++) {
        if (inside[i].send(audio(frame + 1, next, frames[(next + i) % FRAMES]))) sent += 1;
      }
    }
    await pause(Math.max(1, periodMs - (performance.now() - now)));
  }
  await Promise.all(joins);
  const received = inside.reduce((sum, { packets }) => sum + packets, 0);
  for (const eve of inside) eve.leave();
  await http3?.close();
  return { answers, sent, received };
}

/** When the server's sample clock was zero, on this process's clock. @param {string} origin */
async function zeroOf(origin) {
  const { clock, sampleRate } = await answerOf(`${origin}/api/clock`);
  return performance.now() - (clock * 1000) / sampleRate;
}

/** @param {number} frame @param {number} sequence @param {Uint8Array} payload */
function audio(frame, sequence, payload) {
  const bytes = new Uint8Array(20 + payload.length);
  Object.assign(packet, { frame, sequence: sequence & 0xffff, level: LEVEL, voice: true });
  const end = writeAudioHeader(bytes, packet);
  bytes.set(payload, end);
  return bytes.subarray(0, end + payload.length);
}
