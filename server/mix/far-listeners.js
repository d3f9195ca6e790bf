/**
 * @import { Session } from '../transport/session.js'
 * @import { Carriage } from './light-listener.js'
 * @import { MixStream } from './mix-stream.js'
 */

import { RecentMix } from '../broadcast/recent-mix.js';
import { isDue, RecipientLists } from './recipient-lists.js';

/** How many packets are on the way of which each goes again: each is sent three times. */
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

  /** @param {MixStream} mix @param {number} frame */
  send(mix, frame) {
    if (!isDue(mix, frame, this.#stride)) return;
    const before = this.#stride - 1;
    // Those that have no room in one packet, which happens at high bit rates, go before it.
    const left = mix.leavesOut(before);
    if (left > 0) this.#sendNewest(mix.writeStride(left - 1, before - left + 1), frame - (before - left + 1));
    this.#sendNewest(mix.writeStride(before - left), frame);
  }

  /** @param {Uint8Array} bytes @param {number} frame  its own */
  #sendNewest(bytes, frame) {
    const recent = this.#recent;
    recent.put(frame, bytes);
    for (let back = 0; back <= COPIES && back < recent.size; back++) {
      // In silence most packets are left out: those before it are old.
      if (frame - recent.frame(back) > back * this.#stride) break;
      this.#thrice.sendPacket(recent.packet(back));
    }
    const newest = recent.packet(0);
    for (let i = 0; i < this.#surely.length; i++) this.#surely[i].surely?.send(newest);
  }

  /** @param {Session} session @param {Carriage} carriage @param {number} frames */
  fill(session, carriage, frames) {
    const recent = this.#recent;
    if (recent.size === 0) return;
    for (let back = recent.since(recent.frame(0) - frames) - 1; back >= 0; back--) {
      const bytes = recent.packet(back);
      if (carriage === 'surely') session.surely?.send(bytes);
      else session.send(bytes);
    }
  }

  close() {
    this.#thrice.close();
  }
}
