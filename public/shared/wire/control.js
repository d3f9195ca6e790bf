import { PACKET_VERSION, PacketType } from './packet-format.js';

/**
 * Control messages: JSON, as lines of a byte stream (WebTransport) or as packets (HTTP/1).
 */

/** The version of the control protocol, which `join` and `welcome` carry. */
export const CONTROL_VERSION = 1;

/**
 * Upper limits of the bins of the lateness histogram in `stats`, in milliseconds. The last bin has
 * none.
 */
export const LATENESS_BINS_MS = Object.freeze([
  0, 5, 10, 15, 20, 30, 40, 60, 80, 120, 160, 240, 400,
]);

/** Limits of a metronome's tempo, in beats a minute. */
export const BEATS_A_MINUTE = Object.freeze({ min: 20, max: 300 });

/** Limits of the number of beats in a metronome's bar. */
export const BAR_BEATS = Object.freeze({ min: 1, max: 16 });

const NEWLINE = 0x0a;
/** Initial size of the buffer for an unfinished line, in bytes; it doubles as needed. */
const FIRST_BYTES = 256;

const utf8 = new TextEncoder();

/**
 * Reads control messages from a byte stream: JSON in UTF-8, one a line, each line ended by '\n'.
 * Keeps at most one unfinished line, up to the allowed length. The first fault is reported once and
 * ends the reading, because nothing after it can be trusted.
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
   * @param {(reason: string) => void} options.onError a line was too long, not UTF-8 or not JSON:
   *   the session is of no use any more. Called once; no message comes after it
   */
  constructor({ maxBytes, onMessage, onError }) {
    this.#maxBytes = maxBytes;
    this.#onMessage = onMessage;
    this.#onError = onError;
  }

  /**
   * Reads bytes as they arrive, split anywhere. Calls back before it returns. Throws nothing
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

  /** Stops reading: for the end of the session, also from within onMessage. */
  close() {
    this.#ended = true;
    this.#line = new Uint8Array(0);
    this.#length = 0;
  }

  /** @param {Uint8Array} part of an unfinished line */
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

  /** @param {Uint8Array} rest of a finished line */
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

/**
 * @param {object} message
 * @returns {Uint8Array} the message's line, including its end
 */
export function writeControlLine(message) {
  return utf8.encode(`${JSON.stringify(message)}\n`);
}

const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Writes a control message as a packet, for HTTP/1, which has no other form for one. It may be
 * longer than MAX_PACKET_BYTES.
 * @param {object} message
 * @returns {Uint8Array}
 */
export function writeControl(message) {
  const json = utf8.encode(JSON.stringify(message));
  const out = new Uint8Array(1 + json.length);
  out[0] = (PACKET_VERSION << 4) | PacketType.control;
  out.set(json, 1);
  return out;
}

/**
 * @param {Uint8Array} bytes a control packet
 * @returns {unknown} the message, or undefined when it isn't JSON
 */
export function readControl(bytes) {
  try {
    return JSON.parse(fromUtf8.decode(bytes.subarray(1)));
  } catch {
    return undefined;
  }
}
