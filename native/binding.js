import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NOQ_CONTROLLERS } from './settings.js';

/** @import { CongestionController } from './settings.js' */

/** Path of the library that is built here. */
export const LIBRARY = fileURLToPath(new URL('./aloud.node', import.meta.url));

/** Path of the second build, which has noq in quinn's place. */
export const NOQ_LIBRARY = fileURLToPath(new URL('./aloud-noq.node', import.meta.url));

/** Whether this is an installed package, and not a clone of the repository. */
export const IS_INSTALLED = LIBRARY.split(sep).includes('node_modules');

/** The command that builds it, for messages. */
export const BUILD_COMMAND = IS_INSTALLED ? 'npm rebuild aloud' : 'npm run build:native';

/**
 * The command that makes the second build, which is for the lab: that isn't in an installed
 * package.
 */
const NOQ_COMMAND = 'npm run build:native -- --noq';

/** The name of this system, as packages with a built library have it: `linux-x64-gnu`. */
export function platformName() {
  const { platform, arch } = process;
  if (platform === 'win32') return `${platform}-${arch}-msvc`;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (
    process.report.getReport()
  );
  return `linux-${arch}-${header.glibcVersionRuntime ? 'gnu' : 'musl'}`;
}

/**
 * Finds the library: the one that was built here, or else the one of an optional package for this
 * system.
 * @returns {string | null} its path
 */
export function libraryPath() {
  if (existsSync(LIBRARY)) return LIBRARY;
  try {
    return createRequire(import.meta.url).resolve(`@aloud/native-${platformName()}`);
  } catch {
    // There is no such package, or it was left out.
    return null;
  }
}

/**
 * The library, or a part of it, can't be had; the message says why. `code` is
 * 'ERR_NATIVE_NOT_BUILT', 'ERR_NATIVE_UNUSABLE' (built for another system, or damaged) or
 * 'ERR_NATIVE_WITHOUT_OPUS'.
 */
export class NativeUnavailableError extends Error {
  /**
   * @param {'ERR_NATIVE_NOT_BUILT' | 'ERR_NATIVE_UNUSABLE' | 'ERR_NATIVE_WITHOUT_OPUS'} code
   * @param {string} reason without what to do about it
   * @param {string} [command] what to do about it
   */
  constructor(code, reason, command = BUILD_COMMAND) {
    super(`${reason}: ${command} builds it`);
    this.name = 'NativeUnavailableError';
    this.code = code;
    this.reason = reason;
  }
}

/** Tells whether there is a library; it may still be for another system (see load). */
export const isBuilt = () => libraryPath() !== null;

/** Events that the library tells of, by the numbers of src/events.rs. @enum {number} */
export const EventKind = Object.freeze({
  request: 1,
  opened: 2,
  closed: 3,
  connectFailed: 4,
  streamOpened: 5,
  streamReadable: 6,
  streamWritable: 7,
  streamStopped: 8,
  endpointClosed: 9,
  fault: 10,
});

/**
 * The numbers that path() writes, in the order of src/counters.rs; what they mean is told by
 * ConnectionStats. @enum {number}
 */
export const PathField = Object.freeze({
  rttMs: 0,
  sentPackets: 1,
  lostPackets: 2,
  droppedOut: 3,
  deliveryBps: 4,
  deliveryIsLimit: 5,
  underWayMs: 6,
});

/** How many they are. */
export const PATH_FIELDS = 7;

/**
 * Why a session ended: this side closed it, the peer did, the peer was silent for the idle timeout,
 * or the connection broke.
 * @typedef {'local' | 'peer' | 'timeout' | 'lost'} CloseCause
 */

/** Causes by the numbers of src/events.rs. @type {readonly CloseCause[]} */
export const CLOSE_CAUSES = Object.freeze(['lost', 'local', 'peer', 'timeout', 'lost']);

/** @type {Binding | undefined} */
let binding;

/**
 * The library itself.
 * @param {CongestionController} [controller]  that it is to have; else any of quinn's and ours
 * @returns {Binding}
 * @throws {NativeUnavailableError} when it isn't built, or can't be loaded here
 */
export function load(controller) {
  if (NOQ_CONTROLLERS.some((name) => name === controller)) {
    return loadFile(
      existsSync(NOQ_LIBRARY) ? NOQ_LIBRARY : null,
      'the engine with noq, which has BBRv3, is not built',
      NOQ_COMMAND,
    );
  }
  binding ??= loadFile(libraryPath(), 'it is not built', BUILD_COMMAND);
  return binding;
}

/**
 * @param {string | null} path  null where there is none
 * @param {string} lack         what to say then
 * @param {string} command      that builds it
 * @returns {Binding}
 * @throws {NativeUnavailableError}
 */
function loadFile(path, lack, command) {
  if (path === null) throw new NativeUnavailableError('ERR_NATIVE_NOT_BUILT', lack, command);
  try {
    return /** @type {Binding} */ (createRequire(import.meta.url)(path));
  } catch (error) {
    const [reason] = String(/** @type {Error} */ (error).message).split('\n');
    throw new NativeUnavailableError(
      'ERR_NATIVE_UNUSABLE',
      `it was built for another system (${reason})`,
      command,
    );
  }
}

/**
 * Tells why the library can't be had here, in words for people.
 * @param {CongestionController} [controller]  that it is to have
 * @returns {string | null} null when it can
 */
export function loadError(controller) {
  try {
    load(controller);
    return null;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * libopus: its version, and its encoders and decoders. Without cmake the library is built
 * without them.
 * @returns {NativeOpus}
 * @throws {NativeUnavailableError} when they can't be had here
 */
export function loadOpus() {
  const { opusVersion, OpusEncoder, OpusDecoder } = load();
  if (!opusVersion || !OpusEncoder || !OpusDecoder) {
    throw new NativeUnavailableError(
      'ERR_NATIVE_WITHOUT_OPUS',
      'the addon was built without libopus, for want of cmake',
    );
  }
  return { opusVersion, OpusEncoder, OpusDecoder };
}

/**
 * A function that tells the processor time of the calling thread in milliseconds, other than
 * process.cpuUsage(), which has all threads' in it.
 * @returns {(() => number) | null} null where the library can't be had, or the system is not Unix
 */
export const loadThreadCpuMs = () => (loadError() === null && load().threadCpuMs) || null;

/**
 * The library as it is: see the Rust sources for what each call does. Sessions and streams are
 * numbers. Every call throws an Error where the library panics.
 *
 * @typedef {object} Binding
 * @property {new (options: EndpointSettings, readable: () => void) => NativeEndpoint} Endpoint
 * @property {new (key: number, code: number, reason: string, readable: () => void) => NativePort}
 *   Port
 * @property {(place: number) => void} panicForTest has the next thread panic that passes a Place of
 *   src/faults.rs; throws unless the environment has ALOUD_NATIVE_PANICS
 * @property {() => number} [threadCpuMs]  on Unix
 * @property {NativeOpus['opusVersion']} [opusVersion] it and the next two: where it was built with
 *   cmake
 * @property {NativeOpus['OpusEncoder']} [OpusEncoder]
 * @property {NativeOpus['OpusDecoder']} [OpusDecoder]
 *
 * @typedef {object} NativeOpus
 * @property {() => string} opusVersion
 * @property {new (sampleRate: number, frameSamples: number, bitrate: number, complexity: number,
 *   application: number, channels?: number, isConstant?: boolean) => NativeEncoder} OpusEncoder
 *   throws an error of code 'InvalidArg' for settings that Opus doesn't have, and of code
 *   'GenericFailure' without memory
 * @property {new (sampleRate: number, frameSamples: number, channels?: number) => NativeDecoder}
 *   OpusDecoder likewise
 *
 * @typedef {object} NativeEncoder
 * @property {number} lookahead
 * @property {(pcm: Float32Array, out: Uint8Array, at: number) => number} encode
 * @property {(pcm: Float32Array, most: number) => boolean} begin
 * @property {(out: Uint8Array, at: number) => number} end
 * @property {(complexity: number) => boolean} setComplexity
 * @property {(mono: boolean) => boolean} setMono
 * @property {(predicts: boolean) => boolean} setPrediction
 * @property {() => void} close
 *
 * @typedef {object} NativeDecoder
 * @property {(bytes: Uint8Array, start: number, length: number, out: Float32Array, at: number) =>
 *   boolean} decode
 * @property {(bytes: Uint8Array, start: number, length: number) => boolean} begin
 * @property {(out: Float32Array, at: number) => boolean} end
 * @property {(out: Float32Array, at: number) => boolean} conceal
 * @property {() => void} close
 *
 * @typedef {object} EndpointSettings
 * @property {number} ioThreads          threads for QUIC's work
 * @property {import('./settings.js').CongestionController} congestionController quinn calls its BBR
 *   experimental
 * @property {number} idleTimeoutMs      a peer that is silent for this long is gone
 * @property {number} keepAliveMs        silence after which a ping is sent; 0 for no pings
 * @property {number} handshakeTimeoutMs for each step until a session is open
 * @property {number} maxConnections     sessions, requests and handshakes together
 * @property {number} receiveQueue       datagrams that wait for JavaScript, for each session
 * @property {number} sendQueueBytes     datagrams that wait for the network, for each session
 * @property {number} maxStreams         of each kind, that a peer may have open
 * @property {number} streamBufferBytes  that wait in either direction of a stream
 *
 * @typedef {object} NativeEndpoint
 * @property {(host: string, port: number, certPem: string, keyPem: string) => number} listen
 * @property {(certPem: string, keyPem: string) => void} setCertificate
 * @property {(url: string, hashes: Uint8Array[], headers: string[]) => number} connect
 * @property {() => NativePort} port  its own
 * @property {() => number} share
 * @property {(number: number, code: number, reason: string) => boolean} closePort
 * @property {(id: number) => boolean} accept
 * @property {(id: number, port: number) => boolean} acceptOn
 * @property {(id: number, status: number) => boolean} reject
 * @property {() => Admissions} admissions
 * @property {(code: number, reason: string) => void} close
 * @property {() => void} shutdown
 *
 * @typedef {object} NativePort
 * @property {number} number
 * @property {() => number} clock
 * @property {(offsetMs: number) => void} setClockOffset
 * @property {() => void} listening
 * @property {(most: number) => NativeEvent[]} events
 * @property {(bytes: Uint8Array, index: Float64Array) => number} recv
 * @property {(session: number, firstByte: number) => void} letWait
 * @property {(session: number, bytes: Uint8Array) => boolean} send
 * @property {(ids: Uint32Array, count: number, bytes: Uint8Array) => number} sendMany
 * @property {(group: number, ids: Uint32Array, count: number) => boolean} groupSet
 * @property {(group: number, bytes: Uint8Array) => number} groupSend
 * @property {(id: number, code: number, reason: string) => void} closeSession
 * @property {(id: number) => void} forget
 * @property {(id: number) => ConnectionStats | null} stats
 * @property {(id: number, out: Float64Array) => boolean} path
 * @property {(session: number, bidi: boolean) => number} streamOpen
 * @property {(session: number, stream: number, bytes: Uint8Array) => number} streamRead
 * @property {(session: number, stream: number, bytes: Uint8Array) => number} streamWrite
 * @property {(session: number, stream: number) => void} streamFinish
 * @property {(session: number, stream: number, code: number) => void} streamReset
 * @property {(session: number, stream: number, code: number) => void} streamStop
 * @property {(code: number, reason: string) => void} close
 *
 * @typedef {object} Admissions  counts of new connections, since the start
 * @property {number} pending    connections that are no session yet
 * @property {number} retried    that had to prove first that their address is theirs
 * @property {number} displaced  that were no session yet and were dropped for a newer one
 * @property {number} refused    since sessions had all places
 * @property {number} broken     closed with an error of HTTP/3, at any time
 * @property {number} requestsRefused requests that were none for a session, or broke HTTP/3's rules
 *
 * @typedef {object} NativeEvent
 * @property {number} kind     one of EventKind
 * @property {number} session
 * @property {number} stream
 * @property {number} code
 * @property {number} cause    one of CloseCause
 * @property {string} text
 * @property {RequestInfo} [request] of a request, and of a session that a client asked for and that
 *   has opened
 * @property {number} [connectedMs] of a client's session that has opened: when its QUIC handshake
 *   was over
 *
 * @typedef {object} RequestInfo
 * @property {string} peer       the client's address and port
 * @property {string} method     CONNECT for a session
 * @property {string} protocol   that an extended CONNECT asks for; empty when it is another request
 * @property {string} authority  the host and port that it asked for
 * @property {string} path       with its '/', without the query
 * @property {string} query      without the '?'; empty when there is none
 * @property {string} origin     the page's origin; empty when it isn't a browser
 * @property {string[]} headers  names and values in turn
 *
 * @typedef {object} ConnectionStats
 * @property {number} rttMs             smoothed round-trip time
 * @property {string} congestionController  the one that runs
 * @property {number} cwnd              congestion window, in bytes
 * @property {number} bytesInFlight     bytes under way after the last acknowledgement
 * @property {number} underWayMs how long the oldest packet is under way that is neither
 *   acknowledged nor declared lost, in milliseconds; 0 where none is
 * @property {number} sentPackets       QUIC packets
 * @property {number} lostPackets       of them, declared lost
 * @property {number} congestionEvents
 * @property {number | null} deliveryBps bits of QUIC packets a second that the path was seen to
 *   deliver; null while nothing is known
 * @property {boolean} deliveryIsLimit whether the newest of it was limited by the path or
 *   congestion control, not by what was there to send
 * @property {number} sentBytes         UDP payload
 * @property {number} receivedBytes     UDP payload
 * @property {number} mtu               the largest UDP payload found so far, in bytes
 * @property {number} maxDatagramSize   the largest datagram that can be sent now, in bytes
 * @property {number} datagramsSent
 * @property {number} datagramsReceived
 * @property {number} droppedIn         received, and dropped since the queue to JavaScript was full
 * @property {number} droppedTooBig     not sent, since larger than maxDatagramSize
 * @property {number} droppedBlocked    pushed out of the send queue by later ones; a lower bound
 * @property {number} malformed         received, and of no session
 */
