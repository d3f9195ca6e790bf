/**
 * Load on a link: greedy TCP flows, or a UDP flow of a fixed rate, by programs at
 * its two ends.
 * @import { LinkEnd } from './measure.js'
 *
 * @typedef {{ flows: number } | { udpBits: number }} LoadKind flows of TCP, or bits of UDP a second
 *   with headers
 */

import { traffic } from './measure.js';

/**
 * @param {LinkEnd} from
 * @param {LinkEnd} to
 * @param {LoadKind} kind
 * @param {number} seconds after which it ends on its own
 * @returns {Promise<() => Promise<number>>} ends it; resolves to the received kbit/s,
 *   without headers
 * @throws {import('../../testkit/network-namespace.js').LinkError}
 */
export async function startLoad(from, to, kind, seconds) {
  const sink = traffic(to, 'sink', to.address);
  const { port, udpPort } = await sink.next();
  const [name, at, amount] =
    'flows' in kind ? ['source', port, kind.flows] : ['flood', udpPort, kind.udpBits];
  const source = traffic(from, name, to.address, ...[at, seconds, amount].map(String));
  // A starting program takes processor time: the measurement begins after that.
  await source.next();
  return async () => {
    await source.close();
    sink.finish();
    const { bytes, seconds: taken } = await sink.next();
    await sink.close();
    return taken > 0 ? (bytes * 8) / 1000 / taken : 0;
  };
}
