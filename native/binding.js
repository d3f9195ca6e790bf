import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { probe, reasonOfMessage } from './probe.js';

/** Path of the library that was built here. */
export const LIBRARY = fileURLToPath(new URL('./aloud.node', import.meta.url));

/** Names the file of a build with one of cargo's features, for the lab. @param {string} feature */
export const featureLibrary = (feature) =>
  fileURLToPath(new URL(`./aloud-${feature}.node`, import.meta.url));

/** True in an installed package, false in a clone of the repository. */
export const IS_INSTALLED = LIBRARY.split(sep).includes('node_modules');

/** Command that builds it, for messages. */
export const BUILD_COMMAND = IS_INSTALLED ? 'npx aloud build' : 'npm run build:native';

/** Name of this system as in packages with a built library: `linux-x64-gnu`. */
export function platformName() {
  const { platform, arch } = process;
  if (platform === 'win32') return `${platform}-${arch}-msvc`;
  if (platform !== 'linux') return `${platform}-${arch}`;
  return `linux-${arch}-${hasGlibc() ? 'gnu' : 'musl'}${arch === 'arm' ? 'eabihf' : ''}`;
}

function hasGlibc() {
  const report = /** @type {NodeJS.ProcessReport & { excludeNetwork?: boolean }} */ (
    process.report
  );
  const { excludeNetwork } = report;
  // A report looks up the names of this machine's addresses, which may wait for the DNS.
  report.excludeNetwork = true;
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (
    report.getReport()
  );
  report.excludeNetwork = excludeNetwork;
  return header.glibcVersionRuntime !== undefined;
}

/**
 * Finds the library: the one built here, or otherwise the one of an optional package for this
 * system.
 * @returns {string | null} its path
 */
export function libraryPath() {
  if (existsSync(LIBRARY)) return LIBRARY;
  try {
    return createRequire(import.meta.url).resolve(`@aloud/native-${platformName()}`);
  } catch {
    // The package doesn't exist, or was left out.
    return null;
  }
}

/**
 * The library, or a part of it, is unavailable; the message says why. `code` is
 * 'ERR_NATIVE_NOT_BUILT', 'ERR_NATIVE_UNUSABLE' or 'ERR_NATIVE_WITHOUT_OPUS'. Unusable is a library
 * that is damaged, or built for another system.
 */
export class NativeUnavailableError extends Error {
  /**
   * @param {'ERR_NATIVE_NOT_BUILT' | 'ERR_NATIVE_UNUSABLE' | 'ERR_NATIVE_WITHOUT_OPUS'} code
   * @param {string} reason  without the remedy
   */
  constructor(code, reason) {
    super(`${reason}: ${BUILD_COMMAND} builds it`);
    this.name = 'NativeUnavailableError';
    this.code = code;
    this.reason = reason;
  }
}

/** True when there is a library; it may still be for another system (see load). */
export const isBuilt = () => libraryPath() !== null;

/** Events of the library, by the numbers of src/events.rs. @enum {number} */
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
 * Indexes of the numbers that path() writes, in the order of src/counters.rs; ConnectionStats
 * explains them.
 * @enum {number}
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

/** Number of them. */
export const PATH_FIELDS = 7;

/**
 * Reason for a session's end: closed by this side or the peer, a peer silent for the idle timeout,
 * or a broken connection.
 * @typedef {'local' | 'peer' | 'timeout' | 'lost'} CloseCause
 */

/** Causes by the numbers of src/events.rs. @type {readonly CloseCause[]} */
export const CLOSE_CAUSES = Object.freeze(['lost', 'local', 'peer', 'timeout', 'lost']);

/** @type {Binding | undefined} */
let binding;

/**
 * Key of the reason not to load the library, for this thread and its later workers. The reason is
 * '' when the library was tried and can be loaded.
 */
const UNUSABLE = 'aloud: native library unusable';

/** @type {Promise<void> | undefined} */
let probing;

/**
 * Tries the library once in a process of its own, so that one that ends the process or hangs
 * doesn't do that here. From then on load() throws in this thread, and in workers that it starts,
 * if the library can't be used.
 * @returns {Promise<void>}
 */
export function probeLibrary() {
  probing ??= typeof getEnvironmentData(UNUSABLE) === 'string' ? Promise.resolve() : tryLibrary();
  return probing;
}

async function tryLibrary() {
  const path = libraryPath();
  setEnvironmentData(UNUSABLE, path === null ? '' : ((await probe(path)) ?? ''));
}

/**
 * Loads the library.
 * @param {string | null} [library]  path of another build of it
 * @returns {Binding}
 * @throws {NativeUnavailableError} when it isn't built, or can't be loaded here
 */
export function load(library = null) {
  if (library !== null) return loadFile(library);
  const reason = getEnvironmentData(UNUSABLE);
  if (typeof reason === 'string' && reason !== '')
    throw new NativeUnavailableError('ERR_NATIVE_UNUSABLE', reason);
  binding ??= loadFile(libraryPath());
  return binding;
}

/**
 * @param {string | null} path  null if there is none
 * @returns {Binding}
 * @throws {NativeUnavailableError}
 */
function loadFile(path) {
  if (path === null || !existsSync(path))
    throw new NativeUnavailableError('ERR_NATIVE_NOT_BUILT', 'it is not built');
  try {
    return /** @type {Binding} */ (createRequire(import.meta.url)(path));
  } catch (error) {
    const [reason] = String(/** @type {Error} */ (error).message).split('\n');
    throw new NativeUnavailableError('ERR_NATIVE_UNUSABLE', reasonOfMessage(reason));
  }
}

/**
 * Says why the library is unavailable here, for people.
 * @param {string | null} [library]  path of another build of it
 * @returns {string | null} null when it is available
 */
export function loadError(library = null) {
  try {
    load(library);
    return null;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * libopus: its version, its encoders and decoders, and the arithmetic of mixes. Without cmake the
 * library is built without libopus.
 * @returns {NativeOpus}
 * @throws {NativeUnavailableError} when they are unavailable here
 */
export function loadOpus() {
  const { opusVersion, OpusEncoder, OpusDecoder, ...math } = load();
  if (!opusVersion || !OpusEncoder || !OpusDecoder) {
    throw new NativeUnavailableError(
      'ERR_NATIVE_WITHOUT_OPUS',
      'the addon was built without libopus, for want of cmake',
    );
  }
  const { shareAnalysis, sumSounds, levelOf, MixLimiter } = math;
  return {
    opusVersion,
    OpusEncoder,
    OpusDecoder,
    shareAnalysis: /** @type {NonNullable<typeof shareAnalysis>} */ (shareAnalysis),
    sumSounds,
    levelOf,
    MixLimiter,
  };
}

/**
 * Returns a function that measures the processor time of the calling thread, in milliseconds.
 * process.cpuUsage() measures all threads.
 * @returns {(() => number) | null} null without the library, or if the system is not Unix
 */
export const loadThreadCpuMs = () => (loadError() === null && load().threadCpuMs) || null;

/**
 * Returns memory to the system that only the process's start needed: freed memory, and pages of
 * Node.js's own file. They come back when they are used. Does nothing without the library.
 */
export function releaseMemory() {
  // A library that was built before has no such call.
  if (loadError() === null) load().releaseMemory?.();
}

/**
 * The library itself: the Rust sources document each call. Sessions and streams are numbers. Every
 * call throws an Error when the library panics.
 *
 * @typedef {object} Binding
 * @property {new (options: EndpointSettings, readable: () => void) => NativeEndpoint} Endpoint
 * @property {new (key: number, code: number, reason: string, readable: () => void) => NativePort}
 *   Port
 * @property {(place: number) => void} panicForTest makes the next thread panic that passes a Place
 *   of src/faults.rs; throws unless the environment has ALOUD_NATIVE_PANICS
 * @property {() => number} [threadCpuMs]  on Unix
 * @property {() => void} [releaseMemory]
 * @property {NativeOpus['opusVersion']} [opusVersion] this and the next three: only if built
 *   with cmake
 * @property {NativeOpus['OpusEncoder']} [OpusEncoder]
 * @property {NativeOpus['OpusDecoder']} [OpusDecoder]
 * @property {NativeOpus['shareAnalysis']} [shareAnalysis]
 * @property {NativeOpus['sumSounds']} sumSounds
 * @property {NativeOpus['levelOf']} levelOf
 * @property {NativeOpus['MixLimiter']} MixLimiter
 *
 * @typedef {object} NativeOpus
 * @property {() => string} opusVersion
 * @property {new (sampleRate: number, frameSamples: number, bitrate: number, complexity: number,
 *   application: number, channels?: number, isConstant?: boolean) => NativeEncoder} OpusEncoder
 *   throws an error of code 'InvalidArg' for settings that Opus doesn't have, and of code
 *   'GenericFailure' without memory
 * @property {new (sampleRate: number, frameSamples: number, channels?: number) => NativeDecoder}
 *   OpusDecoder likewise
 * @property {(isAlike: boolean) => void} shareAnalysis
 * @property {(out: Float32Array, sounds: ReadonlyArray<Float32Array>) => void} sumSounds
 * @property {(pcm: Float32Array, at: number, samples: number) => number} levelOf
 * @property {new (sampleRate: number, channels: number) => NativeLimiter} MixLimiter
 *
 * @typedef {object} NativeLimiter
 * @property {(pcm: Float32Array) => number} limit
 * @property {(out: Float32Array, full: Float32Array, own: Float32Array) => number} limitLess
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
 * @property {string | null} library      path of another build of the library; null for this one
 * @property {string} congestionController cubic, or one that only the other build has
 * @property {number} idleTimeoutMs      silence after which a peer counts as gone
 * @property {number} keepAliveMs        silence before a ping; 0 for no pings
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
 * @property {(atMs: number) => void} wakeAt
 * @property {() => void} listening
 * @property {(most: number) => NativeEvent[]} events
 * @property {(bytes: Uint8Array, index: Float64Array) => number} recv
 * @property {(session: number, firstByte: number) => void} letWait
 * @property {(session: number, bytes: Uint8Array) => boolean} send
 * @property {(ids: Uint32Array, count: number, bytes: Uint8Array) => number} sendMany
 * @property {() => void} cork
 * @property {() => void} uncork
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
 * @property {number} pending    connections without a session yet
 * @property {number} retried    that first had to prove their address
 * @property {number} displaced  dropped before their session, for a newer one
 * @property {number} refused    because sessions had all places
 * @property {number} broken     closed with an error of HTTP/3, at any time
 * @property {number} requestsRefused requests for no session, or against HTTP/3's rules
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
 * @property {string} authority  the host and port that it requested
 * @property {string} path       with its '/', without the query
 * @property {string} query      without the '?'; empty when there is none
 * @property {string} origin     the page's origin; empty when it isn't a browser
 * @property {string[]} headers  names and values in turn
 *
 * @typedef {object} ConnectionStats
 * @property {number} rttMs             smoothed round-trip time
 * @property {string} congestionController
 * @property {number} cwnd              congestion window, in bytes
 * @property {number} bytesInFlight     bytes in flight after the last acknowledgement
 * @property {number} underWayMs age of the oldest packet that is neither acknowledged nor declared
 *   lost, in milliseconds; 0 without one
 * @property {number} sentPackets       QUIC packets
 * @property {number} lostPackets       of them, declared lost
 * @property {number} congestionEvents
 * @property {number | null} deliveryBps bits of QUIC packets a second that the path was seen to
 *   deliver; null while nothing is known
 * @property {boolean} deliveryIsLimit true when the newest sample was limited by the path or
 *   congestion control, not by the application
 * @property {number} sentBytes         UDP payload
 * @property {number} receivedBytes     UDP payload
 * @property {number} mtu               the largest UDP payload found so far, in bytes
 * @property {number} maxDatagramSize   the largest datagram that can be sent now, in bytes
 * @property {number} datagramsSent
 * @property {number} datagramsReceived
 * @property {number} droppedIn         received, and dropped from a full queue to JavaScript
 * @property {number} droppedTooBig     not sent: larger than maxDatagramSize
 * @property {number} droppedBlocked    pushed out of the send queue by later ones; a lower bound
 * @property {number} malformed         received without a session
 */
