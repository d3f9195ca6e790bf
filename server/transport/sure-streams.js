/**
 * Sends packets that must arrive even if late, for a session of the native engine. They go on
 * unidirectional streams, one after the other, each with the packets of a second behind their
 * lengths (stream-packets.js). A length of 0 ends a stream, and the peer, which then has
 * everything, stops it. A stream that isn't stopped in time is reset, so a peer that falls behind
 * gets newer packets. Time bounds the packets that wait for it.
 *
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 *
 * @typedef {{ stream: Stream, fromMs: number, startMs: number, endMs: number, packets: number }}
 *   Piece stream with the time when its packets' sound was first sent, its beginning and end
 *   (Infinity before it), and its number of packets
 */

import { LENGTH_BYTES } from '../../public/shared/wire/stream-packets.js';
import { STEADY_MS } from '../../public/shared/nearness.js';

/** Time whose packets share a stream, in milliseconds. */
const PIECE_MS = 1000;

/**
 * Shorter time for the first streams after a restart, and the period of these, in milliseconds. The
 * path is narrow then, and a short stream shows sooner that its packets have arrived.
 */
const SHORT_PIECE_MS = 250;
const SHORT_FOR_MS = 5000;

/** Age above which a packet isn't sent again, in milliseconds: it would come too late. */
const ANEW_MS = STEADY_MS - 300;

/**
 * Time after its end in which a stream must arrive, in milliseconds: later it would not be heard.
 */
const KEPT_MS = STEADY_MS;

const END = new Uint8Array(LENGTH_BYTES);

export class SureStreams {
  #native;
  #clock;
  /**
   * Streams not known to have arrived, the oldest first; the last one is written to while it is
   * open.
   * @type {Piece[]}
   */
  #pieces = [];
  #isOpen = false;
  /**
   * Time at which the packets to repeat were first sent, until a stream begins for them; else
   * Infinity.
   */
  #restartMs = Infinity;
  #shortUntilMs = -Infinity;

  /**
   * Number of packets that weren't sent, or whose stream was reset: some of these may have arrived.
   */
  dropped = 0;

  /** @param {Pick<NativeSession, 'openStream'>} native @param {Pick<Clock, 'now'>} clock */
  constructor(native, clock) {
    this.#native = native;
    this.#clock = clock;
  }

  /** Number of streams. */
  get size() {
    return this.#pieces.length;
  }

  /**
   * @param {Uint8Array} framed  a packet behind its length; copied
   * @returns {boolean} false when it wasn't sent
   */
  send(framed) {
    const now = this.#clock.now();
    this.#resetOld(now);
    const piece = this.#pieceAt(now);
    if (!piece?.stream.write(framed)) {
      this.dropped += 1;
      return false;
    }
    piece.packets += 1;
    return true;
  }

  /** @param {number} now @returns {Piece | null} null if there can be no more streams */
  #pieceAt(now) {
    const last = this.#isOpen ? this.#pieces[this.#pieces.length - 1] : null;
    if (last && now - last.startMs < (now < this.#shortUntilMs ? SHORT_PIECE_MS : PIECE_MS))
      return last;
    this.end();
    const stream = this.#native.openStream({ bidi: false });
    if (!stream) return null;
    const piece = {
      stream,
      fromMs: Math.min(now, this.#restartMs),
      startMs: now,
      endMs: Infinity,
      packets: 0,
    };
    this.#restartMs = Infinity;
    stream.onStopped = () => this.#arrived(piece);
    this.#pieces.push(piece);
    this.#isOpen = true;
    return piece;
  }

  /** Ends the current stream: later packets go on another, or aren't sent this way. Idempotent. */
  end() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const last = this.#pieces[this.#pieces.length - 1];
    last.endMs = this.#clock.now();
    last.stream.write(END);
  }

  /**
   * Gives up packets not known to have arrived: the caller repeats their sound in fewer bits.
   * @param {number} arrivedMs  time before which all that was sent has arrived, on the clock
   * @returns {number} age of the oldest of them, in milliseconds; 0 without one
   */
  restart(arrivedMs) {
    if (this.#pieces.length === 0) return 0;
    const now = this.#clock.now();
    this.#restartMs = Math.max(
      arrivedMs,
      now - ANEW_MS,
      Math.min(...this.#pieces.map(({ fromMs }) => fromMs)),
    );
    this.#shortUntilMs = now + SHORT_FOR_MS;
    for (const { stream } of this.#pieces.splice(0)) stream.reset(0);
    this.#isOpen = false;
    return now - this.#restartMs;
  }

  /** @param {Piece} piece that the peer has stopped */
  #arrived(piece) {
    const at = this.#pieces.indexOf(piece);
    if (at < 0) return;
    if (at === this.#pieces.length - 1) this.#isOpen = false;
    this.#pieces.splice(at, 1);
  }

  /** @param {number} now */
  #resetOld(now) {
    while (this.#pieces.length > 0 && now - this.#pieces[0].endMs > KEPT_MS) {
      const { stream, packets } = this.#pieces[0];
      this.#pieces.shift();
      stream.reset(0);
      this.dropped += packets;
    }
  }
}
