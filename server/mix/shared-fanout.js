/**
 * @import { Session, SessionGroup, Transport } from '../transport/session.js'
 * @import { Listener } from './listener.js'
 * @import { MixStream } from './mix-stream.js'
 */

/** The most audiences that are kept: beyond it those are dropped whose transport nobody has any more. */
const MAX_AUDIENCES = 20;

/**
 * From this many sessions on a group of the transport takes JavaScript's thread less than one call that sends to each: a
 * sending call took 69 and 237 µs for 32 sessions, 163 and 112 for 128, 2182 and 99 for 1000
 * (node bench/native-datagrams.js --mode many|group --io-threads 1 --sessions …).
 */
export const MIN_GROUP = 128;

/**
 * The listeners of the tick: those who share the room's stream, in audiences that get the same bytes over the same
 * transport, and those who hear a mix of their own.
 */
export class SharedFanout {
  /** @type {Audience[]} */
  #audiences = [];
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
    for (let i = 0; i < this.#audiences.length; i++) this.#audiences[i].sessions.length = 0;
    if (this.#audiences.length > MAX_AUDIENCES) this.#drop();
    for (let i = 0; i < this.#listeners.length; i++) {
      const listener = this.#listeners[i];
      if (!listener.shares) continue;
      if (listener.returns(frame)) this.#isStale = true;
      this.#audienceOf(listener.session.transport, listener.repeats(frame)).sessions.push(listener.session);
      this.#size += 1;
    }
    for (let i = 0; i < this.#audiences.length; i++) this.#audiences[i].gathered();
  }

  #drop() {
    for (const audience of this.#audiences) audience.close();
    this.#audiences.length = 0;
  }

  /**
   * @param {Transport} transport
   * @param {number} redundancy
   */
  #audienceOf(transport, redundancy) {
    for (let i = 0; i < this.#audiences.length; i++) {
      const audience = this.#audiences[i];
      if (audience.transport === transport && audience.redundancy === redundancy) return audience;
    }
    const audience = new Audience(transport, redundancy);
    this.#audiences.push(audience);
    return audience;
  }

  /**
   * Sends everybody who shares it the frame that the stream has encoded last, written once for each redundancy.
   * @param {MixStream} stream
   */
  send(stream) {
    let packet = null;
    let redundancy = -1;
    for (let i = 0; i < this.#audiences.length; i++) {
      const audience = this.#audiences[i];
      if (audience.sessions.length === 0) continue;
      if (packet === null || audience.redundancy !== redundancy) packet = stream.write(audience.redundancy);
      redundancy = audience.redundancy;
      audience.send(packet);
    }
  }

  /** Nothing is sent any more. Idempotent. */
  close() {
    this.#drop();
  }
}

/** Listeners who get the same bytes over the same transport: in one group of it where they are many. */
class Audience {
  /** @type {Session[]} */
  sessions = [];
  /** @type {SessionGroup | null} */
  #group = null;

  /**
   * @param {Transport} transport
   * @param {number} redundancy
   */
  constructor(transport, redundancy) {
    this.transport = transport;
    this.redundancy = redundancy;
  }

  /** All sessions are known. */
  gathered() {
    const { sessions, transport } = this;
    if (sessions.length >= MIN_GROUP && transport.createGroup) {
      this.#group ??= transport.createGroup();
      if (this.#group.set(sessions)) return;
    }
    this.close();
  }

  /** @param {Uint8Array} packet */
  send(packet) {
    if (this.#group) this.#group.send(packet);
    else this.transport.sendMany(this.sessions, packet);
  }

  /** Gives the group back. Idempotent. */
  close() {
    this.#group?.close();
    this.#group = null;
  }
}
