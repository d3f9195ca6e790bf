/**
 * Many participants in one process, as cheap as possible. They share one timer, and a clock for
 * each room; packets are made beforehand, arrivals counted by their headers. A silent member
 * sends a packet without a payload every 200 ms, as the page's client does (docs/protocol.md).
 *
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Connection } from '../../public/client/connection/connection.js'
 */

import { ClockExchange, ClockSync } from '../../public/client/clock/clock-sync.js';
import { BUNDLE_HEADER_BYTES } from '../../public/shared/wire/bundle.js';
import {
  AUDIO_HEADER_BYTES,
  CLOCK_REQUEST_BYTES,
  Packet,
  PacketType,
  VOICE_NUMBER_BYTES,
  packetType,
  readPacket,
  writeClockRequest,
} from '../../public/shared/wire/packet.js';
import { Participant } from '../../testkit/participants/participant.js';

/** Time between the packets of a silent member, in milliseconds. */
const SILENCE_MS = 200;
/**
 * Interval between the clock requests of a listener, who sends nothing else, and the time without a
 * packet after which one more is sent. In milliseconds, as ClockExchange has them.
 */
const LISTENER_CLOCK_MS = 2000;
const UNHEARD_MS = 250;

/**
 * Number of silent packets in successive frames when a member falls silent: the loss of one isn't
 * noticed.
 */
const SILENT_AT_ONCE = 2;

/**
 * Shortest time of the timer, in milliseconds, so that the packets of many rooms are sent together.
 */
const SEND_MS = 1;

/**
 * Number of moments within a frame at which members' packets leave, unless they leave together:
 * sound cards don't end frames together.
 */
const SLOTS = 10;

/**
 * A room whose packets are further behind than this, in milliseconds, goes on with the current
 * frame.
 */
const MAX_BEHIND_MS = 1000;

/** Most arrivals that are noted of a watched member. */
const MOST_NOTED = 20_000;

/**
 * Distance in the speech from one member to the next, in frames, so that they don't say the same at
 * once.
 */
const APART_FRAMES = 17;

/** Number of a talker's last frames of which the time of sending is known. */
const SENT_FRAMES = 256;

const read = new Packet();
const request = new Uint8Array(CLOCK_REQUEST_BYTES);

/** @param {Uint8Array} bytes @param {number} at @returns {number} the frame in a packet's header */
const frameAt = (bytes, at) =>
  ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;

/** Counts a stream's packets: received ones, and sent ones by their sequence numbers. */
export class StreamCount {
  /** Packets that arrived. */
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

  /** Packets that were sent, from the first that arrived to the last. */
  get sent() {
    return this.#first < 0 ? 0 : this.#highest - this.#first + 1;
  }

  reset() {
    this.received = 0;
    this.#first = this.#highest = -1;
  }
}

/** One of the crowd: a participant with counters. */
class CrowdMember extends Participant {
  /** Silent frames that are to be sent in succession. */
  #silentLeft = 0;
  /** Counters of the full mix and of the mix-minus. */
  #streams = [new StreamCount(), new StreamCount()];
  /** Frames and arrival times, in pairs, of a watched member. @type {Float64Array | null} */
  #noted;
  #notedCount = 0;
  /** When each of the last frames was sent, and which frames these are. */
  #sentMs = new Float64Array(SENT_FRAMES);
  #sentFrames = new Float64Array(SENT_FRAMES).fill(-1);
  #bytes = 0;
  /** When a packet came last. */
  #heardMs = -Infinity;
  /**
   * The times from others' sending of a packet to its arrival here, as it was forwarded, of a
   * watched member.
   * @type {number[]}
   */
  #passedMs = [];
  /**
   * The times from each talker's sending of a frame to the arrival of the mix that holds it, of a
   * watched member.
   * @type {Map<CrowdMember, { sumMs: number, count: number }>}
   */
  #throughMs = new Map();

  talks = false;

  /**
   * @param {Connection} connection
   * @param {number} number counted over all joins
   * @param {boolean} watched
   * @param {boolean} listens
   */
  constructor(connection, number, watched, listens) {
    super(connection);
    this.number = number;
    /** True when this is one of the audience. */
    this.listens = listens;
    this.#noted = watched ? new Float64Array(2 * MOST_NOTED) : null;
  }

  /** @param {boolean} talks */
  talk(talks) {
    if (this.talks && !talks) this.#silentLeft = SILENT_AT_ONCE;
    this.talks = talks;
  }

  /**
   * Sends a frame if the member talks or a silent packet is due.
   * @param {number} frame
   * @param {Uint8Array[]} speech
   * @param {number} nowMs on the clock
   * @returns {boolean} true if it sent
   */
  sendDue(frame, speech, nowMs) {
    if (this.listens) return this.#askForClock(frame);
    const every = Math.max(1, Math.round(SILENCE_MS / this.format.frameMs));
    if (!this.talks && this.#silentLeft === 0 && (frame + this.number) % every !== 0) return false;
    if (this.#silentLeft > 0) this.#silentLeft -= 1;
    this.#sentMs[frame % SENT_FRAMES] = nowMs;
    this.#sentFrames[frame % SENT_FRAMES] = frame;
    this.sendFrame(
      frame,
      this.talks ? speech[(frame + APART_FRAMES * this.number) % speech.length] : null,
    );
    return true;
  }

  /** @param {number} frame */
  #askForClock(frame) {
    const passedMs = (frame + this.number) * this.format.frameMs;
    const isDue = passedMs % LISTENER_CLOCK_MS < this.format.frameMs;
    if (
      !isDue &&
      (passedMs % UNHEARD_MS >= this.format.frameMs ||
        performance.now() - this.#heardMs < UNHEARD_MS)
    )
      return false;
    writeClockRequest(request, frame & 0xffff);
    return this.sendPacket(request);
  }

  /**
   * Counts an audio packet by its header (docs/protocol.md), which is cheaper than reading all of
   * it.
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   * @param {Iterable<CrowdMember>} members of the room
   */
  count(bytes, arrivalMs, members) {
    this.#heardMs = arrivalMs;
    const frame = frameAt(bytes, 5);
    const { stride = 1 } = this.welcome;
    // Packets that hold several frames are counted by those: their sequence numbers count all of
    // the stream's.
    const number = stride > 1 ? Math.floor(frame / stride) & 0xffff : (bytes[3] << 8) | bytes[4];
    // Besides, there are packets where a bit rate changes, and where the frames of a high one have
    // no room in one packet.
    if (stride === 1 || frame % stride === stride - 1)
      this.#streams[(bytes[1] >> 2) & 1].add(number);
    this.#note(frame, bytes, arrivalMs);
    if (this.#noted !== null) this.#noteThrough(frame, arrivalMs, members);
  }

  /** @param {number} frame @param {number} arrivalMs @param {Iterable<CrowdMember>} members */
  #noteThrough(frame, arrivalMs, members) {
    for (const member of members) {
      if (member === this || !member.talks) continue;
      const sentMs = member.#sentAt(frame);
      if (sentMs === null) continue;
      const pair = this.#throughMs.get(member);
      const ms = arrivalMs - sentMs;
      if (!pair) this.#throughMs.set(member, { sumMs: ms, count: 1 });
      else {
        pair.sumMs += ms;
        pair.count += 1;
      }
    }
  }

  /** Counts a bundle likewise. @param {Uint8Array} bytes @param {number} arrivalMs */
  countBundle(bytes, arrivalMs) {
    this.#streams[0].add((bytes[2] << 8) | bytes[3]);
    this.#note(frameAt(bytes, 4), bytes, arrivalMs);
  }

  /**
   * Counts a voice packet.
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   * @param {CrowdMember | undefined} speaker
   */
  countVoice(bytes, arrivalMs, speaker) {
    this.#bytes += bytes.length;
    if (this.#noted === null) return;
    const sentMs = speaker === undefined ? null : speaker.#sentAt(frameAt(bytes, 7));
    if (sentMs !== null) this.#passedMs.push(arrivalMs - sentMs);
  }

  /**
   * @param {number} frame
   * @returns {number | null} when it was sent; null if it wasn't, or long ago
   */
  #sentAt(frame) {
    const place = frame % SENT_FRAMES;
    return this.#sentFrames[place] === frame ? this.#sentMs[place] : null;
  }

  /** @param {number} frame @param {Uint8Array} bytes @param {number} arrivalMs */
  #note(frame, bytes, arrivalMs) {
    this.#bytes += bytes.length;
    if (this.#noted === null || this.#notedCount === MOST_NOTED) return;
    this.#noted[2 * this.#notedCount] = frame;
    this.#noted[2 * this.#notedCount++ + 1] = arrivalMs;
  }

  resetCounts() {
    for (const stream of this.#streams) stream.reset();
    this.#notedCount = 0;
    this.#bytes = 0;
    this.#passedMs = [];
    this.#throughMs.clear();
  }

  /** Counters and noted arrivals since resetCounts(). */
  counts() {
    const noted = this.#noted ?? new Float64Array(0);
    return {
      streams: this.#streams.map(({ received, sent }) => ({ received, sent })),
      bytes: this.#bytes,
      passedMs: this.#passedMs,
      throughMs: [...this.#throughMs.values()].map(({ sumMs, count }) => sumMs / count),
      arrivals: Array.from({ length: this.#notedCount }, (_, i) => ({
        frame: noted[2 * i],
        atMs: noted[2 * i + 1],
      })),
    };
  }
}

/**
 * The members in one room, and the room's clock: the frames of each room end at their own
 * own.
 */
class CrowdRoom {
  #clock;
  #sync;
  #exchange;
  #frameSamples;
  /** @type {Set<CrowdMember>[]} */
  #slots = Array.from({ length: SLOTS }, () => new Set());
  /**
   * The member whose connection carries the clock exchanges; null when all have left.
   * @type {CrowdMember | null}
   */
  #teller;
  #entered = 0;
  /** The members by the numbers that packets have of them. @type {Map<number, CrowdMember>} */
  byNumber = new Map();
  /** The next frame to be sent; Infinity until the clock is known. */
  #frame = Infinity;
  #slot = 0;
  /** Resolves when the clock is known. @type {Promise<void>} */
  known;

  /**
   * @param {CrowdMember} member the first
   * @param {AudioFormat} format
   * @param {Clock} clock
   */
  constructor(member, { sampleRate, frameSamples }, clock) {
    this.#teller = member;
    this.#clock = clock;
    this.#frameSamples = frameSamples;
    this.#sync = new ClockSync(sampleRate);
    const send = (/** @type {Uint8Array} */ bytes) => this.#teller?.sendPacket(bytes) ?? false;
    this.#exchange = new ClockExchange({ clock, sync: this.#sync, send });
    this.known = this.#exchange.start().then(() => void (this.#frame = this.#current()));
  }

  #current() {
    return Math.floor(this.#sync.sampleClockAt(this.#clock.now()) / this.#frameSamples);
  }

  /** @param {CrowdMember} member @param {boolean} together true to send at each frame's end */
  enter(member, together) {
    const slot = together ? 0 : this.#entered++ % SLOTS;
    this.#slots[slot].add(member);
    this.byNumber.set(Number(member.welcome.you) & 0xffff, member);
  }

  /**
   * @param {CrowdMember} member
   * @returns {boolean} true if it was the last
   */
  leave(member) {
    for (const slot of this.#slots) slot.delete(member);
    if (this.#teller === member)
      this.#teller = this.#slots.flatMap((members) => [...members])[0] ?? null;
    if (this.#teller === null) this.close();
    return this.#teller === null;
  }

  /**
   * Takes a clock reply that reached a member.
   * @param {CrowdMember} member
   * @param {{ id: number, clock: number }} packet
   * @param {number} arrivalMs
   */
  reply(member, { id, clock }, arrivalMs) {
    if (member === this.#teller) this.#exchange.reply(id, clock, arrivalMs);
  }

  /**
   * Time to send the next packets, on the clock; Infinity until the room's clock is known.
   */
  get dueMs() {
    if (this.#frame === Infinity) return Infinity;
    return this.#sync.msAt((this.#frame + 1 + this.#slot / SLOTS) * this.#frameSamples);
  }

  /**
   * @param {(member: CrowdMember, frame: number) => void} send  called for each packet that is due
   * @param {number[]} latenessMs  the lateness of each slot's packets against plan is added to it
   */
  sendDue(send, latenessMs) {
    if (this.#clock.now() - this.dueMs > MAX_BEHIND_MS) this.#frame = this.#current();
    for (
      let late = this.#clock.now() - this.dueMs;
      late >= 0;
      late = this.#clock.now() - this.dueMs
    ) {
      latenessMs.push(late);
      for (const member of this.#slots[this.#slot]) send(member, this.#frame);
      this.#slot = (this.#slot + 1) % SLOTS;
      if (this.#slot === 0) this.#frame += 1;
    }
  }

  /** The smallest round trip of the clock exchanges, in milliseconds; Infinity before the first. */
  get roundTripMs() {
    return this.#sync.leastRoundTripMs ?? Infinity;
  }

  /** Idempotent. */
  close() {
    this.#exchange.close();
  }
}

/**
 * @typedef {{ id: string, room: string, talks?: boolean, watched?: boolean, listens?: boolean,
 *   rate?: number, together?: boolean }} Person watched: arrivals are noted; listens: only, as one
 *   of the audience; rate: that is asked for in a broadcast, in bits a second; together: packets
 *   leave at each frame's end, as pages place their sound
 */

export class Crowd {
  #clock;
  #open;
  #encode;
  /** @type {Map<string, { member: CrowdMember, room: CrowdRoom }>} */
  #members = new Map();
  /** @type {Map<string, CrowdRoom>} */
  #rooms = new Map();
  #joined = 0;
  /** @type {Promise<Uint8Array[]> | null} */
  #encoding = null;
  /** @type {Uint8Array[]} */
  #payloads = [];
  /** @type {unknown} */
  #timer = null;
  #closed = false;

  /** The rooms' audio format, from the first join on. @type {AudioFormat | null} */
  format = null;
  /**
   * Lateness of sending against plan, in milliseconds; one value for each slot of a frame.
   * @type {number[]}
   */
  latenessMs = [];
  sent = 0;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => Promise<Connection>} options.open     opens a connection to the server
   * @param {(format: AudioFormat, bitrate: number) => Promise<Uint8Array[]>} options.encode encodes
   *   the speech
   */
  constructor({ clock, open, encode }) {
    this.#clock = clock;
    this.#open = open;
    this.#encode = encode;
  }

  /** The number of members. */
  get size() {
    return this.#members.size;
  }

  /** @param {Person} person */
  async join({ id, room: name, talks = false, watched = false, listens = false, ...more }) {
    const { rate, together = false } = more;
    const member = new CrowdMember(await this.#open(), this.#joined++, watched, listens);
    /** @type {CrowdRoom | null} */
    let room = null;
    const receive = (/** @type {Uint8Array} */ bytes, /** @type {number} */ arrivalMs) => {
      const type = packetType(bytes);
      if (type === PacketType.audio && bytes.length >= AUDIO_HEADER_BYTES)
        member.count(bytes, arrivalMs, room?.byNumber.values() ?? []);
      else if (type === PacketType.bundle && bytes.length >= BUNDLE_HEADER_BYTES)
        member.countBundle(bytes, arrivalMs);
      else if (type === PacketType.voice && bytes.length >= AUDIO_HEADER_BYTES + VOICE_NUMBER_BYTES)
        member.countVoice(bytes, arrivalMs, room?.byNumber.get((bytes[1] << 8) | bytes[2]));
      else if (type === PacketType.clockReply && readPacket(bytes, read) === null)
        room?.reply(member, read, arrivalMs);
    };
    await member.enter(
      { room: name, name: id, ...(listens && { listen: true }) },
      receive,
      this.#clock,
    );
    if (rate !== undefined) member.sendControl({ type: 'rate', bitsPerSecond: rate });
    this.format ??= member.format;
    this.#encoding ??= this.#encode(member.format, member.welcome.bitrate);
    this.#payloads = await this.#encoding;
    room = this.#rooms.get(name) ?? new CrowdRoom(member, member.format, this.#clock);
    this.#rooms.set(name, room);
    await room.known;
    room.enter(member, together);
    member.talk(talks);
    this.#members.set(id, { member, room });
    if (this.#timer === null) this.#schedule();
  }

  /** @param {string} id @param {boolean} talks */
  talk(id, talks) {
    this.#find(id).member.talk(talks);
  }

  /** @param {string} id @param {object} message  a control message */
  say(id, message) {
    this.#find(id).member.sendControl(message);
  }

  /** @param {string} id @throws {Error} when there is no such member */
  #find(id) {
    const found = this.#members.get(id);
    if (!found) throw new Error(`nobody is there as ${id}`);
    return found;
  }

  /**
   * @param {string} id
   * @param {{ silently?: boolean }} [options] silently: without telling the server
   */
  leave(id, options) {
    const { member, room } = this.#find(id);
    this.#members.delete(id);
    if (room.leave(member)) {
      for (const [name, other] of this.#rooms) if (other === room) this.#rooms.delete(name);
    }
    member.leave(options);
  }

  #schedule() {
    if (this.#closed || this.format === null) return;
    const now = this.#clock.now();
    let dueMs = now + this.format.frameMs;
    for (const room of this.#rooms.values()) dueMs = Math.min(dueMs, room.dueMs);
    this.#timer = this.#clock.setTimeout(
      () => this.#send(),
      Math.max(SEND_MS, Math.ceil(dueMs - now)),
    );
  }

  #send() {
    for (const room of this.#rooms.values()) room.sendDue(this.#sendFrame, this.latenessMs);
    this.#schedule();
  }

  /** @param {CrowdMember} member @param {number} frame */
  #sendFrame = (member, frame) => {
    if (member.sendDue(frame, this.#payloads, this.#clock.now())) this.sent += 1;
  };

  /** Sets all counters to zero. */
  note() {
    this.latenessMs = [];
    this.sent = 0;
    for (const { member } of this.#members.values()) member.resetCounts();
  }

  /**
   * The counters of each member since note().
   * @returns {{ id: string, talks: boolean, ended: string | null, streams: { received: number,
   *   sent: number }[], bytes: number, passedMs: number[], throughMs: number[], arrivals: { frame:
   *   number, atMs: number }[] }[]} streams: the full mix or the bundles, and the mix-minus; bytes
   *   of sound. `passedMs` is from the sending of a forwarded packet to its arrival. `throughMs`
   *   has for each talker the mean from the sending of a frame to the arrival of its mix. `atMs` is
   *   on the clock
   */
  take() {
    return [...this.#members].map(([id, { member }]) => ({
      id,
      talks: member.talks,
      ended: member.ended,
      ...member.counts(),
    }));
  }

  /** The smallest round trip of the clock exchanges of all rooms, in milliseconds. */
  get roundTripMs() {
    return Math.min(...[...this.#rooms.values()].map(({ roundTripMs }) => roundTripMs));
  }

  /** All leave. Idempotent. */
  close() {
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    for (const room of this.#rooms.values()) room.close();
    for (const { member } of this.#members.values()) member.leave();
    this.#members.clear();
  }
}
