/**
 * @import { Session } from '../session/session.js'
 * @import { Carriage } from './light-listener.js'
 * @import { FrameStream } from './mix-stream.js'
 */

import { RecentMix } from './recent-mix.js';
import { isDue, RecipientLists } from './recipient-lists.js';

/** Number of strides before the last one that are repeated: each is sent three times. */
const COPIES = 2;

/**
 * Packets per interval for a listener that is behind: twice the bits of a low rate, a few at a
 * time. All at once they would fill and overflow the queue of the narrow path that put the listener
 * behind (`npm run bench -- adapt`).
 */
const CATCH_UP = 2;

/**
 * Light listeners that are far enough behind to receive packets repeatedly, or late, with the
 * recent packets.
 */
export class FarListeners {
  #thrice = new RecipientLists();
  /** @type {Session[]} */
  #surely = [];
  /** Number of packets that a listener is behind the newest. @type {Map<Session, number>} */
  #behind = new Map();
  #recent = new RecentMix();
  #stride = 1;

  /** @param {number} stride number of frames in a packet */
  set stride(stride) {
    if (stride === this.#stride) return;
    this.#stride = stride;
    this.#recent.clear();
  }

  /** Starts to gather all listeners again. */
  begin() {
    this.#thrice.begin();
    this.#surely.length = 0;
  }

  /** @param {Session} session @param {Carriage} carriage */
  add(session, carriage) {
    if (carriage === 'surely') this.#surely.push(session);
    else this.#thrice.add(session, this.#stride - 1, this.#stride);
  }

  /** Marks the end of the gathering. */
  end() {
    this.#thrice.end();
  }

  /** @param {FrameStream} mix @param {number} frame */
  send(mix, frame) {
    if (isDue(mix, frame, this.#stride)) this.#send(mix, frame, this.#stride - 1);
  }

  /**
   * Sends the last unsent frames, because the next ones are left out.
   * @param {FrameStream} mix
   * @param {number} frame
   */
  sendOpen(mix, frame) {
    if (!isDue(mix, frame, this.#stride)) this.#send(mix, frame, frame % this.#stride);
  }

  /**
   * @param {FrameStream} mix
   * @param {number} frame
   * @param {number} before number of earlier frames in its packet
   */
  #send(mix, frame, before) {
    const recent = this.#recent;
    // Frames without room in one packet, which happens at high bit rates, go before it.
    const left = mix.leavesOut(before);
    if (left > 0)
      recent.put(frame - (before - left + 1), mix.writeStride(left - 1, before - left + 1));
    recent.put(frame, mix.writeStride(before - left));
    // Most packets are left out in silence: earlier ones are old, and not sent again.
    for (let back = recent.since(frame + 1 - (COPIES + 1) * this.#stride) - 1; back >= 0; back--)
      this.#thrice.sendPacket(recent.packet(back));
    if (this.#surely.length === 0) return;
    if (this.#behind.size > 0) this.#catchUp(left > 0 ? 2 : 1);
    for (let back = left > 0 ? 1 : 0; back >= 0; back--) {
      const framed = recent.framed(back);
      for (let i = 0; i < this.#surely.length; i++)
        if (!this.#behind.has(this.#surely[i])) this.#surely[i].surely?.send(framed);
    }
    for (const [session, behind] of this.#behind) if (behind === 0) this.#behind.delete(session);
  }

  /**
   * Sends the next packets to the listeners that are behind.
   * @param {number} added number of new packets since
   */
  #catchUp(added) {
    for (const [session, before] of this.#behind) {
      let behind = Math.min(before + added, this.#recent.size);
      for (let i = 0; i < CATCH_UP * added && behind > 0; i++)
        session.surely?.send(this.#recent.framed(--behind));
      this.#behind.set(session, behind);
    }
  }

  /**
   * Sends recent packets again to a listener with reliable delivery, a few at a time, and the next
   * ones after them.
   * @param {Session} session
   * @param {number} frames number of past frames to begin from
   * @returns {boolean} false when nothing is kept
   */
  goBack(session, frames) {
    const { size } = this.#recent;
    if (size > 0) this.#behind.set(session, this.#recent.since(this.#recent.frame(0) - frames));
    return size > 0;
  }

  /**
   * @param {Session} session
   * @returns {boolean} true when it is still to be sent earlier packets
   */
  isBehind(session) {
    return this.#behind.has(session);
  }

  /** Drops the unsent packets. Idempotent. @param {Session} session */
  forget(session) {
    this.#behind.delete(session);
  }

  /** @param {Session} session @param {Carriage} carriage @param {number} frames */
  fill(session, carriage, frames) {
    const recent = this.#recent;
    if (recent.size === 0) return;
    for (let back = recent.since(recent.frame(0) - frames) - 1; back >= 0; back--) {
      if (carriage === 'surely') session.surely?.send(recent.framed(back));
      else session.send(recent.packet(back));
    }
  }

  close() {
    this.#behind.clear();
    this.#thrice.close();
  }
}
