import { ControlLines, writeControlLine } from '../shared/wire/control.js';
import {
  MAX_SEGMENT_BYTES,
  readSegmentStream,
  SEGMENT_HEADER_BYTES,
} from '../shared/wire/segment.js';

/**
 * @import { ClientSegmentMessage, RecordingMessage } from '../shared/messages/segment-messages.js'
 *
 * @typedef {Omit<RecordingMessage, 'type'>} RecordingState
 *
 * @typedef {object} SessionEvents
 * @property {(one: { number: number, rate: number, segment: Uint8Array }) => void} segment of the
 *   last play()
 * @property {(state: RecordingState) => void} recording
 * @property {(code: number, reason: string) => void} closed  called once
 */

/** Longest control message of the server, in bytes. */
const MAX_CONTROL_BYTES = 4096;

/** A WebTransport session for listening to a recording. */
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

  /** Opens the session. @throws {unknown} when that fails */
  async open() {
    await this.#session.ready;
    const stream = await this.#session.createBidirectionalStream();
    this.#control = stream.writable.getWriter();
    void this.#readControl(stream.readable.getReader());
    void this.#readSegments(this.#session.incomingUnidirectionalStreams.getReader());
    this.pace(1, true);
  }

  /**
   * Requests the segments from one on, in place of the last request.
   * @param {{ from: number, rule?: string, rate?: number }} asked
   */
  play(asked) {
    this.#epoch = (this.#epoch + 1) & 0xffff;
    const message = { type: 'play', epoch: this.#epoch, ...asked };
    // The rule is of the page's address: the server refuses an unknown one.
    this.#send(/** @type {ClientSegmentMessage} */ (message));
  }

  /** @param {number} speed @param {boolean} paused */
  pace(speed, paused) {
    this.#send({ type: 'pace', speed, paused });
  }

  /** @param {ClientSegmentMessage} message */
  #send(message) {
    // The session's end reports failed writes.
    this.#control?.write(writeControlLine(message)).catch(() => {});
  }

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  async #readControl(reader) {
    const lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (message) => {
        const { type, ...state } = /** @type {RecordingMessage} */ (message);
        if (type === 'recording') this.#events.recording(state);
      },
      onError: () => this.close(),
    });
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read())
        lines.push(part.value);
    } catch {
      // The end of the session is reported separately.
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
      // The server cancelled it.
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
      // The session isn't open any more, or never was.
    }
  }
}
