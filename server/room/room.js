/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Codec } from '../audio/codec.js'
 * @import { LazyEncoder } from '../audio/lazy-codec.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { Session } from '../transport/session.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { SampleClock } from './clock.js'
 * @import { StatsLines } from './stats-log.js'
 *
 * @typedef {object} RoomSettings what all rooms of a server have in common
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery  for transports that can push; the others always reply
 * @property {number | 'auto'} serverDelayMs  D that rooms begin with
 * @property {number} [maxServerDelayMs]  what `auto` may go up to, a whole number; 400 by default
 * @property {number} [receivedTarget]    percent of each speaker's frames that `auto` has in time; 99.5 by default
 * @property {number} maxDelayMs          the largest D that a room can be set to
 * @property {number} [maxSpeakers]       who are mixed at once: 20 by default
 * @property {boolean} [levelBalance]     whether soft and loud speakers are brought closer to one level
 * @property {boolean} [silenceSuppression] whether packets are left out in silence, both ways
 * @property {number | 'auto'} [redundancy] how many earlier frames a packet repeats, both ways; auto by default
 * @property {boolean} echo               whether everybody hears themselves too
 * @property {number} bitrate             bits a second, of the server's encoders and the clients'
 * @property {number} complexity          of the server's encoders, 0 to 10
 * @property {{ readonly complexity: number }} [effort]  what it is now, where that changes
 * @property {'audio' | 'voip' | 'low-delay'} application of the server's encoders
 * @property {number} maxParticipants
 * @property {number} idleTimeoutMs       who isn't heard from for so long is lost
 * @property {number} [awayTimeoutMs]     the place of somebody who was lost is kept for so long; 30 000 by default
 * @property {Codec} codec
 * @property {Clock} clock
 * @property {SampleClock} sampleClock
 * @property {number} [phase]             0 to 1: rooms do at moments apart what is done once a second
 * @property {() => number} [wallNow]   milliseconds since 1970; Date.now by default
 * @property {StatsLines} [log]            told how each person was received
 * @property {Recordings} [recordings]   where recordings are kept; none can be made without
 * @property {Observer} [observer]        who watches, such as a measurement
 *
 * @typedef {object} JoinWishes  what one participant asks for itself alone
 * @property {'tick' | 'reply'} [delivery]  in place of the room's
 * @property {number} [serverDelayMs]       in place of the room's; of delivery `reply` only
 * @property {boolean} [mirror]             to be alone, and to hear oneself
 * @property {number} [frameMs]             of a room that begins with this one; others get what the room has
 * @property {boolean} [nameCut]            whether the name was longer
 * @property {string} [resume]              the token of the place to be taken up again
 *
 * @typedef {object} Observer  is told of frames as they pass; on the frame's path, so it must be quick
 * @property {(participant: Participant, frame: number, arrivalMs: number) => void} received
 * @property {(frame: number, latenessMs: number) => void} ticked
 * @property {(listener: Participant, speaker: Participant, start: number, samples: number) => void} mixed
 *   of a reply: these samples of the speaker were read for the listener, as far as they were there
 */

import { LevelBalance } from '../audio/level-balance.js';
import { RoomRecording } from '../recording/room-recording.js';
import { Chat } from './chat.js';
import { Housekeeping } from './housekeeping.js';
import { labelFor } from './label.js';
import { Mix } from './mix.js';
import { MixClock } from './mix-clock.js';
import { Participant } from './participant.js';
import { Places } from './places.js';
import { figuresOf, qualityOf, ToldQualities } from './quality.js';
import { newDecoder, newDownlink, newEncoder, newSharedStream } from './room-codecs.js';
import { RoomDelay } from './room-delay.js';
import { StatsLog } from './stats-log.js';
import { TickTimes } from './tick-times.js';

/** A tick that is later than this is one of a server that stood still. */
const STALL_MS = 5;

/** What arrives within this of such a tick may have waited for it. */
const STALL_SEEN_MS = 5;

/** People who hear each other. The room owns its participants, its mix clock and its shared stream. */
export class Room {
  /** @type {Map<string, Participant>} */
  #people = new Map();
  #places;
  #nextId = 1;
  #nextHand = 1;
  #delay;
  #mix;
  #tickTimes = new TickTimes();
  #qualities = new ToldQualities();
  #statsLog;
  /** How long the server had been standing still, and when that was seen, in milliseconds. */
  #stallMs = 0;
  #stallAtMs = -Infinity;
  #closed = false;
  /** What is being told of the quality of connections. @type {{ id: string, quality: number }[]} */
  #toldQualities = [];
  #housekeeping;

  /**
   * @param {string} name
   * @param {RoomSettings} settings
   * @param {(room: Room) => void} onEmpty called when the last participant has gone
   */
  constructor(name, settings, onEmpty) {
    const { format, clock, sampleClock } = settings;
    this.name = name;
    this.settings = settings;
    this.onEmpty = onEmpty;
    const { awayTimeoutMs: awayMs } = settings;
    this.#places = new Places({ clock, awayMs, onFreed: (holder) => this.#left(holder) });
    this.#delay = new RoomDelay(settings);
    this.#statsLog = new StatsLog(settings.log, name, this.#delay);
    this.#mix = new Mix(settings, this.#people, this.#delay.control);
    this.mixClock = new MixClock({
      clock,
      sampleClock,
      frameSamples: format.frameSamples,
      delaySamples: this.#delay.control.delaySamples,
      mix: (frame, latenessMs) => this.#tick(frame, latenessMs),
    });
    const tell = (/** @type {object} */ message) => this.#tell(message);
    this.chat = new Chat({ clock, wallNow: settings.wallNow ?? Date.now, tell });
    this.recording = new RoomRecording(this, this.#people, tell);
    this.#housekeeping = new Housekeeping({
      clock,
      people: this.#people,
      visit: (person, now) => this.#visit(person, now),
      onRound: (now) => this.#endRound(now),
      phase: settings.phase,
    });
  }

  /** How many people are in the room, with those who are away. */
  get size() {
    return this.#people.size + this.#places.away.size;
  }

  /**
   * @param {string | undefined} token
   * @returns {boolean} whether it is that of a place in this room
   */
  keepsPlace(token) {
    return this.#places.holder(token) !== null;
  }

  /**
   * Lets somebody in, or back to their place, tells them who is there, and tells the others.
   *
   * @param {Session} session
   * @param {string} name checked already
   * @param {(participant: Participant) => void} onJoined called before they are told anything
   * @param {JoinWishes} [wishes]
   * @returns {Promise<Participant | ErrorCode>} the code of the refusal, when there is one
   */
  async join(session, name, onJoined, wishes = {}) {
    const { resume } = wishes;
    const before = this.#places.holder(resume);
    if (this.size >= this.settings.maxParticipants && !before) return 'room-full';
    if (this.#closed) return 'server-closing';
    try {
      const participant = this.#admit(session, name, wishes, before);
      if (!before) participant.label = labelFor(name, this.#everybody());
      const token = this.#places.take(participant, before ? resume : undefined);
      this.#people.set(participant.id, participant);
      if (before) this.#replace(before, participant);
      this.#mix.peopleChanged();
      onJoined(participant);
      const cut = wishes.nameCut && { nameCut: true };
      session.sendControl({ ...this.#welcome(participant), resume: token, ...cut });
      this.#tell({ type: before ? 'changed' : 'joined', person: participant.describe() }, participant);
      if (participant.delivery === 'tick') this.mixClock.start();
      return participant;
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
  }

  /**
   * @param {Participant} before       whose place another session has taken up
   * @param {Participant} participant  that session's
   */
  #replace(before, participant) {
    before.end('resumed-elsewhere');
    this.#mix.replace(before, participant, this.#everybody());
    this.recording.replaced(participant);
  }

  /**
   * @param {Session} session
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Participant | null} before  whose place it is
   */
  #admit(session, name, { delivery, serverDelayMs }, before) {
    const { settings } = this;
    this.#mix.shared ??= newSharedStream(settings);
    const encoder = newEncoder(settings);
    try {
      const decoder = newDecoder(settings);
      const taken = session.transport.replyOnly ? 'reply' : (delivery ?? settings.delivery);
      const leavesOutSilence = taken === 'tick' && settings.silenceSuppression === true;
      const participant = new Participant({
        id: before?.id ?? String(this.#nextId++),
        name: before?.name ?? name,
        session,
        delivery: taken,
        leavesOutSilence,
        format: settings.format,
        sampleClock: settings.sampleClock,
        maxDelayMs: settings.maxDelayMs,
        lateness: this.#delay.newLateness(),
        onClosed: (closed) => this.#statsLog.ended(closed),
        downlink: newDownlink(session, encoder, settings, leavesOutSilence),
        decoder,
        ticked: this.#mix.ticked,
        balance: settings.levelBalance ? new LevelBalance(settings.format) : null,
      });
      if (before) participant.continue(before);
      participant.lastHeardMs = settings.clock.now();
      if (serverDelayMs !== undefined) participant.readAt(serverDelayMs);
      return participant;
    } catch (error) {
      encoder.close();
      throw error;
    }
  }

  /** @param {Participant} participant */
  #welcome(participant) {
    const { format, bitrate, echo, idleTimeoutMs, redundancy = 'auto', silenceSuppression = false } = this.settings;
    participant.toldDelayMs = this.#delay.msOf(participant);
    return {
      type: 'welcome',
      version: 1,
      you: participant.id,
      room: this.name,
      format: { sampleRate: format.sampleRate, frameMs: format.frameMs, opusFrames: format.opusFrames },
      delivery: participant.delivery,
      serverDelayMs: participant.toldDelayMs,
      bitrate,
      redundancy,
      silenceSuppression: silenceSuppression && participant.delivery === 'tick',
      echo,
      idleTimeoutMs,
      people: this.#everybody().map((person) => person.describe()),
      chat: this.chat.history,
      canRecord: this.recording.offered,
      recording: this.recording.state,
    };
  }

  /** All who have a place, in the order in which they came. */
  #everybody() {
    return [...this.#people.values(), ...this.#places.away].sort((a, b) => Number(a.id) - Number(b.id));
  }

  /**
   * @param {object} message
   * @param {Participant} [except]
   */
  #tell(message, except) {
    for (const person of this.#people.values()) {
      if (person !== except) person.session.sendControl(message);
    }
  }

  /**
   * Takes a packet of somebody who is in the room; answers it at once where the delivery is `reply`.
   * @param {Participant} participant
   * @param {Uint8Array} bytes valid during the call
   * @param {number} arrivalMs on the monotonic clock
   */
  receive(participant, bytes, arrivalMs) {
    participant.lastHeardMs = arrivalMs;
    // After a stall the packets of its time are read at once: no delay of the room's would be for them.
    const stallMs = arrivalMs - this.#stallAtMs < STALL_SEEN_MS ? this.#stallMs : 0;
    const frame = participant.receive(bytes, arrivalMs, stallMs);
    if (frame < 0) return;
    if (this.#delay.heed(participant, arrivalMs)) this.#followDelay();
    if (!this.mixClock.running) {
      this.#delay.moveForAnswers(arrivalMs, this.#mix.sounding);
      this.#followDelay();
    }
    this.settings.observer?.received(participant, frame, arrivalMs);
    this.#mix.received(participant);
    if (participant.delivery === 'reply') this.#mix.reply(participant, frame);
  }

  /**
   * @param {number} frame
   * @param {number} latenessMs
   */
  #tick(frame, latenessMs) {
    this.#tickTimes.add(latenessMs);
    if (latenessMs > STALL_MS) this.#stalled(latenessMs);
    this.settings.observer?.ticked(frame, latenessMs);
    this.#mix.tick(frame);
    if (this.#delay.control.advance(1, this.#mix.sounding)) this.#followDelay();
  }

  /** @param {number} stallMs */
  #stalled(stallMs) {
    const now = this.settings.clock.now();
    const isSame = now - this.#stallAtMs < STALL_SEEN_MS;
    this.#stallMs = isSame ? Math.max(this.#stallMs, stallMs) : stallMs;
    this.#stallAtMs = now;
  }

  #followDelay() {
    this.mixClock.delaySamples = this.#delay.control.delaySamples;
  }

  /**
   * Sets the room's server-side delay. D goes there within some frames: none is left out or doubled.
   * @param {number | 'auto'} serverDelayMs a number from 0 to the settings' maxDelayMs
   */
  setDelay(serverDelayMs) {
    this.#delay.control.set(serverDelayMs);
  }

  /**
   * @param {Participant} participant
   * @param {boolean} muted
   */
  mute(participant, muted) {
    if (participant.muted === muted) return;
    participant.muted = muted;
    this.changed(participant);
  }

  /**
   * Raises somebody's hand, or takes it down. Hands are numbered in the order in which they go up.
   * @param {Participant} participant
   * @param {boolean} raised
   */
  raiseHand(participant, raised) {
    if (participant.hand > 0 === raised) return;
    participant.hand = raised ? this.#nextHand++ : 0;
    this.changed(participant);
  }

  /**
   * Tells everybody what others are told of somebody.
   * @param {Participant} participant
   */
  changed(participant) {
    this.#tell({ type: 'changed', person: participant.describe() });
  }

  /**
   * Sets how far behind its own clock one participant reads, and tells it what it had heard until then.
   * @param {Participant} participant
   * @param {number} serverDelayMs at most the settings' maxDelayMs
   * @returns {boolean} false when it can't have a delay of its own, since its delivery isn't `reply`
   */
  delay(participant, serverDelayMs) {
    if (participant.delivery !== 'reply' || serverDelayMs > this.settings.maxDelayMs) return false;
    const before = {
      serverDelayMs: this.#delay.msOf(participant),
      ...participant.heard.takeSpan(),
    };
    participant.readAt(serverDelayMs);
    this.#mix.peopleChanged();
    participant.session.sendControl({ type: 'delayed', serverDelayMs, before });
    return true;
  }

  /**
   * Sets how loud one listener hears another: nobody else hears a difference.
   * @param {Participant} listener
   * @param {string} id  of the other
   * @param {number} gain  0: not at all; 1: as everybody does
   * @returns {boolean} false when nobody else in the room has that id
   */
  setVolume(listener, id, gain) {
    const person = this.#people.get(id);
    if (person === undefined || person === listener) return false;
    this.#mix.setVolume(listener, person, gain);
    return true;
  }

  /**
   * @param {Participant} listener
   * @param {number} lostPercent of what was sent to it lately
   */
  report(listener, lostPercent) {
    listener.reportedLossPercent = lostPercent;
    listener.downlink.redundancy.report(lostPercent);
    this.#mix.redundancyChanged();
  }

  /**
   * Takes somebody out who has left. Idempotent.
   * @param {Participant} participant
   */
  leave(participant) {
    if (!this.#takeOut(participant)) return;
    this.#places.free(participant.id);
    this.#left(participant);
  }

  /**
   * Somebody's session was lost: the place is kept for a while, without sound. Idempotent.
   * @param {Participant} participant
   */
  lose(participant) {
    if (!this.#takeOut(participant)) return;
    participant.away = true;
    this.#places.wait(participant);
    this.#tell({ type: 'changed', person: participant.describe() });
  }

  /**
   * @param {Participant} participant
   * @returns {boolean} false when it was out, or its place another's, already
   */
  #takeOut(participant) {
    participant.close();
    if (this.#people.get(participant.id) !== participant) return false;
    this.#people.delete(participant.id);
    this.#mix.silence(participant);
    this.#restIfIdle();
    return true;
  }

  /** @param {Participant} participant whose place is free from now on */
  #left(participant) {
    this.recording.left(participant);
    this.#tell({ type: 'left', id: participant.id });
    this.#mix.forget(participant, this.#everybody());
    if (this.size === 0) this.onEmpty(this);
  }

  #restIfIdle() {
    for (const person of this.#people.values()) if (person.delivery === 'tick') return;
    this.mixClock.stop();
  }

  /**
   * @param {Participant} person
   * @param {number} now on the monotonic clock, in milliseconds
   */
  #visit(person, now) {
    if (now - person.lastHeardMs > this.settings.idleTimeoutMs) {
      person.end('idle-timeout');
      this.lose(person);
      return;
    }
    person.endSecond(now);
    this.#delay.tell(person);
    const stats = this.#delay.statsOf(person);
    person.session.sendControl({ type: 'stats', ...stats });
    if (this.#toldQualities.length > 0) person.session.sendControl({ type: 'qualities', people: this.#toldQualities });
    person.measuredQuality = qualityOf(figuresOf(person, stats));
  }

  /** @param {number} now on the monotonic clock, in milliseconds */
  #endRound(now) {
    this.#delay.review(this.#people.values());
    this.#mix.redundancyChanged();
    this.#statsLog.endSecond(this.#people.values());
    // Told in the next round, as each is visited: all at once would hold up the mix of a big room.
    this.#toldQualities = this.#qualities.take(this.#people.values(), now);
  }

  /** Who is in the room, and how each is received. */
  describe() {
    return {
      room: this.name,
      delivery: this.settings.delivery,
      ...this.#delay.describe(),
      skippedFrames: this.mixClock.skipped,
      mixing: this.#tickTimes.describe(),
      people: [...this.#people.values()].map((person) => ({
        ...person.describe(),
        delivery: person.delivery,
        stats: { ...this.#delay.statsOf(person), transport: person.session.stats() },
      })),
    };
  }

  /**
   * Ends the room for everybody. Idempotent.
   * @param {ErrorCode} code what its people are told
   */
  close(code) {
    if (this.#closed) return;
    this.#closed = true;
    this.recording.close();
    this.#housekeeping.stop();
    this.mixClock.stop();
    for (const person of this.#people.values()) person.end(code);
    this.#people.clear();
    this.#places.close();
    this.#mix.shared?.close();
  }
}
