/**
 * The connections of WebRTC that a process has, each with one audio track, both ways.
 * @import { PeerConnection, Track } from 'node-datachannel'
 */

import { PAYLOAD_TYPE } from '../ways/rtp.js';
import { cleanUp, described, newPeer } from '../ways/webrtc.js';

/**
 * @typedef {{ peer: PeerConnection, track: Track | null }} Connected the library ends the process
 *   when a track in use is collected as garbage
 */

/** Connections by who is at their other end. */
export class MeshPeers {
  #onRtp;
  /** @type {Map<string, Connected>} */
  #connected = new Map();

  /**
   * @param {(packet: Buffer, from: string) => void} onRtp receives packets of RTP, and those of
   *   RTCP
   */
  constructor(onRtp) {
    this.#onRtp = onRtp;
  }

  /**
   * @param {{ to: string, host: string }} options  host: the address of this end
   * @returns {Promise<string>} an offer, with all candidates
   */
  async offer({ to, host }) {
    const { library, peer } = await newPeer(host);
    const audio = new library.Audio('audio', 'SendRecv');
    audio.addOpusCodec(PAYLOAD_TYPE);
    this.#keep(to, peer, peer.addTrack(audio));
    return described(peer);
  }

  /**
   * @param {{ from: string, host: string, offer: string }} options
   * @returns {Promise<string>} the answer, with all candidates
   */
  async answer({ from, host, offer }) {
    const { peer } = await newPeer(host);
    this.#keep(from, peer, null);
    peer.onTrack((track) => this.#keep(from, peer, track));
    peer.setRemoteDescription(offer, 'offer');
    return described(peer);
  }

  /** @param {{ to: string, answer: string }} options */
  answered({ to, answer }) {
    this.#connected.get(to)?.peer.setRemoteDescription(answer, 'answer');
  }

  /**
   * Keeps a connection in place of the one before it.
   * @param {string} name
   * @param {PeerConnection} peer
   * @param {Track | null} track
   */
  #keep(name, peer, track) {
    const before = this.#connected.get(name);
    if (before && before.peer !== peer) before.peer.close();
    this.#connected.set(name, { peer, track });
    track?.onMessage((packet) => this.#onRtp(packet, name));
  }

  /**
   * Sends a packet to all connected peers.
   * @param {Buffer} rtp
   * @param {string} [except]  name of a peer to skip
   */
  send(rtp, except) {
    for (const [name, { track }] of this.#connected) {
      if (name !== except && track?.isOpen()) track.sendMessageBinary(rtp);
    }
  }

  /** Closes all of them. */
  async close() {
    if (this.#connected.size === 0) return;
    for (const { peer } of this.#connected.values()) peer.close();
    this.#connected.clear();
    // Waits until all connections are gone.
    cleanUp(await import('node-datachannel'));
  }
}
