/**
 * @import { Session } from '../transport/session.js'
 * @import { Carriage } from './light-listener.js'
 * @import { FrameStream } from './mix-stream.js'
 */

import { RecentMix } from './recent-mix.js';
import { isDue, RecipientLists } from './recipient-lists.js';

/** How many strides before the last one are sent again: each is sent three times. */
const COPIES = 2;

/** Light listeners who are far enough behind that packets may come more than once, or late, and what was sent lately. */
export class FarListeners {
  #thrice = new RecipientLists();
  /** @type {Session[]} */
  #surely = [];
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

  /** Sends the last frames that weren't sent yet: the next ones are left out. @param {FrameStream} mix @param {number} frame */
  sendOpen(mix, frame) {
    if (!isDue(mix, frame, this.#stride)) this.#send(mix, frame, frame % this.#stride);
  }

  /** @param {FrameStream} mix @param {number} frame @param {number} before  how many frames before it go with it */
  #send(mix, frame, before) {
    const recent = this.#recent;
    // Those that have no room in one packet, which happens at high bit rates, go before it.
    const left = mix.leavesOut(before);
    if (left > 0) recent.put(frame - (before - left + 1), mix.writeStride(left - 1, before - left + 1));
    recent.put(frame, mix.writeStride(before - left));
    // In silence most packets are left out: those before it are old, and don't go again.
    for (let back = recent.since(frame + 1 - (COPIES + 1) * this.#stride) - 1; back >= 0; back--) this.#thrice.sendPacket(recent.packet(back));
    if (this.#surely.length === 0) return;
    for (let back = left > 0 ? 1 : 0; back >= 0; back--) {
      const framed = recent.framed(back);
      for (let i = 0; i < this.#surely.length; i++) this.#surely[i].surely?.send(framed);
    }
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
    this.#thrice.close();
  }
}
