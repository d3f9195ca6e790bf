/**
 * What a frame costs on Node's thread, in microseconds and bytes: from the packet's arrival through the
 * mix to the packet that is handed to the transport. Once without a codec, so that what remains is ours,
 * and once with Opus.
 */

import { Command, InvalidArgumentError } from 'commander';
import { createAudioFormat } from '../public/shared/audio-format.js';
import { MAX_PACKET_BYTES, Packet, writeAudioHeader } from '../public/shared/packet.js';
import { loadCodec } from '../server/audio/codec.js';
import { SampleClock } from '../server/room/clock.js';
import { Rooms } from '../server/room/rooms.js';

const PAYLOAD_BYTES = 80;

/** A codec that costs nothing: what is measured with it is everything but the codec. */
const noCodec = {
  name: 'none',
  conceals: true,
  maxInstances: Infinity,
  createEncoder: () => ({
    lookahead: 0,
    encode: (/** @type {Float32Array} */ pcm, /** @type {Uint8Array} */ out, /** @type {number} */ at) => {
      out[at] = pcm[0] > 0 ? 1 : 2;
      return PAYLOAD_BYTES;
    },
    close() {},
  }),
  createDecoder: () => ({
    /** @type {import('../public/shared/codec.js').Decoder['decode']} */
    decode: (bytes, start, length, out, at) => {
      out[at] = bytes[start] / 256;
      return true;
    },
    conceal() {},
    close() {},
  }),
};

/** A clock that moves only when it is told to. */
class StepClock {
  ms = 0;
  /** @type {Set<{ at: number, run: () => void }>} */
  #timers = new Set();
  now = () => this.ms;
  /** @param {() => void} run @param {number} ms */
  setTimeout = (run, ms) => {
    const timer = { at: this.ms + ms, run };
    this.#timers.add(timer);
    return timer;
  };
  /** @param {any} timer */
  clearTimeout = (timer) => void this.#timers.delete(timer);

  /** @param {number} ms */
  advance(ms) {
    this.ms += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at <= this.ms && this.#timers.delete(timer)) timer.run();
    }
  }
}

/** @typedef {import('../server/room/room.js').RoomSettings} RoomSettings */

/**
 * A room with people in it on a clock of its own.
 * @param {object} options
 * @param {RoomSettings['codec']} options.codec
 * @param {'tick' | 'reply'} options.delivery
 * @param {number} options.people
 * @param {number} options.talking
 */
async function createRoom({ codec, delivery, people, talking }) {
  const clock = new StepClock();
  const format = createAudioFormat();
  const sampleClock = new SampleClock(clock, format.sampleRate);
  const rooms = new Rooms({
    maxRooms: 1,
    maxPeople: people,
    settings: {
      format, delivery, codec, clock, sampleClock,
      serverDelayMs: 20, maxDelayMs: 20, echo: false, bitrate: 32000, complexity: 5, application: 'audio',
      maxParticipants: people, idleTimeoutMs: 1e9,
    },
  });
  const sent = { packets: 0, bytes: 0 };
  const send = (/** @type {Uint8Array} */ bytes) => {
    sent.packets += 1;
    sent.bytes += bytes.length;
    return true;
  };
  /** @type {any} */
  const transport = { name: 'webtransport', replyOnly: false, sendMany: (/** @type {any[]} */ all, /** @type {Uint8Array} */ bytes) => { for (let i = 0; i < all.length; i++) send(bytes); } };
  const members = [];
  for (let i = 0; i < people; i++) {
    /** @type {any} */
    const session = { transport, peer: '', handler: null, send, sendControl() {}, close() {}, stats: () => ({}) };
    const joined = await rooms.join('bench', `P${i}`, session, () => {});
    if (typeof joined === 'string') throw new Error(joined);
    members.push({ ...joined, talks: i < talking });
  }
  return { clock, format, codec, members, sent, rooms };
}

/**
 * Real Opus frames of speech-like sound, or filler where there is no codec.
 * @param {RoomSettings['codec']} codec
 * @param {number} frames
 */
async function makePayloads(codec, frames) {
  const encoder = codec.createEncoder({ sampleRate: 48000, frameSamples: 960, bitrate: 32000, complexity: 5 });
  const pcm = new Float32Array(960);
  const out = new Uint8Array(MAX_PACKET_BYTES);
  const payloads = [];
  for (let frame = 0; frame < frames; frame++) {
    for (let i = 0; i < 960; i++) {
      const t = (frame * 960 + i) / 48000;
      pcm[i] = 0.3 * Math.sin(2 * Math.PI * 140 * t) * (1 + Math.sin(2 * Math.PI * 3 * t)) * Math.sin(2 * Math.PI * 700 * t);
    }
    payloads.push(out.slice(0, encoder.encode(pcm, out, 0)));
  }
  encoder.close();
  return payloads;
}

/**
 * @param {Awaited<ReturnType<typeof createRoom>>} room
 * @param {Uint8Array[]} payloads
 * @param {number} frames
 */
function measure({ clock, format, members, sent }, payloads, frames) {
  const packet = new Packet();
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  const first = Math.floor(clock.ms / format.frameMs);
  const before = { memory: process.memoryUsage().heapUsed, packets: sent.packets };
  const start = process.hrtime.bigint();
  for (let frame = first; frame < first + frames; frame++) {
    clock.advance(format.frameMs);
    packet.frame = frame;
    packet.sequence = frame & 0xffff;
    const header = writeAudioHeader(bytes, packet);
    const payload = payloads[frame % payloads.length];
    bytes.set(payload, header);
    const spoken = bytes.subarray(0, header + payload.length);
    const silent = bytes.subarray(0, header);
    for (const { room, participant, talks } of members) {
      room.receive(participant, talks ? spoken : silent, clock.ms);
    }
  }
  const us = Number(process.hrtime.bigint() - start) / 1000;
  const received = frames * members.length;
  return {
    usPerFrame: us / received,
    bytesPerFrame: Math.max(0, process.memoryUsage().heapUsed - before.memory) / received,
    sentPerFrame: (sent.packets - before.packets) / received,
  };
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** @param {string} text */
function wholeNumber(text) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1000) throw new InvalidArgumentError('allowed is a whole number from 1 to 1000');
  return value;
}

const options = new Command('frame-path')
  .description("What a received frame costs on Node's thread, in microseconds and in bytes of the heap.")
  .option('--people <n>', 'people in the room', wholeNumber, 10)
  .option('--talking <n>', 'how many of them talk', wholeNumber, 10)
  .option('--rounds <n>', 'rounds, taken in turn; the median is shown', wholeNumber, 9)
  .option('--frames <n>', 'frames of the grid in a round', wholeNumber, 250)
  .option('--json', 'prints JSON')
  .parse()
  .opts();

const { gc } = /** @type {{ gc?: () => void }} */ (globalThis);
if (!gc) console.error('Bytes are rough: run with node --expose-gc for exact ones.');

const cases = [];
for (const codec of [noCodec, await loadCodec('libopus-wasm')]) {
  const payloads = await makePayloads(codec, 100);
  for (const delivery of /** @type {const} */ (['tick', 'reply'])) {
    const room = await createRoom({ codec, delivery, people: options.people, talking: Math.min(options.talking, options.people) });
    /** @type {ReturnType<typeof measure>[]} */
    const results = [];
    cases.push({ codec: codec.name, delivery, room, payloads, results });
  }
}
for (let round = -1; round < options.rounds; round++) {
  for (const { room, payloads, results } of cases) {
    gc?.();
    const result = measure(room, payloads, options.frames);
    if (round >= 0) results.push(result);
  }
}
const table = cases.map(({ codec, delivery, results }) => ({
  codec,
  delivery,
  'µs/frame': Number(median(results.map((result) => result.usPerFrame)).toFixed(2)),
  'bytes/frame': Math.round(median(results.map((result) => result.bytesPerFrame))),
  'sent/frame': Number(median(results.map((result) => result.sentPerFrame)).toFixed(2)),
}));
for (const { room } of cases) room.rooms.close();
if (options.json) console.log(JSON.stringify({ node: process.version, ...options, cases: table }, null, 2));
else {
  console.log(`${options.people} people, ${options.talking} talk, 20 ms frames at 48 kHz, Node ${process.version}`);
  console.table(table);
}
