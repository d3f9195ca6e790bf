/**
 * WebRTC data channels to a peer of the server's own, for the page /lab: see page/peers.js. An
 * offer comes as a request, and is answered with the address at which the request came in, a free
 * UDP port, and no other.
 *
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { DataChannel, PeerConnection } from 'node-datachannel'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../../server/log.js'
 * @import { ClientAddress } from '../../server/transport/client-address.js'
 * @import { Accept, ControlMessage, Session, Transport } from '../../server/session/session.js'
 */

import { errorOfClose, errors } from '../../public/shared/errors.js';
import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';
import { answer, answerError, isOfType, readBody } from '../../server/request/body.js';
import { TokenBucket } from '../../server/token-bucket.js';
import { directClient, peerName } from '../../server/transport/client-address.js';
import {
  BaseSession,
  closeIdle,
  MAX_CONTROL_BYTES,
  MAX_QUEUED_BYTES,
  MAX_STUCK_BYTES,
  prepareControl,
} from '../../server/session/session.js';
import { CLOSED, CONTROL_CHANNEL, DESCRIPTION_TYPE, PACKET_CHANNEL } from './page/peers.js';

/**
 * Most peers at once: each needs threads' time, a socket and buffers of a library that was not made
 * for strangers. A measurement has two.
 */
export const MAX_PEERS = 16;

/**
 * A peer that isn't heard for this long is gone, in milliseconds: a page at rest sends a packet
 * every 2 s.
 */
export const SILENCE_MS = 8000;

/** Multiple of the peers that counts closing peers too, and offers at once. */
const SPARE = 2;

/** Offers that are taken each second, after those at once. */
const OFFERS_PER_SECOND = 2;

/**
 * The time in which a peer hears that its session is closed and closes its channels, in
 * milliseconds.
 */
export const GOODBYE_MS = 500;

/** @typedef {typeof import('node-datachannel')} Library */

/**
 * @typedef {object} DataChannelOptions
 * @property {Accept} accept
 * @property {number} maxSessions     more are refused with 'server-full'
 * @property {number} idleTimeoutMs
 * @property {Clock} clock
 * @property {Log} log
 * @property {ClientAddress} [clientOf]  returns a request's client; by default its address
 *
 * @typedef {Transport & { handle: (request: IncomingMessage, response: ServerResponse) => void }}
 *   DataChannels handle: answers an offer
 */

/**
 * Loads node-datachannel, a development package, and takes offers where it is there.
 * @param {DataChannelOptions} options
 * @returns {Promise<{ transport: DataChannels | null, line: string }>}  line: a sentence about it
 */
export async function openDataChannels(options) {
  const library = await import('node-datachannel').catch(() => null);
  if (library)
    return {
      transport: new DataChannelTransport(library, options),
      line: 'Data channels are on, for /lab: WebRTC at free UDP ports.',
    };
  const missing = 'the package node-datachannel is not installed, or has no build for this machine';
  return {
    transport: null,
    line:
      `Data channels are off: ${missing}. To turn them on: npm install --no-save ` +
      'node-datachannel',
  };
}

/** @implements {DataChannels} */
export class DataChannelTransport {
  /** @readonly */
  name = 'datachannel';
  replyOnly = false;
  #library;
  #options;
  #offers;
  /** @type {Set<DataChannelSession>} */
  #sessions = new Set();
  /**
   * Sessions with open channels: the library ends the process if one is garbage-collected in use.
   * @type {Set<DataChannelSession>}
   */
  #open = new Set();
  #stopChecks;
  /** @type {Promise<void> | null} */
  #closing = null;
  #onLastGone = () => {};

  /**
   * @param {Pick<Library, 'PeerConnection'>} library
   * @param {DataChannelOptions} options
   */
  constructor(library, options) {
    this.#library = library;
    this.#options = options;
    const { clock, idleTimeoutMs, maxSessions } = options;
    this.#offers = new TokenBucket({ atOnce: SPARE * maxSessions, perSecond: OFFERS_PER_SECOND });
    this.#stopChecks = closeIdle(clock, idleTimeoutMs, () => this.#sessions);
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  handle = (request, response) => {
    if (!isOfType(request, DESCRIPTION_TYPE)) {
      answerError(response, 'content-type');
      return;
    }
    readBody(request, MAX_OFFER_BYTES, (body) => {
      const offer = body && readOffer(body.toString('latin1'));
      const refusal =
        body === null ? 'body-too-large' : offer === null ? 'bad-request' : this.#refusal();
      if (refusal !== null) answerError(response, refusal);
      else this.#connect(/** @type {string} */ (offer), request, response);
    });
  };

  /** @returns {ErrorCode | null} why nobody can come now */
  #refusal() {
    if (this.#closing) return 'server-closing';
    const { maxSessions, clock } = this.#options;
    if (this.#sessions.size >= maxSessions || this.#open.size >= SPARE * maxSessions)
      return 'server-full';
    return this.#offers.take(clock.now()) > 0 ? 'too-many-requests' : null;
  }

  /**
   * @param {string} offer
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  #connect(offer, request, response) {
    const { accept, clock, log, clientOf = directClient } = this.#options;
    const session = new DataChannelSession({
      transport: this,
      peer: peerName(clientOf(request)),
      connection: new this.#library.PeerConnection('aloud', {
        iceServers: [],
        bindAddress: request.socket.localAddress?.replace(/^::ffff:/, ''),
        disableAutoNegotiation: true,
        maxMessageSize: MAX_CONTROL_BYTES,
      }),
      clock,
      log,
      onEnd: (code) => {
        this.#sessions.delete(session);
        answerError(response, errorOfClose(code) ?? 'internal');
      },
      onGone: () => {
        this.#open.delete(session);
        if (this.#open.size === 0) this.#onLastGone();
      },
    });
    this.#sessions.add(session);
    this.#open.add(session);
    session.offerTo(accept);
    session.answer(
      offer,
      (description) => void answer(response, 201, DESCRIPTION_TYPE, description),
    );
  }

  /**
   * @param {Session[]} sessions
   * @param {Uint8Array} bytes
   */
  sendMany(sessions, bytes) {
    for (const session of sessions) session.send(bytes);
  }

  close() {
    this.#closing ??= new Promise((resolve) => {
      this.#stopChecks();
      for (const session of [...this.#sessions]) session.closeWith('server-closing');
      this.#onLastGone = resolve;
      if (this.#open.size === 0) resolve();
    });
    return this.#closing;
  }
}

/** @implements {Session} */
class DataChannelSession extends BaseSession {
  #connection;
  #clock;
  #control;
  #packets;
  /** Channels and the connection, as far as they aren't closed. @type {Set<object>} */
  #open = new Set();
  #onGone;
  /** Message about the end that is still to be sent. @type {string | null} */
  #farewell = null;
  /** @type {unknown} */
  #goodbye = null;

  /**
   * @param {object} options
   * @param {Transport} options.transport
   * @param {string} options.peer
   * @param {PeerConnection} options.connection
   * @param {Clock} options.clock
   * @param {Log} options.log
   * @param {(code: number) => void} options.onEnd  called once, when the session has ended
   * @param {() => void} options.onGone             called once, when nothing of it is open any more
   */
  constructor({ transport, peer, connection, clock, log, onEnd, onGone }) {
    super({ transport, peer, log, now: clock.now(), onEnd });
    this.#connection = connection;
    this.#clock = clock;
    this.#onGone = onGone;
    this.#open.add(connection);
    connection.onStateChange((state) => this.#changed(state));
    connection.onDataChannel((channel) => {
      this.#keep(channel);
      this.closeWith('bad-request');
    });
    const { id, negotiated, maxRetransmits } = PACKET_CHANNEL;
    this.#control = this.#keep(connection.createDataChannel('control', CONTROL_CHANNEL));
    this.#packets = this.#keep(
      connection.createDataChannel('packets', { id, negotiated, maxRetransmits, unordered: true }),
    );
    this.#control.onOpen(() => this.#tellEnd());
    this.#control.onMessage((text) => this.#message(text));
    this.#packets.onMessage((bytes) => this.#packet(bytes));
  }

  /**
   * @param {string} offer
   * @param {(description: string) => void} onAnswer
   */
  answer(offer, onAnswer) {
    if (this.ended) return;
    const connection = this.#connection;
    connection.onGatheringStateChange((state) => {
      if (state === 'complete' && !this.ended) onAnswer(String(connection.localDescription()?.sdp));
    });
    try {
      connection.setRemoteDescription(offer, 'offer');
      connection.setLocalDescription('answer');
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {DataChannel} channel */
  #keep(channel) {
    this.#open.add(channel);
    channel.onClosed(() => {
      if (channel === this.#control) this.#leave(0, 'left');
      this.#gone(channel);
    });
    return channel;
  }

  /** @param {string} state of the connection */
  #changed(state) {
    if (state === 'failed' || state === 'closed')
      this.#leave(errors['session-lost'].close, errors['session-lost'].message);
    if (state === 'closed') this.#gone(this.#connection);
  }

  /** @param {object} part */
  #gone(part) {
    if (this.#open.delete(part) && this.#open.size === 0) this.#onGone();
  }

  /**
   * Ends the session of a peer that has left or has confirmed the end.
   * @param {number} code
   * @param {string} reason
   */
  #leave(code, reason) {
    this.end(code, reason);
    this.#clock.clearTimeout(this.#goodbye);
    this.#connection.close();
  }

  /** @param {unknown} text */
  #message(text) {
    const now = this.#clock.now();
    const message = typeof text === 'string' ? parse(text) : undefined;
    if (this.isFlood(now)) this.closeWith('too-many-requests');
    else if (message === undefined) this.closeWith('bad-request');
    else this.receiveControl(message, now);
  }

  /** @param {unknown} bytes */
  #packet(bytes) {
    const now = this.#clock.now();
    // A channel can't be paused, as other transports are.
    if (this.isFlood(now)) this.closeWith('too-many-requests');
    else if (typeof bytes === 'string') this.closeWith('bad-request');
    else this.receive(/** @type {Buffer} */ (bytes), now);
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    const mayGo =
      !this.ended &&
      bytes.length <= MAX_PACKET_BYTES &&
      this.#packets.bufferedAmount() <= MAX_QUEUED_BYTES;
    const isSent = mayGo && trySending(() => this.#packets.sendMessageBinary(bytes));
    if (!isSent) this.droppedOut += 1;
    return isSent;
  }

  /** @param {object | ControlMessage} message */
  sendControl(message) {
    if (this.ended) return;
    const text = Buffer.from(prepareControl(message).json).toString();
    if (this.#control.bufferedAmount() > MAX_STUCK_BYTES) this.closeWith('idle-timeout');
    else if (!trySending(() => this.#control.sendMessage(text))) this.closeWith('session-lost');
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  close(code, reason) {
    if (!this.end(code, reason)) return;
    if (this.#connection.localDescription() === null) return void this.#connection.close();
    this.#farewell = JSON.stringify({ type: CLOSED, code, reason });
    this.#goodbye = this.#clock.setTimeout(() => this.#connection.close(), GOODBYE_MS);
    this.#tellEnd();
  }

  /** Tells the peer why its session has ended, if it has, as soon as the channel is open. */
  #tellEnd() {
    const text = this.#farewell;
    if (text !== null && trySending(() => this.#control.sendMessage(text))) this.#farewell = null;
  }

  /** @override */
  stats() {
    return {
      rttMs: this.ended ? null : this.#connection.rtt(),
      lostPackets: 0,
      droppedOut: this.droppedOut,
      droppedIn: 0,
    };
  }
}

/**
 * @param {() => void} send
 * @returns {boolean} false where the channel isn't open: the library's threads may have closed it,
 *   and it throws then
 */
function trySending(send) {
  try {
    send();
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} text
 * @returns {unknown} undefined when it isn't JSON
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The longest offer, in bytes: a browser's of two data channels has some 500, and 100 more for each
 * candidate.
 */
export const MAX_OFFER_BYTES = 8 * 1024;

/** The values, as RFC 8839 (sections 5.4), 8122 (section 5) and 5888 (section 4) write them. */
const OFFER_FIELDS = Object.freeze({
  mid: /^a=mid:([\w-]{1,32})$/m,
  ufrag: /^a=ice-ufrag:([\w+/-]{4,256})$/m,
  password: /^a=ice-pwd:([\w+/-]{22,256})$/m,
  fingerprint: /^a=fingerprint:sha-256 ((?:[\dA-F]{2}:){31}[\dA-F]{2})$/im,
  port: /^a=sctp-port:(\d{1,5})$/m,
});

/**
 * Reads an offer of WebRTC (SDP, RFC 8866 and 8829). The library gets only the five values that a
 * connection needs, each checked. It gets no media and no candidates, so that nobody can make the
 * server look up names or send to addresses. The library answers any address that writes to it (RFC
 * 8445, section 7.3.1.3).
 * @param {string} text
 * @returns {string | null} offer of data channels with the text's values; null without one
 */
export function readOffer(text) {
  const lines = text.replaceAll('\r\n', '\n');
  const [mid, ufrag, password, fingerprint, port] = Object.values(OFFER_FIELDS).map(
    (field) => field.exec(lines)?.[1],
  );
  if (!mid || !ufrag || !password || !fingerprint || !port || Number(port) > 65_535) return null;
  return [
    'v=0',
    'o=- 0 0 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mid}`,
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${password}`,
    `a=fingerprint:sha-256 ${fingerprint}`,
    'a=setup:actpass',
    `a=sctp-port:${port}`,
    '',
  ].join('\r\n');
}
