/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Session } from '../transport/session.js'
 * @import { Participant } from './member.js'
 * @import { JoinWishes, RoomSettings } from './room-config.js'
 */

import { RoomRecording } from '../recording/room-recording.js';
import { newParticipant, welcome } from './admission.js';
import { Chat } from './chat.js';
import { Controls } from './controls.js';
import { Housekeeping } from './housekeeping.js';
import { Mix } from '../mix/tick-mix.js';
import { MixClock } from '../clock/mix-clock.js';
import { People } from './roster.js';
import { newSharedStream } from '../codec/room-codecs.js';
import { RoomDelay } from '../clock/room-delay.js';
import { Stalls } from '../clock/stalls.js';
import { StatsLog } from './stats-log.js';
import { TickTimes } from '../clock/tick-times.js';
import { Visits } from './visits.js';

/** People who hear each other. The room owns its participants, its mix clock and its shared stream. */
export class Room {
  #people;
  #delay;
  #mix;
  #tickTimes = new TickTimes();
  #statsLog;
  #stalls = new Stalls();
  #visits;
  #housekeeping;
  #closed = false;

  /**
   * @param {string} name
   * @param {RoomSettings} settings
   * @param {(room: Room) => void} onEmpty called when the last participant has gone
   */
  constructor(name, settings, onEmpty) {
    const { format, clock, sampleClock, awayTimeoutMs: awayMs } = settings;
    this.name = name;
    this.settings = settings;
    this.onEmpty = onEmpty;
    const people = new People({ clock, awayMs, onFreed: (holder) => this.#left(holder) });
    this.#people = people;
    this.#delay = new RoomDelay(settings);
    this.#statsLog = new StatsLog(settings.log, name, this.#delay);
    this.#mix = new Mix(settings, people.present, this.#delay.control);
    this.mixClock = new MixClock({
      clock: settings.metronome ?? clock,
      sampleClock,
      frameSamples: format.frameSamples,
      delaySamples: this.#delay.control.delaySamples,
      mix: (frame, latenessMs) => this.#tick(frame, latenessMs),
    });
    const tell = (/** @type {object} */ message) => people.tell(message);
    this.chat = new Chat({ clock, wallNow: settings.wallNow ?? Date.now, tell });
    this.recording = new RoomRecording(this, people.present, tell);
    this.controls = new Controls({ people, delay: this.#delay, mix: this.#mix, maxDelayMs: settings.maxDelayMs });
    this.#visits = new Visits({ people, delay: this.#delay, mix: this.#mix, statsLog: this.#statsLog });
    this.#housekeeping = new Housekeeping({
      clock,
      people: people.present,
      visit: (person, now) => this.#visit(person, now),
      onRound: (now) => this.#visits.endRound(now),
      phase: settings.phase,
    });
  }

  /** How many people are in the room, with those who are away. */
  get size() {
    return this.#people.size;
  }

  /**
   * @param {string | undefined} token
   * @returns {boolean} whether it is that of a place in this room
   */
  keepsPlace(token) {
    return this.#people.holder(token) !== null;
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
    const before = this.#people.holder(resume);
    if (this.size >= this.settings.maxParticipants && !before) return 'room-full';
    if (this.#closed) return 'server-closing';
    try {
      const participant = this.#admit(session, name, wishes, before);
      const token = this.#people.enter(participant, before ? resume : undefined);
      if (before) this.#replace(before, participant);
      this.#mix.peopleChanged();
      onJoined(participant);
      this.#welcome(participant, token, wishes);
      this.#people.tell({ type: before ? 'changed' : 'joined', person: participant.describe() }, participant);
      if (participant.delivery === 'tick') this.mixClock.start();
      return participant;
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
  }

  /**
   * @param {Session} session
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Participant | null} before  whose place it is
   */
  #admit(session, name, wishes, before) {
    this.#mix.shared ??= newSharedStream(this.settings);
    return newParticipant({
      id: before?.id ?? this.#people.nextId(),
      name: before?.name ?? name,
      session,
      wishes,
      before,
      settings: this.settings,
      delay: this.#delay,
      mix: this.#mix,
      onClosed: (closed) => this.#statsLog.ended(closed),
    });
  }

  /**
   * @param {Participant} before       whose place another session has taken up
   * @param {Participant} participant  that session's
   */
  #replace(before, participant) {
    before.end('resumed-elsewhere');
    this.#mix.replace(before, participant, this.#people.everybody);
    this.recording.replaced(participant);
  }

  /**
   * @param {Participant} participant
   * @param {string} token  of its place
   * @param {JoinWishes} wishes
   */
  #welcome(participant, token, { nameCut }) {
    participant.toldDelayMs = this.#delay.msOf(participant);
    participant.session.sendControl({
      ...welcome(participant, this.settings, this.#people),
      room: this.name,
      chat: this.chat.history,
      canRecord: this.recording.offered,
      recording: this.recording.state,
      resume: token,
      ...(nameCut && { nameCut }),
    });
  }

  /**
   * Takes a packet of somebody who is in the room; answers it at once where the delivery is `reply`.
   * @param {Participant} participant
   * @param {Uint8Array} bytes valid during the call
   * @param {number} arrivalMs on the monotonic clock
   */
  receive(participant, bytes, arrivalMs) {
    if (participant.closed) return;
    participant.lastHeardMs = arrivalMs;
    const frame = participant.receive(bytes, arrivalMs, this.#stalls.before(arrivalMs));
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
    this.#stalls.ticked(latenessMs, this.settings.clock.now());
    this.settings.observer?.ticked(frame, latenessMs);
    // After the stall is known: what came in time and has waited for it isn't late.
    this.settings.poll?.();
    this.#mix.tick(frame);
    if (this.#delay.control.advance(1, this.#mix.sounding)) this.#followDelay();
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
   * Tells everybody what others are told of somebody.
   * @param {Participant} participant
   */
  changed(participant) {
    this.#people.changed(participant);
  }

  /**
   * Takes somebody out who has left. Idempotent.
   * @param {Participant} participant
   */
  leave(participant) {
    if (!this.#takeOut(participant)) return;
    this.#people.free(participant);
    this.#left(participant);
  }

  /**
   * Somebody's session was lost: the place is kept for a while. What had come is still heard. Idempotent.
   * @param {Participant} participant
   */
  lose(participant) {
    if (!this.#takeOut(participant)) return;
    this.#people.wait(participant);
    this.#people.changed(participant);
  }

  /**
   * @param {Participant} participant
   * @returns {boolean} false when it was out, or its place another's, already, or the room has ended: nobody is told
   */
  #takeOut(participant) {
    participant.close();
    if (this.#closed || !this.#people.takeOut(participant)) return false;
    this.#mix.end(participant);
    const ticks = [...this.#people.present.values()].some(({ delivery }) => delivery === 'tick');
    if (!ticks) this.mixClock.stop();
    return true;
  }

  /** @param {Participant} participant whose place is free from now on */
  #left(participant) {
    this.recording.left(participant);
    this.#people.tell({ type: 'left', id: participant.id });
    this.#mix.forget(participant, this.#people.everybody);
    if (this.size === 0) this.onEmpty(this);
  }

  /**
   * @param {Participant} person
   * @param {number} now on the monotonic clock, in milliseconds
   */
  #visit(person, now) {
    if (now - person.lastHeardMs <= this.settings.idleTimeoutMs) return this.#visits.visit(person, now);
    person.end('idle-timeout');
    this.lose(person);
  }

  /** Who is in the room, and how each is received. */
  describe() {
    return {
      room: this.name,
      delivery: this.settings.delivery,
      ...this.#delay.describe(),
      skippedFrames: this.mixClock.skipped,
      mixing: this.#tickTimes.describe(),
      people: [...this.#people.present.values()].map((person) => ({
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
    for (const person of this.#people.present.values()) person.end(code);
    this.#people.clear();
    this.#mix.close();
  }
}
