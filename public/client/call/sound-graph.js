/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { CallWorker } from './call-port.js'
 * @import { CaptureOptions } from './types.js'
 */

import { SampleRing } from '../../../worklets/sample-ring.js';
import { inTime, LOAD_MS, systemClock } from '../../shared/clock.js';
import { canReadTrack, soundOf } from '../capture/microphone.js';
import { ScheduledPlayer } from '../playout/scheduled-player.js';

/** Fade-in of a call's sound, in seconds, so that the first word startles nobody. */
const FADE_IN_SECONDS = 0.4;

/**
 * Frame length below which the sound card gets as little sound at once as possible, in
 * milliseconds. That needs more processor time, and tolerates fewer delays.
 */
const QUICK_FRAME_MS = 20;

/** Capacity of a ring between a worklet and the worker, in seconds. */
const RING_SECONDS = 1;

const workletUrl = (/** @type {string} */ name) =>
  new URL(`../../../worklets/${name}`, import.meta.url).href;

/**
 * The audio context's side of a call: the worklets, their rings, and their connection to the
 * worker.
 */
export class SoundGraph {
  #worker;
  #clock;
  /** The room's. */
  channels;
  #shared;
  #closed = false;
  /** Number of changes of the microphone. */
  #turn = 0;
  /** @type {MediaStream | null} */
  #microphone = null;
  /** Options of its capture. @type {CaptureOptions} */
  #options = {};
  /** Ends its capture. @type {(() => void) | null} */
  #captured = null;
  /** @type {AudioWorkletNode | null} */
  #playback = null;
  /** @type {ScheduledPlayer | null} for browsers without shared memory */
  #player = null;

  /**
   * @param {Pick<CallWorker, 'send'>} worker
   * @param {{ sampleRate: number, channels: number, frameMs: number }} format the room's
   * @param {boolean} shared true when the page has shared memory, and worklets that play from it
   * @param {Clock} [clock]
   */
  constructor(worker, { sampleRate, channels, frameMs }, shared, clock = systemClock) {
    this.#worker = worker;
    this.#clock = clock;
    this.channels = channels;
    this.#shared = shared;
    this.context = new AudioContext({
      sampleRate,
      latencyHint: frameMs < QUICK_FRAME_MS ? 0 : 'interactive',
    });
    this.context.addEventListener('statechange', () => this.#follow());
    /** Node that all sound passes through. */
    this.output = new GainNode(this.context, { gain: 0 });
    this.output.connect(this.context.destination);
  }

  /** Plays the sound that the worker decodes; without shared memory by scheduled buffers. */
  async startPlayback() {
    this.#fadeIn();
    if (!this.#shared) {
      this.#player = new ScheduledPlayer(this.context, this.output, (frames, leadMs) =>
        this.#worker.send('pull', { frames, leadMs }),
      );
      return;
    }
    await this.#load('playback-processor.js');
    if (this.#closed) return;
    this.#playback = this.#node('playback', { numberOfInputs: 0, outputChannelCount: [2] });
    this.#playback.connect(this.output);
  }

  /** @param {string} name a worklet's file */
  async #load(name) {
    const late = () => new Error(`The browser loaded no ${name} within ${LOAD_MS / 1000} s.`);
    await inTime(this.context.audioWorklet.addModule(workletUrl(name)), LOAD_MS, late, this.#clock);
  }

  #fadeIn() {
    const { currentTime } = this.context;
    this.output.gain.setValueAtTime(0, currentTime);
    this.output.gain.linearRampToValueAtTime(1, currentTime + FADE_IN_SECONDS);
  }

  /**
   * Captures another microphone from now on.
   * @param {MediaStream} stream
   * @param {CaptureOptions} [options]
   */
  async startCapture(stream, options = {}) {
    this.stopCapture();
    const turn = this.#turn;
    this.#options = options;
    if (!this.#canReadTrack(stream)) await this.#load('capture-processor.js');
    // Another microphone, or none, may have been chosen by then.
    if (this.#closed || turn !== this.#turn) return;
    this.#microphone = stream;
    this.#follow();
  }

  /** @param {MediaStream} stream */
  #canReadTrack(stream) {
    const { sampleRate } = this.context;
    // The noise model has one rate, to which the context converts others.
    const isOther = stream.getAudioTracks()[0]?.getSettings().sampleRate !== sampleRate;
    return !(this.#options.noiseModel && isOther) && canReadTrack(stream, sampleRate);
  }

  /**
   * Captures only while the context runs: if the system stops sound, this person neither hears nor
   * is heard.
   */
  #follow() {
    if (this.context.state !== 'running') this.#endCapture();
    else if (this.#microphone && !this.#captured) this.#captured = this.#capture(this.#microphone);
  }

  /**
   * @param {MediaStream} stream
   * @returns {() => void} ends it
   */
  #capture(stream) {
    if (this.#canReadTrack(stream)) {
      const sound = soundOf(stream);
      this.#worker.send('capture-track', { sound, ...this.#options }, [sound]);
      return () => {};
    }
    const source = new MediaStreamAudioSourceNode(this.context, { mediaStream: stream });
    const node = this.#node('capture', { numberOfOutputs: 0 });
    source.connect(node);
    return () => {
      source.disconnect();
      node.port.postMessage({ close: true });
    };
  }

  /** Ends capturing; silence follows. */
  stopCapture() {
    this.#turn += 1;
    this.#microphone = null;
    this.#endCapture();
  }

  #endCapture() {
    if (!this.#captured) return;
    this.#captured();
    this.#captured = null;
    this.#worker.send('capture-ended', null);
  }

  /**
   * @param {'capture' | 'playback'} role
   * @param {AudioWorkletNodeOptions} options
   */
  #node(role, options) {
    const channels = role === 'capture' && this.#options.split ? 2 : this.channels;
    const memory = this.#shared
      ? SampleRing.create(this.context.sampleRate * RING_SECONDS, true, channels).memory
      : undefined;
    const node = new AudioWorkletNode(this.context, `aloud-${role}`, {
      ...options,
      processorOptions: { memory, channels },
    });
    const { port1, port2 } = new MessageChannel();
    const { sampleRate, baseLatency } = this.context;
    const blockMs = 1000 * (baseLatency || 0);
    if (role === 'capture')
      this.#worker.send('capture', { memory, port: port1, ...this.#options }, [port1]);
    else if (memory)
      this.#worker.send('playback', { memory, port: port1, sampleRate, blockMs }, [port1]);
    node.port.postMessage({ port: port2 }, [port2]);
    return node;
  }

  /**
   * Accepts sound that the worker decoded because the scheduled player asked for it.
   * @param {Float32Array<ArrayBuffer>} samples interleaved, where the room is stereo
   */
  play(samples) {
    this.#player?.add(samples, this.channels);
  }

  /** Idempotent. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    this.stopCapture();
    this.#playback?.port.postMessage({ close: true });
    this.#player?.close();
    await this.context.close().catch(() => {});
  }
}

/**
 * Time for a browser to start a context, in milliseconds, before the person is asked to press
 * something.
 */
const START_MS = 300;

/**
 * Time for a context that nothing holds back to start, in milliseconds, before the speaker counts
 * as missing.
 */
const START_ALLOWED_MS = 3000;

/**
 * Events by which a person activates a page (HTML standard, "activation triggering input event"): a
 * finger does so when it is lifted.
 */
const gestures = /** @type {const} */ (['pointerdown', 'pointerup', 'keydown']);

/**
 * @typedef {'sound-blocked' | 'sound-interrupted' | 'no-output'} Held why a context stands still
 */

/**
 * True when the browser allows pages to play sound now (Autoplay Policy Detection); false if it
 * doesn't tell.
 */
function canAutoplay() {
  const { navigator } =
    /** @type {{ navigator?: { getAutoplayPolicy?: (of: string) => string } }} */ (globalThis);
  return navigator?.getAutoplayPolicy?.('audiocontext') === 'allowed';
}

/**
 * Keeps an audio context running. The system may stop it at any time, for a telephone call or a
 * removed device. The browser may require a press first.
 */
export class RunningContext {
  #context;
  #on;
  #gestures;
  #canAutoplay;
  #hasRun = false;
  #isHeld = false;
  #closed = false;
  #gesture = () => void this.resume();
  #onState = () => void this.#changed();

  /**
   * @param {AudioContext} context
   * @param {object} on
   * @param {(code: Held) => void} on.held the context stands still, until it may run: at the latest
   *   with the next press
   * @param {(stopped: boolean) => void} on.runs  stopped: it had run before, and stood still
   * @param {EventTarget} [presses]  where presses are heard of
   * @param {() => boolean} [allowed] true when the browser is known to hold nothing back
   */
  constructor(context, on, presses = globalThis, allowed = canAutoplay) {
    this.#context = context;
    this.#on = on;
    this.#canAutoplay = allowed;
    this.#gestures = presses;
    context.addEventListener('statechange', this.#onState);
  }

  async #changed() {
    if (this.#closed) return;
    if (this.#context.state !== 'running') {
      this.#isHeld = true;
      if (this.#hasRun) await this.resume();
    } else {
      this.#listen(false);
      if (this.#isHeld) this.#on.runs(this.#hasRun);
      this.#isHeld = false;
      this.#hasRun = true;
    }
  }

  /** @returns {Promise<boolean>} true when it runs; otherwise it will with the next press */
  async resume() {
    if (this.#closed) return false;
    const started = this.#context.resume().then(
      () => true,
      () => false,
    );
    let isRunning = await Promise.race([started, afterMs(START_MS)]);
    const isAllowed = !isRunning && !this.#hasRun && this.#canAutoplay();
    if (isAllowed) isRunning = await Promise.race([started, afterMs(START_ALLOWED_MS)]);
    if (this.#closed) return false;
    this.#listen(!isRunning);
    if (isRunning) return true;
    this.#isHeld = true;
    this.#on.held(
      isAllowed ? 'no-output' : this.#isInterrupted ? 'sound-interrupted' : 'sound-blocked',
    );
    return false;
  }

  get #isInterrupted() {
    return /** @type {string} */ (this.#context.state) === 'interrupted';
  }

  /** @param {boolean} waits for a press */
  #listen(waits) {
    for (const type of gestures) {
      if (waits) this.#gestures.addEventListener(type, this.#gesture);
      else this.#gestures.removeEventListener(type, this.#gesture);
    }
  }

  /** Lets it be. Idempotent. */
  close() {
    this.#closed = true;
    this.#context.removeEventListener('statechange', this.#onState);
    this.#listen(false);
  }
}

/**
 * @param {number} ms
 * @returns {Promise<boolean>} false, later
 */
const afterMs = (ms) => new Promise((resolve) => void setTimeout(() => resolve(false), ms));
