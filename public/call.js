import { CallSound } from './client/call-sound.js';
import { listMicrophones } from './client/microphone.js';
import { findSupport } from './client/support.js';
import { onWaking } from './client/waking.js';

/**
 * @import { AudioFormat } from './shared/audio-format.js'
 * @import { CallEvents, CallOptions, CallState, TransportWish } from './client/call-types.js'
 */

/** How long leaving may take before the worker is ended. */
const LEAVE_MS = 300;

/**
 * One call in a room, for the page. Sound and network run in a worker and in worklets, so that what
 * the page does can't be heard.
 *
 *     const call = new Call({ room: 'tea', name: 'Ada' });
 *     call.addEventListener('state', ({ detail }) => show(detail.state));
 *     await call.join();
 */
export class Call extends EventTarget {
  /** @type {CallState} */
  state = 'idle';
  #options;
  #support = findSupport();
  /** @type {Worker | null} */
  #worker = null;
  #sound;
  #muted = false;
  #leaveUrl = '';
  #onPageHide = () => void this.leave();
  #endWaking = () => {};
  /** @type {AudioFormat | null} */
  #format = null;
  /** @type {(() => void) | null} */
  #settleJoin = null;

  /** @param {CallOptions} options */
  constructor(options) {
    super();
    this.#options = { transport: /** @type {TransportWish} */ ('auto'), microphoneId: '', ...options };
    this.#sound = new CallSound(this.#support, this.#options, {
      notice: (code) => this.#isOver() || this.#emit('notice', { code }),
      settled: (code) => this.#isOver() || this.#emit('settled', { code }),
    });
  }

  /** What this browser lets a call do. */
  static support() {
    return findSupport();
  }

  /** The microphones that there are; labels only after the person has allowed one. */
  static microphones() {
    return listMicrophones();
  }

  /** All that is heard of the call passes through this node; null before 'joined'. @type {AudioNode | null} */
  get output() {
    return this.#sound.output;
  }

  /** Whether this person is heard: false when listening only. */
  get hasMicrophone() {
    return this.#sound.hasMicrophone;
  }

  get muted() {
    return this.#muted;
  }

  /**
   * @template {keyof CallEvents} T
   * @param {T} type
   * @param {((event: CustomEvent<CallEvents[T]>) => void) | null} listener
   * @param {boolean | AddEventListenerOptions} [options]
   */
  // @ts-expect-error narrower than EventTarget's on purpose: it knows the events and their details
  addEventListener(type, listener, options) {
    super.addEventListener(type, /** @type {EventListener} */ (listener), options);
  }

  /**
   * @template {keyof CallEvents} T
   * @param {T} type
   * @param {CallEvents[T]} detail
   */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /**
   * Joins the room. Call it from a press, so that the browser lets sound start.
   * @returns {Promise<void>} never rejects: when it is settled the state is 'joined', 'failed' or 'left'
   */
  async join() {
    if (this.state !== 'idle') return;
    this.#become('connecting');
    if (!this.#support.audio) {
      this.#fail('no-audio');
      return;
    }
    addEventListener('pagehide', this.#onPageHide);
    this.#endWaking = onWaking(() => this.#wake());
    await this.#sound.open();
    if (this.#isOver()) return;
    await new Promise((resolve) => {
      this.#settleJoin = () => resolve(undefined);
      this.#startWorker();
    });
  }

  #startWorker() {
    const worker = new Worker(new URL('./client/worker.js', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#onMessage(data);
    worker.onerror = () => this.#fail('no-worker');
    const { room, name, transport, mirror, frameMs, channels, bitrate, application } = this.#options;
    const { origin } = location;
    const wishes = { room, name, transport, mirror, frameMs, channels, bitrate, application };
    worker.postMessage({ type: 'join', ...wishes, origin, muted: this.#muted });
  }

  /** @param {any} data a message of the worker: its type, and the details of that */
  #onMessage({ type, ...detail }) {
    if (this.#isOver() && type !== 'ended') return;
    switch (type) {
      case 'people':
      case 'stats':
      case 'transport':
        this.#emit(type, detail);
        break;
      case 'speakers':
        this.#emit(type, detail.speakers);
        break;
      case 'control':
        this.#emit(type, detail.message);
        break;
      case 'joined':
        void this.#joined(detail);
        break;
      case 'state':
        this.#follow(detail);
        break;
      case 'frame':
        this.#sound.play(detail.samples);
        break;
      case 'ended':
        this.#fail(detail.code, detail.message);
        break;
      default:
        break;
    }
  }

  /** @param {{ state: string, since?: number, nextTry?: number }} detail */
  #follow({ state, ...detail }) {
    const isSet = this.#sound.output !== null && (this.state === 'joined' || this.state === 'reconnecting');
    if (isSet && (state === 'reconnecting' || state !== this.state)) {
      if (state === 'joined' || state === 'reconnecting') this.#become(state, detail);
    }
  }

  /**
   * For the first time, or again: then sound goes on as it is, unless the server has another format now.
   * @param {{ format: AudioFormat, leaveUrl: string }} joined
   */
  async #joined({ format, leaveUrl }) {
    this.#leaveUrl = leaveUrl;
    const isSame = this.#format !== null && JSON.stringify(format) === JSON.stringify(this.#format);
    this.#format = format;
    if (isSame) return;
    if (format.channels < (this.#options.channels ?? 1)) this.#emit('notice', { code: 'room-mono' });
    await this.#startSound(format);
  }

  /** @param {AudioFormat} format */
  async #startSound(format) {
    try {
      await this.#sound.start(/** @type {Worker} */ (this.#worker), format);
    } catch (error) {
      this.#fail('no-sound', /** @type {Error} */ (error).message);
    }
    if (this.#isOver()) return;
    this.#become('joined');
    this.#settleJoin?.();
    await this.resumeSound();
  }

  /** Tries at once to come back, without waiting for the next try. */
  retry() {
    this.#wake();
  }

  #wake() {
    this.#worker?.postMessage({ type: 'wake' });
    this.#sound.wake();
  }

  /**
   * Takes another microphone.
   * @param {string | null} deviceId '' the default one; null: listen only from here on
   * @returns {Promise<boolean>} false where it can't be used: the one before goes on
   */
  setMicrophone(deviceId) {
    return this.#sound.setMicrophone(deviceId);
  }

  /**
   * Plays the call on another speaker.
   * @param {string} deviceId '' for the default one
   * @returns {Promise<boolean>} false where it can't be used: the call is heard where it was
   */
  setSpeaker(deviceId) {
    return this.#sound.setSpeaker(deviceId);
  }

  /**
   * What the browser is to do with the microphone's sound; the microphone is opened anew for it.
   * @param {Pick<CallOptions, 'echoCancellation' | 'noiseSuppression' | 'autoGainControl'>} processing
   */
  setProcessing({ echoCancellation, noiseSuppression, autoGainControl }) {
    Object.assign(this.#options, { echoCancellation, noiseSuppression, autoGainControl });
    return this.#sound.reopenMicrophone();
  }

  /**
   * @param {object} message a control message for the server
   * @returns {boolean} false where there is no connection just now, and it is not sent
   */
  sendControl(message) {
    if (this.state !== 'joined' || !this.#worker) return false;
    this.#worker.postMessage({ type: 'control', message });
    return true;
  }

  /** @param {boolean} suppresses whether silence is left out, where the server allows it; false for music */
  suppressSilence(suppresses) {
    this.#worker?.postMessage({ type: 'silence-suppression', on: suppresses });
  }

  /** @param {boolean} muted whether this person isn't heard */
  mute(muted) {
    this.#muted = muted;
    this.#worker?.postMessage({ type: 'mute', muted });
  }

  /** Starts sound that the browser holds back; call it from a press. */
  resumeSound() {
    return this.#sound.resume();
  }

  /** Leaves the room. Idempotent. */
  async leave() {
    if (this.#isOver()) return;
    const worker = this.#worker;
    this.#worker = null;
    // A worker doesn't outlive its page, but a beacon does.
    if (this.#leaveUrl) navigator.sendBeacon(this.#leaveUrl);
    worker?.postMessage({ type: 'leave' });
    this.#become('left');
    this.#release();
    if (worker) await ended(worker);
  }

  #isOver() {
    return this.state === 'left' || this.state === 'failed';
  }

  /**
   * @param {CallState} state
   * @param {Omit<CallEvents['state'], 'state'>} [why]
   */
  #become(state, why = {}) {
    this.state = state;
    this.#emit('state', { state, ...why });
  }

  /**
   * @param {string} code
   * @param {string} [message] for whoever looks into it
   */
  #fail(code, message) {
    if (this.#isOver()) return;
    this.#become('failed', { code, message });
    this.#worker?.terminate();
    this.#worker = null;
    this.#release();
  }

  #release() {
    removeEventListener('pagehide', this.#onPageHide);
    this.#endWaking();
    void this.#sound.close();
    this.#settleJoin?.();
  }
}

/**
 * Waits until the worker has said goodbye to the server, and ends it.
 * @param {Worker} worker
 */
async function ended(worker) {
  await new Promise((resolve) => {
    worker.onmessage = ({ data }) => data.type === 'ended' && resolve(undefined);
    setTimeout(resolve, LEAVE_MS);
  });
  worker.terminate();
}
