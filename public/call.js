import { listMicrophones, microphoneEnded, microphoneProblem } from './client/microphone.js';
import { openMicrophone, stopMicrophone } from './client/microphone.js';
import { useSpeaker } from './client/speaker.js';
import { SoundGraph } from './client/sound-graph.js';
import { findSupport, problemText } from './client/support.js';

/** @import { AudioFormat } from './shared/audio-format.js' */

/**
 * @typedef {'auto' | 'webtransport' | 'websocket' | 'http1'} TransportWish
 *
 * @typedef {object} CallOptions
 * @property {string} room
 * @property {string} name
 * @property {TransportWish} [transport]        default 'auto'
 * @property {string | null} [microphoneId]     '' (default): the default microphone; null: listen only
 * @property {boolean} [processing]             false: echo cancellation, noise suppression and gain control
 *   are all off, unless asked for one by one; default true
 * @property {boolean} [echoCancellation]
 * @property {boolean} [noiseSuppression]
 * @property {boolean} [autoGainControl]
 * @property {string} [speakerId]               '' (default): the default speaker, or what the system chooses
 * @property {boolean} [mirror]                 true: a room of one, where one hears oneself two seconds later
 * @property {10 | 20} [frameMs]               of a room that begins with this call; the server's by default
 * @property {number} [bitrate]                 of one's own stream, in bits a second; the room's by default
 * @property {'audio' | 'voip' | 'low-delay'} [application]  what one's own Opus encoder is tuned for
 *
 * @typedef {import('./client/people.js').Person} CallPerson
 *
 * @typedef {import('./client/client.js').ClientStats} CallStats
 *
 * @typedef {object} CallEvents  the `detail` of each event
 * @property {{ state: CallState, code?: string, message?: string, since?: number, nextTry?: number }} state
 *   'failed' has the code and the sentence. After 'failed' and 'left' the call is over: make a new one to join
 *   again. 'reconnecting' says since when the connection is lost and when it is tried again, in milliseconds
 *   since 1970; the call comes back to 'joined' by itself, with the same name, and mostly the same id
 * @property {{ people: CallPerson[], you: string }} people   everybody, whenever anything about them changes
 * @property {{ took: string, tried: { transport: string, reason: string }[] }} transport
 *   before 'joined'; `tried` are those that failed before
 * @property {CallStats} stats                  each second
 * @property {{ id: string, level: number, voice: boolean }[]} speakers
 *   who is to be heard, the loudest first, level in -dBov; ten times a second at most, and none once in silence
 * @property {Record<string, any>} control      a message of the server: `welcome`, `chat`, `refused` …
 * @property {{ code: string, message: string }} notice
 *   the call goes on, but: 'no-microphone', 'microphone-refused', 'microphone-busy', 'microphone-ended',
 *   'microphone-insecure', 'no-shared-memory' (listening only); 'sound-blocked' (call resumeSound() when the
 *   person presses something; any press on the page does the same)
 *
 * @typedef {'idle' | 'connecting' | 'joined' | 'reconnecting' | 'left' | 'failed'} CallState
 */

/** When the network, the computer or the page may have come back. @type {[EventTarget, string][]} */
const wakings = [
  [globalThis, 'online'],
  [globalThis, 'pageshow'],
  [globalThis.document, 'visibilitychange'],
  [globalThis.document, 'resume'],
];

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
  /** Whether this person is heard: false when listening only. */
  hasMicrophone = false;
  #options;
  #support = findSupport();
  /** @type {Worker | null} */
  #worker = null;
  /** @type {SoundGraph | null} */
  #sound = null;
  /** @type {MediaStream | null} */
  #stream = null;
  #muted = false;
  #leaveUrl = '';
  #onPageHide = () => void this.leave();
  #onWake = () => document.visibilityState === 'hidden' || this.#worker?.postMessage({ type: 'wake' });
  /** @type {AudioFormat | null} */
  #format = null;
  /** @type {(() => void) | null} */
  #settleJoin = null;

  /** @param {CallOptions} options */
  constructor(options) {
    super();
    this.#options = { transport: /** @type {TransportWish} */ ('auto'), microphoneId: '', ...options };
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
    return this.#sound?.output ?? null;
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
      this.#fail('no-audio', problemText('no-audio'));
      return;
    }
    addEventListener('pagehide', this.#onPageHide);
    for (const [target, type] of wakings) target.addEventListener(type, this.#onWake);
    const stream = await this.#microphone(this.#options.microphoneId);
    if (this.#isOver()) {
      stopMicrophone(stream);
      return;
    }
    this.#stream = stream;
    await new Promise((resolve) => {
      this.#settleJoin = () => resolve(undefined);
      this.#startWorker();
    });
  }

  #startWorker() {
    const worker = new Worker(new URL('./client/worker.js', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#onMessage(data);
    worker.onerror = () => this.#fail('no-audio', 'The part of the page that carries sound could not be loaded.');
    const { room, name, transport, mirror, frameMs, bitrate, application } = this.#options;
    const { origin } = location;
    const wishes = { room, name, transport, mirror, frameMs, bitrate, application };
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
        this.#sound?.play(detail.samples);
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
    const isSet = this.#sound !== null && (this.state === 'joined' || this.state === 'reconnecting');
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
    if (!isSame) await this.#startSound(format.sampleRate);
  }

  /** @param {number} sampleRate */
  async #startSound(sampleRate) {
    try {
      await this.#sound?.close();
      this.#sound = new SoundGraph(/** @type {Worker} */ (this.#worker), sampleRate);
      await this.#sound.startPlayback(this.#support.sharedArrayBuffer && this.#support.audioWorklet);
      if (this.#options.speakerId) await this.setSpeaker(this.#options.speakerId);
      await this.#startCapture();
    } catch (error) {
      this.#fail('no-audio', `The browser could not start its sound: ${/** @type {Error} */ (error).message}`);
    }
    if (this.#isOver()) return;
    this.#become('joined');
    this.#settleJoin?.();
    await this.resumeSound();
  }

  async #startCapture() {
    const stream = this.#stream;
    if (!stream || !this.#sound) return;
    try {
      await this.#sound.startCapture(stream);
      this.hasMicrophone = true;
      for (const track of stream.getAudioTracks()) track.onended = () => this.#microphoneEnded();
    } catch (error) {
      stopMicrophone(stream);
      this.#stream = null;
      this.hasMicrophone = false;
      this.#emit('notice', microphoneProblem(error));
    }
  }

  #microphoneEnded() {
    this.#dropMicrophone();
    this.#emit('notice', microphoneEnded);
  }

  #dropMicrophone() {
    stopMicrophone(this.#stream);
    this.#stream = null;
    this.hasMicrophone = false;
    this.#sound?.stopCapture();
  }

  /**
   * @param {string | null | undefined} deviceId
   * @returns {Promise<MediaStream | null>} null, and a notice, when there is to be none
   */
  async #microphone(deviceId) {
    if (deviceId === null) return null;
    if (!this.#support.microphone) {
      const code = this.#support.problems[0].code;
      this.#emit('notice', { code, message: problemText(code) });
      return null;
    }
    const { processing = true, echoCancellation, noiseSuppression, autoGainControl } = this.#options;
    try {
      return await openMicrophone({
        deviceId,
        echoCancellation: echoCancellation ?? processing,
        noiseSuppression: noiseSuppression ?? processing,
        autoGainControl: autoGainControl ?? processing,
      });
    } catch (error) {
      this.#emit('notice', microphoneProblem(error));
      return null;
    }
  }

  /**
   * Takes another microphone.
   * @param {string | null} deviceId '' the default one; null: listen only from here on
   */
  async setMicrophone(deviceId) {
    if (!this.#sound) {
      this.#options.microphoneId = deviceId;
      return;
    }
    const stream = await this.#microphone(deviceId);
    if (stream === null) {
      if (deviceId === null) this.#dropMicrophone();
      return;
    }
    if (this.#isOver()) {
      stopMicrophone(stream);
      return;
    }
    stopMicrophone(this.#stream);
    this.#stream = stream;
    await this.#startCapture();
  }

  /**
   * Plays the call on another speaker.
   * @param {string} deviceId '' for the default one
   * @returns {Promise<boolean>} false where it can't be used: the call is heard where it was
   */
  async setSpeaker(deviceId) {
    this.#options.speakerId = deviceId;
    return this.#sound ? useSpeaker(this.#sound.context, deviceId) : true;
  }

  /**
   * What the browser is to do with the microphone's sound, from the next microphone on.
   * @param {Pick<CallOptions, 'echoCancellation' | 'noiseSuppression' | 'autoGainControl'>} processing
   */
  setProcessing({ echoCancellation, noiseSuppression, autoGainControl }) {
    Object.assign(this.#options, { echoCancellation, noiseSuppression, autoGainControl });
  }

  /** @param {object} message a control message for the server, once the room is joined */
  sendControl(message) {
    if (this.state === 'joined') this.#worker?.postMessage({ type: 'control', message });
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
  async resumeSound() {
    const running = await this.#sound?.resume();
    if (running === false && !this.#isOver()) {
      this.#emit('notice', {
        code: 'sound-blocked',
        message: 'The browser holds sound back until you press something on the page.',
      });
    }
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
   * @param {string} message
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
    for (const [target, type] of wakings) target.removeEventListener(type, this.#onWake);
    stopMicrophone(this.#stream);
    this.#stream = null;
    this.hasMicrophone = false;
    void this.#sound?.close();
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
