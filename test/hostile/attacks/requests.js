/**
 * Requests one after another on many connections, as fast as they are answered: all that is
 * allowed, and more than is answered.
 * @import { Attack } from '../support/attack-process.js'
 */

import { Agent, get } from 'node:http';

/** @type {Attack} */
export async function attack({ origin, from, isOver }, { path, connections = 100, headers = {} }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  /** @type {Record<string, number>} */
  const counts = {};
  const ask = () =>
    new Promise((/** @type {(what: string) => void} */ resolve) => {
      const request = get(
        `${origin}${path}`,
        { agent, localAddress: from, headers },
        (response) => {
          response.resume();
          response.once('close', () => resolve(String(response.statusCode)));
        },
      );
      request.once('error', () => resolve('broken off'));
    });
  const run = async () => {
    while (!isOver()) {
      const what = await ask();
      counts[what] = (counts[what] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  agent.destroy();
  return counts;
}
