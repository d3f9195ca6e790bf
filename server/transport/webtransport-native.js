/**
 * Carries sessions over WebTransport (HTTP/3) on the native engine: packets are datagrams, control
 * messages are lines on the client's first bidirectional stream.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { CloseCause, NativeSession, SessionRequest, Stream } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Http3Options } from './webtransport.js'
 * @import { Accept, ControlMessage, PathStats, Session } from '../session/session.js'
 * @import { SessionOptions, SessionStats, Transport } from '../session/session.js'
 */

import { isIPv4 } from 'node:net';
import { Endpoint, PathField, PATH_FIELDS } from '@aloud/native';
import { systemClock } from '../../public/shared/clock.js';
import { ControlLines } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';
import { PACKET_VERSION, PacketType } from '../../public/shared/wire/packet-format.js';
import { ROOM_QUERY } from '../../public/shared/links.js';
import { countRefusal } from '../counts.js';
import { SureStreams } from './sure-streams.js';
import { isSameHostname } from './client-address.js';
import {
  BaseSession,
  FLOOD_PAUSE_MS,
  MAX_CONTROL_BYTES,
  MAX_STUCK_BYTES,
  prepareControl,
} from '../session/session.js';

/** Number of connections beyond the sessions, so that a client above the limit can learn why. */
const SPARE_CONNECTIONS = 64;

/**
 * Share of the idle timeout after which a ping goes out. QUIC gives the connection up after the
 * rest (RFC 9000, section 10.1), so both together are the timeout.
 */
const PING_SHARE = 0.25;

/** Time that Chromium subtracts from a longer idle timeout. */
const CHROMIUM_MARGIN_MS = 1000;

/** Buffer of all control streams, which are read one after another. */
const chunk = new Uint8Array(4 * 1024);

/** Buffer of every session's path statistics, which are read one after another. */
const pathFields = new Float64Array(PATH_FIELDS);
/** @type {PathStats} */
const pathStats = {
  rttMs: 0,
  sentPackets: 0,
  lostPackets: 0,
  droppedOut: 0,
  deliveryBps: 0,
  deliveryIsLimit: false,
  underWayMs: 0,
};

/** First byte of audio packets. */
const AUDIO_BYTE = (PACKET_VERSION << 4) | PacketType.audio;

/** Reads of one control stream before other sessions have their turn. */
const READS_PER_TURN = 16;

/**
 * Silence after which a ping goes out, in milliseconds: it fits twice into Chromium's idea of the
 * timeout.
 * @param {number} idleTimeoutMs
 */
function pingAfter(idleTimeoutMs) {
  const share = Math.ceil(idleTimeoutMs * PING_SHARE);
  if (idleTimeoutMs - share <= CHROMIUM_MARGIN_MS) return share;
  return Math.min(share, Math.ceil((idleTimeoutMs - CHROMIUM_MARGIN_MS) / 3));
}

/**
 * Opens HTTP/3 on the native engine.
 *
 * @param {Http3Options} options
 * @returns {Promise<NativeTransport>}
 * @throws {Error} if the engine isn't built (code ERR_NATIVE_NOT_BUILT, ERR_NATIVE_UNUSABLE), the
 *   certificate is invalid, or the port isn't available (code EADDRINUSE, EACCES)
 */
export async function createNativeTransport({ host = '::', port = 0, certificate, ...options }) {
  const transport = new NativeTransport(options);
  await transport.listen(host, port, certificate);
  return transport;
}

/** @implements {Transport} */
export class NativeTransport {
  /** @readonly */
  name = 'webtransport';
  /** @readonly */
  engine = 'native';
  replyOnly = false;
  #isAllowedHost;
  #allowsOrigin;
  #handOver;
  #readers;
  #path;
  #opened;
  #log;
  #endpoint;
  #address = { host: '', port: 0 };

  /** @param {Omit<Http3Options, 'host' | 'port' | 'certificate'>} options */
  constructor({
    accept,
    path = '/session',
    maxSessions = 1000,
    log,
    idleTimeoutMs = 15_000,
    ...engine
  }) {
    this.#path = path;
    this.#log = log;
    this.#isAllowedHost = engine.isAllowedHost ?? (() => true);
    this.#allowsOrigin = engine.allowsOrigin ?? (() => false);
    this.#handOver = engine.handOver ?? (() => false);
    this.#readers = engine.readers;
    /** Path of sessions that listen to a recording; null without such sessions. */
    this.recordingPath = engine.readers?.path ?? null;
    const { settings, Session, offer } = engine.parts ?? {};
    /** Properties of a plugin for the answer to /api/config. */
    this.offer = offer;
    this.#opened = sessionOpener({
      transport: this,
      accept,
      maxSessions,
      Session,
      clock: engine.clock ?? systemClock,
      readers: engine.readers,
      log,
    });
    const keepAliveMs = pingAfter(idleTimeoutMs);
    this.#endpoint = new Endpoint({
      idleTimeoutMs: Math.max(1, idleTimeoutMs - keepAliveMs),
      keepAliveMs,
      maxConnections: maxSessions + SPARE_CONNECTIONS,
      streamBufferBytes: MAX_STUCK_BYTES,
      ...(engine.ioThreads !== undefined && { ioThreads: engine.ioThreads }),
      ...settings,
    });
    /**
     * Sends datagrams by the engine's own function, which finds sessions by their `id`.
     * @type {Transport['sendMany']}
     */
    this.sendMany = Session
      ? sendEach
      : /** @type {Transport['sendMany']} */ (
          /** @type {unknown} */ (this.#endpoint.sendMany.bind(this.#endpoint))
        );
    /** Engine's own function too. @type {Transport['createGroup']} */
    this.createGroup = Session
      ? undefined
      : /** @type {Transport['createGroup']} */ (
          /** @type {unknown} */ (this.#endpoint.createGroup.bind(this.#endpoint))
        );
    this.#endpoint.onFault = (message) =>
      this.#log.error({ event: 'engine-failed', reason: message }, 'native engine failed');
  }

  /**
   * @param {string | readonly string[]} host
   * @param {number} port
   * @param {{ certPem: string, keyPem: string }} certificate
   */
  async listen(host, port, { certPem, keyPem }) {
    const hosts = [host].flat();
    try {
      const bound = await this.#endpoint.listen({
        host: hosts,
        port,
        certPem,
        keyPem,
        onRequest: (request) => this.#requested(request),
        onSession: this.#opened,
      });
      this.#address = { host: hosts.find((one) => !isIPv4(one)) ?? hosts[0], port: bound.port };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Address and UDP port on which the endpoint listens. */
  address() {
    return this.#address;
  }

  /** Counts of new connections, since the start. */
  admissions() {
    return this.#endpoint.admissions();
  }

  /** Delivers arrived packets now, rather than in the event loop's next turn. */
  poll() {
    this.#endpoint.poll();
  }

  /** Wakes the thread at a time, more exactly than a timer. @param {number} atMs */
  wakeAt(atMs) {
    this.#endpoint.wakeAt(atMs);
  }

  /** Keeps packets until uncork(), to send many of them together. */
  cork() {
    this.#endpoint.cork();
  }

  uncork() {
    this.#endpoint.uncork();
  }

  /**
   * Serves another certificate to new sessions; open ones continue.
   * @param {{ certPem: string, keyPem: string }} certificate
   * @throws {Error} if it is invalid; then the old one stays
   */
  updateCertificate({ certPem, keyPem }) {
    this.#endpoint.setCertificate(certPem, keyPem);
  }

  async close() {
    const { close, message } = errors['server-closing'];
    await this.#endpoint.close(close, message);
  }

  /** @param {SessionRequest} request */
  #requested(request) {
    const refusal = this.#refusal(request);
    if (refusal === null && request.path === this.#readers?.path)
      return this.#readers.requested(request);
    if (refusal === null) return void (this.#handOver(request) || request.accept());
    countRefusal('upgrade', refusal);
    request.reject(errors[refusal].status);
  }

  /** @param {SessionRequest} request @returns {ErrorCode | null} */
  #refusal({ authority, path, origin }) {
    if (!this.#isAllowedHost(authority)) return 'host-not-allowed';
    if (path !== this.#path && path !== this.#readers?.path) return 'not-found';
    return isSameHostname(origin, authority) || this.#allowsOrigin(origin)
      ? null
      : 'origin-not-allowed';
  }

  /** Shares the port: other threads can serve sessions of this engine. See PortTransport. */
  share() {
    return this.#endpoint.share();
  }

  /**
   * Closes the sessions of another thread that has ended.
   * @param {number} port number of the thread's port
   * @param {ErrorCode} code
   */
  closePort(port, code) {
    this.#endpoint.closePort(port, errors[code].close, errors[code].message);
  }
}

/**
 * Makes sessions of the native engine, up to a limit.
 * @param {object} options
 * @param {Transport} options.transport of the sessions
 * @param {Accept} options.accept
 * @param {number} options.maxSessions
 * @param {typeof NativeEngineSession} [options.Session] class of the sessions
 * @param {Clock} options.clock
 * @param {Http3Options['readers']} [options.readers] of recordings, with a path of their own
 * @param {Pick<Log, 'error'>} options.log
 * @returns {(native: NativeSession) => void}
 */
export function sessionOpener({
  transport,
  accept,
  maxSessions,
  Session = NativeEngineSession,
  clock,
  readers,
  log,
}) {
  let sessions = 0;
  const onEnd = () => void (sessions -= 1);
  return (native) => {
    if (sessions >= maxSessions) {
      const { close, message } = errors['server-full'];
      countRefusal('join', 'server-full');
      native.close(close, message);
      return;
    }
    sessions += 1;
    if (readers && native.request?.path === readers.path) return readers.opened(native, onEnd);
    const query = native.request?.query ?? '';
    new Session({
      transport,
      room: roomOf(query),
      native,
      clock,
      log,
      onEnd,
    }).offerTo(accept);
  };
}

/** @implements {Session} */
export class NativeEngineSession extends BaseSession {
  #native;
  #clock;
  /** @type {Stream | null} */
  #control = null;
  /** Lines of control messages from before the client opened its stream. @type {Uint8Array[]} */
  #waiting = [];
  #waitingBytes = 0;
  #lines;
  #isFlooded = false;
  #isAudioHeld = false;
  /** Set while packets must arrive. @type {SureStreams | null} */
  #sure = null;

  /**
   * @param {Omit<SessionOptions, 'peer'> & { room?: string, native: NativeSession, clock: Clock }}
   *   options room: the one in the session's URL
   */
  constructor({ room, native, clock, ...options }) {
    super({ ...options, peer: native.peer, now: clock.now() });
    this.room = room;
    this.#native = native;
    this.#clock = clock;
    /** Number of the session in the engine, for sendMany. */
    this.id = native.id;
    this.#lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (message) => this.#message(message),
      onError: (reason) => this.close(errors['bad-request'].close, reason),
    });
    native.onDatagram = this.receive;
    native.onStream = (stream) => this.opened(stream);
    native.onClosed = (code, reason, cause) => void this.end(codeOf(cause, code), reason);
  }

  /** @param {Uint8Array} bytes @returns {boolean} */
  send(bytes) {
    return this.#native.send(bytes);
  }

  /** @param {boolean} waits */
  holdAudio(waits) {
    if (waits === this.#isAudioHeld) return;
    this.#isAudioHeld = waits;
    this.#native.letWait(waits ? AUDIO_BYTE : null);
  }

  get surely() {
    return (this.#sure ??= new SureStreams(this.#native, this.#clock));
  }

  /**
   * Closes a peer that doesn't read its control messages once their queue is full. A peer that
   * accepts no more is closing: its own end, with the reason, is about to arrive.
   * @param {object | ControlMessage} message
   */
  sendControl(message) {
    if (this.ended) return;
    const { line } = prepareControl(message);
    const control = this.#control;
    const taken = control ? control.write(line) : this.#wait(line);
    if (!taken && (control === null || control.writable)) this.closeWith('idle-timeout');
  }

  /** @override @param {number} code @param {string} reason */
  end(code, reason) {
    if (this.ended) return false;
    this.#lines.close();
    this.#waiting = [];
    return super.end(code, reason);
  }

  /** @override @param {number} code @param {string} reason */
  close(code, reason) {
    if (this.end(code, reason)) this.#native.close(code, reason);
  }

  /** @override @returns {SessionStats} */
  stats() {
    const stats = this.#native.stats();
    if (!stats) return super.stats();
    return {
      rttMs: stats.rttMs,
      sentPackets: stats.sentPackets,
      lostPackets: stats.lostPackets,
      droppedOut: stats.droppedTooBig + stats.droppedBlocked + this.droppedHere,
      droppedTooBig: stats.droppedTooBig,
      droppedIn: stats.droppedIn,
      deliveryBps: stats.deliveryBps,
      deliveryIsLimit: stats.deliveryIsLimit,
      underWayMs: stats.underWayMs,
      congestionController: stats.congestionController,
    };
  }

  /** Number of packets that were dropped before the engine got them. */
  get droppedHere() {
    return this.#sure?.dropped ?? 0;
  }

  /** @override @returns {PathStats} */
  pathStats() {
    if (!this.#native.path(pathFields)) return this.stats();
    const deliveryBps = pathFields[PathField.deliveryBps];
    pathStats.rttMs = pathFields[PathField.rttMs];
    pathStats.sentPackets = pathFields[PathField.sentPackets];
    pathStats.lostPackets = pathFields[PathField.lostPackets];
    pathStats.droppedOut = pathFields[PathField.droppedOut] + this.droppedHere;
    pathStats.deliveryBps = Number.isNaN(deliveryBps) ? null : deliveryBps;
    pathStats.deliveryIsLimit = pathFields[PathField.deliveryIsLimit] === 1;
    pathStats.underWayMs = pathFields[PathField.underWayMs];
    return pathStats;
  }

  /** Handles a stream that the peer has opened. @param {Stream} stream */
  opened(stream) {
    if (this.#control || !stream.bidi) {
      const { close } = errors['bad-request'];
      stream.stop(close);
      if (stream.bidi) stream.reset(close);
      return;
    }
    this.#control = stream;
    stream.onReadable = () => this.#readControl(stream);
    for (const line of this.#waiting) stream.write(line);
    this.#waiting = [];
  }

  /** @param {Stream} stream */
  #readControl(stream) {
    this.#isFlooded = false;
    for (let i = 0; i < READS_PER_TURN && !this.#isFlooded; i++) {
      if (this.ended) return;
      const count = stream.read(chunk);
      if (!count) return;
      this.#lines.push(chunk.subarray(0, count));
    }
    if (this.#isFlooded) this.#clock.setTimeout(() => this.#readControl(stream), FLOOD_PAUSE_MS);
    else setImmediate(() => this.#readControl(stream));
  }

  /** @param {unknown} message */
  #message(message) {
    const now = this.#clock.now();
    if (this.isFlood(now)) this.#isFlooded = true;
    this.receiveControl(message, now);
  }

  /** @param {Uint8Array} line @returns {boolean} false if there is no room */
  #wait(line) {
    if (this.#waitingBytes + line.length > MAX_STUCK_BYTES) return false;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    return true;
  }
}

/** @param {CloseCause} cause @param {number} code of the peer */
function codeOf(cause, code) {
  if (cause === 'timeout') return errors['idle-timeout'].close;
  return cause === 'lost' ? errors['session-lost'].close : code;
}

/** @param {string} query of a session's URL @returns {string | undefined} room in it */
const roomOf = (query) =>
  query === '' ? undefined : (new URLSearchParams(query).get(ROOM_QUERY) ?? undefined);

/** @type {Transport['sendMany']} */
export function sendEach(sessions, bytes) {
  for (const session of sessions) session.send(bytes);
}
