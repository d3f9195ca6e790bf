/**
 * Serves rooms as endless files over HTTP, for any player of a link: `GET /listen/<room>`. Each
 * reader belongs to the room's audience, with a session of this transport that turns packets into
 * parts of a file.
 *
 * @import { PersonFields } from '../../public/shared/messages/fields.js'
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { HttpOptions, RoomFinders } from '../transport/client-address.js'
 * @import { Middleware } from '../transport/http1.js'
 * @import { ControlMessage, Session, SessionOptions, Transport } from '../session/session.js'
 * @import { Kind } from './live-file.js'
 */

import { randomInt } from 'node:crypto';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { CONTROL_VERSION } from '../../public/shared/wire/control.js';
import { errorOfClose, errors } from '../../public/shared/errors.js';
import { LEAST_BITRATE, MOST_BITRATE } from '../../public/shared/limits.js';
import {
  CLOCK_REQUEST_BYTES,
  Packet,
  PacketType,
  readPacket,
  writeClockRequest,
} from '../../public/shared/wire/packet.js';
import { roomNameError } from '../../public/shared/text.js';
import { countRefusal } from '../counts.js';
import { answerSentence } from '../request/body.js';
import { splitTarget } from '../request/target.js';
import { stackOf } from '../log.js';
import { directClient, peerName } from '../transport/client-address.js';
import { BaseSession, MAX_QUEUED_BYTES, prepareControl } from '../session/session.js';
import { repeat } from '../timers.js';
import { IcyWriter, METADATA_INTERVAL } from './icy.js';
import { FILL_MS, KINDS, LiveFile } from './live-file.js';

/** Path of a room's file: /listen/<room>, with its kind behind it. */
const PATH = /^\/listen\/([^/?.]+)(?:\.(ogg|opus|webm))?$/;

/**
 * Interval between a session's signs of life to its room, in milliseconds: below half of the
 * shortest idle timeout.
 */
const ALIVE_MS = 500;

/**
 * Most bytes that may wait for a slow reader, and number from which packets are left out, which the
 * room treats as a narrow path. A padded file begins with 46 KB.
 */
const LIMITS = Object.freeze({
  plain: { most: MAX_QUEUED_BYTES, blocked: MAX_QUEUED_BYTES / 4 },
  padded: { most: 2 * MAX_QUEUED_BYTES, blocked: MAX_QUEUED_BYTES },
});

/** Requested bit rate, in kb/s. */
const RATE = /^\d{1,3}$/;

/** Time after which a temporarily refused player may try again, in seconds. */
const RETRY_SECONDS = 5;

/** Name that moderators of the room see. */
const READER_NAME = 'Player';

const NOBODY = 'Nobody is in this room. Try again once somebody is there.';

/** Statuses of temporary refusals. */
const PASSING = new Set([408, 429, 503]);

/** Shared by all reads here: a packet is handled before the next. */
const packet = new Packet();
const alive = new Uint8Array(CLOCK_REQUEST_BYTES);
writeClockRequest(alive, 0);

/**
 * @typedef {object} ReaderOptions
 * @property {number} maxSessions limit; more are refused with 'server-full'
 * @property {(request: IncomingMessage) => void} outlives called for a request whose answer lasts
 *   as long as the room
 *
 * @typedef {HttpOptions & RoomFinders & ReaderOptions} ListeningOptions
 *
 * @typedef {Transport & { handle: Middleware }} Listening
 *
 * @typedef {{ kind: Kind, bitrate: number | null, target: string, room: string, isIcy: boolean }}
 *   Asked bitrate: most to send of a broadcast, in bits a second; target: path and query; isIcy:
 *   true for a player that asks for titles between the bytes
 */

/** @param {ListeningOptions} options @returns {Listening} */
export const createListening = (options) => new ListenTransport(options);

/** @implements {Listening} */
class ListenTransport {
  /** @type {'listen'} */
  name = 'listen';
  replyOnly = false;
  #options;
  /** @type {Set<ListenSession>} */
  #sessions = new Set();
  #stopTicks;
  #closed = false;

  /** @param {ListeningOptions} options */
  constructor(options) {
    this.#options = options;
    const { clock } = options;
    this.#stopTicks = repeat(clock, FILL_MS, () => {
      const now = clock.now();
      for (const session of [...this.#sessions]) session.tick(now);
    });
  }

  /** @type {Middleware} */
  handle = (request, response, next) => {
    const { path, query } = splitTarget(request.url);
    const [, room, ending] = PATH.exec(path) ?? [];
    if (room === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
      return next();
    const wrong = roomNameError(room);
    if (wrong !== null) return refuseReader(request, response, wrong);
    const asked = new URLSearchParams(query);
    const rate = asked.get('rate');
    if (rate !== null && !RATE.test(rate)) return refuseReader(request, response, 'bad-request');
    const token =
      asked.get('token') ?? /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const join = {
      type: 'join',
      version: CONTROL_VERSION,
      room,
      name: READER_NAME,
      listen: true,
      ...(token && { token }),
    };
    /** @type {Kind} */
    const kind = ending === 'webm' ? 'webm' : 'ogg';
    this.#open(request, response, join, {
      kind,
      bitrate:
        rate === null ? null : Math.min(MOST_BITRATE, Math.max(LEAST_BITRATE, 1000 * Number(rate))),
      target: path + query,
      room,
      isIcy: takesIcy(request.headers),
    }).catch((error) => {
      this.#options.log.error(
        { event: 'reader-failed', room, error: stackOf(error) },
        'reader of a room could not be let in',
      );
      refuseReader(request, response, 'internal');
    });
  };

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {{ room: string }} join  to join
   * @param {Asked} asked
   */
  async #open(request, response, join, asked) {
    const { rooms, cluster, maxSessions } = this.#options;
    const found = cluster && (await cluster.find(join.room, { hold: false }));
    if (typeof found === 'string') return refuseReader(request, response, found);
    if (found?.node && !found.relayed) return sendTo(response, found.node.url, asked);
    // A room that this node relays exists, so only other rooms are checked.
    if (!found?.node && (await rooms.inRoom(join.room, 'count')) === 'not-found')
      return answerEmptyRoom(request, response);
    if (this.#closed) return refuseReader(request, response, 'server-closing');
    if (this.#sessions.size >= maxSessions) return refuseReader(request, response, 'server-full');
    if (response.destroyed) return;
    // A request for headers only needs no mix and gets no listener.
    if (request.method === 'HEAD') endWith(response, 200, headersOf(asked));
    else this.#join(request, response, join, asked);
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {{ room: string }} join
   * @param {Asked} asked
   */
  #join(request, response, join, asked) {
    const { accept, clock, log, outlives, clientOf = directClient } = this.#options;
    const session = new ListenSession({
      transport: this,
      request,
      response,
      asked,
      clock,
      log,
      peer: peerName(clientOf(request)),
      onEnd: () => void this.#sessions.delete(session),
    });
    session.room = join.room;
    this.#sessions.add(session);
    outlives(request);
    response.once('close', () => session.close(0, 'left'));
    session.offerTo(accept);
    session.receiveControl(join, clock.now());
  }

  /** @param {Session[]} sessions @param {Uint8Array} bytes */
  sendMany(sessions, bytes) {
    if (!isAudio(bytes)) return;
    const now = this.#options.clock.now();
    for (let i = 0; i < sessions.length; i++)
      /** @type {ListenSession} */ (sessions[i]).take(bytes, now);
  }

  close() {
    this.#closed = true;
    this.#stopTicks();
    for (const session of [...this.#sessions]) session.closeWith('server-closing');
    return Promise.resolve();
  }
}

/** @implements {Session} */
class ListenSession extends BaseSession {
  #request;
  #response;
  #asked;
  #clock;
  /** Set from the welcome on. @type {LiveFile | null} */
  #file = null;
  #aliveMs = 0;
  #isPadded;
  #title = new RoomTitle();
  /** Null unless the player asks for titles between the bytes. @type {IcyWriter | null} */
  #icy = null;
  #limits;

  /**
   * @param {SessionOptions & { request: IncomingMessage, response: ServerResponse, asked: Asked,
   *   clock: Clock }} options
   */
  constructor({ request, response, asked, clock, ...options }) {
    super({ ...options, now: clock.now() });
    this.#request = request;
    this.#response = response;
    this.#asked = asked;
    this.#clock = clock;
    // A reader with a requested bit rate has no room for padding.
    this.#isPadded = asked.bitrate === null && takesBlocks(request);
    this.#limits = this.#isPadded ? LIMITS.padded : LIMITS.plain;
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    if (!isAudio(bytes)) return true;
    const before = this.droppedOut;
    this.take(bytes, this.#clock.now());
    return this.droppedOut === before;
  }

  /**
   * Adds the audio packet that was read last to the file.
   * @param {Uint8Array} bytes of the packet
   * @param {number} now on the monotonic clock
   */
  take(bytes, now) {
    if (this.ended || this.#response.writableLength > this.#limits.blocked) {
      this.droppedOut += 1;
      return;
    }
    try {
      this.#file?.take(packet, bytes, now);
    } catch (error) {
      // A fault of one reader's file must not end the room.
      this.fail(error);
    }
  }

  /** @param {number} now  on the monotonic clock */
  tick(now) {
    if (this.ended) return;
    try {
      this.#file?.fill(now);
    } catch (error) {
      // A timer calls this, so the fault would end the server.
      return this.fail(error);
    }
    if (now - this.#aliveMs < ALIVE_MS) return;
    this.#aliveMs = now;
    this.receive(alive, now);
  }

  /** @param {object | ControlMessage} message */
  sendControl(message) {
    const told = /** @type {ServerMessage} */ (prepareControl(message).message);
    if (this.ended) return;
    const isOther = this.#title.take(told);
    if (this.#file !== null) return isOther ? this.#retitle(this.#file) : undefined;
    if (told.type === 'welcome') this.#begin(told.format);
    else if (told.type === 'moved' && told.node) sendTo(this.#response, told.node.url, this.#asked);
    else if (told.type === 'lobby') this.closeWith('turned-away');
  }

  /** @param {Parameters<typeof createAudioFormat>[0]} format as the room announces it */
  #begin(format) {
    const { kind, isIcy } = this.#asked;
    this.#response.writeHead(200, headersOf(this.#asked));
    if (isIcy) this.#icy = new IcyWriter((part) => this.#response.write(part));
    const about = {
      kind,
      format: createAudioFormat(format),
      title: this.#titleNow,
      // Browsers play the first link of a chain only.
      isChained: kind === 'ogg' && !isIcy && !this.#isPadded,
      serial: randomInt(2 ** 32),
      nowMs: this.#clock.now(),
      isPadded: this.#isPadded,
    };
    if (this.#icy) this.#icy.title = this.#titleNow;
    this.#file = new LiveFile({ ...about, write: (part) => this.#write(part) });
    const { bitrate } = this.#asked;
    // Sent once the room has admitted this session.
    if (bitrate !== null)
      queueMicrotask(() =>
        this.receiveControl({ type: 'rate', bitsPerSecond: bitrate }, this.#clock.now()),
      );
  }

  /** Title of the room's sound, or the room's name. */
  get #titleNow() {
    return this.#title.text || this.#asked.room;
  }

  /** @param {LiveFile} file */
  #retitle(file) {
    file.title = this.#titleNow;
    if (this.#icy) this.#icy.title = this.#titleNow;
  }

  /** @param {Uint8Array} part */
  #write(part) {
    if (this.#icy) this.#icy.write(part);
    else this.#response.write(part);
    // By then the kernel's buffers are full, with minutes of sound.
    if (this.#response.writableLength > this.#limits.most) this.abandon();
  }

  /** @override @param {unknown} error */
  fail(error) {
    // A file with a fault may have one at its end, too.
    this.#file = null;
    super.fail(error);
  }

  /** Ends the session of a reader that doesn't read, and so can't get the end of the file. */
  abandon() {
    this.closeWith('idle-timeout');
    this.#response.destroy();
  }

  /** @override @param {number} code @param {string} reason */
  close(code, reason) {
    if (!this.end(code, reason)) return;
    this.#file?.end();
    if (this.#response.headersSent) this.#response.end();
    else refuseReader(this.#request, this.#response, errorOfClose(code) ?? 'internal', false);
  }
}

/**
 * Returns true for players that read a file in blocks: VLC, and a browser's media element. Not all
 * browsers say so in the header for that (Fetch Metadata): none does over plain HTTP, except at
 * localhost.
 * @param {IncomingMessage} request
 */
function takesBlocks({ headers }) {
  const wanted = headers['sec-fetch-dest'];
  return wanted === undefined
    ? /^(?:Mozilla|VLC)\//.test(headers['user-agent'] ?? '')
    : wanted === 'audio' || wanted === 'video';
}

/**
 * Returns true for players that ask for titles between the bytes. Icecast's relay asks for them
 * too, and loses pages by it (`findings/icecast-relay-titles.sh`).
 * @param {IncomingMessage['headers']} headers
 */
const takesIcy = ({ 'icy-metadata': asked, 'user-agent': agent = '' }) =>
  asked === '1' && !agent.startsWith('Icecast');

/**
 * Reads a packet.
 * @param {Uint8Array} bytes
 * @returns {boolean} true for a packet of sound mixed by the server
 */
const isAudio = (bytes) => readPacket(bytes, packet) === null && packet.type === PacketType.audio;

/**
 * Answers with the reason for silence.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 * @param {boolean} [isCounted] false when the room has counted the refusal
 */
function refuseReader(request, response, code, isCounted = true) {
  if (response.headersSent) return;
  const { status, message } = errors[code];
  if (PASSING.has(status)) response.setHeader('Retry-After', String(RETRY_SECONDS));
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (answerSentence(request, response, status, message, code) && isCounted)
    countRefusal('http', code);
}

/** @param {IncomingMessage} request @param {ServerResponse} response */
function answerEmptyRoom(request, response) {
  if (response.destroyed) return;
  response.setHeader('Retry-After', String(RETRY_SECONDS));
  if (answerSentence(request, response, 404, NOBODY, 'empty-room'))
    countRefusal('http', 'not-found');
}

/**
 * Redirects a reader to the node that has the room. The path was matched as one of this
 * transport's, so it names no host.
 * @param {ServerResponse} response
 * @param {string} url of the node
 * @param {Asked} asked
 */
function sendTo(response, url, { target }) {
  if (response.headersSent || response.destroyed) return;
  endWith(response, 307, {
    Location: new URL(url).origin + target,
    'Cache-Control': 'no-store',
    'Content-Length': 0,
  });
}

/**
 * Answers without a body.
 * @param {ServerResponse} response
 * @param {number} status
 * @param {Record<string, string | number>} headers
 */
function endWith(response, status, headers) {
  response.writeHead(status, headers);
  response.end();
}

/** @param {Asked} asked */
const headersOf = ({ kind, room, isIcy }) => ({
  'Content-Type': KINDS[kind].type,
  'Cache-Control': 'no-store',
  'Accept-Ranges': 'none',
  // Any page may play it to its visitors; only the server's own can read it.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // nginx would hold back a silent room's beginning until it has 4 KB.
  'X-Accel-Buffering': 'no',
  ...(isIcy && { 'icy-metaint': METADATA_INTERVAL, 'icy-name': room }),
  Connection: 'close',
});

/** Title of a room's sound: the one that its people told last. */
export class RoomTitle {
  /** Titles by the people's ids, the last told one at the end. @type {Map<string, string>} */
  #titles = new Map();

  /** '' when nobody tells one. */
  get text() {
    return [...this.#titles.values()].at(-1) ?? '';
  }

  /**
   * @param {ServerMessage} message  to a member of the room
   * @returns {boolean} true when the title is another one
   */
  take(message) {
    const before = this.text;
    if (message.type === 'welcome') this.#set(message.people);
    else if (message.type === 'joined' || message.type === 'changed')
      this.#set('people' in message ? message.people : [message.person]);
    else if (message.type === 'left')
      for (const id of 'ids' in message ? message.ids : [message.id]) this.#titles.delete(id);
    return this.text !== before;
  }

  /** @param {readonly PersonFields[]} people */
  #set(people) {
    for (const { id, title = '' } of people) {
      if (title === (this.#titles.get(id) ?? '')) continue;
      this.#titles.delete(id);
      if (title !== '') this.#titles.set(id, title);
    }
  }
}
