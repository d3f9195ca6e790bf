/**
 * @import { LightListener } from './light-listener.js'
 * @import { Listener } from './listener.js'
 * @import { FrameStream } from './mix-stream.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { FarListeners } from './far-listeners.js';
import { RecipientLists } from './recipient-lists.js';

/**
 * Listeners of the tick. Listeners that share the room's stream, light ones among them, are in
 * lists that get the same bytes over the same transport. The others hear a mix of their own.
 */
export class SharedFanout {
  #sharers = new RecipientLists();
  #lights = new RecipientLists();
  #far = new FarListeners();
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
    this.#far.stride = listener.longStride;
    this.#areLightsStale = true;
  }

  /** @param {LightListener} listener */
  removeLight(listener) {
    this.#areLightsStale = this.#lightListeners.delete(listener) || this.#areLightsStale;
  }

  /** Number of listeners of the tick, with own mixes included. */
  get count() {
    return this.#listeners.length + this.#lightListeners.size;
  }

  /** Number of listeners that share the stream, since settle(). */
  get size() {
    return this.#size + this.#lightListeners.size;
  }

  /**
   * Listeners that hear a mix of their own, or did until now. @returns {ReadonlyArray<Listener>}
   */
  get own() {
    return this.#own;
  }

  /** Marks listeners' redundancy or stride as possibly changed. */
  invalidate() {
    this.#isStale = true;
    this.#areLightsStale = true;
  }

  /**
   * Moves a listener to a mix of its own in this frame.
   * @param {Listener} listener
   * @param {number} frame
   */
  takeOut(listener, frame) {
    if (!listener.hearOwn(frame)) return;
    this.#own.push(listener);
    this.#isStale = true;
  }

  /**
   * Ends a listener's mix of its own here, because it has left or hears another delivery.
   * @param {Listener} listener
   */
  forget(listener) {
    const at = this.#own.indexOf(listener);
    if (at >= 0) this.#own.splice(at, 1);
  }

  /**
   * Settles that all listeners without a mix of their own share the stream.
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
    this.#far.begin();
    for (const listener of this.#lightListeners) {
      const { session, repeats, stride, carriage } = listener;
      // A relay gets each frame, and sends its listeners the frames that they need.
      if (session.transport.isRelay) this.#lights.add(session, MAX_REDUNDANCY, 1);
      else if (carriage === 'once') this.#lights.add(session, repeats, stride);
      else this.#far.add(session, carriage);
    }
    this.#lights.end();
    this.#far.end();
  }

  /**
   * Sends recent packets to a listener at once.
   * @param {LightListener} listener
   * @param {number} ms age of the first one
   * @param {number} frameMs
   */
  fill({ session, carriage }, ms, frameMs) {
    this.#far.fill(session, carriage, Math.ceil(ms / frameMs));
  }

  /**
   * Sends the last encoded frame to all that share the stream, written once per redundancy.
   * @param {Pick<FrameStream, 'write'>} stream
   * @param {number} frame
   */
  send(stream, frame) {
    this.#sharers.send(stream, frame);
    this.#lights.send(stream, frame);
    // Only a mix has an audience.
    if (this.#lightListeners.size > 0) this.#far.send(/** @type {FrameStream} */ (stream), frame);
  }

  /**
   * Sends the last unsent frames to light listeners, because the next ones are left out.
   * @param {FrameStream} mix
   * @param {number} frame that was sent last
   */
  sendOpen(mix, frame) {
    this.#lights.sendOpen(mix, frame);
    if (this.#lightListeners.size > 0) this.#far.sendOpen(mix, frame);
  }

  /** Stops sending. Idempotent. */
  close() {
    this.#sharers.close();
    this.#lights.close();
    this.#far.close();
  }
}
