/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Session, SessionHandler } from '../transport/session.js'
 */

import { Packet, PacketType, readPacket } from '../../public/shared/packet.js';
import { LightListener } from '../mix/light-listener.js';
import { ClockAnswers, MAX_CLOCK_REQUESTS } from '../room/clock-answers.js';
import { TokenBucket } from '../token-bucket.js';

/** The most control messages that are passed on, a second, and packets that are read: nothing but clock requests is awaited. */
const MAX_CONTROL_MESSAGES = 20;
const MAX_PACKETS = 2 * MAX_CLOCK_REQUESTS;

/** The most frames to a packet that a home may tell of. */
const MAX_STRIDE = 3;

/** The object that every packet is read into: nothing of it is kept after the call. */
const packet = new Packet();

/**
 * Somebody who listens to a room of another node, and the handler of their session: the clock is answered here, loss is dealt
 * with here, and all else goes to the room's home.
 * @implements {SessionHandler}
 */
export class RelayedListener {
  #clock;
  #clockAt;
  #pass;
  #changed;
  #closed;
  #answers = new ClockAnswers();
  #packets = new TokenBucket({ atOnce: MAX_PACKETS, perSecond: MAX_PACKETS });
  #messages = new TokenBucket({ atOnce: MAX_CONTROL_MESSAGES, perSecond: MAX_CONTROL_MESSAGES });
  /** Their hearing, from the home's welcome on. @type {LightListener | null} */
  light = null;
  /** Packets and messages that were dropped. */
  dropped = 0;

  /**
   * @param {object} options
   * @param {Session} options.session
   * @param {Clock} options.clock
   * @param {(arrivalMs: number) => number} options.clockAt  the room's sample clock; NaN while it isn't known
   * @param {(message: unknown) => void} options.pass  a control message to the home
   * @param {() => void} options.changed  the packets that they need are others from now on
   * @param {(code: number) => void} options.closed
   */
  constructor({ session, clock, clockAt, pass, changed, closed }) {
    this.session = session;
    this.#clock = clock;
    this.#clockAt = clockAt;
    this.#pass = pass;
    this.#changed = changed;
    this.#closed = closed;
  }

  /**
   * The home has let them in.
   * @param {{ stride?: unknown, you?: unknown }} welcome
   * @returns {boolean} false where they are in already
   */
  welcome({ stride, you }) {
    if (this.light !== null) return false;
    const frames = typeof stride === 'number' && Number.isInteger(stride) ? Math.min(MAX_STRIDE, Math.max(1, stride)) : 1;
    this.light = new LightListener({ id: String(you), session: this.session, stride: frames, redundancy: 'auto', clock: this.#clock });
    return true;
  }

  /** @param {Uint8Array} bytes @param {number} arrivalMs */
  packet(bytes, arrivalMs) {
    const isWanted = this.#packets.take(arrivalMs) === 0 && readPacket(bytes, packet) === null && packet.type === PacketType.clockRequest;
    const clock = isWanted && this.light !== null ? this.#clockAt(arrivalMs) : NaN;
    // A clock that isn't known yet is asked for again.
    if (Number.isNaN(clock) || !this.#answers.answer(this.session, packet.id, clock, arrivalMs)) this.dropped += 1;
  }

  /** @param {unknown} message */
  control(message) {
    if (this.#messages.take(this.#clock.now()) > 0) this.dropped += 1;
    else if (/** @type {any} */ (message)?.type === 'report') this.#report(/** @type {any} */ (message).lostPercent);
    else this.#pass(message);
  }

  /** @param {unknown} lostPercent  of what was sent to them lately */
  #report(lostPercent) {
    const { light } = this;
    if (light === null || typeof lostPercent !== 'number' || !(lostPercent >= 0 && lostPercent <= 100)) return void (this.dropped += 1);
    const { stride } = light;
    light.reportLoss(lostPercent, this.session.stats().rttMs);
    if (light.stride !== stride) this.session.sendControl({ type: 'stride', stride: light.stride });
    this.#changed();
  }

  /** @param {number} code */
  closed(code) {
    this.light?.close();
    this.#closed(code);
  }
}
