/* global AudioContext, MediaStreamAudioSourceNode, RTCPeerConnection, Audio */
/**
 * A participant in a browser's page by the browser's own WebRTC, from peer to peer: its microphone, Opus, jitter buffer
 * and concealment, without a server. A recorder is at its output.
 * @import { Listener, Recording } from './participants.js'
 */

import { openMicrophone } from '../../public/client/capture/microphone.js';
import { Loops, MICROPHONE_RATE, Recorder } from './page-sound.js';

/** Time in which two peers must be connected, in milliseconds. */
const CONNECT_MS = 10_000;

/** @implements {Listener} */
export class PeerListener {
  #options;
  #peer = new RTCPeerConnection();
  #loops = new Loops();
  /** @type {MediaStream | null} */
  #microphone = null;
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {Recorder | null} */
  #recorder = null;
  /** @type {HTMLAudioElement | null} */
  #player = null;

  /**
   * @param {object} options
   * @param {number} options.recordSeconds  most seconds that are recorded
   * @param {string} options.processor      the text of recorder-processor.js
   * @param {number} [options.loops]        how many times the microphone is recorded as the browser plays it by itself
   */
  constructor(options) {
    this.#options = options;
    this.#peer.ontrack = ({ streams: [stream] }) => void this.#play(stream);
  }

  /** Opens the microphone; signal() connects. */
  async join() {
    const stream = await openMicrophone({ echoCancellation: false, noiseSuppression: false, autoGainControl: false });
    this.#microphone = stream;
    const { loops = 0, ...recorded } = this.#options;
    await this.#loops.begin(stream, { ...recorded, count: loops });
    for (const track of stream.getTracks()) this.#peer.addTrack(track, stream);
  }

  /**
   * Takes what the other peer says, and answers it.
   * @param {RTCSessionDescriptionInit | null} description  null: nothing yet, an offer is wanted
   * @returns {Promise<RTCSessionDescriptionInit | null>} with all candidates; null once they are connected
   */
  async signal(description) {
    const peer = this.#peer;
    if (description) await peer.setRemoteDescription(description);
    if (description?.type === 'answer') {
      await until(peer, 'connectionstatechange', () => peer.connectionState === 'connected');
      return null;
    }
    await peer.setLocalDescription();
    await until(peer, 'icegatheringstatechange', () => peer.iceGatheringState === 'complete');
    return /** @type {RTCSessionDescription} */ (peer.localDescription).toJSON();
  }

  /** @param {MediaStream} stream of the other peer */
  async #play(stream) {
    // Chromium has no sound for a context from a remote track that no element plays.
    this.#player = new Audio();
    this.#player.muted = true;
    this.#player.srcObject = stream;
    void this.#player.play();
    const context = new AudioContext({ sampleRate: MICROPHONE_RATE, latencyHint: 'interactive' });
    this.#context = context;
    await context.resume();
    const source = new MediaStreamAudioSourceNode(context, { mediaStream: stream });
    source.connect(context.destination);
    this.#recorder = new Recorder(context, this.#options.recordSeconds);
    await this.#recorder.start(source, this.#options.processor);
  }

  /** The browser's counts of what came in since the connection was made. */
  get stats() {
    return this.#peer.getStats().then((report) => {
      const all = [.../** @type {Map<string, any>} */ (/** @type {unknown} */ (report)).values()];
      const inbound = all.find(({ type }) => type === 'inbound-rtp') ?? {};
      const outbound = all.find(({ type }) => type === 'outbound-rtp') ?? {};
      const { concealedSamples, totalSamplesReceived, jitterBufferDelay, jitterBufferEmittedCount } = inbound;
      return { concealedSamples, totalSamplesReceived, jitterBufferDelay, jitterBufferEmittedCount, codec: all.find(({ id }) => id === outbound.codecId)?.mimeType };
    });
  }

  /** @returns {Recording} */
  recording() {
    if (!this.#recorder) throw new Error('nothing came from the other peer');
    return { ...this.#recorder.take(), stats: null, loops: this.#loops.take() };
  }

  /** Hangs up. Idempotent. */
  async close() {
    this.#recorder?.stop();
    this.#peer.close();
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    await this.#loops.close();
    this.#player?.pause();
    this.#player = null;
    const context = this.#context;
    this.#context = null;
    await context?.close();
  }
}

/**
 * @param {EventTarget} target
 * @param {string} event
 * @param {() => boolean} isSo
 * @returns {Promise<void>} rejected when it isn't so within CONNECT_MS
 */
function until(target, event, isSo) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`WebRTC: no connection within ${CONNECT_MS / 1000} s`)), CONNECT_MS);
    const look = () => {
      if (!isSo()) return;
      clearTimeout(timer);
      target.removeEventListener(event, look);
      resolve();
    };
    target.addEventListener(event, look);
    look();
  });
}
