/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { RateRule } from '../broadcast/rate-rule.js'
 * @import { Nearness } from '../../public/shared/nearness.js'
 * @import { Session } from '../transport/session.js'
 */

import { NEAR_MS, STEADY_MS } from '../../public/shared/nearness.js';
import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { Redundancy } from '../../public/shared/stream/redundancy.js';

/**
 * The most sound in one packet of a light listener's, in milliseconds: so much is missed where one
 * is lost.
 */
const MAX_STRIDE_MS = 60;

/**
 * How much larger than the mean of its bit rate a payload may be: three in a row are hardly ever
 * that large. Where they are, they go in two packets.
 */
const PAYLOAD_MARGIN = 1.5;

/**
 * How many frames of the shared stream go into one packet of a light listener's: at most as many as
 * are asked for, as make MAX_STRIDE_MS, and as fit.
 * @param {number} asked  1 to MAX_REDUNDANCY + 1
 * @param {{ frameMs: number }} format
 * @param {number} bitrate  of the room's streams, in bits a second
 * @param {number} maxPayloadBytes  in one packet
 * @param {number} [margin]  how much larger than the mean payloads may be
 */
export function strideOf(asked, { frameMs }, bitrate, maxPayloadBytes, margin = PAYLOAD_MARGIN) {
  const bytes = (margin * bitrate * frameMs) / 8000;
  return Math.max(
    1,
    Math.min(
      asked,
      MAX_REDUNDANCY + 1,
      Math.floor(MAX_STRIDE_MS / frameMs),
      Math.floor(maxPayloadBytes / bytes),
    ),
  );
}

/**
 * How packets go to a light listener: each once; each again after the next and the one after that,
 * so that what a burst of losses takes comes later; or each until it has arrived, or is too old.
 * @typedef {'once' | 'thrice' | 'surely'} Carriage
 */

/**
 * @typedef {object} Supply
 * @property {RateRule | null} rate decides about a listener's bit rate; null where the room is no
 *   broadcast
 * @property {number} stride  see strideOf
 * @property {number} longStride  the most frames that a packet may have, see strideOf
 */

/** The shortest time from one filling of a listener's buffer to the next, in milliseconds. */
const FILL_MS = 5000;

/**
 * The hearing of one who only listens: the shared stream in every third packet, say, with the
 * frames between repeated in it. It has no stream, encoder, volumes or delay of its own. In a
 * `conversation` it is sent each frame's packet, with repeats, while its client reports loss.
 * `near` and `steady` listeners get as many frames in a packet as can be, whatever the room's
 * stride is: what they lose comes by other means (Carriage).
 */
export class LightListener {
  /** Decides about its bit rate; null where the room is no broadcast. @type {RateRule | null} */
  rate;
  /** @readonly */
  delivery = 'tick';
  /** @readonly */
  isLight = true;
  /** @type {null} */
  ownDelayMs = null;
  #session;
  #stride;
  #longStride;
  #clock;
  #setting;
  #nearness;
  #filledMs = -Infinity;
  /** From the first report of loss on. @type {Redundancy | null} */
  #redundancy = null;
  #closed = false;
  #reported = { lostPercent: 0, atMs: -Infinity };
  /** Packets that the session had sent and lost at the last report. */
  #counted = { sent: 0, lost: 0 };

  /**
   * @param {object} options
   * @param {string} options.id  the member's
   * @param {Session} options.session
   * @param {Supply['rate']} [options.rate]
   * @param {Supply['stride']} options.stride
   * @param {Supply['longStride']} [options.longStride]
   * @param {Nearness} [options.nearness]
   * @param {'auto' | 0 | 1 | 2} options.redundancy  the room's setting
   * @param {Pick<Clock, 'now'>} options.clock
   */
  constructor({
    id,
    session,
    rate = null,
    stride,
    longStride = stride,
    nearness = 'conversation',
    redundancy,
    clock,
  }) {
    this.id = id;
    this.rate = rate;
    this.#session = session;
    this.#stride = stride;
    this.#longStride = longStride;
    this.#nearness = nearness;
    this.#setting = redundancy;
    this.#clock = clock;
  }

  get session() {
    return this.#session;
  }

  /**
   * Another supply from now on, in a room that has become a broadcast or is none any more.
   * @param {Supply} supply
   */
  resupply({ rate, stride, longStride }) {
    this.rate = rate;
    this.#stride = stride;
    this.#longStride = longStride;
  }

  get nearness() {
    return this.#nearness;
  }

  /** @param {Nearness} nearness  to whoever speaks */
  set nearness(nearness) {
    this.#nearness = nearness;
    if (nearness !== 'steady') this.#session.surely?.end();
  }

  /** The most frames that a packet may have. */
  get longStride() {
    return this.#longStride;
  }

  /**
   * @returns {Carriage} how packets go; where a session can't make sure that they arrive, each goes
   *   more than once
   */
  get carriage() {
    if (this.#nearness === 'conversation' || this.#session.transport.name === 'websocket')
      return 'once';
    if (this.#nearness === 'steady' && this.#session.surely) return 'surely';
    return this.rate?.bare ? 'once' : 'thrice';
  }

  /**
   * Asks to have its buffer filled with what was sent lately.
   * @returns {number} since when, in milliseconds; 0 where it has no use of that, or just had it
   */
  takeFill() {
    const now = this.#clock.now();
    if (this.#nearness === 'conversation' || now - this.#filledMs < FILL_MS) return 0;
    this.#filledMs = now;
    return this.#nearness === 'near' ? NEAR_MS : STEADY_MS;
  }

  /** How many frames of the shared stream there are to one packet now. */
  get stride() {
    if (this.#nearness !== 'conversation') return this.#longStride;
    return this.#lossRepeats > 0 ? 1 : this.#stride;
  }

  /**
   * The stride that its client goes by. In a broadcast it isn't changed by what is tried and
   * repeated, so that playout waits as long: nothing is made up where packets hold more frames
   * again.
   */
  get toldStride() {
    return this.rate === null || this.#nearness !== 'conversation' ? this.stride : this.#stride;
  }

  /** How many frames each packet repeats. */
  get repeats() {
    if (this.#nearness !== 'conversation') return this.#longStride - 1;
    return this.stride > 1 ? this.stride - 1 : this.#lossRepeats;
  }

  get #lossRepeats() {
    // On a way that is too narrow they would be lost in their turn.
    if (this.rate?.suffers) return 0;
    if (this.#redundancy !== null) return this.#redundancy.count;
    return this.#setting === 'auto' || this.#stride > 1 ? 0 : this.#setting;
  }

  /**
   * @param {number} lostPercent  of what was sent to it lately, as its client reports
   * @param {number | null} roundTripMs  null where the transport doesn't know it
   */
  reportLoss(lostPercent, roundTripMs) {
    this.#reported = { lostPercent, atMs: this.#clock.now() };
    const percent = this.#countLoss() ?? lostPercent;
    // Repeats would add to the load of a way that is too narrow.
    if (this.rate?.suffers) return;
    // Most never lose anything, and have nothing to remember.
    if (this.#redundancy === null && (percent === 0 || this.#setting !== 'auto')) return;
    this.#redundancy ??= new Redundancy('auto', this.#clock);
    this.#redundancy.report(percent, roundTripMs);
  }

  /**
   * @returns {number | null} the loss since the last report, in percent, as the session counts it;
   *   null where it doesn't. In a broadcast packets may repeat more than their client was told,
   *   which hides from it what is lost.
   */
  #countLoss() {
    if (this.rate === null) return null;
    const { sentPackets: sent = null, lostPackets: lost } = this.#session.pathStats();
    if (sent === null) return null;
    const before = this.#counted;
    this.#counted = { sent, lost };
    return sent > before.sent ? (100 * Math.max(0, lost - before.lost)) / (sent - before.sent) : 0;
  }

  /**
   * @param {number} sinceMs on the monotonic clock
   * @returns {number | null} the loss that the client reported last; null where that is older
   */
  reportedSince(sinceMs) {
    return this.#reported.atMs >= sinceMs ? this.#reported.lostPercent : null;
  }

  get closed() {
    return this.#closed;
  }

  /** Nothing is sent any more. Idempotent. */
  close() {
    this.#closed = true;
  }
}
