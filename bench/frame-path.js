/**
 * Measures the cost of a frame on Node's thread, in microseconds and bytes: from the packet's arrival through the
 * mix to the packet that is handed to the transport. Once without a codec, so that what remains is ours,
 * and once with Opus.
 */

import { setImmediate } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { createAudioFormat } from '../public/shared/audio-format.js';
import { AUDIO_HEADER_BYTES, MAX_PACKET_BYTES, Packet, writeAudioHeader } from '../public/shared/packet.js';
import { loadCodec } from '../server/codec/codec.js';
import { SampleClock } from '../server/clock/sample-clock.js';
import { TickScheduler } from '../server/clock/tick-scheduler.js';
import { Rooms } from '../server/room/rooms.js';

const PAYLOAD_BYTES = 80;

/** A codec that costs nothing: what is measured with it is everything but the codec. */
const noCodec = {
  name: 'none',
  conceals: true,
  maxInstances: Infinity,
  maxFrameValues: Infinity,
  createEncoder: () => ({
    lookahead: 0,
    setComplexity: () => {},
    setMono: () => {},
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

/** A clock that moves only when it is told to, and whose timers are used again: it allocates nothing. */
class StepClock {
  ms = 0;
  /** @type {{ at: number, run: (() => void) | null }[]} */
  #timers = [];
  now = () => this.ms;
  /** @param {() => void} run @param {number} ms */
  setTimeout = (run, ms) => {
    let free = 0;
    while (free < this.#timers.length && this.#timers[free].run !== null) free += 1;
    if (free === this.#timers.length) this.#timers.push({ at: 0.5, run: null });
    this.#timers[free].at = this.ms + ms;
    this.#timers[free].run = run;
    return this.#timers[free];
  };
  /** @param {any} timer */
  clearTimeout = (timer) => {
    if (timer) timer.run = null;
  };

  /** @param {number} ms */
  advance(ms) {
    this.ms += ms;
    for (let i = 0; i < this.#timers.length; i++) {
      const { at, run } = this.#timers[i];
      if (run === null || at > this.ms) continue;
      this.#timers[i].run = null;
      run();
    }
  }
}

/** @typedef {import('../public/shared/codec.js').Codec} Codec */

/** Recordings that no disk takes: what is measured is what they cost the thread. @type {any} */
const recordings = {
  offered: true,
  hasRoom: true,
  begin: () => ({
    description: { id: 'bench', startedAt: new Date().toISOString(), files: [] },
    addFile: () => ({ write() {}, end() {}, remove() {} }),
    onServerClose() {},
    failed: console.error,
    end: async () => {},
  }),
  logError: console.error,
};

/**
 * A room with people in it on a clock of its own.
 * @param {object} options
 * @param {Codec} options.codec
 * @param {'tick' | 'reply'} options.delivery
 * @param {number} options.people
 * @param {number} options.talking the rest sends silence, one packet for each frame
 * @param {boolean} options.recorded whether it is recorded, with a track for each
 */
async function createRoom({ codec, delivery, people, talking, recorded }) {
  const clock = new StepClock();
  const format = createAudioFormat();
  const sampleClock = new SampleClock(clock, format.sampleRate);
  const rooms = new Rooms({
    maxRooms: 1,
    maxPeople: people,
    // No event loop turns here: ticks are run by the clock's timers alone.
    services: { clock, sampleClock, ticks: new TickScheduler(clock, () => {}), codec, log: { info: () => {}, error: console.error }, recordings },
    config: {
      format, delivery, serverDelayMs: 20, maxDelayMs: 20, bitrate: 32000, complexity: 5, application: 'audio',
      maxParticipants: people, idleTimeoutMs: 1e9, silenceSuppression: true,
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
    const member = rooms.join('bench', `P${i}`, session);
    if (typeof member === 'string') throw new Error(member);
    members.push({ member, talks: i < talking });
  }
  if (recorded) members[0].member.control({ type: 'record', on: true });
  for (const { member } of recorded ? members : []) {
    await setImmediate();
    member.control({ type: 'recordConsent', agreed: true });
  }
  return { clock, format, codec, members, sent, rooms };
}

/**
 * Real Opus frames of speech-like sound, or filler where there is no codec.
 * @param {Codec} codec
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
 * A packet for each payload, and a silent one; their sequence and frame are filled in when they are sent.
 * @param {Uint8Array[]} payloads
 */
function makePackets(payloads) {
  const packet = Object.assign(new Packet(), { level: 25, voice: true });
  return [new Uint8Array(0), ...payloads].map((payload) => {
    const bytes = new Uint8Array(AUDIO_HEADER_BYTES + payload.length);
    Object.assign(packet, payload.length === 0 && { level: 127, voice: false });
    writeAudioHeader(bytes, packet);
    bytes.set(payload, AUDIO_HEADER_BYTES);
    Object.assign(packet, { level: 25, voice: true });
    return bytes;
  });
}

/**
 * @param {Uint8Array} bytes of an audio packet, which is given another time
 * @param {number} frame
 */
function stamp(bytes, frame) {
  bytes[3] = frame >>> 8;
  bytes[4] = frame;
  for (let i = 0; i < 4; i++) bytes[5 + i] = frame >>> (24 - 8 * i);
}

/**
 * @param {Awaited<ReturnType<typeof createRoom>>} room
 * @param {Uint8Array[]} packets  a silent one, and then those with sound
 * @param {number} first
 * @param {number} frames
 */
function pass({ clock, format, members }, packets, first, frames) {
  for (let frame = first; frame < first + frames; frame++) {
    clock.advance(format.frameMs);
    const spoken = packets[1 + (frame % (packets.length - 1))];
    stamp(spoken, frame);
    stamp(packets[0], frame);
    for (let i = 0; i < members.length; i++) {
      members[i].member.packet(members[i].talks ? spoken : packets[0], clock.ms);
    }
  }
}

/**
 * Some seconds of a room, and as many between them in which nobody sends. Everybody is told once a second how they
 * are received, a few at a time: that is part of the time, and no part of the bytes, since it is no frame's own; it
 * is what is allocated where nobody sends.
 * @param {Awaited<ReturnType<typeof createRoom>>} room
 * @param {Uint8Array[]} packets
 * @param {number} seconds
 */
function measure(room, packets, seconds) {
  const { clock, format, members, sent } = room;
  const perSecond = 1000 / format.frameMs;
  const nobody = { ...room, members: [] };
  const bytes = [];
  const idle = [];
  let [microseconds, packetsSent] = [0, 0];
  const heapGrowth = (/** @type {typeof room} */ who) => {
    const memory = process.memoryUsage().heapUsed;
    pass(who, packets, Math.floor(clock.ms / format.frameMs), perSecond);
    return process.memoryUsage().heapUsed - memory;
  };
  for (let second = 0; second < seconds; second++) {
    idle.push(heapGrowth(nobody));
    const [before, start] = [sent.packets, process.cpuUsage()];
    bytes.push(heapGrowth(room));
    const { user, system } = process.cpuUsage(start);
    microseconds += user + system;
    packetsSent += sent.packets - before;
  }
  const received = perSecond * members.length;
  return {
    usPerFrame: microseconds / (seconds * received),
    bytesPerFrame: (median(bytes) - median(idle)) / received,
    sentPerFrame: packetsSent / (seconds * received),
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

/** People in the room, and how many of them talk. */
const SITUATIONS = Object.freeze([[10, 10], [50, 50], [500, 3], [500, 0]]);
const MOST_ANSWERED = 100;

const options = new Command('frame-path')
  .description("What a received frame costs on Node's thread, in microseconds of CPU time and in bytes of the heap.")
  .option('--people <n>', 'people in the room: this one situation, rather than several', wholeNumber)
  .option('--talking <n>', 'how many of them talk', wholeNumber, 1000)
  .option('--rounds <n>', 'rounds, taken in turn; the median is shown', wholeNumber, 9)
  .option('--seconds <n>', 'seconds of the room in a round', wholeNumber, 2)
  .option('--json', 'prints JSON')
  .parse()
  .opts();

const { gc } = /** @type {{ gc?: () => void }} */ (globalThis);
if (!gc) console.error('Bytes are rough: run with node --expose-gc for exact ones.');

const situations = options.people ? [[options.people, Math.min(options.talking, options.people)]] : SITUATIONS;
const cases = [];
for (const codec of [noCodec, await loadCodec()]) {
  const packets = makePackets(await makePayloads(codec, 100));
  for (const [people, talking] of situations) {
    for (const kind of ['tick', 'tick, recorded', 'reply']) {
      // An answer is encoded for each packet: that is not for so many.
      if (kind !== 'tick' && people > MOST_ANSWERED) continue;
      const [delivery, recorded] = /** @type {['tick' | 'reply', string?]} */ (kind.split(', '));
      const room = await createRoom({ codec, delivery, people, talking, recorded: recorded !== undefined });
      const results = /** @type {ReturnType<typeof measure>[]} */ ([]);
      cases.push({ codec: codec.name, people, talking, delivery: kind, room, packets, results });
    }
  }
}
for (let round = -2; round < options.rounds; round++) {
  for (const { room, packets, results } of cases) {
    gc?.();
    const result = measure(room, packets, options.seconds);
    if (round >= 0) results.push(result);
  }
}
const table = cases.map(({ codec, people, talking, delivery, results }) => ({
  codec,
  people,
  talking,
  delivery,
  'µs/frame': Number(median(results.map((result) => result.usPerFrame)).toFixed(2)),
  'bytes/frame': Number(median(results.map((result) => result.bytesPerFrame)).toFixed(1)),
  'sent/frame': Number(median(results.map((result) => result.sentPerFrame)).toFixed(2)),
}));
for (const { room } of cases) room.rooms.close();
if (options.json) console.log(JSON.stringify({ node: process.version, ...options, cases: table }, null, 2));
else {
  console.log(`20 ms frames at 48 kHz, Node ${process.version}; "frame" is one that was received`);
  console.table(table);
}
