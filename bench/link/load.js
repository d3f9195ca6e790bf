/**
 * Load on a link: TCP flows that take what they get, or a UDP flow of a fixed rate, by programs at
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
 * @param {number} seconds after which it ends by itself
 * @returns {Promise<() => Promise<number>>} what ends it, and resolves to the kbit/s that came,
 *   without headers
 * @throws {import('./network-namespace.js').LinkError}
 */
export async function startLoad(from, to, kind, seconds) {
  const sink = traffic(to, 'sink', to.address);
  const { port, udpPort } = await sink.next();
  const [name, at, amount] =
    'flows' in kind ? ['source', port, kind.flows] : ['flood', udpPort, kind.udpBits];
  const source = traffic(from, name, to.address, ...[at, seconds, amount].map(String));
  // A program that starts takes processor time: what is measured begins after that.
  await source.next();
  return async () => {
    await source.close();
    sink.finish();
    const { bytes, seconds: taken } = await sink.next();
    await sink.close();
    return taken > 0 ? (bytes * 8) / 1000 / taken : 0;
  };
}
