/**
 * WebTransport over HTTP/3 on the native engine: packets are datagrams, control messages are lines
 * on the client's first bidirectional stream.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { CloseCause, NativeSession, SessionRequest, Stream } from '@aloud/native'
 * @import { Carry } from '../../public/shared/wire/carry.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Http3Options } from './webtransport.js'
 * @import { Accept, ControlMessage, PathStats, Session, SessionStats } from './session.js'
 * @import { Transport } from './session.js'
 */

import { isIPv4 } from 'node:net';
import { Endpoint, PathField, PATH_FIELDS } from '@aloud/native';
import { CARRIES, CARRY_QUERY } from '../../public/shared/wire/carry.js';
import { systemClock } from '../../public/shared/clock.js';
import { ControlLines } from '../../public/shared/wire/control.js';
import { errors } from '../../public/shared/errors.js';
import { PACKET_VERSION, PacketType } from '../../public/shared/wire/packet-format.js';
import { ROOM_QUERY } from '../../public/shared/wire/session-url.js';
import { countRefusal } from '../counts.js';
import { MAX_PACKET_STREAMS, PacketStreams } from './packet-streams.js';
import { SureStreams } from './sure-streams.js';
import { isSameHostname } from './peer.js';
import {
  BaseSession,
  FLOOD_PAUSE_MS,
  MAX_CONTROL_BYTES,
  MAX_STUCK_BYTES,
  prepareControl,
} from './session.js';

/** Connections beyond the sessions, so that those who are one too many can be told why. */
const SPARE_CONNECTIONS = 64;

/**
 * The part of the idle timeout after which a ping goes out. QUIC gives the connection up after the
 * rest (RFC 9000, section 10.1), so that both together are the timeout.
 */
const PING_SHARE = 0.25;

/** Chromium takes a second off an idle timeout that is longer than that. */
const CHROMIUM_MARGIN_MS = 1000;

/** Every control stream is read through this, one read after another. */
const chunk = new Uint8Array(4 * 1024);

/** Every session's path is read through these, one after the other. */
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

/** The first byte of audio packets. */
const AUDIO_BYTE = (PACKET_VERSION << 4) | PacketType.audio;

/** Reads of one control stream before other sessions have their turn. */
const READS_PER_TURN = 16;

/**
 * The silence after which a ping goes out, in milliseconds: it fits twice into what Chromium takes
 * for the timeout.
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
 * @throws {Error} when the engine isn't built (code ERR_NATIVE_NOT_BUILT, ERR_NATIVE_UNUSABLE), the
 *   certificate is no good, or the port can't be had (code EADDRINUSE, EACCES)
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
  #carryOption;
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
    /** The path of sessions that listen to a recording; null where there are none. */
    this.recordingPath = engine.readers?.path ?? null;
    const { congestionController = 'cubic', receiveQueue = 64, carry = 'datagrams' } = engine;
    this.#carryOption = carry;
    this.#opened = sessionOpener({
      transport: this,
      accept,
      maxSessions,
      carry,
      clock: engine.clock ?? systemClock,
      readers: engine.readers,
      log,
    });
    this.carry = carry === 'any' ? 'datagrams' : carry;
    /** What sessions may ask for. @type {readonly Carry[]} */
    this.carries = carry === 'any' ? CARRIES : [];
    const keepAliveMs = pingAfter(idleTimeoutMs);
    this.#endpoint = new Endpoint({
      congestionController,
      receiveQueue,
      idleTimeoutMs: Math.max(1, idleTimeoutMs - keepAliveMs),
      keepAliveMs,
      maxConnections: maxSessions + SPARE_CONNECTIONS,
      streamBufferBytes: MAX_STUCK_BYTES,
      ...(carry !== 'datagrams' && { maxStreams: MAX_PACKET_STREAMS }),
      ...(engine.ioThreads !== undefined && { ioThreads: engine.ioThreads }),
    });
    /**
     * The engine's own, which knows sessions by their `id`, for datagrams.
     * @type {Transport['sendMany']}
     */
    this.sendMany =
      carry === 'datagrams'
        ? /** @type {any} */ (this.#endpoint.sendMany.bind(this.#endpoint))
        : sendEach;
    /** Likewise. @type {Transport['createGroup']} */
    this.createGroup =
      carry === 'datagrams'
        ? /** @type {any} */ (this.#endpoint.createGroup.bind(this.#endpoint))
        : undefined;
    this.#endpoint.onFault = (message) => this.#log.error(`the native engine failed: ${message}`);
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

  /** The address that it listens on; the port is UDP's. */
  address() {
    return this.#address;
  }

  /** Counts of new connections, since the start. */
  admissions() {
    return this.#endpoint.admissions();
  }

  /**
   * Delivers the packets that have arrived, which otherwise wait for the event loop's next turn.
   */
  poll() {
    this.#endpoint.poll();
  }

  /**
   * Serves another certificate to new sessions; open ones go on.
   * @param {{ certPem: string, keyPem: string }} certificate
   * @throws {Error} when it is no good; the old one stays then
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

  /**
   * @param {SessionRequest} request
   * @returns {ErrorCode | null}
   */
  #refusal({ authority, path, query, origin }) {
    if (!this.#isAllowedHost(authority)) return 'host-not-allowed';
    if (path !== this.#path && path !== this.#readers?.path) return 'not-found';
    if (carryOf(this.#carryOption, query) === undefined) return 'bad-request';
    return isSameHostname(origin, authority) || this.#allowsOrigin(origin)
      ? null
      : 'origin-not-allowed';
  }

  /** By this other threads serve sessions of this engine: see PortTransport. */
  share() {
    return this.#endpoint.share();
  }

  /**
   * Closes the sessions of another thread that has ended.
   * @param {number} port  its number
   * @param {ErrorCode} code
   */
  closePort(port, code) {
    this.#endpoint.closePort(port, errors[code].close, errors[code].message);
  }
}

/**
 * Makes sessions of the native engine's, of which so many may be open at once.
 * @param {object} options
 * @param {Transport} options.transport  theirs
 * @param {Accept} options.accept
 * @param {number} options.maxSessions
 * @param {Carry | 'any'} options.carry
 * @param {Clock} options.clock
 * @param {Http3Options['readers']} [options.readers]  of recordings, who have a path of their own
 * @param {Pick<Log, 'error'>} options.log
 * @returns {(native: NativeSession) => void}
 */
export function sessionOpener({ transport, accept, maxSessions, carry, clock, readers, log }) {
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
    new NativeEngineSession({
      transport,
      carry: carryOf(carry, query),
      room: roomOf(query),
      native,
      clock,
      log,
      onEnd,
    }).offerTo(accept);
  };
}

/**
 * A session of the native engine.
 * @implements {Session}
 */
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
  #audioWaits = false;
  /** Where packets are no datagrams. @type {PacketStreams | null} */
  #packets = null;
  /** Where packets are to arrive surely. @type {SureStreams | null} */
  #sure = null;

  /**
   * @param {object} options
   * @param {Transport} options.transport
   * @param {Carry} [options.carry]  how packets go
   * @param {string} [options.room]  the one that the session's URL names
   * @param {NativeSession} options.native
   * @param {Clock} options.clock
   * @param {Pick<Log, 'error'>} options.log
   * @param {() => void} options.onEnd called once, when the session has ended
   */
  constructor({ transport, carry = 'datagrams', room, native, clock, log, onEnd }) {
    super({ transport, peer: native.peer, log, now: clock.now(), onEnd });
    this.room = room;
    this.#native = native;
    this.#clock = clock;
    /** The engine's number for the session, for sendMany. */
    this.id = native.id;
    this.#lines = new ControlLines({
      maxBytes: MAX_CONTROL_BYTES,
      onMessage: (message) => this.#message(message),
      onError: (reason) => this.close(errors['bad-request'].close, reason),
    });
    if (carry === 'datagrams') native.onDatagram = this.receive;
    else this.#packets = new PacketStreams({ native, carry, clock, receive: this.receive });
    native.onStream = (stream) => this.#stream(stream);
    native.onClosed = (code, reason, cause) => void this.end(codeOf(cause, code), reason);
  }

  /**
   * @param {Uint8Array} bytes
   * @returns {boolean}
   */
  send(bytes) {
    return this.#packets === null ? this.#native.send(bytes) : this.#packets.send(bytes);
  }

  /** @param {boolean} waits */
  letAudioWait(waits) {
    if (waits === this.#audioWaits) return;
    this.#audioWaits = waits;
    this.#native.letWait(waits ? AUDIO_BYTE : null);
  }

  get surely() {
    return (this.#sure ??= new SureStreams(this.#native, this.#clock));
  }

  /**
   * Closes a peer that doesn't read its control messages once their queue is full. One that takes
   * no more of them is closing: its own end, and the reason for it, are on the way.
   * @param {object | ControlMessage} message
   */
  sendControl(message) {
    if (this.ended) return;
    const { line } = prepareControl(message);
    const control = this.#control;
    const taken = control ? control.write(line) : this.#wait(line);
    if (!taken && (control === null || control.writable)) this.closeWith('idle-timeout');
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  end(code, reason) {
    if (this.ended) return false;
    this.#lines.close();
    this.#waiting = [];
    return super.end(code, reason);
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  close(code, reason) {
    if (this.end(code, reason)) this.#native.close(code, reason);
  }

  /** @returns {SessionStats} */
  stats() {
    const stats = this.#native.stats();
    if (!stats) return { rttMs: null, lostPackets: 0, droppedOut: 0, droppedIn: 0 };
    return {
      rttMs: stats.rttMs,
      sentPackets: stats.sentPackets,
      lostPackets: stats.lostPackets,
      droppedOut: stats.droppedTooBig + stats.droppedBlocked + this.#droppedHere,
      droppedTooBig: stats.droppedTooBig,
      droppedIn: stats.droppedIn,
      deliveryBps: stats.deliveryBps,
      deliveryIsLimit: stats.deliveryIsLimit,
      underWayMs: stats.underWayMs,
      congestionController: stats.congestionController,
    };
  }

  /** Packets that were dropped before the engine had them. */
  get #droppedHere() {
    return (this.#packets?.dropped ?? 0) + (this.#sure?.dropped ?? 0);
  }

  /** @override @returns {PathStats} */
  pathStats() {
    if (!this.#native.path(pathFields)) return this.stats();
    const deliveryBps = pathFields[PathField.deliveryBps];
    pathStats.rttMs = pathFields[PathField.rttMs];
    pathStats.sentPackets = pathFields[PathField.sentPackets];
    pathStats.lostPackets = pathFields[PathField.lostPackets];
    pathStats.droppedOut = pathFields[PathField.droppedOut] + this.#droppedHere;
    pathStats.deliveryBps = Number.isNaN(deliveryBps) ? null : deliveryBps;
    pathStats.deliveryIsLimit = pathFields[PathField.deliveryIsLimit] === 1;
    pathStats.underWayMs = pathFields[PathField.underWayMs];
    return pathStats;
  }

  /** @param {Stream} stream */
  #stream(stream) {
    if (!stream.bidi && this.#packets) return this.#packets.take(stream);
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

  /**
   * @param {Uint8Array} line
   * @returns {boolean} false when there is no room
   */
  #wait(line) {
    if (this.#waitingBytes + line.length > MAX_STUCK_BYTES) return false;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    return true;
  }
}

/**
 * @param {CloseCause} cause
 * @param {number} code the peer's own
 */
function codeOf(cause, code) {
  if (cause === 'timeout') return errors['idle-timeout'].close;
  return cause === 'lost' ? errors['session-lost'].close : code;
}

/**
 * @param {Carry | 'any'} option  how the server has packets go
 * @param {string} query  of a session's URL
 * @returns {Carry | undefined} how the session's go; undefined where it asks for what isn't
 */
function carryOf(option, query) {
  if (option !== 'any') return option;
  const asked = new URLSearchParams(query).get(CARRY_QUERY);
  return asked === null ? 'datagrams' : CARRIES.find((carry) => carry === asked);
}

/**
 * @param {string} query of a session's URL
 * @returns {string | undefined} the room that it names
 */
const roomOf = (query) =>
  query === '' ? undefined : (new URLSearchParams(query).get(ROOM_QUERY) ?? undefined);

/** @type {Transport['sendMany']} */
export function sendEach(sessions, bytes) {
  for (const session of sessions) session.send(bytes);
}
