/**
 * @import { Session, Transport } from '../transport/session.js'
 * @import { Downlink } from './listener.js'
 * @import { MixStream } from './mix-stream.js'
 * @import { Participant } from '../room/member.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/packet.js';
import { out, written } from './packet-out.js';

/** Beyond so many groups those are forgotten whose transport nobody has any more. */
const MAX_GROUPS = 20;

/**
 * Who isn't in the mix any more hears it in a stream of their own for as many frames more as a packet repeats: what
 * the shared stream's packets repeat is then without their own voice, and nothing lost at the change is lost.
 * @param {{ ownFrame: number }} downlink
 * @param {number} frame
 */
export const lingers = ({ ownFrame }, frame) => frame - ownFrame <= MAX_REDUNDANCY;

/** Those whose delivery is `tick` and who hear the shared stream, in groups that get the same bytes the same way. */
export class Audience {
  /** @type {{ transport: Transport, redundancy: number, sessions: Session[] }[]} */
  #groups = [];
  /** @type {ReadonlyArray<Participant>} */
  #people = [];
  #isStale = true;
  /** Those who heard a mix of their own at the last tick. @type {Participant[]} */
  #own = [];

  /** How many they are. */
  size = 0;

  /** @param {ReadonlyArray<Participant>} people everybody in the room */
  set people(people) {
    this.#people = people;
    this.#isStale = true;
  }

  /** Somebody may need other packets than before. */
  changed() {
    this.#isStale = true;
  }

  /**
   * Somebody hears a mix of their own in this frame.
   * @param {Participant} person
   * @param {number} frame
   */
  hearsOwn(person, frame) {
    const { downlink } = person;
    downlink.ownFrame = frame;
    if (downlink.hearsOwn) return;
    downlink.hearsOwn = true;
    this.#own.push(person);
    this.#isStale = true;
  }

  /** Those who hear a mix of their own, or did until now. @returns {ReadonlyArray<Participant>} */
  get own() {
    return this.#own;
  }

  /**
   * All who hear a mix of their own are known: the rest is the audience.
   * @param {number} frame
   */
  settle(frame) {
    for (let i = this.#own.length - 1; i >= 0; i--) {
      const { downlink } = this.#own[i];
      if (lingers(downlink, frame)) continue;
      downlink.hearsOwn = false;
      downlink.returnFrame = frame;
      this.#own[i] = this.#own[this.#own.length - 1];
      this.#own.pop();
      this.#isStale = true;
    }
    if (this.#isStale) this.#gather(frame);
  }

  /** @param {number} frame */
  #gather(frame) {
    this.#isStale = false;
    this.size = 0;
    for (let i = 0; i < this.#groups.length; i++) this.#groups[i].sessions.length = 0;
    if (this.#groups.length > MAX_GROUPS) this.#groups.length = 0;
    for (let i = 0; i < this.#people.length; i++) {
      const { delivery, downlink, session } = this.#people[i];
      if (delivery !== 'tick' || downlink.hearsOwn) continue;
      this.#groupOf(session.transport, this.#redundancyOf(downlink, frame)).push(session);
      this.size += 1;
    }
  }

  /**
   * The decoder of one who comes back needs the frames before; in two packets, since one may be lost.
   * @param {Downlink} downlink
   * @param {number} frame
   */
  #redundancyOf({ redundancy, returnFrame }, frame) {
    if (returnFrame < 0 || frame - returnFrame >= MAX_REDUNDANCY) return redundancy.count;
    this.#isStale = true;
    return MAX_REDUNDANCY;
  }

  /**
   * @param {Transport} transport
   * @param {number} redundancy
   */
  #groupOf(transport, redundancy) {
    for (let i = 0; i < this.#groups.length; i++) {
      const group = this.#groups[i];
      if (group.transport === transport && group.redundancy === redundancy) return group.sessions;
    }
    /** @type {Session[]} */
    const sessions = [];
    this.#groups.push({ transport, redundancy, sessions });
    return sessions;
  }

  /**
   * Sends everybody the frame that a stream has encoded last.
   * @param {MixStream} stream
   */
  send(stream) {
    let bytes = 0;
    let redundancy = -1;
    for (let i = 0; i < this.#groups.length; i++) {
      const group = this.#groups[i];
      if (group.sessions.length === 0) continue;
      if (group.redundancy !== redundancy) bytes = stream.write(out, group.redundancy);
      redundancy = group.redundancy;
      group.transport.sendMany(group.sessions, written(bytes));
    }
  }
}
