/**
 * Rules of table 4.4 (page 32) of P. Nys, "Design and Implementation of Media Streaming using
 * WebTransport and QUIC", 2024, for live sound. A broadcast gives its listeners bit rates by them,
 * to be compared with the product's.
 *
 * @import { RateRule, Reading } from '../../server/broadcast/rate-rule.js'
 */

import { PROBE_RULE } from '../../server/broadcast/probe-rule.js';
import { BasicRule } from '../../server/broadcast/rate-rule.js';

/**
 * The highest rate that the estimate carries, not above the one that was asked for (`simple`,
 * there). An estimate that is no limit equals the sent rate, and so lowers nothing.
 * @implements {RateRule}
 */
export class SimpleRule extends BasicRule {
  /** @override @param {Reading} reading */
  step({ deliveryBps, deliveryIsLimit }) {
    if (deliveryBps === null) return null;
    const carried = this.ladder.carriedBy(PROBE_RULE.carriedShare * deliveryBps);
    return this.turnTo(deliveryIsLimit ? carried : Math.max(carried, this.index));
  }
}

/**
 * The rules by name. StaticSimple and Basic both keep the requested rate and differ in when they
 * send a segment. Live sound has no segments, so here they are one.
 */
export const RULES = Object.freeze({ simple: SimpleRule, static: BasicRule, basic: BasicRule });
