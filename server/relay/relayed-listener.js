/**
 * @import { ReadClientMessages } from '../../public/shared/messages/client-messages.js'
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Supply } from '../mix/light-listener.js'
 * @import { Session, SessionHandler } from '../session/session.js'
 *
 * @typedef {Partial<Record<'stride' | 'you' | 'bitrate' | 'atRelay', unknown>> & { format?:
 *   Partial<Record<keyof AudioFormat, unknown>> }} Welcome from the owner
 */

import { readFields, typeOf } from '../../public/shared/messages/client-messages.js';
import { relayedRates } from '../../public/shared/messages/fields.js';
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
import { RATES } from '../../public/shared/sound/audio-format.js';
import { Ladder } from '../broadcast/ladder.js';
import { RATE_RULES, rateRuleOf } from '../broadcast/rate-rule.js';
import { LightListener, strideOf } from '../mix/light-listener.js';
import { ClockAnswers, MAX_CLOCK_REQUESTS } from '../clock/sample-clock.js';
import { TokenBucket } from '../token-bucket.js';

/**
 * Limit of control messages passed on per second, and of packets read: only clock requests are
 * expected.
 */
const MAX_CONTROL_MESSAGES = 20;
const MAX_PACKETS = 2 * MAX_CLOCK_REQUESTS;

const MAX_STRIDE = MAX_REDUNDANCY + 1;

/** Space for payloads in a packet beside a full list of speakers, in bytes. */
const PAYLOADS_BYTES = MAX_SENT_BYTES - AUDIO_HEADER_BYTES - speakersBytes(MAX_LISTED_SPEAKERS);

/** Ratio of the largest to the mean payload of a broadcast, as at the owner. */
const BROADCAST_MARGIN = 1.1;

/** Default format of rooms, for an owner that sends none. */
const USUAL = Object.freeze({
  frameMs: /** @type {number} */ (20),
  bitrate: /** @type {number} */ (48_000),
});

/** Receives every parsed packet; nothing of it is kept after the call. */
const packet = new Packet();

/**
 * A listener to a room of another node, and the handler of its session. The relay answers clock
 * requests and handles loss; everything else goes to the room's owner.
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
  /** Set by the owner's welcome. @type {LightListener | null} */
  light = null;
  /** Rates available to a listener of a broadcast. @type {Ladder | null} */
  ladder = null;
  #drop;

  /**
   * @param {object} options
   * @param {Session} options.session
   * @param {Clock} options.clock
   * @param {(arrivalMs: number) => number} options.clockAt the room's sample clock; NaN while
   *   unknown
   * @param {(message: unknown) => void} options.pass  sends a control message to the owner
   * @param {unknown} [options.nearness]  from the request to join
   * @param {(light: LightListener, ms: number, frameMs: number) => void} options.fill sends the
   *   listener recent packets
   * @param {(light: LightListener) => void} options.changed called when the listener needs other
   *   packets
   * @param {(reason: string) => void} options.dropped  a packet or message of the listener was
   *   dropped
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
   * Admits the listener.
   * @param {Welcome} welcome
   * @returns {boolean} false if admitted already
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

  /** Switches to or from a broadcast. @param {Welcome} told */
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
        rate: rateRuleOf(rule, ladder),
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
    // An unknown clock gets no answer: the client asks again.
    if (!Number.isNaN(clock) && !this.#answers.answer(this.session, packet.id, clock, arrivalMs))
      this.#drop('flood');
  }

  /** @param {unknown} message */
  control(message) {
    if (this.#messages.take(this.#clock.now()) > 0) return this.#drop('control');
    const type = typeOf(message);
    const isOwn = type === 'report' || type === 'nearness' || (type === 'rate' && this.ladder);
    if (!isOwn) this.#pass(message);
    else if (this.light === null || !this.#act(this.light, type, message)) this.#drop('control');
  }

  /**
   * Handles a message that is meant for the relay.
   * @param {LightListener} light
   * @param {'report' | 'nearness' | 'rate'} type
   * @param {unknown} message
   * @returns {boolean} false if the message is invalid or can't be carried out
   */
  #act(light, type, message) {
    if (type === 'report') return this.#report(light, readFields(type, message));
    if (type === 'nearness') return this.#come(light, readFields(type, message));
    return this.#askRate(light, readFields(type, message));
  }

  /** @param {LightListener} light @param {ReadClientMessages['report'] | null} report */
  #report(light, report) {
    if (report === null) return false;
    this.#change(light, () => light.reportLoss(report.lostPercent, this.session.stats().rttMs));
    return true;
  }

  /** @param {LightListener} light @param {ReadClientMessages['nearness'] | null} message */
  #come(light, message) {
    if (message === null) return false;
    this.#change(light, () => void (light.nearness = message.nearness));
    const ms = message.fill ? light.takeFill() : 0;
    if (ms > 0) this.#fill(light, ms, this.#format.frameMs);
    return true;
  }

  /** @param {LightListener} light @param {ReadClientMessages['rate'] | null} message */
  #askRate(light, message) {
    if (message === null || !light.rate) return false;
    light.rate.ask(message.bitsPerSecond === 'auto' ? Infinity : message.bitsPerSecond);
    this.#changed(light);
    return true;
  }

  /** @param {LightListener} light @param {() => void} change */
  #change(light, change) {
    const { announcedStride } = light;
    change();
    if (light.announcedStride !== announcedStride)
      this.session.sendControl({ type: 'stride', stride: light.announcedStride });
    this.#changed(light);
  }

  /** @param {number} code */
  closed(code) {
    this.light?.close();
    this.#closed(code);
  }
}

/** @param {unknown} value */
const nearnessOf = (value) => NEARNESS.find((one) => one === value);

/** @param {unknown} value @param {number} otherwise */
const positive = (value, otherwise) =>
  typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : otherwise;

/**
 * Reads how a broadcast listener's rate is chosen.
 * @param {unknown} told  by the owner
 * @param {Pick<AudioFormat, 'frameMs' | 'opusFrames'>} format
 * @returns {{ ladder: Ladder, rule: string } | null} null if there is only one rate
 */
function readAtRelay(told, format) {
  const { success, data } = relayedRates.safeParse(told);
  if (!success || data.count < 1 || data.count > RATES.length) return null;
  const { count, stride, byRate, rule } = data;
  if (!RATE_RULES.has(rule)) return null;
  return {
    ladder: new Ladder(format, RATES[count - 1], stride, byRate),
    rule,
  };
}
