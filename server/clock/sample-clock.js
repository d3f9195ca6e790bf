/**
 * @import { Session } from '../session/session.js'
 * @import { Clock } from '../../public/shared/clock.js'
 */

import { CLOCK_REPLY_BYTES, writeClockReply } from '../../public/shared/wire/packet.js';
import { TokenBucket } from '../token-bucket.js';

/** Time as an absolute sample index, from a monotonic timer and never from wall time. */
export class SampleClock {
  #clock;
  #originMs;

  /**
   * @param {Clock} clock
   * @param {number} sampleRate Hz
   * @param {number} [originMs] time of sample 0, on the monotonic clock; now by default
   */
  constructor(clock, sampleRate, originMs = clock.now()) {
    this.#clock = clock;
    this.#originMs = originMs;
    this.sampleRate = sampleRate;
  }

  /** @param {number} ms @returns {SampleClock} a clock that runs this far behind */
  behind(ms) {
    return new SampleClock(this.#clock, this.sampleRate, this.#originMs + ms);
  }

  /** Current sample index, with its fraction. */
  now() {
    return this.at(this.#clock.now());
  }

  /**
   * @param {number} ms a time of the monotonic clock
   * @returns {number} sample index then, with its fraction
   */
  at(ms) {
    return ((ms - this.#originMs) * this.sampleRate) / 1000;
  }

  /** @param {number} sample @returns {number} its time on the monotonic clock, in milliseconds */
  msAt(sample) {
    return this.#originMs + (sample * 1000) / this.sampleRate;
  }
}

/** Most clock requests of one member that are answered in a second. */
export const MAX_CLOCK_REQUESTS = 50;

/** Buffer of every answer: sessions don't keep it. */
const reply = new Uint8Array(CLOCK_REPLY_BYTES);

/** Answers one member's clock requests, within a limit. */
export class ClockAnswers {
  #requests = new TokenBucket({ atOnce: MAX_CLOCK_REQUESTS, perSecond: MAX_CLOCK_REQUESTS });

  /**
   * @param {Session} session
   * @param {number} id of the request
   * @param {number} sample of the sample clock at its arrival
   * @param {number} arrivalMs on the monotonic clock
   * @returns {boolean} false when there were too many
   */
  answer(session, id, sample, arrivalMs) {
    if (this.#requests.take(arrivalMs) > 0) return false;
    writeClockReply(reply, id, Math.max(0, sample));
    session.send(reply);
    return true;
  }
}
