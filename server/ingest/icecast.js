/**
 * Receives streams of programs that send to an Icecast server, by `PUT` or `SOURCE` to
 * `/listen/<room>`. The password of the user `source` is the room's stream key.
 *
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { Codec } from '../../public/shared/stream/codec.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { HttpOptions, RoomFinders } from '../transport/client-address.js'
 * @import { Middleware } from '../transport/http1.js'
 * @import { Transport } from '../session/session.js'
 */

import { ByteReader } from '../../programs/sound/byte-reader.js';
import { convert } from '../../programs/sound/convert.js';
import { readOggSound } from '../../programs/sound/ogg-sound.js';
import { NotSoundError } from '../../programs/sound/sound.js';
import { errors } from '../../public/shared/errors.js';
import { readName } from '../../public/shared/text.js';
import { countRefusal } from '../counts.js';
import { answer, answerSentence } from '../request/body.js';
import { splitTarget } from '../request/target.js';
import { stackOf } from '../log.js';
import { isSecret } from '../secret.js';
import { repeat } from '../timers.js';
import { TokenBucket } from '../token-bucket.js';
import { directClient, peerName } from '../transport/client-address.js';
import { BodyError, bodyOf } from './request-body.js';
import { StreamSession } from './stream-session.js';

/** Path of a mount, and of new titles for one. */
const MOUNT = /^\/listen\/([A-Za-z0-9_-]{1,64})(?:\.(?:ogg|opus))?$/;
const METADATA = '/admin/metadata';

/** Types of content that may be Opus in Ogg. Icecast's sources don't always tell the codec. */
const OGG_TYPES = new Set([
  '',
  'application/octet-stream',
  'application/ogg',
  'application/x-ogg',
  'audio/ogg',
  'audio/opus',
  'audio/x-opus',
  'audio/x-opus+ogg',
  'video/ogg',
]);

/** Name of a participant that sends none. libshout says "no name" where it has none. */
const DEFAULT_NAME = 'Stream';
const NO_NAME = /^(no name|unspecified name|unnamed server|\(null\))?$/i;

/** Least sound that waits when a page arrives, in milliseconds. */
const MARGIN_MS = 100;

/** Time without sound after which a stream has stalled, in milliseconds, and its checks. */
const STALL_MS = 10_000;
const CHECK_MS = 1000;

/** Rate of a stream, in bytes: twice the highest of Opus, and a burst at its beginning. */
const BYTE_RATE = Object.freeze({ atOnce: 1024 * 1024, perSecond: 160 * 1024 });

/** Longest packet of comments, in bytes: longer ones are skipped. */
const MAX_PACKET_BYTES = 128 * 1024;

/** Rate of new titles for one stream. */
const TITLES = Object.freeze({ atOnce: 5, perSecond: 1 });

/** Time that a refused program has to read the answer before its connection ends. */
const LINGER_MS = 2000;

const NOBODY = 'Nobody is in this room. Begin to send once somebody is there.';

/**
 * @typedef {object} StreamOptions
 * @property {Codec} codec
 * @property {number} maxSessions  limit of streams; more are refused with 'server-full'
 * @property {(request: IncomingMessage) => void} outlives  called for a request that lasts as long
 *   as its stream
 *
 * @typedef {HttpOptions & RoomFinders & StreamOptions} IcecastOptions
 *
 * @typedef {Transport & { handle: Middleware }} Icecast
 *
 * @typedef {object} Mounted  a stream that is being received
 * @property {StreamSession} session
 * @property {string} room
 * @property {string} key
 * @property {TokenBucket} titles
 * @property {number} heardMs  time of the last sound
 * @property {ErrorCode | null} ended  reason of the end, for its program
 */

/**
 * True for a request whose body is a stream. Its connection leaves the HTTP parser, since HTTP has
 * no place for a body without length and end.
 * @param {IncomingMessage} request
 */
export const isStream = ({ method, url }) =>
  (method === 'PUT' || method === 'SOURCE') && MOUNT.test(splitTarget(url).path);

/** @param {IcecastOptions} options @returns {Icecast} */
export const createIcecast = (options) => new IcecastTransport(options);

/** @implements {Icecast} */
class IcecastTransport {
  /** @type {'icecast'} */
  name = 'icecast';
  replyOnly = false;
  #options;
  /** @type {Set<Mounted>} */
  #mounts = new Set();
  #stopChecks;
  #closed = false;

  /** @param {IcecastOptions} options */
  constructor(options) {
    this.#options = options;
    this.#stopChecks = repeat(options.clock, CHECK_MS, (lateMs) => this.#endStalled(lateMs));
  }

  /** @type {Middleware} */
  handle = (request, response, next) => {
    const { path, query } = splitTarget(request.url);
    if (path === METADATA) return this.#takeTitle(request, response, new URLSearchParams(query));
    const [, room] = MOUNT.exec(path) ?? [];
    if (room === undefined || !isStream(request)) return next();
    this.#open(request, response, room).catch((error) => {
      this.#options.log.error(
        { event: 'stream-failed', room, error: stackOf(error) },
        'stream could not be received',
      );
      refuseStream(request, response, 'internal');
    });
  };

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {string} room
   */
  async #open(request, response, room) {
    const { rooms, cluster, maxSessions } = this.#options;
    const key = passwordOf(request);
    if (key === null) return refuseStream(request, response, 'stream-key');
    const [type] = (request.headers['content-type'] ?? '').toLowerCase().split(';', 1);
    if (!OGG_TYPES.has(type.trim())) return refuseStream(request, response, 'stream-format');
    const found = cluster && (await cluster.find(room, { hold: false }));
    if (typeof found === 'string') return refuseStream(request, response, found);
    if (found?.node) return sendTo(request, response, found.node.url);
    if ((await rooms.inRoom(room, 'count')) === 'not-found')
      return refuseStream(request, response, 'not-found', NOBODY);
    if (this.#closed) return refuseStream(request, response, 'server-closing');
    if (this.#mounts.size >= maxSessions) return refuseStream(request, response, 'server-full');
    if (!response.destroyed) await this.#receive(request, response, { room, key });
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {{ room: string, key: string }} asked
   */
  async #receive(request, response, { room, key }) {
    const { accept, clock, log, codec, outlives, clientOf = directClient } = this.#options;
    const { socket } = request;
    const onEnd = (/** @type {ErrorCode | null} */ code) => {
      this.#mounts.delete(mounted);
      mounted.ended ??= code;
      this.#answerEnd(request, response, mounted);
    };
    const session = new StreamSession({
      transport: this,
      peer: peerName(clientOf(request)),
      room,
      log,
      clock,
      codec,
      marginMs: MARGIN_MS,
      onEnd,
    });
    /** @type {Mounted} */
    const mounted = {
      session,
      room,
      key,
      titles: new TokenBucket(TITLES),
      heardMs: clock.now(),
      ended: null,
    };
    this.#mounts.add(mounted);
    outlives(request);
    socket.setTimeout(0);
    socket.once('close', () => session.close(0, 'left'));
    session.offerTo(accept);
    session.join(nameOf(request), key);
    const format = await session.admitted;
    begin(request, response);
    await this.#play(request, mounted, format);
  }

  /**
   * @param {IncomingMessage} request
   * @param {Mounted} mounted
   * @param {{ sampleRate: number, channels: number }} format
   */
  async #play(request, mounted, format) {
    const { session } = mounted;
    try {
      const reader = new ByteReader(this.#heard(request));
      const sound = await readOggSound(reader, {
        maxPacketBytes: MAX_PACKET_BYTES,
        onTags: (tags) => session.tellTitle(titleOfTags(tags)),
      });
      try {
        for await (const samples of convert(sound, format)) {
          if (session.ended) return;
          mounted.heardMs = this.#options.clock.now();
          await session.add(samples);
        }
      } finally {
        await sound.close();
      }
      await session.finish();
    } catch (error) {
      if (session.ended) return;
      if (error instanceof NotSoundError) return this.#end(mounted, 'stream-format');
      if (error instanceof BodyError) return this.#end(mounted, 'bad-request');
      // A connection that breaks off is no fault of the server's.
      if (!request.socket.destroyed) return session.fail(error);
      session.close(0, 'left');
    }
  }

  /**
   * The bytes of a stream, not faster than its limit.
   * @param {IncomingMessage} request
   */
  async *#heard({ socket, headers }) {
    const { clock } = this.#options;
    const rate = new TokenBucket({ ...BYTE_RATE, nowMs: clock.now() });
    const connection = {
      [Symbol.asyncIterator]: () => socket.iterator({ destroyOnReturn: false }),
    };
    for await (const bytes of bodyOf(connection, headers)) {
      rate.add(-bytes.length, clock.now());
      yield bytes;
      const waitMs = rate.take(clock.now());
      if (waitMs > 0) await new Promise((resolve) => clock.setTimeout(() => resolve(null), waitMs));
    }
  }

  /** @param {number} lateMs  time in which this process stood still, which doesn't count */
  #endStalled(lateMs) {
    const now = this.#options.clock.now();
    const oldest = now - STALL_MS;
    for (const mounted of [...this.#mounts]) {
      mounted.heardMs = Math.min(now, mounted.heardMs + lateMs);
      // A program that has to wait isn't read.
      if (mounted.heardMs > oldest || mounted.session.figures.waitingMs > 0) continue;
      this.#end(mounted, 'stream-stalled');
    }
  }

  /**
   * Ends a stream because of its program.
   * @param {Mounted} mounted
   * @param {ErrorCode} code
   */
  #end(mounted, code) {
    const { session, room } = mounted;
    countRefusal('http', code);
    const { peer } = session;
    this.#options.log.info?.({ event: 'stream-ended', room, peer, code }, 'stream ended');
    mounted.ended = code;
    session.close(0, 'left');
  }

  /**
   * Ends the request of a stream that has ended.
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {Mounted} mounted
   */
  #answerEnd(request, response, { session, ended }) {
    const { socket } = request;
    if (response.headersSent) response.end();
    else if (session.movedTo) sendTo(request, response, session.movedTo.url);
    // Counted by the code that refused.
    else if (ended !== null) tellRefusal(request, response, ended);
    else answer(response, 200, 'text/plain; charset=utf-8', '');
    this.#options.clock.setTimeout(() => socket.destroy(), LINGER_MS);
  }

  /**
   * Takes a new title, as Icecast's sources send it beside their stream.
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {URLSearchParams} asked
   */
  #takeTitle(request, response, asked) {
    const key = passwordOf(request);
    const [, room] = MOUNT.exec(asked.get('mount') ?? '') ?? [];
    if (key === null || asked.get('mode') !== 'updinfo' || room === undefined)
      return refuseStream(request, response, key === null ? 'stream-key' : 'bad-request');
    const mounted = [...this.#mounts].find((one) => one.room === room && isSecret(key, one.key));
    if (!mounted) return refuseStream(request, response, 'stream-key');
    if (mounted.titles.take(this.#options.clock.now()) > 0)
      return refuseStream(request, response, 'too-many-requests');
    const parts = [asked.get('artist'), asked.get('title')].filter(Boolean);
    mounted.session.tellTitle(asked.get('song') ?? parts.join(' - '));
    const told = '<message>Metadata update successful</message><return>1</return>';
    answer(
      response,
      200,
      'text/xml; charset=utf-8',
      `<?xml version="1.0"?>\n<iceresponse>${told}</iceresponse>\n`,
    );
  }

  sendMany() {}

  close() {
    this.#closed = true;
    this.#stopChecks();
    for (const { session } of [...this.#mounts]) session.closeWith('server-closing');
    return Promise.resolve();
  }
}

/**
 * The password of the user `source`.
 * @param {IncomingMessage} request
 * @returns {string | null} null without one
 */
function passwordOf({ headers: { authorization = '' } }) {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization) ?? [];
  const [, password] = /^source:(.+)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return password ?? null;
}

/** Name of the participant. @param {IncomingMessage} request */
function nameOf({ headers }) {
  const sent = headers['ice-name'] ?? headers['icy-name'];
  // Node reads fields as Latin-1; programs send UTF-8.
  const text = Buffer.from(String(sent ?? ''), 'latin1').toString('utf8');
  const { name, error } = readName(NO_NAME.test(text.trim()) ? DEFAULT_NAME : text);
  return error === null ? name : DEFAULT_NAME;
}

/**
 * Lets the program send. A program that asked whether to go on gets its answer at the end; any
 * other waits for it before its stream.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
function begin({ headers, socket }, response) {
  if (headers.expect !== undefined) return void socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, { Connection: 'close', 'Cache-Control': 'no-store' });
  response.flushHeaders();
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 * @param {string} [sentence]  replaces the code's own
 */
function refuseStream(request, response, code, sentence) {
  if (tellRefusal(request, response, code, sentence)) countRefusal('http', code);
}

/**
 * Answers like `refuseStream`, but doesn't count.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 * @param {string} [sentence]
 * @returns {boolean} false if it was answered before
 */
function tellRefusal(request, response, code, sentence) {
  const { status, message } = errors[code];
  if (response.headersSent || response.destroyed) return false;
  if (status === 401)
    response.setHeader('WWW-Authenticate', 'Basic realm="aloud", charset="UTF-8"');
  response.setHeader('Connection', 'close');
  return answerSentence(request, response, status, sentence ?? message);
}

/**
 * Sends a program to the node that has the room.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {string} url
 */
function sendTo({ url: target = '' }, response, url) {
  if (response.headersSent || response.destroyed) return;
  const there = new URL(url).origin + target;
  response.writeHead(307, {
    Location: there,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(`The room is at another machine of this server. Send to ${there}\n`);
}

/** Beginning of a packet of comments. */
const TAGS_MARK = Buffer.from('OpusTags');

/** Most comments that are read. */
const MAX_COMMENTS = 100;

/**
 * Reads artist and title from a packet of comments (RFC 7845, section 5.2).
 * @param {Buffer} packet
 * @returns {string} "artist - title", or the one that is there; '' without both, or for a damaged
 *   packet
 */
export function titleOfTags(packet) {
  if (!TAGS_MARK.equals(packet.subarray(0, TAGS_MARK.length))) return '';
  let at = TAGS_MARK.length;
  const number = () => {
    const value = at + 4 <= packet.length ? packet.readUInt32LE(at) : packet.length;
    at += 4;
    return value;
  };
  const vendor = number();
  at += vendor;
  /** @type {Map<string, string>} */
  const tags = new Map();
  for (let left = Math.min(number(), MAX_COMMENTS); left > 0 && at < packet.length; left--) {
    const length = number();
    const [, name, value] = /^([^=]*)=(.*)$/s.exec(packet.toString('utf8', at, at + length)) ?? [];
    at += length;
    if (name !== undefined && !tags.has(name.toLowerCase())) tags.set(name.toLowerCase(), value);
  }
  return [tags.get('artist'), tags.get('title')].filter(Boolean).join(' - ');
}
