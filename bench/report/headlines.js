/**
 * @import { Headline, Quantity, Sample } from './result.js'
 */

import { summaryIntervals } from '../stats/bootstrap.js';
import { protocolsOf } from './quantity-views.js';
import { valuesByRepetition } from './result.js';

/**
 * Each protocol's mean, with its interval of confidence and the thesis's figure beside it.
 *
 * @param {string} label
 * @param {Quantity} quantity
 * @param {readonly Sample[]} samples
 * @param {() => number} random seeded
 * @param {ReadonlyMap<string, number>} [thesis] by protocol
 * @returns {Headline[]}
 */
export function meanHeadlines(label, { unit }, samples, random, thesis = new Map()) {
  return protocolsOf(samples).map((protocol) => {
    const repetitions = valuesByRepetition(samples, (sample) => sample.protocol === protocol);
    const { estimate, low, high } = summaryIntervals(repetitions, { random }).mean;
    const figure = thesis.get(protocol);
    return { label, unit, protocol, value: estimate, interval: [low, high], ...(figure && { thesis: figure }) };
  });
}
