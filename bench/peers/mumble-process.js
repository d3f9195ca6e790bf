/**
 * Clients of a Mumble server, in their own process, as cheap as a Crowd
 * (bench/participants/crowd.js): one timer for all, packets made beforehand, arrivals counted.
 * Silent ones send nothing but pings, as Mumble's own client does.
 */

import { performance } from 'node:perf_hooks';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { defaultEncoderSettings } from '../../public/shared/stream/codec.js';
import { CpuMeter, serve } from '../../testkit/participants/child.js';
import { encodeSpeech } from '../../testkit/participants/speech.js';
import { MumbleClient } from './mumble-client.js';
import { MAX_PING_BYTES } from './mumble-wire.js';

/** Number of clients that join at a time. */
const AT_ONCE = 8;

/** Frames of Opus, and the 10 ms that Mumble's sequence numbers count in each. */
const FORMAT = createAudioFormat();
const TENS = FORMAT.frameMs / 10;

/**
 * Number of moments within a frame at which packets leave: sound cards don't end frames together.
 */
const SLOTS = 10;
const SLOT_MS = FORMAT.frameMs / SLOTS;

/**
 * Distance in the speech from one talker to the next, in frames, so that they don't say the same at
 * once.
 */
const APART_FRAMES = 17;

/** The time between a client's pings, in milliseconds. */
const PING_MS = 5000;

/**
 * Number of packets that each client opens and compares with what was said, before it goes on to
 * count them.
 */
const PROVEN = 5;

/** Senders that are further behind than this, in milliseconds, leave frames out. */
const MAX_BEHIND_MS = 1000;

/** @typedef {{ id: string, talks: boolean }} Person */

/** One client, with its sent and received sound. */
class MumbleMember {
  sent = 0;
  #proven = 0;
  #wrong = 0;

  /** @param {Person} person @param {MumbleClient} client @param {number} number  counted from 0 */
  constructor({ id, talks }, client, number) {
    this.id = id;
    this.talks = talks;
    this.client = client;
    this.number = number;
  }

  /** The packet of a frame. @param {number} frame */
  payload(frame) {
    return speech[(frame + APART_FRAMES * this.number) % speech.length];
  }

  /** Opens the first packets, to show that they are what the talkers said. */
  prove() {
    this.client.onVoice = (voice) => {
      const talker = voice && members.find(({ client }) => client.session === voice.session);
      if (
        !talker?.talks ||
        !voice ||
        Buffer.compare(voice.payload, talker.payload(voice.sequence / TENS)) !== 0
      )
        this.#wrong += 1;
      else this.#proven += 1;
      if (this.#proven + this.#wrong >= PROVEN) this.client.onVoice = null;
    };
  }

  /** @throws {Error} when the session has ended, or received sound differs from sent sound */
  check() {
    const { ended, received } = this.client;
    if (ended !== null) throw new Error(`Mumble's client ${this.id}: ${ended}`);
    if (this.#wrong > 0)
      throw new Error(
        `Mumble's client ${this.id}: of the first ${PROVEN} packets ${this.#wrong} aren't ` +
          'what was said',
      );
    if (received > 0 && this.#proven === 0)
      throw new Error(`Mumble's client ${this.id}: no packet was opened`);
  }
}

/** @type {MumbleMember[]} */
const members = [];
/** @type {Uint8Array[]} */
let speech = [];
/** Lateness of sending against plan, in milliseconds, one value for each slot. @type {number[]} */
let latenessMs = [];
const cpu = new CpuMeter();
/** The next slot to be sent, and when the first one was. */
let slot = 0;
let startMs = 0;
/** @type {NodeJS.Timeout | undefined} */
let timer;

/** Work for between two frames. @type {(() => void)[]} */
const pending = [];

/**
 * Does something between two frames, when the packets of the one before have arrived: counts of
 * what was sent and received fit.
 * @template T
 * @param {() => T} work
 * @returns {Promise<T>}
 */
const betweenFrames = (work) =>
  new Promise((resolve, reject) => {
    pending.push(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });

/** @param {number} now */
const lateness = (now) => now - (startMs + slot * SLOT_MS);

function send() {
  const now = performance.now();
  if (lateness(now) > MAX_BEHIND_MS) slot = Math.floor((now - startMs) / SLOT_MS);
  for (let late = lateness(now); late >= 0; late = lateness(performance.now())) {
    if (slot % SLOTS === 0) for (const work of pending.splice(0)) work();
    latenessMs.push(late);
    const frame = Math.floor(slot / SLOTS);
    for (let i = slot % SLOTS; i < members.length; i += SLOTS) {
      const member = members[i];
      if (member.talks) {
        member.client.speak(frame * TENS, member.payload(frame));
        member.sent += 1;
      }
      // Pings of different clients lie apart.
      if ((frame + 7 * i) % (PING_MS / FORMAT.frameMs) === 0) member.client.ping();
    }
    slot += 1;
  }
  timer = setTimeout(send, Math.max(1, Math.ceil(-lateness(performance.now()))));
}

/** Sets all counters to zero. */
function reset() {
  for (const member of members) member.sent = member.client.received = member.client.bytes = 0;
  latenessMs = [];
  cpu.take();
}

/**
 * The counters since they were zero.
 * @returns {{ people: { talks: boolean, received: number, expected: number, bytes: number }[],
 *   latenessMs: number[], cpuPercent: number }} bytes: of voice packets, without the seal and the
 *   headers of UDP and IP
 */
function collect() {
  const cpuPercent = cpu.take();
  for (const member of members) member.check();
  const all = members.reduce((sum, { sent }) => sum + sent, 0);
  const people = members.map(({ talks, sent, client: { received, bytes } }) => ({
    talks,
    received,
    expected: all - sent,
    bytes,
  }));
  return { people, latenessMs, cpuPercent };
}

serve(
  {
    /**
     * Lets all in, some at a time, and the talkers begin.
     * @param {{ host: string, port: number, people: Person[] }} options
     */
    async joinAll({ host, port, people }) {
      speech = await encodeSpeech(FORMAT, defaultEncoderSettings.bitrate);
      if (speech.some(({ length }) => length <= MAX_PING_BYTES))
        throw new Error('the speech has packets as short as pings');
      const waiting = people.entries();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const [number, person] of waiting)
            members[number] = new MumbleMember(
              person,
              await MumbleClient.join({ host, port, name: person.id }),
              number,
            );
        }),
      );
      for (const member of members) member.prove();
      startMs = performance.now();
      send();
    },
    note: () => betweenFrames(reset),
    take: () => betweenFrames(collect),
  },
  () => {
    clearTimeout(timer);
    for (const { client } of members) client.close();
  },
);
