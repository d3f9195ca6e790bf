/**
 * @import { Transport } from './session.js'
 *
 * @typedef {Transport & { address: () => { host: string, port: number },
 *   updateCertificate: (certificate: { certPem: string, keyPem: string }) => void,
 *   certificateHash?: () => string }} Http3Transport
 *
 * @typedef {object} EngineChoice
 * @property {Http3Transport | null} transport  null when there is no HTTP/3
 * @property {string} line                      one sentence about it, for the person who starts the server
 */

import { BUILD_COMMAND, load, NativeUnavailableError } from '@aloud/native';
import { listenError } from '../http/listen.js';
import { createNativeTransport } from './webtransport-native.js';
import { createQuicheTransport, quicheError } from './webtransport-quiche.js';

/** The engines by name: why each can't be had here (null when it can), and what opens it. */
const engines = {
  native: {
    error: nativeError,
    open: createNativeTransport,
    remedy: BUILD_COMMAND,
  },
  quiche: {
    error: quicheError,
    open: createQuicheTransport,
    remedy: 'npm install @fails-components/webtransport-transport-http3-quiche',
  },
};

/**
 * Opens HTTP/3 on the engine that is asked for, or on the first that is there.
 *
 * @param {'auto' | 'native' | 'quiche' | 'none'} engine
 * @param {Parameters<typeof createNativeTransport>[0]} options
 * @returns {Promise<EngineChoice>}
 * @throws {Error} when the engine is there and can't listen: its port is taken, say
 */
export async function openHttp3(engine, options) {
  if (engine === 'none') {
    return { transport: null, line: 'WebTransport is off: --engine none. Start with --engine auto to turn it on.' };
  }
  const names = engine === 'auto' ? /** @type {const} */ (['native', 'quiche']) : [engine];
  const reasons = [];
  for (const name of names) {
    const reason = await engines[name].error();
    if (reason === null) {
      const transport = await openEngine(name, options);
      const { port } = transport.address();
      return { transport, line: `WebTransport is on: HTTP/3 on UDP port ${port}, engine ${name}.` };
    }
    reasons.push(`the engine ${name} is missing (${reason})`);
  }
  const remedy = engines[names[0]].remedy;
  return { transport: null, line: `WebTransport is off: ${reasons.join(' and ')}. To turn it on: ${remedy}` };
}

/**
 * @param {'native' | 'quiche'} name
 * @param {Parameters<typeof createNativeTransport>[0]} options
 * @returns {Promise<Http3Transport>}
 */
async function openEngine(name, options) {
  try {
    return await engines[name].open(options);
  } catch (error) {
    throw listenError(error, 'h3-port', options.host ?? '::', options.port ?? 0);
  }
}

/** @returns {Promise<string | null>} */
async function nativeError() {
  try {
    load();
    return null;
  } catch (error) {
    return error instanceof NativeUnavailableError ? error.reason : String(error);
  }
}
