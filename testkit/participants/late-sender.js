import { systemClock } from '../../public/shared/clock.js';

/**
 * The pattern of one who would make a whole room wait: now and then a frame comes late.
 * @type {Late}
 */
export const NOW_AND_THEN = Object.freeze({ everyFrames: 60, lateMs: 390 });

/**
 * Sends the packets of frames at once, except one in `every`, which it sends late.
 * @typedef {object} Late
 * @property {number} everyFrames  from one late frame to the next
 * @property {number} lateMs
 */
export class LateSender {
  #late;
  #send;
  #clock;
  #frames = 0;

  /** Number of packets that were sent late. */
  sentLate = 0;

  /**
   * @param {Late} late
   * @param {(bytes: Uint8Array) => unknown} send  gives false for one that wasn't sent
   * @param {Pick<import('../../public/shared/clock.js').Clock, 'setTimeout'>} [clock]
   */
  constructor(late, send, clock = systemClock) {
    this.#late = late;
    this.#send = send;
    this.#clock = clock;
  }

  /** @param {Uint8Array} bytes  valid during the call */
  send(bytes) {
    const { everyFrames, lateMs } = this.#late;
    this.#frames += 1;
    if (this.#frames % everyFrames > 0) return void this.#send(bytes);
    const kept = bytes.slice();
    this.#clock.setTimeout(
      () => void (this.sentLate += Number(this.#send(kept) !== false)),
      lateMs,
    );
  }
}
