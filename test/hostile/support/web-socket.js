/** @import { Target } from './attack-process.js' */

import { WebSocket } from 'ws';

/** The time that a peer waits for the answer to a join, in milliseconds. */
const ANSWER_MS = 5000;

/** The bytes that may wait to be sent: more packets than these are left out. */
const MAX_BUFFERED_BYTES = 4096;

/**
 * An address of 127.0.0.0/8 for each number, so that each is another peer.
 * @param {number} number
 */
export const addressOf = (number) =>
  `127.${7 + ((number >> 16) & 0x7f)}.${(number >> 8) & 0xff}.${number & 0xff}`;

/** A WebSocket that asks to join, as a program does that reads nothing but control messages. */
export class Joining {
  /** Control messages that came. @type {any[]} */
  messages = [];
  /** The bytes of those messages. */
  bytes = 0;
  /** Packets that came. */
  packets = 0;

  /**
   * @param {Pick<Target, 'host' | 'port' | 'from'>} target
   * @param {{ room: string, name?: string, from?: string, frameMs?: number }} wish from: another
   *   address than the attacker's; frameMs: of the room's frames
   */
  constructor({ host, port, from: own }, { room, name = 'Eve', from = own, frameMs }) {
    this.socket = new WebSocket(`ws://${host}:${port}/session`, { localAddress: from });
    this.socket.on('error', () => {});
    this.socket.on('message', (data, isBinary) => {
      if (isBinary) this.packets += 1;
      else this.#take(/** @type {Buffer} */ (data));
    });
    this.socket.on('open', () => this.say({ type: 'join', version: 1, room, name, frameMs }));
    /**
     * Settles with the first answer, 'welcome' or a code; '' where there was none.
     * @type {Promise<string>}
     */
    this.answer = new Promise((resolve) => {
      const timer = setTimeout(() => resolve(''), ANSWER_MS);
      const done = (/** @type {string} */ answer) => {
        clearTimeout(timer);
        resolve(answer);
      };
      this.socket.once('close', () => done(''));
      this.onFirst = (/** @type {any} */ message) =>
        done(message.type === 'refused' ? message.code : message.type);
    });
  }

  /** @param {Buffer} data */
  #take(data) {
    this.bytes += data.length;
    const message = JSON.parse(data.toString());
    this.messages.push(message);
    if (this.messages.length === 1) this.onFirst?.(message);
  }

  /** @param {object} message */
  say(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @param {Uint8Array} bytes @returns {boolean} true when the packet was sent */
  send(bytes) {
    if (
      this.socket.readyState !== WebSocket.OPEN ||
      this.socket.bufferedAmount > MAX_BUFFERED_BYTES
    )
      return false;
    this.socket.send(bytes);
    return true;
  }

  /** Cuts the connection by a reset, without a word. */
  reset() {
    /** @type {any} */ (this.socket)._socket?.resetAndDestroy();
    this.socket.terminate();
  }

  /** Leaves, and closes. */
  leave() {
    this.say({ type: 'leave' });
    this.socket.close();
  }
}

/**
 * Counts by what.
 * @param {Record<string, number>} counts
 * @param {string} what
 */
export const count = (counts, what) =>
  void (counts[what || 'no answer'] = (counts[what || 'no answer'] ?? 0) + 1);
