/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Support } from '../connection/support.js'
 * @import { ClientOptions } from './types.js'
 */

import { onNetworkChange } from '../connection/reconnecting.js';
import { readTrack, SoundError } from '../track/track-sound.js';
import { CallWorker } from './call-port.js';
import { SoundGraph } from './sound-graph.js';

/** Bit rate of a shared sound, in b/s for each channel: Opus is transparent from here on. */
const BITRATE = 96_000;

/**
 * True when this browser can capture a tab's sound (Screen Capture). Chromium can, on computers;
 * others capture pictures alone.
 * @param {Pick<MediaDevices, 'getSupportedConstraints'>} [devices]
 */
export function canShareTab(devices = globalThis.navigator?.mediaDevices) {
  const known = /** @type {Record<string, boolean> | undefined} */ (
    devices?.getSupportedConstraints?.()
  );
  return Boolean(known?.suppressLocalAudioPlayback) && 'getDisplayMedia' in devices;
}

/**
 * Asks for a tab, and captures its sound unprocessed. The person goes on hearing it from the tab.
 * @param {Pick<MediaDevices, 'getDisplayMedia'>} [devices]
 * @returns {Promise<MediaStream | null>} null when the person chose nothing
 * @throws {SoundError} `share-silent` when the chosen surface comes without sound, `share-failed`
 */
export async function captureTab(devices = navigator.mediaDevices) {
  const audio = {
    channelCount: { ideal: 2 },
    echoCancellation: false,
    noiseSuppression: false,
    autoGainControl: false,
    suppressLocalAudioPlayback: false,
  };
  // The call's own sound must not come back to the room.
  const surfaces = { systemAudio: 'exclude', selfBrowserSurface: 'exclude' };
  const stream = await devices
    .getDisplayMedia(/** @type {DisplayMediaStreamOptions} */ ({ video: true, audio, ...surfaces }))
    .catch((error) => {
      if (error?.name === 'NotAllowedError') return null;
      throw new SoundError('share-failed');
    });
  // Browsers ask for a picture, too; nobody sees it.
  for (const track of stream?.getVideoTracks() ?? []) {
    track.stop();
    stream?.removeTrack(track);
  }
  if (stream?.getAudioTracks().length === 0) throw new SoundError('share-silent');
  return stream;
}

/**
 * A sound that a person shares beside their voice: a tab's, or a file's. It is a participant of its
 * own, whose owner is the person, with a worker of its own.
 */
export class SharedSound {
  #options;
  #source;
  #on;
  #support;
  /** @type {CallWorker | null} */
  #worker = null;
  /** @type {SoundGraph | null} */
  #graph = null;
  #format = '';
  #closed = false;
  #endWatch = () => {};

  /**
   * @param {ClientOptions} options  with the `join` that names the owner
   * @param {MediaStream | AudioBuffer} source  a tab's sound, until it ends; or a file's
   * @param {Support} support
   * @param {object} on
   * @param {(id: string) => void} on.joined  with the participant's id, after each join
   * @param {(code: string) => void} on.ended  once, unless close() was called: `share-over`, or the
   *   code of a sentence
   */
  constructor(options, source, support, on) {
    this.#options = options;
    this.#source = source;
    this.#support = support;
    this.#on = on;
  }

  /** Joins, and begins to send. */
  start() {
    if (this.#source instanceof MediaStream)
      for (const track of this.#source.getAudioTracks())
        track.onended = () => this.#end('share-over');
    this.#endWatch = onNetworkChange(() => this.#wake());
    this.#worker = new CallWorker(
      {
        changed: ({ joined, end }) => {
          if (joined) void this.#joined(joined.you, joined.format);
          if (end) this.#end(end.code);
        },
        refused: () => {},
        moderated: () => {},
        caption: () => {},
        'track-place': () => {},
        notice: () => {},
        frame: () => {},
      },
      (code) => this.#end(code),
    );
    const sound = { bitrate: BITRATE, application: /** @type {const} */ ('audio') };
    this.#worker.send('join', { ...this.#options, ...sound, silenceSuppression: false });
  }

  /** The network, the computer or the page may be back. */
  #wake() {
    this.#worker?.send('wake', null);
    // The system may have stopped sound; a context that can't run yet changes nothing.
    void this.#graph?.context.resume().catch(() => {});
  }

  /** @param {string} you @param {AudioFormat} format */
  async #joined(you, format) {
    // Messages of a worker that is leaving may still come.
    if (this.#closed) return;
    this.#on.joined(you);
    if (JSON.stringify(format) === this.#format) return;
    this.#format = JSON.stringify(format);
    const { sharedArrayBuffer, audioWorklet } = this.#support;
    const worker = /** @type {CallWorker} */ (this.#worker);
    await this.#graph?.close();
    if (this.#closed) return;
    const graph = new SoundGraph(worker, format, sharedArrayBuffer && audioWorklet);
    this.#graph = graph;
    try {
      await graph.context.resume();
      await graph.startCapture(this.#streamFor(graph.context));
    } catch {
      this.#end('share-failed');
    }
  }

  /** @param {AudioContext} context */
  #streamFor(context) {
    if (this.#source instanceof MediaStream) return this.#source;
    const out = new MediaStreamAudioDestinationNode(context, { channelCount: 2 });
    const player = new AudioBufferSourceNode(context, { buffer: this.#source });
    player.onended = () => this.#end('share-over');
    player.connect(out);
    player.start();
    return out.stream;
  }

  /** @param {string} code */
  #end(code) {
    if (this.#closed) return;
    this.close();
    this.#on.ended(code);
  }

  /** Stops sharing. Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#endWatch();
    if (this.#source instanceof MediaStream)
      for (const track of this.#source.getTracks()) {
        track.onended = null;
        track.stop();
      }
    void this.#graph?.close();
    void this.#worker?.leave();
  }
}

/**
 * Decodes a file that a person shares.
 * @param {Blob} file
 * @returns {Promise<AudioBuffer>}
 * @throws {Error} with the code of a sentence
 */
export const readShared = (file) => readTrack(file);
