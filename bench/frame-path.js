/**
 * Measures the cost of a frame on Node's thread, in microseconds and bytes. It spans the packet's
 * arrival, the mix, and handing the packet to the transport. One run has no codec, so that only our
 * code remains; one has Opus at complexity 8.
 */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setImmediate } from 'node:timers/promises';
import { Command } from 'commander';
import { createAudioFormat } from '../public/shared/sound/audio-format.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  Packet,
  writeAudioHeader,
} from '../public/shared/wire/packet.js';
import { defaultEncoderSettings } from '../public/shared/stream/codec.js';
import { loadCodec } from '../server/codec/codec.js';
import { SampleClock } from '../server/clock/sample-clock.js';
import { TickScheduler } from '../server/clock/tick-scheduler.js';
import { DEFAULTS } from '../server/config/options.js';
import { roomConfigOf } from '../server/room/room-config.js';
import { Rooms } from '../server/host/rooms.js';
import { checkoutWith, wholeNumber } from './options.js';
import { formatDuration } from './report/numbers.js';
import { bootstrap } from './stats/bootstrap.js';
import { seededRandom } from '../testkit/random.js';
import { quantile, sorted } from '../testkit/statistics.js';

const PAYLOAD_BYTES = 80;

/** A codec without cost, to measure everything else. */
const noCodec = {
  name: 'none',
  conceals: true,
  maxInstances: Infinity,
  maxFrameValues: Infinity,
  createEncoder: () => ({
    lookahead: 0,
    setComplexity: () => {},
    setMono: () => {},
    setPrediction: () => {},
    encode: (
      /** @type {Float32Array} */ pcm,
      /** @type {Uint8Array} */ out,
      /** @type {number} */ at,
    ) => {
      out[at] = pcm[0] > 0 ? 1 : 2;
      return PAYLOAD_BYTES;
    },
    close() {},
  }),
  createDecoder: () => ({
    /** @type {import('../public/shared/stream/codec.js').Decoder['decode']} */
    decode: (bytes, start, length, out, at) => {
      out[at] = bytes[start] / 256;
      return true;
    },
    conceal() {},
    close() {},
  }),
};

/** Clock that moves only on demand, with reused timers: it allocates nothing. */
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

/** @typedef {import('../public/shared/stream/codec.js').Codec} Codec */

/** Recordings without a disk, to measure their cost on the thread. @type {any} */
const recordings = {
  offered: true,
  hasRoom: true,
  refusal: () => null,
  begin: () => ({
    description: { id: 'bench', startedAt: new Date().toISOString(), files: [] },
    addFile: () => ({ write() {}, end() {}, remove() {} }),
    replaceFile() {},
    onServerClose() {},
    failed: console.error,
    end: async () => {},
  }),
  logFailure: console.error,
};

/**
 * A room with people and its own clock.
 * @param {object} options
 * @param {Codec} options.codec
 * @param {'tick' | 'reply'} options.delivery
 * @param {number} options.people
 * @param {number} options.talking the rest sends silence, one packet for each frame
 * @param {boolean} options.recorded true if it is recorded, with a track for each
 */
async function createRoom({ codec, delivery, people, talking, recorded }) {
  const clock = new StepClock();
  const format = createAudioFormat();
  const sampleClock = new SampleClock(clock, format.sampleRate);
  const rooms = new Rooms({
    maxRooms: 1,
    maxPeople: people,
    // No event loop turns here: ticks are run by the clock's timers alone.
    services: {
      clock,
      sampleClock,
      ticks: new TickScheduler(clock, () => {}),
      codec,
      log: { info: () => {}, error: console.error },
      recordings,
    },
    config: {
      ...roomConfigOf(DEFAULTS),
      format,
      delivery,
      serverDelayMs: 20,
      maxDelayMs: 20,
      bitrate: 32000,
      complexity: defaultEncoderSettings.complexity,
      application: 'audio',
      maxParticipants: people,
      idleTimeoutMs: 1e9,
    },
  });
  const sent = { packets: 0, bytes: 0 };
  const send = (/** @type {Uint8Array} */ bytes) => {
    sent.packets += 1;
    sent.bytes += bytes.length;
    return true;
  };
  /** @type {any} */
  const transport = {
    name: 'webtransport',
    replyOnly: false,
    sendMany: (/** @type {any[]} */ all, /** @type {Uint8Array} */ bytes) => {
      for (let i = 0; i < all.length; i++) send(bytes);
    },
  };
  const members = [];
  for (let i = 0; i < people; i++) {
    /** @type {any} */
    const session = {
      transport,
      peer: '127.0.0.1:1',
      handler: null,
      send,
      sendControl() {},
      close() {},
      stats: () => ({}),
      pathStats: () => ({}),
    };
    const member = rooms.join('bench', `P${i}`, session);
    if (member === null || typeof member === 'string')
      throw new Error(member ?? 'nobody lets them in');
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
  const encoder = codec.createEncoder({ sampleRate: 48000, frameSamples: 960, bitrate: 32000 });
  const pcm = new Float32Array(960);
  const out = new Uint8Array(MAX_PACKET_BYTES);
  const payloads = [];
  for (let frame = 0; frame < frames; frame++) {
    for (let i = 0; i < 960; i++) {
      const t = (frame * 960 + i) / 48000;
      pcm[i] =
        0.3 *
        Math.sin(2 * Math.PI * 140 * t) *
        (1 + Math.sin(2 * Math.PI * 3 * t)) *
        Math.sin(2 * Math.PI * 700 * t);
    }
    payloads.push(out.slice(0, encoder.encode(pcm, out, 0)));
  }
  encoder.close();
  return payloads;
}

/**
 * A packet for each payload, and a silent one; their sequence and frame are filled in when they are
 * sent.
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
 * Measures some seconds of a room, and equal seconds between them in which nobody sends. Reception
 * reports, once a second and a few at a time, count in the time. Their bytes don't count for
 * frames, since they are allocated without frames too.
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
const median = (values) => quantile(sorted(values), 0.5);

/** @param {string} folder */
const checkout = (folder) => checkoutWith(folder, 'bench/frame-path.js');

/** People in the room, and how many of them talk. */
const SITUATIONS = Object.freeze([
  [10, 10],
  [50, 50],
  [500, 3],
  [500, 0],
]);
const MOST_ANSWERED = 100;

/**
 * @typedef {{ codec: string, people: number, talking: number, delivery: string, 'µs/frame': number,
 *   'bytes/frame': number, 'sent/frame': number }} Row
 *
 * @param {readonly number[][]} situations
 * @param {{ rounds: number, seconds: number, tells: boolean }} options tells: how long it will take
 * @returns {Promise<Row[]>} medians of the rounds, in which the cases alternate
 */
async function measureHere(situations, { rounds, seconds, tells }) {
  const { gc } = /** @type {{ gc?: () => void }} */ (globalThis);
  if (!gc) console.error('Bytes are rough: run with node --expose-gc for exact ones.');
  const cases = [];
  for (const codec of [noCodec, await loadCodec()]) {
    const packets = makePackets(await makePayloads(codec, 100));
    for (const [people, talking] of situations) {
      for (const kind of ['tick', 'tick, recorded', 'reply']) {
        // Replies are encoded one for each packet: not for this number of people.
        if (kind !== 'tick' && people > MOST_ANSWERED) continue;
        const [delivery, recorded] = /** @type {['tick' | 'reply', string?]} */ (kind.split(', '));
        const room = await createRoom({
          codec,
          delivery,
          people,
          talking,
          recorded: recorded !== undefined,
        });
        const results = /** @type {ReturnType<typeof measure>[]} */ ([]);
        cases.push({ codec: codec.name, people, talking, delivery: kind, room, packets, results });
      }
    }
  }
  for (let round = -2; round < rounds; round++) {
    const fromMs = performance.now();
    for (const { room, packets, results } of cases) {
      gc?.();
      const result = measure(room, packets, seconds);
      if (round >= 0) results.push(result);
    }
    // The second round is the first with compiled code, and as long as a measured one.
    if (round === -1 && tells)
      console.error(
        `frame-path: some ${formatDuration(rounds * (performance.now() - fromMs))} more`,
      );
  }
  for (const { room } of cases) room.rooms.close();
  return cases.map(({ codec, people, talking, delivery, results }) => ({
    codec,
    people,
    talking,
    delivery,
    'µs/frame': Number(median(results.map((result) => result.usPerFrame)).toFixed(2)),
    'bytes/frame': Number(median(results.map((result) => result.bytesPerFrame)).toFixed(1)),
    'sent/frame': Number(median(results.map((result) => result.sentPerFrame)).toFixed(2)),
  }));
}

/** @param {import('./stats/bootstrap.js').Interval} ratio */
const intervalText = ({ low, high }) =>
  Number.isFinite(low) ? `${low.toFixed(2)} to ${high.toFixed(2)}` : 'fewer than five pairs';

/**
 * Processes of this checkout and of another, a pair at a time: what slows the machine slows both of
 * a pair. The ratio's interval is that of 95 %.
 * @param {string} folder the other checkout's, with its packages installed
 * @param {readonly number[][]} situations
 * @param {{ rounds: number, seconds: number, pairs: number }} options
 */
function compare(folder, situations, { rounds, seconds, pairs }) {
  const run = (/** @type {string} */ file, /** @type {number[]} */ [people, talking]) => {
    const argv = [
      '--expose-gc',
      file,
      '--json',
      ...Object.entries({ people, talking, rounds, seconds }).flatMap(([name, value]) => [
        `--${name}`,
        String(value),
      ]),
    ];
    return /** @type {Row[]} */ (
      JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8' })).cases
    );
  };
  const files = [fileURLToPath(import.meta.url), join(folder, 'bench/frame-path.js')];
  return situations.flatMap((situation, which) => {
    const measured = Array.from({ length: pairs }, (_, pair) => {
      process.stderr.write(
        `\rsituation ${which + 1} of ${situations.length}, pair ${pair + 1} of ${pairs} `,
      );
      // The first of a pair is the other's second: neither is always the one that runs after a
      // pause.
      const [first, second] = pair % 2 ? [1, 0] : [0, 1];
      const rows = [/** @type {Row[]} */ ([]), /** @type {Row[]} */ ([])];
      rows[first] = run(files[first], situation);
      rows[second] = run(files[second], situation);
      return rows;
    });
    process.stderr.write('\r\x1b[K');
    return measured[0][0].map(({ codec, people, talking, delivery }, row) => {
      const of = (/** @type {number} */ side, /** @type {'µs/frame' | 'bytes/frame'} */ what) =>
        Number(median(measured.map((rows) => rows[side][row][what])).toFixed(1));
      const ratios = measured.map(([here, there]) => [
        here[row]['µs/frame'] / there[row]['µs/frame'],
      ]);
      const [ratio] = bootstrap(ratios, (ascending) => [quantile(ascending, 0.5)], {
        random: seededRandom(1),
      });
      return {
        codec,
        people,
        talking,
        delivery,
        'µs here': of(0, 'µs/frame'),
        'µs there': of(1, 'µs/frame'),
        ratio: Number(ratio.estimate.toFixed(3)),
        '95 %': intervalText(ratio),
        'bytes here': of(0, 'bytes/frame'),
        'bytes there': of(1, 'bytes/frame'),
      };
    });
  });
}

const { against, json, people, talking, ...options } = new Command('frame-path')
  .description(
    "What a received frame costs on Node's thread, in microseconds of CPU time and in bytes " +
      'of the heap.',
  )
  .option(
    '--people <n>',
    'people in the room: this one situation, rather than several',
    wholeNumber(1, 1000),
  )
  .option('--talking <n>', 'how many of them talk', wholeNumber(0, 1000), 1000)
  .option('--rounds <n>', 'rounds, taken in turn; the median is shown', wholeNumber(1, 1000), 9)
  .option('--seconds <n>', 'seconds of the room in a round', wholeNumber(1, 1000), 2)
  .option(
    '--against <folder>',
    'another checkout, installed: both are run by turns, and their ratios shown',
    checkout,
  )
  .option('--pairs <n>', 'with --against: how often each is run', wholeNumber(1, 1000), 15)
  .option('--json', 'prints JSON')
  .parse()
  .opts();

const situations = people ? [[people, Math.min(talking, people)]] : SITUATIONS;
const table = against
  ? compare(against, situations, /** @type {any} */ (options))
  : await measureHere(situations, /** @type {any} */ ({ ...options, tells: !json }));
if (json) console.log(JSON.stringify({ node: process.version, ...options, cases: table }, null, 2));
else {
  console.log(`20 ms frames at 48 kHz, Node ${process.version}; "frame" is one that was received`);
  console.table(table);
}
