/**
 * Streams over WebRTC: into a room by WHIP (RFC 9725), and out of it by WHEP
 * (draft-ietf-wish-whep). An offer is answered whole, with the server's candidates; nothing is
 * trickled, and no session restarts ICE.
 *
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { Codec } from '../../public/shared/stream/codec.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { HttpOptions, RoomFinders } from '../transport/client-address.js'
 * @import { Middleware } from '../transport/http1.js'
 * @import { Session, Transport } from '../session/session.js'
 * @import { Offer } from './sdp.js'
 * @import { Library } from './peer.js'
 */

import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { errors } from '../../public/shared/errors.js';
import { readName } from '../../public/shared/text.js';
import { countRefusal } from '../counts.js';
import { ConfigError } from '../errors/config-error.js';
import { StreamSession } from '../ingest/stream-session.js';
import { stackOf } from '../log.js';
import { networkOfClient } from '../network-address.js';
import { packageDirectory } from '../packages.js';
import { answer, answerSentence, isOfType, readBody } from '../request/body.js';
import { splitTarget } from '../request/target.js';
import { repeat, settlesWithin } from '../timers.js';
import { KeyedBuckets, TokenBucket } from '../token-bucket.js';
import { directClient, peerName } from '../transport/client-address.js';
import { OfferError, Peer } from './peer.js';
import { ReceivedSound } from './received-sound.js';
import { readOffer } from './sdp.js';
import { isAudio, WhepSession } from './whep-session.js';

/** Path of an endpoint, and of a session below it. */
const PATH = /^\/(whip|whep)\/([A-Za-z0-9_-]{1,64})(?:\/([\w-]{22}))?$/;

const SDP = 'application/sdp';

/** Longest offer, in bytes: browsers send some 6 KB. */
const MAX_OFFER_BYTES = 64 * 1024;

/** Most sessions at once: each has a DTLS connection of a library with threads of its own. */
export const MAX_PEERS = 100;

/**
 * Rate of offers of one network. Peers that never connect stay for 15 s, so those of one network
 * are half of all at most.
 */
const OFFERS = Object.freeze({ atOnce: 20, perSecond: 2 });

/** Least sound that waits when a packet arrives, in milliseconds: jitter of an ordinary path. */
const MARGIN_MS = 60;

/** Time without a packet after which a stream has stalled, in milliseconds, and its checks. */
const STALL_MS = 10_000;
const CHECK_MS = 500;

/** Rate of packets that are read: Opus has at most 400 a second, each sent once more. */
const PACKETS = Object.freeze({ atOnce: 800, perSecond: 800 });

const DEFAULT_NAME = 'Stream';
const NOBODY = 'Nobody is in this room. Try again once somebody is there.';

/** Headers that let pages of all origins use the answers: a key or an invitation admits them. */
const OPEN = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Location, Retry-After',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'no-store',
});

/** Most addresses of the server's name that an answer has, and the longest wait for them, in ms. */
const MAX_ADDRESSES = 4;
const LOOKUP_MS = 1000;

/**
 * @typedef {object} PeerOptions
 * @property {Codec} codec
 * @property {() => Place} at  of all sessions
 * @property {(() => Promise<Library>) | null} load  null when WebRTC is off
 * @property {(name: string) => Promise<{ address: string }[]>} [resolve]  finds the addresses of a
 *   name
 *
 * @typedef {HttpOptions & RoomFinders & PeerOptions} WebRtcOptions
 *
 * @typedef {{ handle: Middleware, close: () => Promise<void> }} WebRtc
 *
 * @typedef {object} Place
 * @property {string | null} address  IP address; null for all of this machine's
 * @property {number} port            UDP; 0: a free one for each session
 *
 * @typedef {object} Asked
 * @property {'whip' | 'whep'} kind
 * @property {string} room
 * @property {Offer} offer
 * @property {string | undefined} token  of the Authorization header, or of the query
 * @property {string} name  of the participant
 *
 * @typedef {object} Open  a session
 * @property {'whip' | 'whep'} kind
 * @property {string} room
 * @property {StreamSession | WhepSession} session
 * @property {number} heardMs  time of the last packet
 * @property {ErrorCode | null} ended
 */

/** The library, which isn't a dependency of the server: an operator installs it beside. */
const LIBRARY = 'node-datachannel';

/** Its version that was tried, as in package.json. */
const LIBRARY_VERSION = '0.33.4';

/**
 * Finds the library, without loading it.
 * @param {(name: string) => string} [find]  throws when a package isn't installed
 * @returns {() => Promise<Library>} loads it
 * @throws {ConfigError} when it isn't installed
 */
export function findWebRtc(find = packageDirectory) {
  try {
    find(LIBRARY);
  } catch {
    throw new ConfigError({
      option: '--webrtc',
      value: true,
      allowed: 'false without a library',
      sentence:
        `--webrtc needs the package ${LIBRARY} beside aloud: ` +
        `npm install ${LIBRARY}@${LIBRARY_VERSION}, with --global if aloud was installed so`,
    });
  }
  return () => import('node-datachannel');
}

/**
 * Describes whether WebRTC is on.
 * @param {boolean} isOn
 * @param {number} port  UDP; 0: a free one for each session
 */
export function webRtcLine(isOn, port) {
  if (!isOn) return 'WebRTC (WHIP and WHEP) is off. To turn it on: --webrtc';
  return `WebRTC (WHIP and WHEP) is on, at ${port === 0 ? 'free UDP ports' : `UDP port ${port}`}.`;
}

/** @param {WebRtcOptions} options @returns {WebRtc} */
export const createWebRtc = (options) => new WebRtcServer(options);

/** @implements {WebRtc} */
class WebRtcServer {
  #options;
  /** By the id in their address. @type {Map<string, Open>} */
  #open = new Map();
  #offers;
  /** Ends the checks of open sessions; null without any. @type {(() => void) | null} */
  #stopChecks = null;
  #isClosed = false;
  #whip;
  #whep;

  /** @param {WebRtcOptions} options */
  constructor(options) {
    this.#options = options;
    this.#offers = new KeyedBuckets(OFFERS);
    this.#whip = transportOf('whip', () => {});
    this.#whep = transportOf('whep', sendMany);
  }

  /** @type {Middleware} */
  handle = (request, response, next) => {
    const { path, query } = splitTarget(request.url);
    const [, kind, room, id] = PATH.exec(path) ?? [];
    if (kind === undefined) return next();
    for (const [name, value] of Object.entries(OPEN)) response.setHeader(name, value);
    const { method } = request;
    if (method === 'OPTIONS') return preflight(response);
    if (id !== undefined && method === 'DELETE') return this.#end(id, request, response);
    if (id !== undefined || method !== 'POST') return notAllowed(response, id === undefined);
    if (!isOfType(request, SDP)) return refuse(request, response, 'content-type');
    readBody(request, MAX_OFFER_BYTES, (body) => {
      if (body === null) return refuse(request, response, 'body-too-large');
      const asked = { kind: /** @type {'whip' | 'whep'} */ (kind), room, query };
      this.#take(request, response, asked, body.toString('latin1'));
    });
  };

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {{ kind: 'whip' | 'whep', room: string, query: string }} asked
   * @param {string} text  of the offer
   */
  #take(request, response, { kind, room, query }, text) {
    const offer = readOffer(text, kind === 'whip' ? 'send' : 'receive');
    if (offer === 'malformed') return refuse(request, response, 'bad-request');
    if (offer === 'no-opus') return refuse(request, response, 'offer-without-opus');
    const parameters = new URLSearchParams(query);
    const token =
      /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ??
      parameters.get('token') ??
      undefined;
    const { name, error } = readName(parameters.get('name') ?? '');
    const asked = { kind, room, offer, token, name: error === null ? name : DEFAULT_NAME };
    this.#connect(request, response, asked).catch((failure) => {
      this.#options.log.error(
        { event: 'stream-failed', room, error: stackOf(failure) },
        'stream could not be received',
      );
      refuse(request, response, 'internal');
    });
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {Asked} asked
   */
  async #connect(request, response, asked) {
    const { rooms, cluster, clock, load, clientOf = directClient } = this.#options;
    const { kind, room } = asked;
    if (load === null) return refuse(request, response, 'webrtc-off');
    if (kind === 'whip' && asked.token === undefined)
      return refuse(request, response, 'stream-key');
    const found = cluster && (await cluster.find(room, { hold: false }));
    if (typeof found === 'string') return refuse(request, response, found);
    if (found?.node) return sendTo(request, response, found.node.url);
    if ((await rooms.inRoom(room, 'count')) === 'not-found')
      return refuse(request, response, 'not-found', NOBODY);
    if (this.#isClosed) return refuse(request, response, 'server-closing');
    if (this.#open.size >= MAX_PEERS) return refuse(request, response, 'server-full');
    const network = networkOfClient(clientOf(request).remoteAddress);
    if (this.#offers.take(network, clock.now()) > 0)
      return refuse(request, response, 'too-many-requests');
    const library = await load();
    if (!response.destroyed) await this.#join(library, request, response, asked);
  }

  /**
   * @param {Library} library
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {Asked} asked
   */
  async #join(library, request, response, asked) {
    const { accept, clock, log, codec, clientOf = directClient } = this.#options;
    const { kind, room, offer, token, name } = asked;
    const id = randomBytes(16).toString('base64url');
    const onEnd = (/** @type {ErrorCode | null} */ code) => {
      this.#forget(id);
      peer?.close();
      sound?.close();
      if (response.headersSent) return;
      if (open.session.movedTo) sendTo(request, response, open.session.movedTo.url);
      // Counted by the code that refused.
      else tellRefusal(request, response, open.ended ?? code ?? 'session-lost');
    };
    const shared = { peer: peerName(clientOf(request)), room, log, clock, onEnd };
    const session =
      kind === 'whip'
        ? new StreamSession({ ...shared, transport: this.#whip, codec, marginMs: MARGIN_MS })
        : new WhepSession({ ...shared, transport: this.#whep });
    /** @type {Open} */
    const open = { kind, room, session, heardMs: clock.now(), ended: null };
    this.#open.set(id, open);
    this.#stopChecks ??= repeat(clock, CHECK_MS, (lateMs) => this.#check(lateMs));
    /** @type {Peer | null} */
    let peer = null;
    /** @type {ReceivedSound | null} */
    let sound = null;
    session.offerTo(accept);
    if (session instanceof StreamSession) session.join(name, token ?? '');
    else session.join(token);
    const format = await session.admitted;
    try {
      sound = format ? await ReceivedSound.open(offer.payloadType, format) : null;
      if (session.ended) return sound?.close();
      peer = new Peer({
        ...{ library, offer, clock, at: this.#options.at() },
        onPacket: sound ? this.#receiver(open, sound) : () => {},
        onEnd: () => session.close(0, 'left'),
      });
      if (session instanceof WhepSession) session.sendTo(peer, offer.payloadType);
      const sdp = await peer.answer(await this.#addressesOf(request.headers.host));
      if (sdp === null || response.destroyed) return session.closeWith('session-lost');
      response.setHeader('Location', `/${kind}/${room}/${id}`);
      answer(response, 201, SDP, sdp);
    } catch (error) {
      if (error instanceof OfferError) this.#endBecause(open, 'bad-request');
      else session.fail(error);
    }
  }

  /** @param {string} id */
  #forget(id) {
    this.#open.delete(id);
    if (this.#open.size > 0) return;
    this.#stopChecks?.();
    this.#stopChecks = null;
  }

  /**
   * Takes a peer's packets, as many as a stream may have.
   * @param {Open} open
   * @param {ReceivedSound} sound
   */
  #receiver(open, sound) {
    const { clock } = this.#options;
    const rate = new TokenBucket({ ...PACKETS, nowMs: clock.now() });
    const session = /** @type {StreamSession} */ (open.session);
    let dropped = 0;
    const take = (/** @type {Uint8Array} */ bytes) => {
      const now = clock.now();
      const isRead = rate.take(now) === 0;
      if (!isRead) dropped += 1;
      for (const samples of isRead ? sound.take(bytes, now) : []) {
        open.heardMs = now;
        // A path can't be made to wait, so what exceeds the feed's limit is dropped.
        if (session.hasRoom) void session.add(samples);
        else dropped += 1;
      }
      session.droppedIn = dropped + sound.counters.excess;
    };
    return (/** @type {Uint8Array} */ bytes) => {
      if (session.ended) return;
      try {
        take(bytes);
      } catch (error) {
        // A fault of one stream must not end the server.
        session.fail(error);
      }
    };
  }

  /**
   * Addresses of the name by which a client reaches the server. The gate has checked the name.
   * @param {string} [host]  as sent
   * @returns {Promise<string[]>} none if it has none, or nobody says so in time
   */
  async #addressesOf(host = '') {
    if (!URL.canParse(`http://${host}`)) return [];
    const name = new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '');
    if (isIP(name)) return [name];
    const { clock, resolve = addressesOfName } = this.#options;
    const found = resolve(name).catch(() => []);
    if (!(await settlesWithin(clock, LOOKUP_MS, found))) return [];
    return (await found).slice(0, MAX_ADDRESSES).map(({ address }) => address);
  }

  /** @param {number} lateMs  time in which this process stood still, which doesn't count */
  #check(lateMs) {
    const now = this.#options.clock.now();
    for (const open of [...this.#open.values()]) {
      const { session } = open;
      open.heardMs = Math.min(now, open.heardMs + lateMs);
      if (session instanceof WhepSession) session.keepAlive();
      else if (now - open.heardMs > STALL_MS) this.#endBecause(open, 'stream-stalled');
    }
  }

  /**
   * Ends a session because of its peer.
   * @param {Open} open
   * @param {ErrorCode} code
   */
  #endBecause(open, code) {
    const { room, session } = open;
    const { peer } = session;
    countRefusal('http', code);
    this.#options.log.info?.({ event: 'stream-ended', room, peer, code }, 'stream ended');
    open.ended = code;
    session.close(0, 'left');
  }

  /** @param {string} id @param {IncomingMessage} request @param {ServerResponse} response */
  #end(id, request, response) {
    const open = this.#open.get(id);
    if (!open) return refuse(request, response, 'session-unknown');
    open.session.close(0, 'left');
    response.writeHead(200, { 'Content-Length': 0 });
    response.end();
  }

  close() {
    this.#isClosed = true;
    this.#stopChecks?.();
    for (const { session } of [...this.#open.values()]) session.closeWith('server-closing');
    return Promise.resolve();
  }
}

/** @param {string} name */
const addressesOfName = (name) => lookup(name, { all: true });

/**
 * @param {string} name
 * @param {Transport['sendMany']} send
 * @returns {Transport}
 */
const transportOf = (name, send) => ({
  name,
  replyOnly: false,
  sendMany: send,
  close: () => Promise.resolve(),
});

/** @param {Session[]} sessions @param {Uint8Array} bytes */
function sendMany(sessions, bytes) {
  if (!isAudio(bytes)) return;
  for (let i = 0; i < sessions.length; i++) {
    /** @type {WhepSession} */ (sessions[i]).take(bytes);
  }
}

/** @param {ServerResponse} response */
function preflight(response) {
  response.writeHead(204, {
    'Accept-Post': SDP,
    // A client that trickles gets 405 for it (RFC 9725, section 4.3), also from another origin.
    'Access-Control-Allow-Methods': 'POST, PATCH, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    Allow: 'POST, DELETE, OPTIONS',
  });
  response.end();
}

/** @param {ServerResponse} response @param {boolean} isEndpoint */
function notAllowed(response, isEndpoint) {
  const methods = isEndpoint ? 'POST, OPTIONS' : 'DELETE, OPTIONS';
  response.writeHead(405, { Allow: methods, 'Content-Length': 0 });
  response.end();
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 * @param {string} [sentence]  replaces the code's own
 */
function refuse(request, response, code, sentence) {
  if (tellRefusal(request, response, code, sentence)) countRefusal('http', code);
}

/**
 * Answers like `refuse`, but doesn't count.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 * @param {string} [sentence]
 * @returns {boolean} false if it was answered before
 */
function tellRefusal(request, response, code, sentence) {
  const { status, message } = errors[code];
  if (response.headersSent || response.destroyed) return false;
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (status === 503 || status === 429) response.setHeader('Retry-After', '5');
  return answerSentence(request, response, status, sentence ?? message);
}

/**
 * Redirects to the node that has the room.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {string} url
 */
function sendTo({ url: target = '' }, response, url) {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(307, { Location: new URL(url).origin + target, 'Content-Length': 0 });
  response.end();
}
