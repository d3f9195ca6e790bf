/** A data channel of WebRTC (SCTP over DTLS), unordered and without retransmission. */

import { webrtc } from './webrtc.js';

export const datachannel = webrtc({
  take(peer, onPacket, keep) {
    peer.onDataChannel((channel) => {
      keep(channel);
      channel.onMessage((bytes) => onPacket(/** @type {Buffer} */ (bytes)));
    });
  },

  open(peer) {
    const channel = peer.createDataChannel('packets', { unordered: true, maxRetransmits: 0 });
    return {
      opened: new Promise((resolve) => channel.onOpen(resolve)),
      send: (bytes) => void channel.sendMessageBinary(bytes),
    };
  },
});
