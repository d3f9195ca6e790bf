/**
 * @import { Participant } from '../room/member.js'
 * @import { RoomSettings } from '../room/room-config.js'
 */

import { DelayControl, roundMs } from './delay-control.js';
import { Lateness } from '../source/lateness.js';

/** Changes of the delay that are smaller aren't told, in milliseconds. */
const TOLD_CHANGE_MS = 1;

/** After a pause the delay moves as if no more frames than this had passed. */
const MAX_MOVED_FRAMES = 10;

const DEFAULT_MAX_MS = 400;
const DEFAULT_TARGET = 99.5;

/** A room's server-side delay: what moves it, and who is told of it. */
export class RoomDelay {
  #settings;
  #maxMs;
  #targetPercent;
  /** When it was last moved for those who are answered, on the sample clock. */
  #movedAt = 0;

  /** @param {RoomSettings} settings */
  constructor(settings) {
    const { format, serverDelayMs: setting, maxServerDelayMs, receivedTarget } = settings;
    const { frameMs, sampleRate } = format;
    this.#settings = settings;
    this.#maxMs = maxServerDelayMs ?? DEFAULT_MAX_MS;
    this.#targetPercent = receivedTarget ?? DEFAULT_TARGET;
    this.control = new DelayControl({ frameMs, sampleRate, setting, maxMs: this.#maxMs });
  }

  /** For one who joins. */
  newLateness() {
    const { frameMs } = this.#settings.format;
    return new Lateness({ frameMs, maxMs: this.#maxMs, targetPercent: this.#targetPercent });
  }

  /**
   * A packet has come.
   * @param {Participant} participant
   * @param {number} arrivalMs
   * @returns {boolean} whether D in force has changed
   */
  heed({ reception, roundTripMs, muted }, arrivalMs) {
    return !muted && this.control.heed(reception.lateness, arrivalMs, roundTripMs);
  }

  /**
   * Where nothing ticks D moves with the packets that come.
   * @param {number} nowMs
   * @param {boolean} speaking
   */
  moveForAnswers(nowMs, speaking) {
    if (this.control.settled) return;
    const { sampleClock, format } = this.#settings;
    const now = sampleClock.at(nowMs);
    const frames = Math.min((now - this.#movedAt) / format.frameSamples, MAX_MOVED_FRAMES);
    this.#movedAt = now;
    if (frames > 0) this.control.advance(frames, speaking);
  }

  /**
   * To be called once a second.
   * @param {Iterable<Participant>} people whose lateness has been reviewed
   */
  review(people) {
    this.control.review(latenessOf(people));
  }

  /**
   * The delay that one participant hears with, in milliseconds.
   * @param {Participant} participant
   */
  msOf({ ownDelayMs, delivery }) {
    return ownDelayMs ?? roundMs(delivery === 'reply' ? this.control.replyDelayMs : this.control.delayMs);
  }

  /** @param {Participant} person who is told of the room's delay, unless it has one of its own */
  tell(person) {
    const serverDelayMs = this.msOf(person);
    if (person.ownDelayMs !== null || Math.abs(serverDelayMs - person.toldDelayMs) < TOLD_CHANGE_MS) return;
    person.toldDelayMs = serverDelayMs;
    person.session.sendControl({ type: 'delay', serverDelayMs });
  }

  /** @param {Participant} person */
  statsOf(person) {
    return Object.assign(person.stats(), { serverDelayMs: this.msOf(person) });
  }

  /** What GET /api/rooms/<room> tells. */
  describe() {
    const { serverDelayMs, ...delay } = this.control.describe();
    return { serverDelayMs, delay: { ...delay, targetPercent: this.#targetPercent } };
  }
}

/** @param {Iterable<Participant>} people */
function* latenessOf(people) {
  // Nobody need wait for one who isn't heard.
  for (const person of people) if (!person.muted) yield person.reception.lateness;
}
