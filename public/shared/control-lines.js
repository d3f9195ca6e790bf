const NEWLINE = 0x0a;
const FIRST_BYTES = 256;

/**
 * Control messages as a byte stream carries them: JSON in UTF-8, one a line, each line ended by
 * '\n'. Holds at most one unfinished line, of the length that is allowed. The first fault is told once
 * and ends the reading, since nothing after it can be trusted.
 */
export class ControlLines {
  #maxBytes;
  #onMessage;
  #onError;
  #line = new Uint8Array(0);
  #length = 0;
  #ended = false;
  // Keeps a byte order mark, which JSON does not allow (RFC 8259, section 8.1).
  #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  /**
   * @param {object} options
   * @param {number} options.maxBytes                        of a line, without its end
   * @param {(message: unknown) => void} options.onMessage   a line's message, parsed
   * @param {(reason: string) => void} options.onError
   *   a line was too long, not UTF-8 or not JSON: the session is of no use any more. Called once; no
   *   message comes after it
   */
  constructor({ maxBytes, onMessage, onError }) {
    this.#maxBytes = maxBytes;
    this.#onMessage = onMessage;
    this.#onError = onError;
  }

  /**
   * Takes bytes as they arrive, however they are cut. Calls back before it returns. Never throws of
   * itself.
   * @param {Uint8Array} chunk not kept
   */
  push(chunk) {
    let start = 0;
    while (!this.#ended && start < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.length : newline;
      if (this.#length + end - start > this.#maxBytes) {
        this.#fail(`a control message is longer than ${this.#maxBytes} bytes`);
      } else if (newline < 0) {
        this.#keep(chunk.subarray(start));
      } else {
        this.#read(chunk.subarray(start, end));
      }
      start = end + 1;
    }
  }

  /** Reads no more: for the end of the session, also from within onMessage. */
  close() {
    this.#ended = true;
    this.#line = new Uint8Array(0);
    this.#length = 0;
  }

  /** @param {Uint8Array} part of a line that goes on */
  #keep(part) {
    const length = this.#length + part.length;
    if (length > this.#line.length) {
      const bytes = Math.min(this.#maxBytes, Math.max(FIRST_BYTES, 2 * length));
      const grown = new Uint8Array(bytes);
      grown.set(this.#line.subarray(0, this.#length));
      this.#line = grown;
    }
    this.#line.set(part, this.#length);
    this.#length = length;
  }

  /** @param {Uint8Array} rest of a line that is complete */
  #read(rest) {
    let line = rest;
    if (this.#length > 0) {
      this.#keep(rest);
      line = this.#line.subarray(0, this.#length);
      this.#length = 0;
    }
    let message;
    try {
      message = JSON.parse(this.#utf8.decode(line));
    } catch {
      this.#fail('a control message is not JSON in UTF-8');
      return;
    }
    this.#onMessage(message);
  }

  /** @param {string} reason */
  #fail(reason) {
    this.close();
    this.#onError(reason);
  }
}

const toUtf8 = new TextEncoder();

/**
 * @param {object} message
 * @returns {Uint8Array} the message's line, with its end
 */
export function writeControlLine(message) {
  return toUtf8.encode(`${JSON.stringify(message)}\n`);
}
