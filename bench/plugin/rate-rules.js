/**
 * Rules of table 4.4 (page 32) of the thesis on streaming over WebTransport, for live sound. A
 * broadcast gives its listeners bit rates by them, to be compared with the product's.
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
 * As `simple`, but without switching: the first estimate decides (`static-simple`, there).
 * @implements {RateRule}
 */
export class StaticRule extends SimpleRule {
  #decided = false;

  /** @override @param {number} bps */
  ask(bps) {
    super.ask(bps);
    this.#decided = false;
  }

  /** @override @param {Reading} reading */
  step(reading) {
    if (this.#decided || reading.deliveryBps === null) return null;
    this.#decided = true;
    return super.step(reading);
  }
}

/** The rules by name. */
export const RULES = Object.freeze({ simple: SimpleRule, static: StaticRule, basic: BasicRule });
