/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { RateRule } from '../broadcast/rate-rule.js'
 * @import { Nearness } from '../../public/shared/nearness.js'
 * @import { Session } from '../session/session.js'
 */

import { NEAR_MS, STEADY_MS } from '../../public/shared/nearness.js';
import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { Redundancy } from '../../public/shared/stream/redundancy.js';

/** Most sound in one packet of a light listener, in milliseconds: a lost packet loses that much. */
const MAX_STRIDE_MS = 60;

/**
 * Excess over the mean of its bit rate that a payload may have. Three larger ones in a row are very
 * rare, and go in two packets.
 */
const PAYLOAD_MARGIN = 1.5;

/**
 * Number of frames of the shared stream in one packet of a light listener, limited by the request,
 * MAX_STRIDE_MS and the packet size.
 * @param {number} asked 1 to MAX_REDUNDANCY + 1
 * @param {{ frameMs: number }} format
 * @param {number} bitrate of the room's streams, in bits a second
 * @param {number} maxPayloadBytes in one packet
 * @param {number} [margin] factor over the mean that payloads may reach
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
 * Kind of delivery to a light listener. `once`: each packet once. `thrice`: again after the next
 * and the one after that, so that frames lost in a burst come later. `surely`: until it has arrived
 * or is too old.
 * @typedef {'once' | 'thrice' | 'surely'} Carriage
 */

/**
 * @typedef {object} Supply
 * @property {RateRule | null} rate chooses a listener's bit rate; null when the room is no
 *   broadcast
 * @property {number} stride see strideOf
 * @property {number} longStride most frames that a packet may have, see strideOf
 */

/** Shortest time between two fillings of a listener's buffer, in milliseconds. */
const FILL_MS = 5000;

/**
 * Sound for a listening participant: the shared stream, for example in every third packet, with the
 * frames between repeated in it. It has no stream, encoder, volumes or delay of its own. In a
 * `conversation` it is sent each frame's packet, with repeats while its client reports loss. With
 * `near` and `steady` it gets as many frames in a packet as possible, whatever the room's stride:
 * other means replace the lost ones (Carriage).
 */
export class LightListener {
  /** Chooses the bit rate; null when the room is no broadcast. @type {RateRule | null} */
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
  /** Set from the first report of loss on. @type {Redundancy | null} */
  #redundancy = null;
  #closed = false;
  #reported = { lostPercent: 0, atMs: -Infinity };
  /** Packets that the session had sent and lost at the last report. */
  #counted = { sent: 0, lost: 0 };

  /**
   * @param {object} options
   * @param {string} options.id of the member
   * @param {Session} options.session
   * @param {Supply['rate']} [options.rate]
   * @param {Supply['stride']} options.stride
   * @param {Supply['longStride']} [options.longStride]
   * @param {Nearness} [options.nearness]
   * @param {'auto' | 0 | 1 | 2} options.redundancy setting of the room
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
   * Changes the supply, in a room that has become a broadcast or is none any more.
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

  /** @param {Nearness} nearness distance to the speakers */
  set nearness(nearness) {
    this.#nearness = nearness;
    if (nearness !== 'steady') this.#session.surely?.end();
  }

  /** Most frames that a packet may have. */
  get longStride() {
    return this.#longStride;
  }

  /**
   * @returns {Carriage} kind of delivery; packets go more than once when a session can't ensure
   *   their arrival
   */
  get carriage() {
    if (this.#nearness === 'conversation' || this.#session.transport.name === 'websocket')
      return 'once';
    if (this.#nearness === 'steady' && this.#session.surely) return 'surely';
    return this.rate?.bare ? 'once' : 'thrice';
  }

  /**
   * Requests a fill of its buffer with recent packets.
   * @returns {number} span to send, in milliseconds; 0 when it has no use for it, or just had one
   */
  takeFill() {
    const now = this.#clock.now();
    if (this.#nearness === 'conversation' || now - this.#filledMs < FILL_MS) return 0;
    this.#filledMs = now;
    return this.#nearness === 'near' ? NEAR_MS : STEADY_MS;
  }

  /** Number of frames of the shared stream in a packet now. */
  get stride() {
    if (this.#nearness !== 'conversation') return this.#longStride;
    return this.#lossRepeats > 0 ? 1 : this.#stride;
  }

  /**
   * Stride that its client assumes. In a broadcast trials and repeats don't change it, so playout
   * keeps its delay: nothing is concealed when packets hold more frames again.
   */
  get announcedStride() {
    return this.rate === null || this.#nearness !== 'conversation' ? this.stride : this.#stride;
  }

  /** Number of frames that each packet repeats. */
  get repeats() {
    if (this.#nearness !== 'conversation') return this.#longStride - 1;
    return this.stride > 1 ? this.stride - 1 : this.#lossRepeats;
  }

  get #lossRepeats() {
    // Repeats would be lost too on a path that is too narrow.
    if (this.rate?.suffers) return 0;
    if (this.#redundancy !== null) return this.#redundancy.count;
    return this.#setting === 'auto' || this.#stride > 1 ? 0 : this.#setting;
  }

  /**
   * @param {number} lostPercent of recent packets to it, as its client reports
   * @param {number | null} roundTripMs null when the transport doesn't know it
   */
  reportLoss(lostPercent, roundTripMs) {
    this.#reported = { lostPercent, atMs: this.#clock.now() };
    const percent = this.#countLoss() ?? lostPercent;
    // Repeats would add to the load of a path that is too narrow.
    if (this.rate?.suffers) return;
    // Most listeners never lose anything, and need no state.
    if (this.#redundancy === null && (percent === 0 || this.#setting !== 'auto')) return;
    this.#redundancy ??= new Redundancy('auto', this.#clock);
    this.#redundancy.report(percent, roundTripMs);
  }

  /**
   * @returns {number | null} loss since the last report, in percent, as the session counts it; null
   *   when it doesn't. In a broadcast packets may repeat more than their client knows, which hides
   *   losses from it.
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
   * @returns {number | null} loss in the client's last report; null when that is older
   */
  reportedSince(sinceMs) {
    return this.#reported.atMs >= sinceMs ? this.#reported.lostPercent : null;
  }

  get closed() {
    return this.#closed;
  }

  /** Stops sending. Idempotent. */
  close() {
    this.#closed = true;
  }
}
