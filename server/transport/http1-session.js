/**
 * @import { ServerResponse } from 'node:http'
 * @import { Log } from '../log.js'
 * @import { Session, Transport } from './session.js'
 */

import { writeListEntry, LIST_LENGTH_BYTES, MAX_LIST_ENTRY_BYTES } from '../../public/shared/packet-list.js';
import { writeControl } from '../../public/shared/control.js';
import { MAX_PACKET_BYTES } from '../../public/shared/packet.js';
import { BaseSession } from './base-session.js';
import { MAX_STUCK_BYTES } from './session.js';

/**
 * A session that is a series of requests, known by its token. Packets to the peer go into the answer
 * to those that caused them, control messages into the next answer.
 * @implements {Session}
 */
export class Http1Session extends BaseSession {
  #onEnd;
  /**
   * Takes the first control message, which answers the request that opened the session.
   * @type {((message: object) => void) | null}
   */
  #onFirstMessage;
  /** The list that is being answered with; null when none is. @type {Uint8Array | null} */
  #list = null;
  #listEnd = 0;
  /** Control packets that wait. @type {Uint8Array[]} */
  #pending = [];
  #pendingBytes = 0;
  /** Whether control packets are on their way: those after them wait, to keep their order. */
  #controlOnItsWay = false;

  /**
   * @param {object} options
   * @param {Transport} options.transport
   * @param {string} options.token
   * @param {string} options.peer
   * @param {Log} options.log
   * @param {number} options.now
   * @param {(message: object) => void} options.onFirstMessage
   * @param {(code: number) => void} options.onEnd
   */
  constructor({ transport, token, peer, log, now, onFirstMessage, onEnd }) {
    super({ peer, log, now });
    this.transport = transport;
    this.token = token;
    this.#onEnd = onEnd;
    this.#onFirstMessage = onFirstMessage;
  }

  /**
   * Starts an answer: until it is taken, packets that are sent go into it.
   * @param {Uint8Array} list to write it to
   */
  startAnswer(list) {
    this.#list = list;
    this.#listEnd = 0;
  }

  /**
   * Ends the answer, with the control messages that wait and fit.
   * @param {ServerResponse} response the one that it goes into
   * @returns {Buffer} a copy
   */
  takeAnswer(response) {
    const list = /** @type {Uint8Array} */ (this.#list);
    if (this.#pending.length > 0 && !this.#controlOnItsWay) this.#addControl(list, response);
    this.#list = null;
    return Buffer.from(list.subarray(0, this.#listEnd));
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    const list = this.ended || bytes.length > MAX_PACKET_BYTES ? null : this.#list;
    const end = list === null ? -1 : writeListEntry(list, this.#listEnd, bytes);
    if (end < 0) {
      this.droppedOut += 1;
      return false;
    }
    this.#listEnd = end;
    return true;
  }

  /** @param {object} message */
  sendControl(message) {
    if (this.ended) return;
    if (this.#onFirstMessage !== null) {
      const tell = this.#onFirstMessage;
      this.#onFirstMessage = null;
      tell(message);
      return;
    }
    const packet = writeControl(message);
    this.#pendingBytes += packet.length + LIST_LENGTH_BYTES;
    if (packet.length > MAX_LIST_ENTRY_BYTES) this.closeWith('internal');
    else if (this.#pendingBytes > MAX_STUCK_BYTES) this.closeWith('idle-timeout');
    else this.#pending.push(packet);
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  end(code, reason) {
    if (!super.end(code, reason)) return false;
    this.#pending.length = 0;
    this.#onEnd(code);
    return true;
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  close(code, reason) {
    this.end(code, reason);
  }

  stats() {
    return { rttMs: null, lostPackets: 0, droppedOut: this.droppedOut, droppedIn: 0 };
  }

  /**
   * @param {Uint8Array} list
   * @param {ServerResponse} response
   */
  #addControl(list, response) {
    let count = 0;
    for (const packet of this.#pending) {
      const end = writeListEntry(list, this.#listEnd, packet);
      if (end < 0) break;
      this.#listEnd = end;
      count += 1;
    }
    const taken = this.#pending.splice(0, count);
    this.#controlOnItsWay = true;
    response.once('close', () => {
      this.#controlOnItsWay = false;
      // A connection that broke off: the next answer has them again.
      if (!response.writableFinished) this.#pending.unshift(...taken);
      else for (const packet of taken) this.#pendingBytes -= packet.length + LIST_LENGTH_BYTES;
    });
  }
}
