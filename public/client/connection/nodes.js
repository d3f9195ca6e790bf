/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ServerConfig } from './choose.js'
 *
 * @typedef {object} NodeAddress  address of a node of a cluster
 * @property {string} id
 * @property {string} url                  its page's origin
 * @property {number | null} h3Port        UDP; null without HTTP/3
 * @property {string[]} certificateHashes SHA-256 in base64; none if browsers trust the certificate
 *   anyway
 */

import { systemClock } from '../../shared/clock.js';
import { fetchConfig } from './join.js';

/** Wait for a node's answer before the next one is asked in parallel, in milliseconds. */
const HEDGE_MS = 300;

/** Most nodes that are asked. */
const MAX_ASKED = 8;

/**
 * @param {Partial<NodeAddress> | null} [node] as a server names it
 * @returns {node is NodeAddress} true when its page has an address
 */
export const isAddress = (node) => URL.canParse(node?.url ?? '');

/**
 * Makes the configuration of a node from its address alone.
 * @param {NodeAddress} node
 * @returns {ServerConfig}
 */
export function configOf({ url, h3Port, certificateHashes }) {
  const { hostname, origin } = new URL(url);
  return {
    transports: {
      webtransport: h3Port
        ? { url: `https://${hostname}:${h3Port}/session`, certificateHashes }
        : null,
      websocket: { path: `${origin}/session` },
      http1: { path: `${origin}/api/sessions` },
    },
  };
}

/**
 * Asks nodes one by one for the node that has a room. If one is slow, the next is asked in
 * parallel, since a dead node never answers. The first answer counts.
 * @param {readonly string[]} urls of the nodes, at least one
 * @param {string | undefined} room
 * @param {{ fetch?: typeof globalThis.fetch, clock?: Clock }} [options]
 * @returns {Promise<{ origin: string, config: ServerConfig }>} where to go; rejects with the last
 *   node's ConnectionError
 */
export function locate(urls, room, { fetch = globalThis.fetch, clock = systemClock } = {}) {
  const waiting = urls.slice(0, MAX_ASKED);
  return new Promise((resolve, reject) => {
    let asked = 0;
    let failed = 0;
    /** @type {unknown} */
    let timer = null;
    let isOver = false;
    const end = (/** @type {() => void} */ tell) => {
      isOver = true;
      clock.clearTimeout(timer);
      tell();
    };
    const askNext = () => {
      clock.clearTimeout(timer);
      if (isOver || asked >= waiting.length) return;
      const url = waiting[asked++];
      timer = clock.setTimeout(askNext, HEDGE_MS);
      fetchConfig(url, fetch, clock, room).then(
        (config) =>
          isOver ||
          end(() =>
            resolve(
              isAddress(config.node)
                ? { origin: config.node.url, config: configOf(config.node) }
                : { origin: url, config },
            ),
          ),
        (error) => {
          failed += 1;
          if (isOver) return;
          if (failed === waiting.length) end(() => reject(error));
          else askNext();
        },
      );
    };
    askNext();
  });
}

/**
 * Origin of the node that has the room.
 * @param {unknown} nodes as in `welcome`, that one first
 * @returns {string} '' without a cluster: the page's own server
 */
export const nodeOf = (nodes) =>
  Array.isArray(nodes) && typeof nodes[0]?.url === 'string' ? nodes[0].url : '';
