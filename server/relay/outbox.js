import { MAX_RELAY_BATCH } from '../cluster/messages.js';

/** A message is sent when what is in it is longer than this, in bytes of JSON. */
const FULL_BYTES = 64 * 1024;

/**
 * What one node tells another about a room's relayed sessions: all of one moment in as few messages
 * as may be, in order.
 * @template T
 */
export class Outbox {
  /** @type {T[]} */
  #waiting = [];
  #bytes = 0;
  #isDue = false;
  #send;

  /** @param {(batch: T[]) => void} send */
  constructor(send) {
    this.#send = send;
  }

  /** The last that waits, to which something may be added. */
  get last() {
    return this.#waiting.at(-1);
  }

  /** The last that waits has been made longer. @param {number} bytes */
  grew(bytes) {
    this.#bytes += bytes;
  }

  /** @param {T} item @param {number} [bytes]  about as long as it is in JSON */
  add(item, bytes = 100) {
    if (
      this.#waiting.length === MAX_RELAY_BATCH ||
      (this.#waiting.length > 0 && this.#bytes + bytes > FULL_BYTES)
    )
      this.flush();
    this.#waiting.push(item);
    this.#bytes += bytes;
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.flush();
    });
  }

  /** Sends what waits. */
  flush() {
    if (this.#waiting.length === 0) return;
    this.#bytes = 0;
    this.#send(this.#waiting.splice(0));
  }
}
