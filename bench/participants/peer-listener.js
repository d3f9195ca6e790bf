/* global Audio, AudioContext, MediaStreamAudioSourceNode, Worker */
/* global RTCPeerConnection, RTCRtpScriptTransform */
/**
 * A participant in a browser's page, from peer to peer or to a forwarder. Microphone, Opus, jitter
 * buffer and concealment are those of the browser's own WebRTC. A recorder is at its output.
 * @import { Listener, Recording } from '../../testkit/participants/participants.js'
 */

import { openMicrophone } from '../../public/client/capture/microphone.js';
import { Loops, MICROPHONE_RATE, SoundRecorder } from './page-sound.js';

/** Time in which two peers must be connected, in milliseconds. */
const CONNECT_MS = 10_000;

/** @implements {Listener} */
export class PeerListener {
  #options;
  #peer = new RTCPeerConnection();
  #loops = new Loops();
  #frames;
  /** @type {MediaStream | null} */
  #microphone = null;
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {SoundRecorder | null} */
  #recorder = null;
  /** @type {HTMLAudioElement | null} */
  #player = null;

  /**
   * @param {object} options
   * @param {number} options.recordSeconds  longest recording
   * @param {string} options.processor      the text of recorder-processor.js
   * @param {number} [options.loops] number of recordings of the microphone as the browser plays
   *   it on its own
   * @param {boolean} [options.notesFrames] true if frames are noted, which makes each of them wait
   *   for a worker
   */
  constructor(options) {
    this.#options = options;
    this.#frames = options.notesFrames ? new FrameNotes() : null;
    this.#peer.ontrack = ({ streams: [stream] }) => void this.#play(stream);
  }

  /** Opens the microphone; signal() connects. */
  async join() {
    const stream = await openMicrophone({
      echoCancellation: false,
      noiseSuppression: false,
      autoGainControl: false,
    });
    this.#microphone = stream;
    const { loops = 0, ...recorded } = this.#options;
    await this.#loops.begin(stream, { ...recorded, count: loops });
    for (const track of stream.getTracks()) this.#peer.addTrack(track, stream);
    this.#frames?.follow(this.#peer);
  }

  /**
   * Takes what the other peer says, and answers it.
   * @param {RTCSessionDescriptionInit | null} description  null: nothing yet, an offer is wanted
   * @returns {Promise<RTCSessionDescriptionInit | null>} with all candidates; null once they are
   *   connected
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
    this.#recorder = new SoundRecorder(context, this.#options.recordSeconds);
    await this.#recorder.start(source, this.#options.processor);
  }

  /** The browser's counts of received packets since connecting. */
  get stats() {
    return this.#peer.getStats().then((report) => {
      const all = [.../** @type {Map<string, any>} */ (/** @type {unknown} */ (report)).values()];
      const inbound = all.find(({ type }) => type === 'inbound-rtp') ?? {};
      const outbound = all.find(({ type }) => type === 'outbound-rtp') ?? {};
      const {
        concealedSamples,
        totalSamplesReceived,
        jitterBufferDelay,
        jitterBufferEmittedCount,
      } = inbound;
      return {
        concealedSamples,
        totalSamplesReceived,
        jitterBufferDelay,
        jitterBufferEmittedCount,
        codec: all.find(({ id }) => id === outbound.codecId)?.mimeType,
      };
    });
  }

  /** @returns {Promise<Recording>} */
  async recording() {
    if (!this.#recorder) throw new Error('nothing came from the other peer');
    return {
      ...this.#recorder.take(),
      stats: null,
      loops: this.#loops.take(),
      frames: await this.#frames?.take(),
    };
  }

  /** Hangs up. Idempotent. */
  async close() {
    this.#recorder?.stop();
    this.#peer.close();
    this.#frames?.close();
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
 * Notes when frames leave the encoder and come from the network, in a worker, by WebRTC's encoded
 * transforms.
 */
class FrameNotes {
  #worker;

  constructor() {
    const url = URL.createObjectURL(new Blob([`(${noteFrames})()`], { type: 'text/javascript' }));
    this.#worker = new Worker(url);
    URL.revokeObjectURL(url);
  }

  /**
   * @param {RTCPeerConnection} peer with its tracks, and no description yet: a later transform of a
   *   receiver has no effect in Chromium
   */
  follow(peer) {
    for (const { sender, receiver } of peer.getTransceivers()) {
      sender.transform = new RTCRtpScriptTransform(this.#worker, 'sent');
      receiver.transform = new RTCRtpScriptTransform(this.#worker, 'received');
    }
  }

  /** @returns {Promise<NonNullable<Recording['frames']>>} */
  take() {
    const onPage = (/** @type {[number, number][]} */ notes) =>
      notes.map(([timestamp, ms]) => ({ timestamp, atMs: ms - performance.timeOrigin }));
    return new Promise((resolve) => {
      this.#worker.onmessage = ({ data }) =>
        resolve({ sent: onPage(data.sent), received: onPage(data.received) });
      this.#worker.postMessage('take');
    });
  }

  close() {
    this.#worker.terminate();
  }
}

/**
 * The whole text of FrameNotes' worker. Packets by which Chromium probes the path are empty, and
 * repeat the timestamp of a frame, which may be lost itself: they don't count. A frame that came
 * has the time at which it did, before the worker.
 */
function noteFrames() {
  const worker = /** @type {any} */ (globalThis);
  const notes = { sent: new Map(), received: new Map() };
  worker.onrtctransform = (/** @type {any} */ { transformer: { readable, writable, options } }) => {
    const times = notes[/** @type {'sent' | 'received'} */ (options)];
    const transform = (
      /** @type {any} */ frame,
      /** @type {TransformStreamDefaultController} */ controller,
    ) => {
      const { rtpTimestamp, receiveTime = performance.now() } = frame.getMetadata();
      if (frame.data.byteLength > 0 && !times.has(rtpTimestamp))
        times.set(rtpTimestamp, performance.timeOrigin + receiveTime);
      controller.enqueue(frame);
    };
    void readable.pipeThrough(new TransformStream({ transform })).pipeTo(writable);
  };
  worker.onmessage = () =>
    worker.postMessage({ sent: [...notes.sent], received: [...notes.received] });
}

/**
 * @param {EventTarget} target
 * @param {string} event
 * @param {() => boolean} isSo
 * @returns {Promise<void>} rejected when it isn't so within CONNECT_MS
 */
function until(target, event, isSo) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`WebRTC: no connection within ${CONNECT_MS / 1000} s`)),
      CONNECT_MS,
    );
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
