/**
 * @import { Session, Transport } from '../transport/session.js'
 * @import { Listener } from './listener.js'
 * @import { MixStream } from './mix-stream.js'
 */

/** The most groups that are kept: beyond it those are dropped whose transport nobody has any more. */
const MAX_GROUPS = 20;

/**
 * The listeners of the tick: those who share the room's stream, in groups that get the same bytes over the same
 * transport, and those who hear a mix of their own.
 */
export class SharedFanout {
  /** @type {{ transport: Transport, redundancy: number, sessions: Session[] }[]} */
  #groups = [];
  /** @type {ReadonlyArray<Listener>} */
  #listeners = [];
  /** @type {Listener[]} */
  #own = [];
  #isStale = true;
  #size = 0;

  /** @param {ReadonlyArray<Listener>} listeners  of the tick */
  set listeners(listeners) {
    this.#listeners = listeners;
    this.#isStale = true;
  }

  /** How many share the stream, since settle(). */
  get size() {
    return this.#size;
  }

  /** Those who hear a mix of their own, or did until now. @returns {ReadonlyArray<Listener>} */
  get own() {
    return this.#own;
  }

  /** A listener's redundancy may have changed. */
  invalidate() {
    this.#isStale = true;
  }

  /**
   * A listener hears a mix of its own in this frame.
   * @param {Listener} listener
   * @param {number} frame
   */
  takeOut(listener, frame) {
    if (!listener.hearOwn(frame)) return;
    this.#own.push(listener);
    this.#isStale = true;
  }

  /**
   * All who hear a mix of their own are known: the others share the stream.
   * @param {number} frame
   */
  settle(frame) {
    for (let i = this.#own.length - 1; i >= 0; i--) {
      const listener = this.#own[i];
      if (listener.lingers(frame)) continue;
      listener.hearShared(frame);
      this.#own[i] = this.#own[this.#own.length - 1];
      this.#own.pop();
      this.#isStale = true;
    }
    if (this.#isStale) this.#gather(frame);
  }

  /** @param {number} frame */
  #gather(frame) {
    this.#isStale = false;
    this.#size = 0;
    for (let i = 0; i < this.#groups.length; i++) this.#groups[i].sessions.length = 0;
    if (this.#groups.length > MAX_GROUPS) this.#groups.length = 0;
    for (let i = 0; i < this.#listeners.length; i++) {
      const listener = this.#listeners[i];
      if (!listener.shares) continue;
      if (listener.returns(frame)) this.#isStale = true;
      this.#groupOf(listener.session.transport, listener.repeats(frame)).push(listener.session);
      this.#size += 1;
    }
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
   * Sends everybody who shares it the frame that the stream has encoded last, written once for each redundancy.
   * @param {Pick<MixStream, 'write'>} stream
   */
  send(stream) {
    let packet = null;
    let redundancy = -1;
    for (let i = 0; i < this.#groups.length; i++) {
      const group = this.#groups[i];
      if (group.sessions.length === 0) continue;
      if (packet === null || group.redundancy !== redundancy) packet = stream.write(group.redundancy);
      redundancy = group.redundancy;
      group.transport.sendMany(group.sessions, packet);
    }
  }
}
