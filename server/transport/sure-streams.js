/**
 * Packets of a session of the native engine that are to arrive even where they come late: on
 * unidirectional streams, one after the other, each with the packets of a second behind their
 * lengths (carry.js). A length of 0 ends a stream: the peer, which has everything then, stops it. A
 * stream that isn't stopped in time is reset, so that a peer that falls behind is sent what is new:
 * what waits for it is bounded by time.
 *
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 *
 * @typedef {{ stream: Stream, fromMs: number, startMs: number, endMs: number, packets: number }}
 *   Piece a stream, since when its packets' sound was sent for the first time, when it was begun
 *   and ended (Infinity before it is), and how many packets were written to it
 */

import { LENGTH_BYTES } from '../../public/shared/wire/carry.js';
import { STEADY_MS } from '../../public/shared/nearness.js';

/** The time whose packets go on one stream, in milliseconds. */
const PIECE_MS = 1000;

/**
 * The same after a restart, for so long, in milliseconds: what has arrived is known sooner while
 * the way is narrow.
 */
const SHORT_PIECE_MS = 250;
const SHORT_FOR_MS = 5000;

/**
 * What was sent for the first time longer ago isn't sent anew, in milliseconds: it would be there
 * too late.
 */
const ANEW_MS = STEADY_MS - 300;

/**
 * The time after its end in which a stream is to have arrived, in milliseconds: later it would not
 * be heard.
 */
const KEPT_MS = STEADY_MS;

const END = new Uint8Array(LENGTH_BYTES);

export class SureStreams {
  #native;
  #clock;
  /**
   * Those that haven't arrived, as far as is known, the oldest first; the last one is written to
   * while it is open.
   * @type {Piece[]}
   */
  #pieces = [];
  #isOpen = false;
  /**
   * Since when what is sent anew was sent for the first time, before a stream is begun for it;
   * Infinity otherwise.
   */
  #anewFromMs = Infinity;
  #shortUntilMs = -Infinity;

  /** Packets that weren't sent, or whose stream was reset: some of these may have arrived. */
  dropped = 0;

  /** @param {Pick<NativeSession, 'openStream'>} native @param {Pick<Clock, 'now'>} clock */
  constructor(native, clock) {
    this.#native = native;
    this.#clock = clock;
  }

  /** How many streams there are. */
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

  /** @param {number} now @returns {Piece | null} null where there can be no more streams */
  #pieceAt(now) {
    const last = this.#isOpen ? this.#pieces[this.#pieces.length - 1] : null;
    if (last && now - last.startMs < (now < this.#shortUntilMs ? SHORT_PIECE_MS : PIECE_MS))
      return last;
    this.end();
    const stream = this.#native.openStream({ bidi: false });
    if (!stream) return null;
    const piece = {
      stream,
      fromMs: Math.min(now, this.#anewFromMs),
      startMs: now,
      endMs: Infinity,
      packets: 0,
    };
    this.#anewFromMs = Infinity;
    stream.onStopped = () => this.#arrived(piece);
    this.#pieces.push(piece);
    this.#isOpen = true;
    return piece;
  }

  /**
   * Ends the stream that is written to: what comes next isn't sent so, or goes on another.
   * Idempotent.
   */
  end() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const last = this.#pieces[this.#pieces.length - 1];
    last.endMs = this.#clock.now();
    last.stream.write(END);
  }

  /**
   * Gives up what hasn't arrived, as far as is known: its sound is to be sent anew, in fewer bits.
   * @param {number} arrivedMs  what was sent before this has arrived, on the clock
   * @returns {number} how long ago the first of it was sent for the first time, in milliseconds; 0
   *   where there was none
   */
  restart(arrivedMs) {
    if (this.#pieces.length === 0) return 0;
    const now = this.#clock.now();
    this.#anewFromMs = Math.max(
      arrivedMs,
      now - ANEW_MS,
      Math.min(...this.#pieces.map(({ fromMs }) => fromMs)),
    );
    this.#shortUntilMs = now + SHORT_FOR_MS;
    for (const { stream } of this.#pieces.splice(0)) stream.reset(0);
    this.#isOpen = false;
    return now - this.#anewFromMs;
  }

  /** @param {Piece} piece  which the peer has stopped */
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
