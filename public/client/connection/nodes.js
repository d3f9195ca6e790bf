/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ServerConfig } from './choose.js'
 *
 * @typedef {object} NodeAddress  where a node of a cluster is reached
 * @property {string} id
 * @property {string} url                  its page's origin
 * @property {number | null} h3Port        UDP; null without HTTP/3
 * @property {string[]} certificateHashes SHA-256 in base64; none where browsers trust the
 *   certificate anyway
 */

import { systemClock } from '../../shared/clock.js';
import { fetchConfig } from './join.js';

/** The wait for a node's answer before the next one is asked beside it, in milliseconds. */
const HEDGE_MS = 300;

/** The most nodes that are asked. */
const MAX_ASKED = 8;

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
 * Asks nodes which of them has a room: one after another, and the next beside it where one takes
 * its time, since a dead one says nothing. The first answer is taken.
 * @param {readonly string[]} urls  of the nodes, at least one
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
              config.node
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
