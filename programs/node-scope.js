/**
 * Environment of the page's client in Node.js: transports, and ciphers for end-to-end encryption.
 * @import { Scope } from '../public/client/connection/choose.js'
 * @import { Tap } from './webtransport.js'
 */

import { Endpoint, loadError } from '@aloud/native';
import { ctr } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { WebSocket } from 'ws';
import { webTransportOn } from './webtransport.js';

/** Most streams with a steady listener's packets, including streams held up by loss. */
const MAX_STREAMS = 256;

/** Cipher and hash of end-to-end encryption. */
export const primitives = async () => ({ ctr, expand, extract, hmac, sha256 });

/**
 * Opens the transports of one client: WebTransport if the native engine can be loaded; WebSocket
 * and HTTP/1 always.
 * @param {Tap} [tap] observes WebTransport
 * @returns {{ scope: Scope, close: () => Promise<void> }} close: ends their threads
 */
export function openScope(tap) {
  const isLoaded = loadError() === null;
  const endpoint = isLoaded ? new Endpoint({ ioThreads: 1, maxStreams: MAX_STREAMS }) : null;
  const scope = {
    WebTransport: endpoint ? webTransportOn(endpoint, tap) : undefined,
    WebSocket: /** @type {typeof globalThis.WebSocket} */ (/** @type {unknown} */ (WebSocket)),
  };
  return { scope, close: async () => void (await endpoint?.close()) };
}
