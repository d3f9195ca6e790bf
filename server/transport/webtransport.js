/**
 * @import { CongestionController, NativeSession, SessionRequest } from '@aloud/native'
 * @import { SharedEndpoint } from '@aloud/native'
 * @import { Carry } from '../../public/shared/wire/carry.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { IsAllowedHost } from '../allowed-hosts.js'
 * @import { Log } from '../log.js'
 * @import { Accept, Transport } from './session.js'
 *
 * @typedef {object} Readers what serves sessions that are no room's: those who listen to a
 *   recording
 * @property {string} path
 * @property {(request: SessionRequest) => void} requested  answers it, at once or later
 * @property {(native: NativeSession, onEnd: () => void) => void} opened onEnd: to be called once,
 *   when it has ended
 *
 * @typedef {object} Http3Options
 * @property {Accept} accept
 * @property {string | readonly string[]} [host]  an address, or several; '::' takes IPv4 as well
 * @property {number} [port]           UDP; 0 for any
 * @property {{ certPem: string, keyPem: string }} certificate
 * @property {number} [idleTimeoutMs]  a peer that isn't heard for this long is gone
 * @property {CongestionController} [congestionController]  of the native engine
 * @property {number} [receiveQueue] packets of one session that wait to be read, of the native
 *   engine
 * @property {Carry | 'any'} [carry] how packets go; else than as datagrams on the native engine
 *   alone. any: as each session asks, as datagrams where it doesn't
 * @property {string} [path] the path of sessions, with any query; others get a 404, and pages of
 *   other hosts a 403
 * @property {IsAllowedHost} [isAllowedHost]  asked with a session's :authority; others get a 421
 * @property {(origin: string | undefined) => boolean} [allowsOrigin] asked with the origin of
 *   another host's page
 * @property {number} [maxSessions]    sessions above it are closed as 'server-full'
 * @property {number} [ioThreads]     threads for QUIC's work, of the native engine
 * @property {Readers} [readers]       takes sessions at a path of their own, of the native engine
 * @property {(request: SessionRequest) => boolean} [handOver] asked for each session that may be
 *   opened, of the native engine: true where it was taken, to be handed to another thread
 * @property {Pick<Log, 'error'> & Partial<Log>} log
 * @property {Clock} [clock]
 *
 * @typedef {Transport & { address: () => { host: string, port: number }, carry?: Carry, carries?:
 *   readonly Carry[], recordingPath?: string | null, share?: () => SharedEndpoint, closePort?:
 *   (port: number, code: import('../../public/shared/errors.js').ErrorCode) => void,
 *   updateCertificate: (certificate: { certPem: string, keyPem: string }) => void,
 *   certificateHash?: () => string, admissions?: () => import('../../native/binding.js').Admissions
 *   }} Http3Transport address: its host is an address of IPv4 where no other is listened on;
 *   carries: what sessions may ask for; share, closePort: for other threads that serve sessions,
 *   where the engine can do that; admissions: counts of new connections, where the engine knows
 *   them
 *
 * @typedef {object} EngineChoice
 * @property {Http3Transport | null} transport  null when there is no HTTP/3
 * @property {string} line one sentence about it, for the person who starts the server
 */

import { BUILD_COMMAND, load, NativeUnavailableError } from '@aloud/native';
import { listenError } from '../config/config-error.js';
import { createNativeTransport } from './webtransport-native.js';
import { createQuicheTransport, quicheError } from './webtransport-quiche.js';

/**
 * The engines by name: why each can't be had here (null when it can), what opens it, how to get it,
 * and what is to be known.
 * @type {Record<'native' | 'quiche', { error: () => Promise<string | null>, remedy: string,
 *   warning?: string, open: (options: Http3Options) => Promise<Http3Transport> }>}
 */
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
    warning:
      ' One packet of a stranger can end this engine, and the server with it. Where strangers ' +
      `reach it: ${BUILD_COMMAND}`,
  },
};

/**
 * Opens WebTransport on the HTTP/3 engine that is asked for, or on the first that is there.
 *
 * @param {'auto' | 'native' | 'quiche' | 'none'} engine
 * @param {Http3Options} options
 * @returns {Promise<EngineChoice>}
 * @throws {Error} when the engine is there and can't listen: its port is taken, say
 */
export async function openWebTransport(engine, options) {
  if (engine === 'none') {
    return {
      transport: null,
      line: 'WebTransport is off: --engine none. Start with --engine auto to turn it on.',
    };
  }
  const names = engine === 'auto' ? enginesFor(options.carry) : [engine];
  const reasons = [];
  for (const name of names) {
    const reason = await engines[name].error();
    if (reason === null) {
      const transport = await openEngine(name, options);
      const { port } = transport.address();
      const { warning = '' } = engines[name];
      return {
        transport,
        line: `WebTransport is on: HTTP/3 on UDP port ${port}, engine ${name}.${warning}`,
      };
    }
    reasons.push(`the engine ${name} is missing (${reason})`);
  }
  const remedy = engines[names[0]].remedy;
  return {
    transport: null,
    line: `WebTransport is off: ${reasons.join(' and ')}. To turn it on: ${remedy}`,
  };
}

/**
 * The engines that carry packets so, the best first: quiche's has them as datagrams only.
 * @param {Http3Options['carry']} [carry]
 * @returns {('native' | 'quiche')[]}
 */
const enginesFor = (carry = 'datagrams') =>
  carry === 'datagrams' ? ['native', 'quiche'] : ['native'];

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
    return error instanceof NativeUnavailableError ? error.reason : String(error);
  }
}
