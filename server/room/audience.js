/**
 * @import { Session, Transport } from '../transport/session.js'
 * @import { Downlink } from './downlink.js'
 * @import { MixStream } from './mix-stream.js'
 * @import { Participant } from './participant.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/packet.js';
import { out, written } from './packet-out.js';

/** Beyond so many groups those are forgotten whose transport nobody has any more. */
const MAX_GROUPS = 20;

/** Those whose delivery is `tick` and who hear the shared stream, in groups that get the same bytes the same way. */
export class Audience {
  /** @type {{ transport: Transport, redundancy: number, heard: number, sessions: Session[] }[]} */
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
    downlink.soundFrames = 0;
    this.#own.push(person);
    this.#isStale = true;
  }

  /**
   * All who hear a mix of their own are known: the rest is the audience.
   * @param {number} frame
   */
  settle(frame) {
    for (let i = this.#own.length - 1; i >= 0; i--) {
      const { downlink } = this.#own[i];
      if (downlink.ownFrame === frame) continue;
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
      this.#groupOf(session.transport, downlink, frame).push(session);
      this.size += 1;
    }
  }

  /**
   * Who comes back needs the frames before, so that its decoder, which hasn't heard them, can go on from there;
   * but none that it had no sound of in the other stream, since there it would hear its own voice.
   * @param {Transport} transport
   * @param {Downlink} downlink
   * @param {number} frame
   */
  #groupOf(transport, { redundancy: { count }, returnFrame, soundFrames }, frame) {
    const since = returnFrame < 0 ? MAX_REDUNDANCY : frame - returnFrame;
    const heard = Math.min(since, MAX_REDUNDANCY);
    if (heard < MAX_REDUNDANCY) this.#isStale = true;
    const primers = Math.min(soundFrames, MAX_REDUNDANCY - heard);
    const redundancy = heard < MAX_REDUNDANCY ? heard + primers : count;
    for (let i = 0; i < this.#groups.length; i++) {
      const group = this.#groups[i];
      if (group.transport === transport && group.redundancy === redundancy && group.heard === heard) return group.sessions;
    }
    /** @type {Session[]} */
    const sessions = [];
    this.#groups.push({ transport, redundancy, heard, sessions });
    return sessions;
  }

  /**
   * Sends everybody the frame that a stream has encoded last.
   * @param {MixStream} stream
   */
  send(stream) {
    let bytes = 0;
    let last = null;
    for (let i = 0; i < this.#groups.length; i++) {
      const group = this.#groups[i];
      if (group.sessions.length === 0) continue;
      const isSame = last !== null && last.redundancy === group.redundancy && last.heard === group.heard;
      if (!isSame) bytes = stream.write(out, group.redundancy, group.heard);
      last = group;
      group.transport.sendMany(group.sessions, written(bytes));
    }
  }
}
