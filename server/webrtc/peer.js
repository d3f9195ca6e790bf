/**
 * @import { Track } from 'node-datachannel'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Offer } from './sdp.js'
 * @import { Place } from './webrtc.js'
 */

import { finishAnswer } from './sdp.js';

/** @typedef {typeof import('node-datachannel')} Library */

/** Time until the answer is complete, and until the peer has connected, in milliseconds. */
const ANSWER_MS = 5000;
const CONNECT_MS = 15_000;

/**
 * Peers that the library still uses: it ends the process if one is garbage-collected in use.
 * @type {Set<Peer>}
 */
export const open = new Set();

/** Thrown for an offer that the library can't read. */
export class OfferError extends Error {}

/** One connection over WebRTC, with one track of Opus. */
export class Peer {
  #connection;
  #clock;
  #offer;
  /** @type {Track | null} */
  #track = null;
  #library;
  #onEnd;
  /** @type {unknown} */
  #timer = null;
  #isClosed = false;
  /** Answers the offer. @type {(sdp: string | null) => void} */
  #settle = () => {};

  /**
   * @param {object} options
   * @param {Library} options.library
   * @param {Place} options.at
   * @param {Offer} options.offer
   * @param {Clock} options.clock
   * @param {(bytes: Uint8Array) => void} options.onPacket  gets each RTP packet of the peer
   * @param {() => void} options.onEnd  called once, when the connection has ended or failed
   */
  constructor({ library, at: { address, port }, offer, clock, onPacket, onEnd }) {
    this.#library = library;
    this.#clock = clock;
    this.#offer = offer;
    this.#onEnd = onEnd;
    const connection = new library.PeerConnection('aloud', {
      iceServers: [],
      disableAutoNegotiation: true,
      forceMediaTransport: true,
      ...(address !== null && { bindAddress: address }),
      ...(port !== 0 && { enableIceUdpMux: true, portRangeBegin: port, portRangeEnd: port }),
    });
    this.#connection = connection;
    open.add(this);
    connection.onTrack((track) => this.#keep(track, onPacket));
    // A peer has no use for data channels here.
    connection.onDataChannel((channel) => channel.close());
    connection.onStateChange((state) => {
      if (state === 'connected') clock.clearTimeout(this.#timer);
      else if (state === 'failed' || state === 'closed' || state === 'disconnected') this.close();
      if (state === 'closed') open.delete(this);
    });
    connection.onGatheringStateChange((state) => {
      if (state === 'complete') this.#settle(connection.localDescription()?.sdp ?? null);
    });
  }

  /** @param {Track} track @param {(bytes: Uint8Array) => void} onPacket */
  #keep(track, onPacket) {
    // The library has a track for each description of media, refused ones included.
    if (this.#track !== null || track.mid() !== this.#offer.mid) return track.close();
    this.#track = track;
    track.setMediaHandler(new this.#library.RtcpReceivingSession());
    track.onMessage((bytes) => this.#isClosed || onPacket(bytes));
    track.onClosed(() => this.close());
  }

  /**
   * @param {readonly string[]} addresses  see finishAnswer
   * @returns {Promise<string | null>} the answer; null when there is none in time
   * @throws {OfferError}
   */
  async answer(addresses) {
    if (this.#isClosed) return null;
    try {
      this.#connection.setRemoteDescription(this.#offer.sdp, 'offer');
    } catch (error) {
      throw new OfferError('the offer can not be read', { cause: error });
    }
    /** @type {Promise<string | null>} */
    const gathered = new Promise((resolve) => (this.#settle = resolve));
    this.#timer = this.#clock.setTimeout(() => this.#settle(null), ANSWER_MS);
    this.#connection.setLocalDescription('answer');
    const sdp = await gathered;
    this.#clock.clearTimeout(this.#timer);
    if (sdp === null || this.#isClosed) return null;
    this.#timer = this.#clock.setTimeout(() => this.close(), CONNECT_MS);
    return finishAnswer(sdp, this.#offer, addresses);
  }

  /** @param {Buffer} bytes  of an RTP packet @returns {boolean} false if it was dropped */
  send(bytes) {
    const track = this.#track;
    if (this.#isClosed || !track?.isOpen()) return false;
    try {
      return track.sendMessageBinary(bytes);
    } catch {
      // The track has closed in the meantime, on the library's own thread.
      return false;
    }
  }

  /** Round trip, in milliseconds; null while unknown. */
  get rttMs() {
    const rtt = this.#isClosed ? 0 : this.#connection.rtt();
    return rtt > 0 ? rtt : null;
  }

  /** Idempotent. */
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#settle(null);
    this.#connection.close();
    this.#onEnd();
  }
}
