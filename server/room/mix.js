/**
 * @import { Session, Transport } from '../transport/session.js'
 * @import { DelayControl } from './delay-control.js'
 * @import { MixStream } from './mix-stream.js'
 * @import { Participant } from './participant.js'
 * @import { RoomSettings } from './room.js'
 */

import { MAX_PACKET_BYTES } from '../../public/shared/packet.js';
import { mixMinus } from '../audio/mixer.js';
import { FrameState } from '../audio/ring-buffer.js';

/** A reply's reader may be so far ahead of the clock before it is taken for one whose clock is wrong. */
const CLOCK_TOLERANCE_MS = 5;

/** One buffer writes the shared packet: sessions don't keep it. */
const out = new Uint8Array(MAX_PACKET_BYTES);

/** What the people of a room hear: pulls their frames, mixes them, and sends the mix to each. */
export class Mix {
  #settings;
  #people;
  #delay;
  #fullMix;
  #ownMix;
  #oldMix;
  /** Whether there is anybody who hears with the room's own delay. */
  #hasOrdinary = false;
  /** Those who hear the shared stream at this tick, by transport. @type {Map<Transport, Session[]>} */
  #audience = new Map();

  /**
   * @param {RoomSettings} settings
   * @param {ReadonlyMap<string, Participant>} people those of the room, as they come and go
   * @param {DelayControl} delay the room's
   */
  constructor(settings, people, delay) {
    const { format } = settings;
    this.#settings = settings;
    this.#people = people;
    this.#delay = delay;
    this.#oldMix = new Float32Array(format.frameSamples);
    /** Whether there was anything to be heard in the last mix. */
    this.sounding = false;
    this.#fullMix = new Float32Array(format.frameSamples);
    this.#ownMix = new Float32Array(format.frameSamples);
    /** The stream that all share whose own voice isn't in the mix. @type {MixStream | null} */
    this.shared = null;
  }

  /**
   * Mixes a frame once, when its time has come, and sends it to everybody whose delivery is `tick`.
   * @param {number} frame
   */
  tick(frame) {
    const start = frame * this.#settings.format.frameSamples;
    this.#fullMix.fill(0);
    let speakers = 0;
    for (const person of this.#people.values()) {
      if (person.pull(frame, true) < FrameState.concealed) continue;
      person.ring.addTo(this.#fullMix, start);
      speakers += 1;
    }
    for (const person of this.#people.values()) {
      if (person.delivery === 'tick') this.#deliver(person, frame, speakers);
    }
    this.#sendShared(frame, speakers > 0);
    this.sounding = speakers > 0;
  }

  /**
   * @param {Participant} person
   * @param {number} frame
   * @param {number} speakers how many are in the full mix
   */
  #deliver(person, frame, speakers) {
    const speaks = person.ring.state(frame) >= FrameState.concealed;
    if (!speaks || this.#settings.echo) {
      this.#audienceOf(person.session.transport).push(person.session);
      return;
    }
    const { ring } = person;
    mixMinus(this.#ownMix, this.#fullMix, ring.samples, ring.offset(frame));
    person.sendMix(frame, this.#ownMix, speakers > 1);
  }

  /** @param {Transport} transport */
  #audienceOf(transport) {
    let sessions = this.#audience.get(transport);
    if (sessions === undefined) {
      sessions = [];
      this.#audience.set(transport, sessions);
    }
    return sessions;
  }

  /**
   * Encodes the full mix once and sends it to all who hear it.
   * @param {number} frame
   * @param {boolean} sounding
   */
  #sendShared(frame, sounding) {
    let bytes = 0;
    for (const [transport, sessions] of this.#audience) {
      if (sessions.length === 0 || this.shared === null) continue;
      if (bytes === 0) bytes = this.shared.write(out, frame, this.#fullMix, sounding);
      transport.sendMany(sessions, out.subarray(0, bytes));
      sessions.length = 0;
    }
  }

  /**
   * To be called when people came or went, or one took a delay of its own. PCM is kept longer where
   * readers may be far apart, and only there.
   */
  peopleChanged() {
    this.#hasOrdinary = false;
    let hasOwn = false;
    for (const person of this.#people.values()) {
      if (person.ownDelaySamples === null) this.#hasOrdinary = true;
      else hasOwn = true;
    }
    // One size for any delay: changing it back and forth mustn't cost anybody anything.
    const spreadMs = hasOwn ? this.#settings.maxDelayMs : 0;
    for (const person of this.#people.values()) person.keepFor(spreadMs);
  }

  /**
   * Answers a packet with the mix at its own clock less the server-side delay (thesis, section 2.3:
   * read_clock = write_clock - server_side_delay).
   * @param {Participant} listener
   * @param {number} frame of the packet
   */
  reply(listener, frame) {
    const { format, echo, sampleClock, observer } = this.#settings;
    const size = format.frameSamples;
    const ordinary = this.#delay.replyDelaySamples;
    const delay = listener.ownDelaySamples ?? ordinary;
    const start = frame * size - delay;
    const first = Math.floor(start / size);
    const last = Math.floor((start + size - 1) / size);
    // Who reads earlier than the others mustn't have made up what still comes in time for them.
    const waits = this.#hasOrdinary ? Math.max(delay, ordinary) : delay;
    const ahead = start + size + waits - sampleClock.now();
    const due = ahead <= (CLOCK_TOLERANCE_MS * format.sampleRate) / 1000;
    const mix = this.#ownMix.fill(0);
    const asked = listener.heard.ask(start, size);
    let added = 0;
    for (const person of this.#people.values()) {
      if (person === listener && !echo) continue;
      for (let f = first; f <= last; f++) person.pull(f, due);
      added += person.ring.addTo(mix, start);
      const isOther = person !== listener && person.hasSentAt(start);
      if (isOther) listener.heard.add(asked, person.ring.sentSamples(start, size));
      observer?.mixed(listener, person, start, size);
    }
    const before = listener.readDelaySamples;
    if (before >= 0 && before !== delay && listener.ownDelaySamples === null) {
      added += this.#fadeFrom(listener, frame * size - before, mix);
    }
    listener.readDelaySamples = delay;
    this.sounding = added > 0;
    listener.sendMix(frame, mix, added > 0);
  }

  /**
   * Goes over, within one frame, from what would have been read at the delay before to what is read now.
   * @param {Participant} listener
   * @param {number} start of what would have been read
   * @param {Float32Array} mix what is read now; changed in place
   * @returns {number} how many samples of sound were added
   */
  #fadeFrom(listener, start, mix) {
    const old = this.#oldMix.fill(0);
    let added = 0;
    for (const person of this.#people.values()) {
      if (person === listener && !this.#settings.echo) continue;
      const size = old.length;
      for (let f = Math.floor(start / size); f * size < start + size; f++) person.pull(f, false);
      added += person.ring.addTo(old, start);
    }
    for (let i = 0; i < mix.length; i++) mix[i] = old[i] + ((mix[i] - old[i]) * (i + 1)) / mix.length;
    return added;
  }

  /** Forgets the transports of those who have left. */
  forgetAudience() {
    this.#audience.clear();
  }
}
