/** @import { Session } from '../../transport/session.js' */

import { CLOCK_REPLY_BYTES, writeClockReply } from '../../../public/shared/wire/packet.js';
import { TokenBucket } from '../../token-bucket.js';

/** The most clock requests of one member that are answered, a second. */
export const MAX_CLOCK_REQUESTS = 50;

/** The buffer of every answer to a clock request: sessions don't keep it. */
const reply = new Uint8Array(CLOCK_REPLY_BYTES);

/** The answers to one member's clock requests. */
export class ClockAnswers {
  #requests = new TokenBucket({ atOnce: MAX_CLOCK_REQUESTS, perSecond: MAX_CLOCK_REQUESTS });

  /**
   * @param {Session} session
   * @param {number} id  of the request
   * @param {number} sample  the sample clock at its arrival
   * @param {number} arrivalMs  on the monotonic clock
   * @returns {boolean} false where there were too many
   */
  answer(session, id, sample, arrivalMs) {
    if (this.#requests.take(arrivalMs) > 0) return false;
    writeClockReply(reply, id, Math.max(0, sample));
    session.send(reply);
    return true;
  }
}
