/**
 * WebRTC from peer to peer by node-datachannel, a development package, without STUN: a data
 * channel, and the common part of the ways over WebRTC. Offer and answer go beside the link, each
 * with all of its candidates.
 *
 * @import { PeerConnection } from 'node-datachannel'
 * @import { OnPacket, Sender, Way } from './way.js'
 */

/** @typedef {typeof import('node-datachannel')} Library */

/**
 * Peers of this process that aren't closed, and their channels, whether they have connected or not.
 * The library ends the process when one is collected as garbage in use.
 * @type {Set<object>}
 */
const open = new Set();

/** Why WebRTC can't be had here. @returns {Promise<string | null>} */
export const missing = () =>
  import('node-datachannel').then(
    () => null,
    () => 'The package node-datachannel is not installed, or has no build for this machine.',
  );

/** Ends all that the library has in this process. @param {Library} library */
export function cleanUp(library) {
  library.cleanup();
  open.clear();
}

/**
 * Ends a peer, and its process's others: the connections of a run end together.
 * @param {Library} library
 * @param {PeerConnection} peer
 */
function end(library, peer) {
  peer.close();
  cleanUp(library);
}

/**
 * @param {object} kind
 * @param {(peer: PeerConnection, onPacket: OnPacket, keep: (channel: object) => void) => void}
 *   kind.take receives what comes, and keeps what it comes on: the library ends the process when
 *   that is collected as garbage in use
 * @param {(peer: PeerConnection, library: Library) => { send: Sender['send'], opened: Promise<void>
 *   }} kind.begin
 * @returns {Way}
 */
export const webrtc = ({ take, begin }) => ({
  missing,

  async receive({ host, onPacket }) {
    const { library, peer } = await newPeer(host);
    /** @type {Set<object>} */
    const kept = new Set();
    take(peer, onPacket, (channel) => void kept.add(channel));
    const answer = (/** @type {string} */ offer) => {
      peer.setRemoteDescription(offer, 'offer');
      return described(peer);
    };
    return {
      answer,
      close() {
        end(library, peer);
        kept.clear();
      },
    };
  },

  async connect({ host, signal }) {
    const { library, peer } = await newPeer(host);
    const begun = begin(peer, library);
    open.add(begun);
    try {
      peer.setRemoteDescription(await signal(await described(peer)), 'answer');
    } catch (error) {
      end(library, peer);
      throw error;
    }
    await begun.opened;
    return { send: begun.send, close: () => end(library, peer) };
  },
});

/** @param {string} host the address of this end that it uses */
export async function newPeer(host) {
  const library = await import('node-datachannel');
  const peer = new library.PeerConnection('aloud', {
    iceServers: [],
    bindAddress: host,
    disableAutoNegotiation: true,
  });
  open.add(peer);
  return { library, peer };
}

/**
 * @param {PeerConnection} peer
 * @returns {Promise<string>} its offer or answer, with all candidates
 */
export function described(peer) {
  return new Promise((resolve) => {
    peer.onGatheringStateChange((state) => {
      if (state === 'complete') resolve(String(peer.localDescription()?.sdp));
    });
    peer.setLocalDescription();
  });
}

/** A data channel of WebRTC (SCTP over DTLS), unordered and without retransmission. */
export const datachannel = webrtc({
  take(peer, onPacket, keep) {
    peer.onDataChannel((channel) => {
      keep(channel);
      channel.onMessage((bytes) => onPacket(/** @type {Buffer} */ (bytes)));
    });
  },

  begin(peer) {
    const channel = peer.createDataChannel('packets', { unordered: true, maxRetransmits: 0 });
    return {
      opened: new Promise((resolve) => channel.onOpen(resolve)),
      send: (bytes) => void channel.sendMessageBinary(bytes),
    };
  },
});
