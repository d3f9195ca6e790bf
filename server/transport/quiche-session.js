/**
 * @import { Log } from '../log.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Session, Transport } from './session.js'
 *
 * @typedef {object} BidirectionalStream
 * @property {ReadableStream<Uint8Array>} readable
 * @property {WritableStream<Uint8Array>} writable
 *
 * What is used of the package's HttpWTSession.
 * @typedef {object} QuicheWebTransport
 * @property {string} [peerAddress]
 * @property {Promise<unknown>} ready
 * @property {Promise<{ closeCode?: number, reason?: string }>} closed
 * @property {{ readable: ReadableStream<Uint8Array>, readonly maxDatagramSize: number }} datagrams
 * @property {ReadableStream<BidirectionalStream>} incomingBidirectionalStreams
 * @property {ReadableStream<ReadableStream<Uint8Array>>} incomingUnidirectionalStreams
 * @property {{ writeDatagram: (bytes: Uint8Array) => { code: string } } | undefined | null} [objint]
 *   the engine's own object; gone when the session is over
 * @property {(info: { closeCode: number, reason: string }) => void} close
 */

import { ControlLines, writeControlLine } from '../../public/shared/control.js';
import { errors } from '../../public/shared/errors.js';
import { MAX_PACKET_BYTES } from '../../public/shared/packet.js';
import { BaseSession, cutText } from './base-session.js';
import { MAX_CONTROL_BYTES, MAX_STUCK_BYTES } from './session.js';

/** The package cuts reasons at so many characters; the protocol at 1024 bytes. */
const MAX_REASON_BYTES = 1023;

/** How long a close waits for the control messages before it. */
const FLUSH_MS = 500;

/** @implements {Session} */
export class QuicheSession extends BaseSession {
  #session;
  #clock;
  #onEnd;
  #lines;
  /** Of the client's first bidirectional stream. @type {WritableStreamDefaultWriter<Uint8Array> | null} */
  #writer = null;
  /** Lines from before there was a stream. @type {Uint8Array[]} */
  #waiting = [];
  #queuedBytes = 0;
  /** @type {Promise<unknown>} */
  #lastWrite = Promise.resolve();

  /**
   * @param {object} options
   * @param {Transport} options.transport
   * @param {QuicheWebTransport} options.session
   * @param {Clock} options.clock
   * @param {Log} options.log
   * @param {() => void} options.onEnd
   */
  constructor({ transport, session, clock, log, onEnd }) {
    super({ peer: session.peerAddress ?? '?', log, now: clock.now() });
    this.transport = transport;
    this.#session = session;
    this.#clock = clock;
    this.#onEnd = onEnd;
    this.#lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (message) => this.receiveControl(message, clock.now()),
      onError: () => this.closeWith('bad-request'),
    });
    /** Settles when the engine has done with the session. @type {Promise<void>} */
    this.gone = session.closed.then(
      ({ closeCode, reason }) => void this.end(Number(closeCode ?? 0), String(reason ?? '')),
      () => void this.end(errors['session-lost'].close, errors['session-lost'].message),
    );
  }

  /** Reads what comes, until the session is over. */
  start() {
    const { datagrams, incomingBidirectionalStreams, incomingUnidirectionalStreams } = this.#session;
    // Never cancelled: the engine throws when it delivers to a stream that was. Read without a pause,
    // they hold nothing.
    readAll(datagrams.readable, (bytes) => this.receive(bytes, this.#clock.now()));
    readAll(incomingBidirectionalStreams, (stream) => this.#stream(stream));
    readAll(incomingUnidirectionalStreams, (readable) => void readable.cancel(refusal).catch(ignoreError));
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    return this.sendCopy(bytes.slice());
  }

  /**
   * The public way to write a datagram doesn't say when it was dropped, which the engine does.
   * @param {Uint8Array} bytes not to be changed any more; several sessions may share them
   * @returns {boolean} false when they were dropped
   */
  sendCopy(bytes) {
    if (!this.#write(bytes)) {
      this.droppedOut += 1;
      return false;
    }
    return true;
  }

  /** @param {object} message */
  sendControl(message) {
    if (this.ended) return;
    const line = writeControlLine(message);
    this.#queuedBytes += line.length;
    if (this.#queuedBytes > MAX_STUCK_BYTES) this.closeWith('idle-timeout');
    else if (this.#writer === null) this.#waiting.push(line);
    else this.#writeLine(this.#writer, line);
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  end(code, reason) {
    if (!super.end(code, reason)) return false;
    this.#lines.close();
    this.#waiting.length = 0;
    this.#onEnd();
    return true;
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  close(code, reason) {
    if (!this.end(code, reason)) return;
    const info = { closeCode: code, reason: cutText(reason, MAX_REASON_BYTES) };
    if (this.#queuedBytes === 0 || this.#writer === null) {
      this.#closeEngine(info);
      return;
    }
    const timer = this.#clock.setTimeout(() => this.#closeEngine(info), FLUSH_MS);
    this.#lastWrite.then(() => {
      this.#clock.clearTimeout(timer);
      this.#closeEngine(info);
    });
  }

  stats() {
    return { rttMs: null, lostPackets: 0, droppedOut: this.droppedOut, droppedIn: 0 };
  }

  /** @param {{ closeCode: number, reason: string }} info */
  #closeEngine(info) {
    try {
      this.#session.close(info);
    } catch {
      // It was closing by itself.
    }
  }

  /**
   * @param {Uint8Array} bytes
   * @returns {boolean}
   */
  #write(bytes) {
    if (this.ended || bytes.length > MAX_PACKET_BYTES) return false;
    try {
      if (bytes.length > this.#session.datagrams.maxDatagramSize) return false;
      return this.#session.objint?.writeDatagram(bytes).code === 'success';
    } catch {
      return false;
    }
  }

  /** @param {BidirectionalStream} stream */
  #stream({ readable, writable }) {
    if (this.#writer !== null || this.ended) {
      readable.cancel(refusal).catch(ignoreError);
      writable.abort(refusal).catch(ignoreError);
      return;
    }
    this.#writer = writable.getWriter();
    for (const line of this.#waiting.splice(0)) this.#writeLine(this.#writer, line);
    readAll(readable, (bytes) => this.#lines.push(bytes));
  }

  /**
   * @param {WritableStreamDefaultWriter<Uint8Array>} writer
   * @param {Uint8Array} line
   */
  #writeLine(writer, line) {
    const done = () => void (this.#queuedBytes -= line.length);
    this.#lastWrite = writer.write(line).then(done, done);
  }
}

/** What a stream is told that has no use here. */
const refusal = { code: errors['bad-request'].close };

const ignoreError = () => {};

/**
 * Reads a stream to its end, or until it breaks.
 * @template T
 * @param {ReadableStream<T>} stream
 * @param {(value: T) => void} onValue
 */
async function readAll(stream, onValue) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onValue(value);
    }
  } catch {
    // The session's own end tells what happened.
  }
}
