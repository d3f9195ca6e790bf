import { ControlLines, writeControlLine } from '../shared/wire/control.js';
import {
  MAX_SEGMENT_BYTES,
  readSegmentStream,
  SEGMENT_HEADER_BYTES,
} from '../shared/wire/segment.js';

/**
 * @typedef {object} SessionEvents
 * @property {(one: { number: number, rate: number, segment: Uint8Array }) => void} segment of the
 *   last play()
 * @property {(state: { rates: number[], channels: number, count: number, whole: boolean, on:
 *   boolean }) => void} recording
 * @property {(code: number, reason: string) => void} closed  called once
 */

/** The longest control message of the server, in bytes. */
const MAX_CONTROL_BYTES = 4096;

/** A session that listens to a recording over WebTransport. */
export class SegmentSession {
  #session;
  #events;
  #epoch = 0;
  /** @type {WritableStreamDefaultWriter | null} */
  #control = null;
  #closed = false;

  /**
   * @param {string} url
   * @param {WebTransportOptions} options
   * @param {SessionEvents} events
   */
  constructor(url, options, events) {
    this.#session = new WebTransport(url, options);
    this.#events = events;
    this.#session.closed.then(
      ({ closeCode = 0, reason = '' }) => this.#end(closeCode, reason),
      (error) => this.#end(-1, String(error)),
    );
  }

  /** Opens it. @throws {unknown} when it can't be had */
  async open() {
    await this.#session.ready;
    const stream = await this.#session.createBidirectionalStream();
    this.#control = stream.writable.getWriter();
    void this.#readControl(stream.readable.getReader());
    void this.#readSegments(this.#session.incomingUnidirectionalStreams.getReader());
    this.pace(1, true);
  }

  /**
   * Asks for the segments from one on, in place of what was asked for before.
   * @param {{ from: number, rule?: string, rate?: number }} asked
   */
  play(asked) {
    this.#epoch = (this.#epoch + 1) & 0xffff;
    this.#send({ type: 'play', epoch: this.#epoch, ...asked });
  }

  /** @param {number} speed @param {boolean} paused */
  pace(speed, paused) {
    this.#send({ type: 'pace', speed, paused });
  }

  /** @param {object} message */
  #send(message) {
    // What can't be written is told of by the session's end.
    this.#control?.write(writeControlLine(message)).catch(() => {});
  }

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  async #readControl(reader) {
    const lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (message) => {
        const { type, ...state } = /** @type {any} */ (message);
        if (type === 'recording') this.#events.recording(state);
      },
      onError: () => this.close(),
    });
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read())
        lines.push(part.value);
    } catch {
      // The session's end is told by itself.
    }
  }

  /** @param {ReadableStreamDefaultReader<ReadableStream<Uint8Array>>} streams */
  async #readSegments(streams) {
    try {
      for (let next = await streams.read(); !next.done; next = await streams.read())
        void this.#readSegment(next.value.getReader());
    } catch {
      // Likewise.
    }
  }

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  async #readSegment(reader) {
    const parts = [];
    let length = 0;
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        length += part.value.length;
        if (length > SEGMENT_HEADER_BYTES + MAX_SEGMENT_BYTES)
          return void reader.cancel().catch(() => {});
      }
    } catch {
      // The server took it back.
      return;
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    const read = readSegmentStream(bytes);
    if (!read || read.epoch !== this.#epoch || this.#closed) return;
    this.#send({ type: 'got', epoch: read.epoch, number: read.number });
    this.#events.segment(read);
  }

  /** @param {number} code @param {string} reason */
  #end(code, reason) {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.closed(code, reason);
  }

  /** Idempotent; closed() isn't called. */
  close() {
    this.#closed = true;
    try {
      this.#session.close();
    } catch {
      // It isn't open, or not any more.
    }
  }
}
