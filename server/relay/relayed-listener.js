/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Session, SessionHandler } from '../transport/session.js'
 */

import { NEARNESS } from '../../public/shared/nearness.js';
import { AUDIO_HEADER_BYTES, MAX_LISTED_SPEAKERS, MAX_PACKET_BYTES, MAX_REDUNDANCY, Packet, PacketType, readPacket, speakersBytes } from '../../public/shared/wire/packet.js';
import { LightListener, strideOf } from '../mix/light-listener.js';
import { ClockAnswers, MAX_CLOCK_REQUESTS } from '../room/people/clock-answers.js';
import { TokenBucket } from '../token-bucket.js';

/** The most control messages that are passed on, a second, and packets that are read: nothing but clock requests is awaited. */
const MAX_CONTROL_MESSAGES = 20;
const MAX_PACKETS = 2 * MAX_CLOCK_REQUESTS;

/** The most frames to a packet. */
const MAX_STRIDE = MAX_REDUNDANCY + 1;

/** The bytes of a packet that are left for payloads, beside a full list of speakers. */
const PAYLOADS_BYTES = MAX_PACKET_BYTES - AUDIO_HEADER_BYTES - speakersBytes(MAX_LISTED_SPEAKERS);

/** The format of rooms where a home tells none, as they have it by default. */
const USUAL = Object.freeze({ frameMs: /** @type {number} */ (20), bitrate: 48_000 });

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
  #nearness;
  #fill;
  #frameMs = USUAL.frameMs;
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
   * @param {unknown} [options.nearness]  that they joined with
   * @param {(light: LightListener, ms: number, frameMs: number) => void} options.fill  sends them what was sent lately
   * @param {() => void} options.changed  the packets that they need are others from now on
   * @param {(code: number) => void} options.closed
   */
  constructor({ session, nearness, clock, clockAt, pass, fill, changed, closed }) {
    this.#nearness = nearnessOf(nearness) ?? 'conversation';
    this.#fill = fill;
    this.session = session;
    this.#clock = clock;
    this.#clockAt = clockAt;
    this.#pass = pass;
    this.#changed = changed;
    this.#closed = closed;
  }

  /**
   * The home has let them in.
   * @param {{ stride?: unknown, you?: unknown, format?: { frameMs?: unknown }, bitrate?: unknown }} welcome
   * @returns {boolean} false where they are in already
   */
  welcome({ stride, you, format, bitrate }) {
    if (this.light !== null) return false;
    this.#frameMs = positive(format?.frameMs, USUAL.frameMs);
    const told = Math.min(MAX_STRIDE, Math.max(1, Math.floor(positive(stride, 1))));
    const longStride = strideOf(MAX_STRIDE, { frameMs: this.#frameMs }, positive(bitrate, USUAL.bitrate), PAYLOADS_BYTES);
    const nearness = this.#nearness;
    this.light = new LightListener({ id: String(you), session: this.session, stride: told, longStride, nearness, redundancy: 'auto', clock: this.#clock });
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
    else if (typeOf(message) === 'report') this.#report(/** @type {any} */ (message).lostPercent);
    else if (typeOf(message) === 'nearness') this.#come(/** @type {any} */ (message));
    else this.#pass(message);
  }

  /** @param {unknown} lostPercent  of what was sent to them lately */
  #report(lostPercent) {
    const { light } = this;
    if (light === null || typeof lostPercent !== 'number' || !(lostPercent >= 0 && lostPercent <= 100)) return void (this.dropped += 1);
    this.#change(light, () => light.reportLoss(lostPercent, this.session.stats().rttMs));
  }

  /** @param {{ nearness?: unknown, fill?: unknown }} wish */
  #come({ nearness, fill }) {
    const { light } = this;
    const asked = nearnessOf(nearness);
    if (light === null || asked === undefined) return void (this.dropped += 1);
    this.#change(light, () => void (light.nearness = asked));
    const ms = fill === true ? light.takeFill() : 0;
    if (ms > 0) this.#fill(light, ms, this.#frameMs);
  }

  /** @param {LightListener} light @param {() => void} change */
  #change(light, change) {
    const { toldStride } = light;
    change();
    if (light.toldStride !== toldStride) this.session.sendControl({ type: 'stride', stride: light.toldStride });
    this.#changed();
  }

  /** @param {number} code */
  closed(code) {
    this.light?.close();
    this.#closed(code);
  }
}

/** @param {any} message */
const typeOf = (message) => message?.type;

/** @param {unknown} value */
const nearnessOf = (value) => NEARNESS.find((one) => one === value);

/** @param {unknown} value @param {number} otherwise */
const positive = (value, otherwise) => (typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : otherwise);
