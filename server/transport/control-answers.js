/** @import { ServerResponse } from 'node:http' */

import { LIST_LENGTH_BYTES, writeListEntry } from '../../public/shared/wire/packet-list.js';

/**
 * Queue of control messages for the answers to a peer's requests. They are numbered from 1, and one
 * answer at a time carries some. A peer that acknowledges messages gets each until then; for
 * another peer a sent answer counts as read.
 */
export class ControlAnswers {
  /** Waiting messages, the oldest first. @type {Uint8Array[]} */
  #waiting = [];
  /** Number of the oldest message. */
  #first = 1;
  /** Number of messages in a sent answer that may not have arrived; they are the oldest. */
  #underWay = 0;
  #bytes = 0;

  /** Waiting bytes, as entries of a list. */
  get bytes() {
    return this.#bytes;
  }

  /** @param {Uint8Array} packet */
  add(packet) {
    this.#waiting.push(packet);
    this.#bytes += packet.length + LIST_LENGTH_BYTES;
  }

  clear() {
    this.#forget(this.#waiting.length);
  }

  /** @param {number} count  of the oldest */
  #forget(count) {
    for (const packet of this.#waiting.splice(0, count))
      this.#bytes -= packet.length + LIST_LENGTH_BYTES;
    this.#first += count;
    this.#underWay = Math.max(0, this.#underWay - count);
  }

  /**
   * Notes what a request says about earlier answers.
   * @param {number} read number of the last message that the peer has read
   * @param {boolean} isLost true if an answer was lost
   */
  heard(read, isLost) {
    this.#forget(Math.max(0, Math.min(this.#waiting.length, read - this.#first + 1)));
    if (isLost) this.#underWay = 0;
  }

  /**
   * Writes messages into the list of an answer, unless another answer is in flight.
   * @param {Uint8Array} list
   * @param {number} at end of the list so far
   * @param {ServerResponse} response the answer
   * @param {boolean} isNumbered true if the peer acknowledges messages
   * @returns {{ end: number, first: number | null }} new end of the list, and the number of its
   *   first message
   */
  write(list, at, response, isNumbered) {
    let end = at;
    // A connection that broke while the answer was made emits no more events.
    if (this.#underWay > 0 || response.closed) return { end, first: null };
    for (const packet of this.#waiting) {
      const next = writeListEntry(list, end, packet);
      if (next < 0) break;
      end = next;
      this.#underWay += 1;
    }
    if (end === at) return { end, first: null };
    response.once('close', () => this.#closed(response.writableFinished, isNumbered));
    return { end, first: this.#first };
  }

  /** @param {boolean} isSent @param {boolean} isNumbered */
  #closed(isSent, isNumbered) {
    if (!isSent) this.#underWay = 0;
    else if (!isNumbered) this.#forget(this.#underWay);
  }
}
