/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Member } from './crowd.js'
 */

import { ClockExchange, ClockSync } from '../../public/client/clock/clock-sync.js';

/** Members' packets leave at so many times of each frame: sound cards differ. */
const SLOTS = 10;

/** Who stood still for longer goes on with the frame of the day, in milliseconds. */
const MAX_BEHIND_MS = 1000;

/** Those of a crowd who are in one room, and the room's clock: each room's frames end at moments of their own. */
export class CrowdRoom {
  #clock;
  #sync;
  #exchange;
  #frameSamples;
  /** @type {Set<Member>[]} */
  #slots = Array.from({ length: SLOTS }, () => new Set());
  /** Whose connection tells of the room's clock; null when all have gone. @type {Member | null} */
  #teller;
  #entered = 0;
  /** What is sent next; no frame before the clock is known. */
  #frame = Infinity;
  #slot = 0;
  /** When the clock is known. @type {Promise<void>} */
  known;

  /**
   * @param {Member} member the first
   * @param {AudioFormat} format
   * @param {Clock} clock
   */
  constructor(member, { sampleRate, frameSamples }, clock) {
    this.#teller = member;
    this.#clock = clock;
    this.#frameSamples = frameSamples;
    this.#sync = new ClockSync(sampleRate);
    const send = (/** @type {Uint8Array} */ bytes) => this.#teller?.connection.send(bytes) ?? false;
    this.#exchange = new ClockExchange({ clock, sync: this.#sync, send });
    this.known = this.#exchange.start().then(() => void (this.#frame = this.#current()));
  }

  #current() {
    return Math.floor(this.#sync.sampleClockAt(this.#clock.now()) / this.#frameSamples);
  }

  /** @param {Member} member */
  enter(member) {
    member.slot = this.#entered++ % SLOTS;
    this.#slots[member.slot].add(member);
  }

  /**
   * @param {Member} member
   * @returns {boolean} whether it was the last
   */
  leave(member) {
    this.#slots[member.slot].delete(member);
    if (this.#teller === member) this.#teller = this.#slots.flatMap((members) => [...members])[0] ?? null;
    if (this.#teller === null) this.close();
    return this.#teller === null;
  }

  /**
   * Takes what the server says of its clock.
   * @param {Member} member
   * @param {{ id: number, clock: number }} packet
   * @param {number} arrivalMs
   */
  reply(member, { id, clock }, arrivalMs) {
    if (member === this.#teller) this.#exchange.reply(id, clock, arrivalMs);
  }

  /** When the next packets are to be sent, on the clock; Infinity while that isn't known. */
  get dueMs() {
    if (this.#frame === Infinity) return Infinity;
    return this.#sync.msAt((this.#frame + 1 + this.#slot / SLOTS) * this.#frameSamples);
  }

  /**
   * Sends what is due.
   * @param {(member: Member, frame: number) => void} send
   * @param {number[]} latenessMs how late packets were sent, against plan, is added to it
   */
  sendDue(send, latenessMs) {
    if (this.#clock.now() - this.dueMs > MAX_BEHIND_MS) this.#frame = this.#current();
    for (let late = this.#clock.now() - this.dueMs; late >= 0; late = this.#clock.now() - this.dueMs) {
      latenessMs.push(late);
      for (const member of this.#slots[this.#slot]) send(member, this.#frame);
      this.#slot = (this.#slot + 1) % SLOTS;
      if (this.#slot === 0) this.#frame += 1;
    }
  }

  /** The least round trip of the exchanges with the server's clock, in milliseconds; Infinity before the first. */
  get roundTripMs() {
    return this.#sync.leastRoundTripMs ?? Infinity;
  }

  /** Idempotent. */
  close() {
    this.#exchange.close();
  }
}
