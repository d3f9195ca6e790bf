/**
 * Many participants in one process, as cheap as they can be made: one timer for all, one clock for each room,
 * packets made beforehand, arrivals counted by their headers. They keep to the protocol of silence: who has nothing
 * to say sends a packet without a payload every 200 ms.
 *
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Connection } from '../../public/client/connection/connection.js'
 */

import { CONTROL_VERSION } from '../../public/shared/control.js';
import { createAudioFormat } from '../../public/shared/audio-format.js';
import { join } from '../../public/client/connection/join.js';
import { AUDIO_HEADER_BYTES, MAX_PACKET_BYTES, Packet, PacketType, packetType, readPacket, SILENT_LEVEL, writeAudioHeader } from '../../public/shared/packet.js';
import { CrowdRoom } from './crowd-room.js';

/** Who is silent sends a packet this often, in milliseconds, */
const SILENCE_MS = 200;
/** after so many at once, so that the loss of one isn't noticed. */
const SILENT_AT_ONCE = 2;

const SPOKEN_LEVEL = 25;

/** Packets leave at times so far apart at least, in milliseconds: those of many rooms are sent together. */
const SEND_MS = 1;

/** Of one who is watched, so many arrivals are noted at most. */
const MOST_NOTED = 20_000;

/** Who gives speech so that people don't say the same at once, in frames. */
const APART_FRAMES = 17;

const read = new Packet();

/** Counts the packets of one stream, and by their sequence numbers those that were sent. */
export class StreamCount {
  /** Packets that came, each counted once where they come in order. */
  received = 0;
  #first = -1;
  #highest = -1;

  /** @param {number} sequence modulo 2^16 */
  add(sequence) {
    this.received += 1;
    if (this.#first < 0) this.#first = this.#highest = sequence;
    const ahead = ((sequence - this.#highest) << 16) >> 16;
    if (ahead > 0) this.#highest += ahead;
  }

  /** How many were sent, from the first that came to the last. */
  get sent() {
    return this.#first < 0 ? 0 : this.#highest - this.#first + 1;
  }

  reset() {
    this.received = 0;
    this.#first = this.#highest = -1;
  }
}

/** One of the crowd. */
export class Member {
  /** Whether it talks. */
  talks = false;
  /** Silent frames that are to be sent at once. */
  silentLeft = 0;
  sequence = 0;
  /** By stream: the full mix, the mix-minus. */
  streams = [new StreamCount(), new StreamCount()];
  /** Why its session has ended, when that was not by its own wish. @type {string | null} */
  ended = null;
  /** Frames and times of arrivals, by twos, of one who is watched. @type {Float64Array | null} */
  noted = null;
  notedCount = 0;

  /** @type {CrowdRoom | null} */
  room = null;
  /** At which time of the frame it sends. */
  slot = 0;

  /** @param {Connection} connection @param {number} number of those who ever joined */
  constructor(connection, number) {
    this.connection = connection;
    this.number = number;
  }

  /** @param {Uint8Array} bytes an audio packet @param {number} arrivalMs */
  count(bytes, arrivalMs) {
    this.streams[(bytes[1] >> 2) & 1].add((bytes[3] << 8) | bytes[4]);
    if (this.noted === null || this.notedCount === MOST_NOTED) return;
    const frame = ((bytes[5] << 24) | (bytes[6] << 16) | (bytes[7] << 8) | bytes[8]) >>> 0;
    this.noted[2 * this.notedCount] = frame;
    this.noted[2 * this.notedCount++ + 1] = arrivalMs;
  }
}

/** @typedef {{ id: string, room: string, talks?: boolean, watched?: boolean }} Person */

export class Crowd {
  #clock;
  #open;
  #encode;
  /** @type {Map<string, Member>} */
  #members = new Map();
  /** @type {Map<string, CrowdRoom>} */
  #rooms = new Map();
  #joined = 0;
  /** @type {Uint8Array[]} */
  #payloads = [];
  #packet = new Packet();
  #bytes = new Uint8Array(MAX_PACKET_BYTES);
  /** @type {unknown} */
  #timer = null;
  #closed = false;

  /** @type {AudioFormat} */
  format = createAudioFormat();
  /** How late packets were sent, against plan, in milliseconds; one for each time of the frame. @type {number[]} */
  latenessMs = [];
  sent = 0;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => Promise<Connection>} options.open     a connection to the server
   * @param {(format: AudioFormat, bitrate: number) => Promise<Uint8Array[]>} options.encode  speech
   */
  constructor({ clock, open, encode }) {
    this.#clock = clock;
    this.#open = open;
    this.#encode = encode;
  }

  /** How many are in. */
  get size() {
    return this.#members.size;
  }

  /** @param {Person} person */
  async join({ id, room, talks = false, watched = false }) {
    const member = new Member(await this.#open(), this.#joined++);
    if (watched) member.noted = new Float64Array(2 * MOST_NOTED);
    /** @type {Record<string, any>} */
    let welcome = {};
    const handler = {
      onPacket: (/** @type {Uint8Array} */ bytes, /** @type {number} */ arrivalMs) => this.#receive(member, bytes, arrivalMs),
      onControl: (/** @type {any} */ message) => void (message?.type === 'welcome' && (welcome = message)),
      onClosed: (/** @type {string} */ code, /** @type {string} */ reason) => void (member.ended = `${code}: ${reason}`),
    };
    await join(member.connection, { type: 'join', version: CONTROL_VERSION, room, name: id }, handler, this.#clock);
    await this.#begin(welcome);
    await this.#enter(member, room);
    member.talks = talks;
    this.#members.set(id, member);
    if (this.#timer === null) this.#schedule();
  }

  /** @param {Record<string, any>} welcome */
  async #begin(welcome) {
    if (this.#payloads.length > 0) return;
    this.format = createAudioFormat({ ...welcome.format, channels: 1 });
    this.#payloads = await this.#encode(this.format, welcome.bitrate);
  }

  /** @param {Member} member @param {string} name */
  async #enter(member, name) {
    const room = this.#rooms.get(name) ?? new CrowdRoom(member, this.format, this.#clock);
    this.#rooms.set(name, room);
    member.room = room;
    await room.known;
    room.enter(member);
  }

  /** @param {Member} member @param {Uint8Array} bytes @param {number} arrivalMs */
  #receive(member, bytes, arrivalMs) {
    const type = packetType(bytes);
    if (type === PacketType.audio && bytes.length >= AUDIO_HEADER_BYTES) member.count(bytes, arrivalMs);
    else if (type === PacketType.clockReply && readPacket(bytes, read) === null) member.room?.reply(member, read, arrivalMs);
  }

  /** @param {string} id @param {boolean} talks */
  talk(id, talks) {
    const member = this.#member(id);
    if (member.talks && !talks) member.silentLeft = SILENT_AT_ONCE;
    member.talks = talks;
  }

  /** @param {string} id */
  #member(id) {
    const member = this.#members.get(id);
    if (!member) throw new Error(`nobody is there as ${id}`);
    return member;
  }

  /**
   * @param {string} id
   * @param {{ silently?: boolean }} [options] silently: the connection ends without a word
   */
  leave(id, { silently = false } = {}) {
    const member = this.#member(id);
    this.#members.delete(id);
    if (member.room?.leave(member)) {
      for (const [name, room] of this.#rooms) if (room === member.room) this.#rooms.delete(name);
    }
    if (!silently) member.connection.sendControl({ type: 'leave' });
    member.connection.close();
  }

  #schedule() {
    if (this.#closed) return;
    const now = this.#clock.now();
    let dueMs = now + this.format.frameMs;
    for (const room of this.#rooms.values()) dueMs = Math.min(dueMs, room.dueMs);
    this.#timer = this.#clock.setTimeout(() => this.#send(), Math.max(SEND_MS, Math.ceil(dueMs - now)));
  }

  #send() {
    for (const room of this.#rooms.values()) room.sendDue(this.#sendFrame, this.latenessMs);
    this.#schedule();
  }

  /** @param {Member} member @param {number} frame */
  #sendFrame = (member, frame) => {
    const every = Math.max(1, Math.round(SILENCE_MS / this.format.frameMs));
    if (!member.talks && member.silentLeft === 0 && (frame + member.number) % every !== 0) return;
    if (member.silentLeft > 0) member.silentLeft -= 1;
    const packet = this.#packet;
    const speech = this.#payloads;
    const payload = member.talks ? speech[(frame + APART_FRAMES * member.number) % speech.length] : null;
    packet.frame = frame;
    packet.sequence = member.sequence++ & 0xffff;
    packet.level = payload ? SPOKEN_LEVEL : SILENT_LEVEL;
    packet.voice = payload !== null;
    const header = writeAudioHeader(this.#bytes, packet);
    if (payload) this.#bytes.set(payload, header);
    member.connection.send(this.#bytes.subarray(0, header + (payload?.length ?? 0)));
    this.sent += 1;
  };

  /** From now on packets are counted anew. */
  note() {
    this.latenessMs = [];
    this.sent = 0;
    for (const member of this.#members.values()) {
      for (const stream of member.streams) stream.reset();
      member.notedCount = 0;
    }
  }

  /**
   * What was counted of each since note().
   * @returns {{ id: string, talks: boolean, ended: string | null, streams: { received: number, sent: number }[],
   *   arrivals: { frame: number, atMs: number }[] }[]} of the two streams; atMs on the clock
   */
  take() {
    return [...this.#members].map(([id, { talks, ended, streams, noted, notedCount }]) => ({
      id,
      talks,
      ended,
      streams: streams.map(({ received, sent }) => ({ received, sent })),
      arrivals: Array.from({ length: notedCount }, (_, i) => ({
        frame: /** @type {Float64Array} */ (noted)[2 * i],
        atMs: /** @type {Float64Array} */ (noted)[2 * i + 1],
      })),
    }));
  }

  /** The least round trip of the exchanges with the server's clock, in milliseconds. */
  get roundTripMs() {
    return Math.min(...[...this.#rooms.values()].map(({ roundTripMs }) => roundTripMs));
  }

  /** All leave. Idempotent. */
  close() {
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    for (const room of this.#rooms.values()) room.close();
    for (const { connection } of this.#members.values()) {
      connection.sendControl({ type: 'leave' });
      connection.close();
    }
    this.#members.clear();
  }
}
