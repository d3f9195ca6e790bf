/* global RTCPeerConnection, location */
/**
 * The page at one end of a data channel of WebRTC. It passes packets between the channel and the
 * program that opened the page. Messages of text between page and program are descriptions (RFC
 * 8829), and `opened`.
 */

const socket = new WebSocket(`ws://${location.host}`);
socket.binaryType = 'arraybuffer';
const peer = new RTCPeerConnection();
/** @type {RTCDataChannel | null} */
let channel = null;

/** @param {object} message */
const tell = (message) => socket.send(JSON.stringify(message));

/** @param {RTCDataChannel} opened */
function take(opened) {
  channel = opened;
  channel.binaryType = 'arraybuffer';
  channel.onmessage = ({ data }) => socket.send(data);
  channel.onopen = () => tell({ type: 'opened' });
}

/** Tells a description with all candidates. @param {RTCSessionDescriptionInit} description */
async function describe(description) {
  const gathered = new Promise((/** @type {(done: void) => void} */ resolve) => {
    peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
  });
  await peer.setLocalDescription(description);
  await gathered;
  tell(/** @type {RTCSessionDescription} */ (peer.localDescription).toJSON());
}

/** @param {{ type: 'open' | 'offer' | 'answer', sdp?: string }} message */
async function follow({ type, sdp }) {
  if (type === 'open') {
    take(peer.createDataChannel('packets', { ordered: false, maxRetransmits: 0 }));
    return describe(await peer.createOffer());
  }
  await peer.setRemoteDescription({ type, sdp });
  if (type === 'offer') await describe(await peer.createAnswer());
}

peer.ondatachannel = ({ channel: opened }) => take(opened);
socket.onmessage = ({ data }) => {
  if (typeof data === 'string') void follow(JSON.parse(data));
  else if (channel?.readyState === 'open') channel.send(data);
};
const connected = new Promise(
  (/** @type {(event: Event) => void} */ resolve) => void (socket.onopen = resolve),
);
// Candidates have addresses, in place of names that nobody else can look up, for pages that may
// hear a microphone.
await navigator.mediaDevices.getUserMedia({ audio: true });
await connected;
tell({ type: 'ready' });
