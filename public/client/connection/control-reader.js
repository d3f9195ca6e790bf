/** No control message of the server is longer, in bytes: a room's list of people must fit. */
const MAX_LINE_BYTES = 1024 * 1024;

const NEWLINE = 10;

/** Reads control messages off a byte stream: JSON in UTF-8, one a line. */
export class ControlReader {
  #onMessage;
  /** @type {Uint8Array[]} */
  #parts = [];
  #bytes = 0;
  #utf8 = new TextDecoder('utf-8', { fatal: true });

  /** @param {(message: unknown) => void} onMessage */
  constructor(onMessage) {
    this.#onMessage = onMessage;
  }

  /**
   * @param {Uint8Array} chunk may be kept
   * @returns {boolean} false when it isn't control messages: the connection is of no use then
   */
  push(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      if (!this.#read()) return false;
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return this.#bytes <= MAX_LINE_BYTES;
  }

  /** @param {Uint8Array} part */
  #keep(part) {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  #read() {
    const line = new Uint8Array(this.#bytes);
    let at = 0;
    for (const part of this.#parts) {
      line.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#bytes = 0;
    let message;
    try {
      message = JSON.parse(this.#utf8.decode(line));
    } catch {
      return false;
    }
    this.#onMessage(message);
    return true;
  }
}
