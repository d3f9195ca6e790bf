/**
 * @import { NativeSession, SessionRequest } from '@aloud/native'
 * @import { SharedEndpoint } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { IsAllowedHost } from '../allowed-hosts.js'
 * @import { Log } from '../log.js'
 * @import { EngineParts } from '../plugin.js'
 * @import { Accept, Transport } from '../session/session.js'
 *
 * @typedef {object} Readers server of sessions without a room: listeners of a recording
 * @property {string} path
 * @property {(request: SessionRequest) => void} requested answers it, at once or later
 * @property {(native: NativeSession, onEnd: () => void) => void} opened onEnd: called once, after
 *   its end
 *
 * @typedef {object} Http3Options
 * @property {Accept} accept
 * @property {string | readonly string[]} [host] one or more addresses; '::' includes IPv4
 * @property {number} [port] UDP; 0 for any
 * @property {{ certPem: string, keyPem: string }} certificate
 * @property {number} [idleTimeoutMs] a peer that isn't heard for this long is gone
 * @property {EngineParts | null} [parts] of a plugin, for the native engine only
 * @property {string} [path] path of sessions, with any query; others get a 404, and pages of other
 *   hosts a 403
 * @property {IsAllowedHost} [isAllowedHost] called with a session's :authority; others get a 421
 * @property {(origin: string | undefined) => boolean} [allowsOrigin] called with the origin of
 *   another host's page
 * @property {number} [maxSessions] limit; sessions above it are closed as 'server-full'
 * @property {number} [ioThreads] threads for QUIC's work, of the native engine
 * @property {Readers} [readers] serves sessions at a path of their own, on the native engine
 * @property {(request: SessionRequest) => boolean} [handOver] called for each session that may be
 *   opened, on the native engine; true if it was taken, to be handed to another thread
 * @property {Pick<Log, 'error'> & Partial<Log>} log
 * @property {Clock} [clock]
 *
 * @typedef {Transport & { address: () => { host: string, port: number }, offer?: object,
 *   recordingPath?: string | null, share?: () => SharedEndpoint, closePort?: (port: number, code:
 *   import('../../public/shared/errors.js').ErrorCode) => void, updateCertificate: (certificate: {
 *   certPem: string, keyPem: string }) => void, certificateHash?: () => string, admissions?: () =>
 *   import('../../native/binding.js').Admissions }} Http3Transport address: its host is an IPv4
 *   address if it listens on no other; offer: properties of a plugin for the answer to /api/config;
 *   share, closePort: for other threads that serve sessions, if the engine can do that; admissions:
 *   counts of new connections, if the engine knows them
 *
 * @typedef {object} EngineChoice
 * @property {Http3Transport | null} transport null when there is no HTTP/3
 * @property {string} line one sentence about it, for the person who starts the server
 */

import { BUILD_COMMAND, buildAdvice, load, NativeUnavailableError } from '@aloud/native';
import { listenError } from '../errors/config-error.js';
import { createNativeTransport } from './webtransport-native.js';
import { createQuicheTransport, QUICHE_COMMAND, quicheError } from './webtransport-quiche.js';

/**
 * Engines by name. Each has the reason why it isn't available (null if it is), the way to get it, a
 * warning, and a function that opens it.
 * @type {Record<'native' | 'quiche', { error: () => Promise<string | null>, remedy: () =>
 *   Promise<string>, warning?: string, open: (options: Http3Options) => Promise<Http3Transport> }>}
 */
const engines = {
  native: {
    error: nativeError,
    open: createNativeTransport,
    remedy: async () => (await buildAdvice()).command,
  },
  quiche: {
    error: quicheError,
    open: createQuicheTransport,
    remedy: async () => QUICHE_COMMAND,
    warning:
      ' One packet of a stranger can end this engine, and the server with it. Where strangers ' +
      `reach it: ${BUILD_COMMAND}`,
  },
};

/**
 * Opens WebTransport on the requested HTTP/3 engine, or on the first available one.
 *
 * @param {'auto' | 'native' | 'quiche' | 'none'} engine
 * @param {Http3Options} options
 * @returns {Promise<EngineChoice>}
 * @throws {Error} if the engine is available and can't listen: its port is taken, for example
 */
export async function openWebTransport(engine, options) {
  if (engine === 'none') {
    return {
      transport: null,
      line: 'WebTransport is off: --engine none. Start with --engine auto to turn it on.',
    };
  }
  const names = engine !== 'auto' ? [engine] : enginesFor(options.parts);
  // Why the others are unavailable is of no use to somebody who asked for none of them.
  const [first] = names;
  let reasonOfFirst = null;
  for (const name of names) {
    const reason = await engines[name].error();
    reasonOfFirst ??= reason;
    if (reason === null) {
      const transport = await openEngine(name, options);
      const { port } = transport.address();
      const { warning = '' } = engines[name];
      return {
        transport,
        line: `WebTransport is on: HTTP/3 on UDP port ${port}, engine ${name}.${warning}`,
      };
    }
  }
  // The command has a line of its own, to be copied.
  return {
    transport: null,
    line:
      `WebTransport is off: the engine ${first} is unavailable (${reasonOfFirst}). ` +
      `To turn it on:\n  ${await engines[first].remedy()}`,
  };
}

/**
 * Lists the engines that support a plugin's parts, the best first.
 * @param {Http3Options['parts']} [parts]
 * @returns {('native' | 'quiche')[]}
 */
const enginesFor = (parts) => (parts ? ['native'] : ['native', 'quiche']);

/**
 * @param {'native' | 'quiche'} name
 * @param {Http3Options} options
 * @returns {Promise<Http3Transport>}
 */
async function openEngine(name, options) {
  try {
    return await engines[name].open(options);
  } catch (error) {
    throw listenError(
      error,
      'h3-port',
      [options.host ?? '::'].flat().join(', '),
      options.port ?? 0,
    );
  }
}

/** @returns {Promise<string | null>} */
async function nativeError() {
  try {
    load();
    return null;
  } catch (error) {
    if (!(error instanceof NativeUnavailableError)) return String(error);
    const { missing } = await buildAdvice();
    return `${error.reason}${missing ? `; to build it, this machine lacks ${missing}` : ''}`;
  }
}
