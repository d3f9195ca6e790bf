/**
 * @import { Session, SessionGroup } from '../transport/session.js'
 * @import { LightListener } from './light-listener.js'
 * @import { Listener } from './listener.js'
 * @import { MixStream } from './mix-stream.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/packet.js';

/** The most lists of recipients that are kept: beyond it those are dropped whose transport nobody has any more. */
const MAX_LISTS = 20;

/**
 * From this many sessions on a group of the transport takes JavaScript's thread less than one call that sends to each: a
 * sending call took 69 and 237 µs for 32 sessions, 163 and 112 for 128, 2182 and 99 for 1000
 * (node bench/native-datagrams.js --mode many|group --io-threads 1 --sessions …).
 */
export const MIN_GROUP = 128;

/**
 * The listeners of the tick: those who share the room's stream, light ones among them, in lists of those who get the same
 * bytes over the same transport, and those who hear a mix of their own.
 */
export class SharedFanout {
  #sharers = new Lists();
  #lights = new Lists();
  /** @type {ReadonlyArray<Listener>} */
  #listeners = [];
  /** @type {Set<LightListener>} */
  #lightListeners = new Set();
  /** @type {Listener[]} */
  #own = [];
  #isStale = true;
  #areLightsStale = false;
  #size = 0;

  /** @param {ReadonlyArray<Listener>} listeners  of the tick, without light ones */
  set listeners(listeners) {
    this.#listeners = listeners;
    this.#isStale = true;
  }

  /** @param {LightListener} listener */
  addLight(listener) {
    this.#lightListeners.add(listener);
    this.#areLightsStale = true;
  }

  /** @param {LightListener} listener */
  removeLight(listener) {
    this.#areLightsStale = this.#lightListeners.delete(listener) || this.#areLightsStale;
  }

  /** How many listeners of the tick there are, with those who hear a mix of their own. */
  get count() {
    return this.#listeners.length + this.#lightListeners.size;
  }

  /** How many share the stream, since settle(). */
  get size() {
    return this.#size + this.#lightListeners.size;
  }

  /** Those who hear a mix of their own, or did until now. @returns {ReadonlyArray<Listener>} */
  get own() {
    return this.#own;
  }

  /** Listeners' redundancy, or stride, may have changed. */
  invalidate() {
    this.#isStale = true;
    this.#areLightsStale = true;
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
    if (this.#areLightsStale) this.#gatherLights();
  }

  /** @param {number} frame */
  #gather(frame) {
    this.#isStale = false;
    this.#size = 0;
    this.#sharers.begin();
    for (let i = 0; i < this.#listeners.length; i++) {
      const listener = this.#listeners[i];
      if (!listener.shares) continue;
      if (listener.returns(frame)) this.#isStale = true;
      this.#sharers.add(listener.session, listener.repeats(frame), 1);
      this.#size += 1;
    }
    this.#sharers.end();
  }

  #gatherLights() {
    this.#areLightsStale = false;
    this.#lights.begin();
    for (const { session, repeats, stride } of this.#lightListeners) {
      // A relay gets each frame, and sends those who listen there what they need.
      if (session.transport.isRelay) this.#lights.add(session, MAX_REDUNDANCY, 1);
      else this.#lights.add(session, repeats, stride);
    }
    this.#lights.end();
  }

  /**
   * Sends everybody who shares it the frame that the stream has encoded last, written once for each redundancy.
   * @param {Pick<MixStream, 'write'>} stream
   * @param {number} frame
   */
  send(stream, frame) {
    this.#sharers.send(stream, frame);
    this.#lights.send(stream, frame);
  }

  /** Nothing is sent any more. Idempotent. */
  close() {
    this.#sharers.close();
    this.#lights.close();
  }
}

/** Lists of recipients, by transport, redundancy and stride. */
class Lists {
  /** @type {Recipients[]} */
  #lists = [];

  /** All lists are gathered anew. */
  begin() {
    if (this.#lists.length > MAX_LISTS) this.close();
    for (let i = 0; i < this.#lists.length; i++) this.#lists[i].sessions.length = 0;
  }

  /**
   * @param {Session} session
   * @param {number} redundancy
   * @param {number} stride
   */
  add(session, redundancy, stride) {
    const { transport } = session;
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      if (list.transport !== transport || list.redundancy !== redundancy || list.stride !== stride) continue;
      list.sessions.push(session);
      return;
    }
    this.#lists.push(new Recipients(session, redundancy, stride));
  }

  /** All lists have been gathered. */
  end() {
    for (let i = 0; i < this.#lists.length; i++) this.#lists[i].gathered();
  }

  /**
   * @param {Pick<MixStream, 'write'>} stream
   * @param {number} frame
   */
  send(stream, frame) {
    let packet = null;
    let redundancy = -1;
    for (let i = 0; i < this.#lists.length; i++) {
      const list = this.#lists[i];
      if (list.sessions.length === 0) continue;
      if (list.stride > 1 || list.isRelay) {
        // An audience hears a mix.
        const mix = /** @type {MixStream} */ (stream);
        if (list.isRelay || isDue(mix, frame, list.stride)) list.send(mix.writeStride(list.redundancy));
        packet = null;
        continue;
      }
      if (packet === null || list.redundancy !== redundancy) packet = stream.write(list.redundancy);
      redundancy = list.redundancy;
      list.send(packet);
    }
  }

  /** Idempotent. */
  close() {
    for (const list of this.#lists) list.close();
    this.#lists.length = 0;
  }
}

/**
 * Whether a frame's packet goes to those with this stride: the last frame's of each so many, the packet which says that
 * the sound has ended, unless one before it does, and each one in a silence of which most are left out.
 * @param {MixStream} stream
 * @param {number} frame
 * @param {number} stride
 */
const isDue = (stream, frame, stride) => frame % stride === stride - 1 || stream.endsSound || stream.isSparse;

/** Sessions that get the same bytes over the same transport: in one group of it where they are many. */
class Recipients {
  /** @type {Session[]} */
  sessions;
  /** @type {SessionGroup | null} */
  #group = null;

  /**
   * @param {Session} session  the first
   * @param {number} redundancy
   * @param {number} stride
   */
  constructor(session, redundancy, stride) {
    this.sessions = [session];
    this.transport = session.transport;
    /** Whether the sessions are other nodes', which choose among the packets themselves. */
    this.isRelay = session.transport.isRelay === true;
    this.redundancy = redundancy;
    this.stride = stride;
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
