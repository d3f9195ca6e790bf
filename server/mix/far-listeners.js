/**
 * @import { Session } from '../transport/session.js'
 * @import { Carriage } from './light-listener.js'
 * @import { FrameStream } from './mix-stream.js'
 */

import { RecentMix } from './recent-mix.js';
import { isDue, RecipientLists } from './recipient-lists.js';

/** How many strides before the last one are sent again: each is sent three times. */
const COPIES = 2;

/**
 * How many packets one who is behind is sent in place of one: twice the bits of a low rate, a few
 * at a time. All at once they would fill the queue of the narrow way that put them behind, and be
 * lost in it (npm run bench -- adapt).
 */
const CATCH_UP = 2;

/**
 * Light listeners who are far enough behind that packets may come more than once, or late, and what
 * was sent lately.
 */
export class FarListeners {
  #thrice = new RecipientLists();
  /** @type {Session[]} */
  #surely = [];
  /** How many packets some of them are behind the newest. @type {Map<Session, number>} */
  #behind = new Map();
  #recent = new RecentMix();
  #stride = 1;

  /** @param {number} stride  how many frames there are to a packet */
  set stride(stride) {
    if (stride === this.#stride) return;
    this.#stride = stride;
    this.#recent.clear();
  }

  /** All listeners are gathered anew. */
  begin() {
    this.#thrice.begin();
    this.#surely.length = 0;
  }

  /** @param {Session} session @param {Carriage} carriage */
  add(session, carriage) {
    if (carriage === 'surely') this.#surely.push(session);
    else this.#thrice.add(session, this.#stride - 1, this.#stride);
  }

  /** All listeners have been gathered. */
  end() {
    this.#thrice.end();
  }

  /** @param {FrameStream} mix @param {number} frame */
  send(mix, frame) {
    if (isDue(mix, frame, this.#stride)) this.#send(mix, frame, this.#stride - 1);
  }

  /**
   * Sends the last frames that weren't sent yet: the next ones are left out.
   * @param {FrameStream} mix
   * @param {number} frame
   */
  sendOpen(mix, frame) {
    if (!isDue(mix, frame, this.#stride)) this.#send(mix, frame, frame % this.#stride);
  }

  /**
   * @param {FrameStream} mix
   * @param {number} frame
   * @param {number} before how many frames before it go with it
   */
  #send(mix, frame, before) {
    const recent = this.#recent;
    // Those that have no room in one packet, which happens at high bit rates, go before it.
    const left = mix.leavesOut(before);
    if (left > 0)
      recent.put(frame - (before - left + 1), mix.writeStride(left - 1, before - left + 1));
    recent.put(frame, mix.writeStride(before - left));
    // In silence most packets are left out: those before it are old, and don't go again.
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
   * Sends those who are behind the next packets.
   * @param {number} added how many have come since
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
   * Has a listener whose packets go surely hear again what was sent since then, some packets at a
   * time, and what follows behind it.
   * @param {Session} session
   * @param {number} frames  since when
   * @returns {boolean} false where nothing is kept
   */
  goBack(session, frames) {
    const { size } = this.#recent;
    if (size > 0) this.#behind.set(session, this.#recent.since(this.#recent.frame(0) - frames));
    return size > 0;
  }

  /**
   * @param {Session} session
   * @returns {boolean} whether it is still to be sent what was sent to others before
   */
  isBehind(session) {
    return this.#behind.has(session);
  }

  /** Packets that are left aren't sent. Idempotent. @param {Session} session */
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
