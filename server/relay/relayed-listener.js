/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Supply } from '../mix/light-listener.js'
 * @import { Session, SessionHandler } from '../transport/session.js'
 *
 * @typedef {Partial<Record<'stride' | 'you' | 'bitrate' | 'atRelay', unknown>> & { format?:
 *   Partial<Record<keyof AudioFormat, unknown>> }} Welcome of the home
 */

import { NEARNESS } from '../../public/shared/nearness.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_LISTED_SPEAKERS,
  MAX_SENT_BYTES,
  MAX_REDUNDANCY,
  Packet,
  PacketType,
  readPacket,
  speakersBytes,
} from '../../public/shared/wire/packet.js';
import { RATES } from '../../public/shared/sound/rates.js';
import { Ladder, LEAST_BITRATE, MOST_BITRATE } from '../broadcast/ladder.js';
import { RATE_RULES } from '../broadcast/rate-rule.js';
import { LightListener, strideOf } from '../mix/light-listener.js';
import { ClockAnswers, MAX_CLOCK_REQUESTS } from '../room/people/clock-answers.js';
import { TokenBucket } from '../token-bucket.js';

/**
 * The most control messages that are passed on, a second, and packets that are read: nothing but
 * clock requests is awaited.
 */
const MAX_CONTROL_MESSAGES = 20;
const MAX_PACKETS = 2 * MAX_CLOCK_REQUESTS;

/** The most frames to a packet. */
const MAX_STRIDE = MAX_REDUNDANCY + 1;

/** The bytes of a packet that are left for payloads, beside a full list of speakers. */
const PAYLOADS_BYTES = MAX_SENT_BYTES - AUDIO_HEADER_BYTES - speakersBytes(MAX_LISTED_SPEAKERS);

/** How much larger than their mean payloads of a broadcast may be, as at home. */
const BROADCAST_MARGIN = 1.1;

/** The format of rooms where a home tells none, as they have it by default. */
const USUAL = Object.freeze({
  frameMs: /** @type {number} */ (20),
  bitrate: /** @type {number} */ (48_000),
});

/** The object that every packet is read into: nothing of it is kept after the call. */
const packet = new Packet();

/**
 * Somebody who listens to a room of another node, and the handler of their session: the clock is
 * answered here, loss is dealt with here, and all else goes to the room's home.
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
  #format = { frameMs: USUAL.frameMs, opusFrames: 1 };
  #bitrate = USUAL.bitrate;
  #answers = new ClockAnswers();
  #packets = new TokenBucket({ atOnce: MAX_PACKETS, perSecond: MAX_PACKETS });
  #messages = new TokenBucket({ atOnce: MAX_CONTROL_MESSAGES, perSecond: MAX_CONTROL_MESSAGES });
  /** Their hearing, from the home's welcome on. @type {LightListener | null} */
  light = null;
  /** The rates that there are for them, where it is a broadcast. @type {Ladder | null} */
  ladder = null;
  #drop;

  /**
   * @param {object} options
   * @param {Session} options.session
   * @param {Clock} options.clock
   * @param {(arrivalMs: number) => number} options.clockAt the room's sample clock; NaN while it
   *   isn't known
   * @param {(message: unknown) => void} options.pass  a control message to the home
   * @param {unknown} [options.nearness]  that they joined with
   * @param {(light: LightListener, ms: number, frameMs: number) => void} options.fill sends them
   *   what was sent lately
   * @param {(light: LightListener) => void} options.changed the packets that they need are others
   *   from now on
   * @param {(reason: string) => void} options.dropped  a packet or a message of theirs was dropped
   * @param {(code: number) => void} options.closed
   */
  constructor({ session, nearness, clock, clockAt, pass, fill, changed, dropped, closed }) {
    this.#nearness = nearnessOf(nearness) ?? 'conversation';
    this.#fill = fill;
    this.session = session;
    this.#clock = clock;
    this.#clockAt = clockAt;
    this.#pass = pass;
    this.#changed = changed;
    this.#drop = dropped;
    this.#closed = closed;
  }

  /**
   * The home has let them in.
   * @param {Welcome} welcome
   * @returns {boolean} false where they are in already
   */
  welcome({ stride, you, format, bitrate, atRelay }) {
    if (this.light !== null) return false;
    this.#format = {
      frameMs: positive(format?.frameMs, USUAL.frameMs),
      opusFrames: positive(format?.opusFrames, 1),
    };
    this.#bitrate = positive(bitrate, USUAL.bitrate);
    this.light = new LightListener({
      id: String(you),
      session: this.session,
      ...this.#supplyOf(stride, atRelay),
      nearness: this.#nearness,
      redundancy: 'auto',
      clock: this.#clock,
    });
    return true;
  }

  /** The room has become a broadcast, or is none any more. @param {Welcome} told */
  resupply({ stride, atRelay }) {
    this.light?.resupply(this.#supplyOf(stride, atRelay));
  }

  /** @param {unknown} stride @param {unknown} atRelay @returns {Supply} */
  #supplyOf(stride, atRelay) {
    const chosen = readAtRelay(atRelay, this.#format);
    this.ladder = chosen?.ladder ?? null;
    if (chosen) {
      const { ladder, rule } = chosen;
      return {
        rate: new rule(ladder),
        stride: ladder.stride,
        longStride: this.#longStride(ladder.rates[ladder.rates.length - 1], BROADCAST_MARGIN),
      };
    }
    const told = Math.min(MAX_STRIDE, Math.max(1, Math.floor(positive(stride, 1))));
    return { rate: null, stride: told, longStride: this.#longStride(this.#bitrate) };
  }

  /** @param {number} bitrate @param {number} [margin] */
  #longStride(bitrate, margin) {
    return strideOf(MAX_STRIDE, this.#format, bitrate, PAYLOADS_BYTES, margin);
  }

  /** @param {Uint8Array} bytes @param {number} arrivalMs */
  packet(bytes, arrivalMs) {
    if (this.#packets.take(arrivalMs) > 0) return this.#drop('flood');
    const reason = readPacket(bytes, packet);
    if (reason !== null) return this.#drop(reason);
    if (packet.type !== PacketType.clockRequest) return this.#drop('type');
    const clock = this.light === null ? NaN : this.#clockAt(arrivalMs);
    // A clock that isn't known yet is asked for again.
    if (!Number.isNaN(clock) && !this.#answers.answer(this.session, packet.id, clock, arrivalMs))
      this.#drop('flood');
  }

  /** @param {unknown} message */
  control(message) {
    if (this.#messages.take(this.#clock.now()) > 0) this.#drop('control');
    else if (typeOf(message) === 'report') this.#report(/** @type {any} */ (message).lostPercent);
    else if (typeOf(message) === 'nearness') this.#come(/** @type {any} */ (message));
    else if (typeOf(message) === 'rate' && this.ladder !== null)
      this.#askRate(/** @type {any} */ (message).bitsPerSecond);
    else this.#pass(message);
  }

  /** @param {unknown} lostPercent  of what was sent to them lately */
  #report(lostPercent) {
    const { light } = this;
    if (
      light === null ||
      typeof lostPercent !== 'number' ||
      !(lostPercent >= 0 && lostPercent <= 100)
    )
      return this.#drop('control');
    this.#change(light, () => light.reportLoss(lostPercent, this.session.stats().rttMs));
  }

  /** @param {{ nearness?: unknown, fill?: unknown }} wish */
  #come({ nearness, fill }) {
    const { light } = this;
    const asked = nearnessOf(nearness);
    if (light === null || asked === undefined) return this.#drop('control');
    this.#change(light, () => void (light.nearness = asked));
    const ms = fill === true ? light.takeFill() : 0;
    if (ms > 0) this.#fill(light, ms, this.#format.frameMs);
  }

  /** @param {unknown} bitsPerSecond  that they want at most */
  #askRate(bitsPerSecond) {
    const isNumber =
      Number.isInteger(bitsPerSecond) &&
      Number(bitsPerSecond) >= LEAST_BITRATE &&
      Number(bitsPerSecond) <= MOST_BITRATE;
    if (!this.light?.rate || !(isNumber || bitsPerSecond === 'auto')) return this.#drop('control');
    this.light.rate.ask(isNumber ? Number(bitsPerSecond) : Infinity);
    this.#changed(this.light);
  }

  /** @param {LightListener} light @param {() => void} change */
  #change(light, change) {
    const { toldStride } = light;
    change();
    if (light.toldStride !== toldStride)
      this.session.sendControl({ type: 'stride', stride: light.toldStride });
    this.#changed(light);
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
const positive = (value, otherwise) =>
  typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : otherwise;

/**
 * What the rate of one who listens to a broadcast is chosen by.
 * @param {any} told  by the home
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
 * @returns {{ ladder: Ladder, rule: typeof RATE_RULES[keyof typeof RATE_RULES] } | null} null where
 *   there is one rate
 */
function readAtRelay(told, format) {
  const { count, stride, byRate, rule } = told ?? {};
  if (
    !(count >= 1 && count <= RATES.length && stride >= 1 && stride <= MAX_STRIDE) ||
    typeof rule !== 'string' ||
    !Object.hasOwn(RATE_RULES, rule)
  )
    return null;
  return {
    ladder: new Ladder(format, RATES[Math.floor(count) - 1], Math.floor(stride), byRate === true),
    rule: RATE_RULES[/** @type {keyof typeof RATE_RULES} */ (rule)],
  };
}
