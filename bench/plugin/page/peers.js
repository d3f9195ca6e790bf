/**
 * The page's end of sessions over WebRTC's data channels, to be compared with the transports.
 * Packets are on a channel without order and retransmission, control messages as text on one with
 * both. Both ends know the channels beforehand, so that neither has to take any that the other
 * opens.
 *
 * @typedef {object} PeerMessage  what the page tells the worker that asked for a peer
 * @property {RTCDataChannel[]} [channels]  for control messages and for packets, not open yet
 * @property {{ code: string, message: string, refused: boolean }} [error]
 */

/** Content type of an offer and of its answer. */
export const DESCRIPTION_TYPE = 'application/sdp';

export const CONTROL_CHANNEL = Object.freeze({ negotiated: true, id: 0 });

export const PACKET_CHANNEL = Object.freeze({
  negotiated: true,
  id: 1,
  ordered: false,
  maxRetransmits: 0,
});

/**
 * The type of the last control message, which closes the session: `{type, code, reason}`, code a
 * close number.
 */
export const CLOSED = 'closed';

/** The page's peer connections, whose channels a run's worker has. */
export class LabPeers {
  /** @type {Set<RTCPeerConnection>} */
  #open = new Set();

  /**
   * Connects to the server's peer.
   * @param {string} url  where offers go
   * @param {MessagePort} port  gets PeerMessages
   */
  async open(url, port) {
    const peer = new RTCPeerConnection();
    this.#open.add(peer);
    try {
      const channels = [
        peer.createDataChannel('control', CONTROL_CHANNEL),
        peer.createDataChannel('packets', PACKET_CHANNEL),
      ];
      // A channel can be handed over in the task in which it was made, and by not every browser.
      port.postMessage({ channels }, /** @type {Transferable[]} */ (channels));
      await peer.setLocalDescription();
      // The server answers any address that writes to it, so the offer doesn't wait for candidates.
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': DESCRIPTION_TYPE },
        body: peer.localDescription?.sdp,
      });
      if (response.ok)
        await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
      else port.postMessage({ error: { ...(await response.json()), refused: true } });
    } catch (error) {
      port.postMessage({
        error: {
          code: 'connection-failed',
          message: `A data channel could not be opened: ${/** @type {Error} */ (error).message}`,
          refused: false,
        },
      });
    }
  }

  /** Closes all. */
  close() {
    for (const peer of this.#open) peer.close();
    this.#open.clear();
  }
}
