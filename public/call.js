import { nodeOf } from './client/connection/node-origin.js';
import { CallSound } from './client/call/call-sound.js';
import { CallWorker } from './client/call/call-worker.js';
import { addDevices } from './client/call/device-delays.js';
import { findSupport } from './client/connection/support.js';
import { onNetworkChange } from './client/connection/reconnecting.js';
import { readTrack } from './client/track/track-sound.js';

/**
 * @import { AudioFormat } from './shared/sound/audio-format.js'
 * @import { CallEvents, CallOptions, CallState, TransportWish } from './client/call/types.js'
 */

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
  /** @type {CallWorker | null} */
  #worker = null;
  #sound;
  #muted;
  #resume = '';
  #leaveUrl = '';
  #onPageHide = () => void this.leave();
  #endWatch = () => {};
  /** @type {AudioFormat | null} */
  #format = null;
  /** @type {(() => void) | null} */
  #settleJoin = null;
  /**
   * Takes the place of a track that was offered; '' where there is none.
   * @type {((id: string) => void) | null}
   */
  #placed = null;

  /** @param {CallOptions} options */
  constructor(options) {
    super();
    this.#options = {
      transport: /** @type {TransportWish} */ ('auto'),
      microphoneId: '',
      ...options,
    };
    this.#muted = options.muted ?? false;
    this.#sound = new CallSound(this.#support, this.#options, {
      notice: (code) => this.#isOver() || this.#emit('notice', { code }),
      settled: (code) => this.#isOver() || this.#emit('settled', { code }),
    });
  }

  /** The parts of a call that this browser allows. */
  static support() {
    return findSupport();
  }

  /**
   * All that is heard of the call passes through this node; null before 'joined'.
   * @type {AudioNode | null}
   */
  get output() {
    return this.#sound.output;
  }

  /** Whether this person is heard: false when listening only. */
  get hasMicrophone() {
    return this.#sound.hasMicrophone;
  }

  /** The origin of the node of a cluster that has the room; '' for the page's own server. */
  get nodeOrigin() {
    return this.#sound.pieces.origin;
  }

  /** With this token another call takes up one's place in the room; '' before 'joined'. */
  get resume() {
    return this.#resume;
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
   * @returns {Promise<void>} never rejects: when it is settled the state is 'joined', 'failed' or
   *   'left'
   */
  async join() {
    if (this.state !== 'idle') return;
    this.#become('connecting');
    if (!this.#support.audio) {
      this.#fail('no-audio');
      return;
    }
    addEventListener('pagehide', this.#onPageHide);
    this.#endWatch = onNetworkChange(() => this.#wake());
    await this.#sound.open();
    if (this.#isOver()) return;
    await new Promise((resolve) => {
      this.#settleJoin = () => resolve(undefined);
      this.#startWorker();
    });
  }

  #startWorker() {
    this.#worker = new CallWorker({
      message: (data) => this.#onMessage(data),
      failed: (code, message) => this.#fail(code, message),
    });
    const {
      room,
      name,
      transport,
      mirror,
      frameMs,
      channels,
      bitrate,
      application,
      resume,
      token,
      password,
      listen,
      stage,
      nearness,
      e2eKey,
    } = this.#options;
    const wishes = {
      room,
      name,
      transport,
      mirror,
      frameMs,
      channels,
      bitrate,
      application,
      resume,
      token,
      password,
      listen,
      stage,
      nearness,
      e2eKey,
    };
    this.#worker.join({ ...wishes, origin: location.origin, muted: this.#muted });
  }

  /** @param {any} data a message of the worker: its type, and the details of that */
  #onMessage({ type, ...detail }) {
    if (this.#isOver()) return;
    switch (type) {
      case 'stats':
        detail.clock.atMs -= performance.timeOrigin;
        addDevices(detail, this.#sound.deviceDelays);
        this.#sound.followClock(detail.clock);
        this.#emit(type, detail);
        break;
      case 'notice':
      case 'people':
      case 'transport':
        this.#emit(type, detail);
        break;
      case 'speakers':
        this.#emit(type, detail.speakers);
        break;
      case 'access':
        this.#emit(type, detail.access);
        break;
      case 'control':
        this.#heed(detail.message);
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

  /** @param {Record<string, any>} message  of the server */
  #heed({ type, muted, of, id, nodes, metronome = null, beat = null, track = null }) {
    if (type === 'moderated' && muted === true) this.#muted = true;
    // A server that was started anew has another clock.
    if (type === 'welcome') this.#sound.followClock(null);
    if (type === 'welcome') this.#sound.pieces.origin = nodeOf(nodes);
    if (type === 'welcome') this.#sound.beat(metronome);
    if (type === 'metronome') this.#sound.beat(beat);
    if (type === 'welcome' || type === 'track') this.#sound.track(track);
    if (type === 'track-place') this.#placed?.(String(id));
    if (type === 'welcome' || (type === 'refused' && of === 'track')) this.#placed?.('');
  }

  /** @param {{ state: string, since?: number, nextTry?: number }} detail */
  #follow({ state, ...detail }) {
    const isSet =
      this.#sound.output !== null && (this.state === 'joined' || this.state === 'reconnecting');
    if (isSet && (state === 'reconnecting' || state !== this.state)) {
      if (state === 'joined' || state === 'reconnecting') this.#become(state, detail);
    }
  }

  /**
   * For the first time, or again: then sound goes on as it is, unless the server has another format
   * now.
   * @param {{ format: AudioFormat, leaveUrl: string, resume: string }} joined
   */
  async #joined({ format, leaveUrl, resume }) {
    this.#leaveUrl = leaveUrl;
    this.#resume = resume;
    const isSame = this.#format !== null && JSON.stringify(format) === JSON.stringify(this.#format);
    this.#format = format;
    if (isSame) return;
    if (format.channels < (this.#options.channels ?? 1))
      this.#emit('notice', { code: 'room-mono' });
    await this.#startSound(format);
  }

  /** @param {AudioFormat} format */
  async #startSound(format) {
    try {
      await this.#sound.start(/** @type {CallWorker} */ (this.#worker), format);
    } catch (error) {
      this.#fail('no-sound', /** @type {Error} */ (error).message);
    }
    if (this.#isOver()) return;
    this.#become('joined');
    this.#settleJoin?.();
    await this.resumeSound();
  }

  /** Joins without waiting any longer for the microphone, which is taken as soon as it is there. */
  listenFirst() {
    this.#sound.listenFirst();
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
   * Sets the browser's processing of the microphone's sound; the microphone is opened anew for it.
   * @param {Pick<CallOptions, 'echoCancellation' | 'noiseSuppression' | 'autoGainControl'>}
   *   processing
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

  /**
   * @param {boolean} suppresses whether silence is left out, where the server allows it; false for
   *   music
   */
  suppressSilence(suppresses) {
    this.#worker?.postMessage({ type: 'silence-suppression', on: suppresses });
  }

  /**
   * Sets how near this person is to whoever speaks, while they only listen.
   * @param {import('./shared/nearness.js').Nearness} nearness
   */
  setNearness(nearness) {
    this.#options.nearness = nearness;
    this.#worker?.postMessage({ type: 'nearness', nearness });
  }

  /** @param {boolean} muted whether this person isn't heard */
  mute(muted) {
    this.#muted = muted;
    this.#worker?.postMessage({ type: 'mute', muted });
  }

  /** @param {boolean} heard whether this person hears the room's metronome; they do at first */
  hearMetronome(heard) {
    this.#sound.hearBeat(heard);
  }

  /**
   * Puts a backing track into the room, in place of the one that is there.
   * @param {Blob} file  sound, in a format that the browser reads
   * @param {string} name
   * @param {(share: number) => void} [progress]  of sending, 0 to 1
   * @returns {Promise<boolean>} false where it couldn't be done: a notice, or `refused`, says why
   */
  async offerTrack(file, name, progress = () => {}) {
    try {
      const sound = await readTrack(file);
      this.#placed?.('');
      const place = new Promise((resolve) => (this.#placed = resolve));
      if (!this.sendControl({ type: 'track', action: 'offer', name, seconds: sound.duration }))
        return false;
      const id = await place;
      if (id === '') return false;
      await this.#sound.pieces.send(id, sound, progress);
      return true;
    } catch (error) {
      this.#emit('notice', { code: /** @type {any} */ (error).code ?? 'track-not-sent' });
      return false;
    }
  }

  /**
   * @param {number} level the factor by which this person hears the room's backing track; 0: not at
   *   all
   */
  setTrackLevel(level) {
    this.#sound.setTrackLevel(level);
  }

  /** Starts sound that the browser holds back; call it from a press. */
  resumeSound() {
    return this.#sound.resume();
  }

  /** Leaves the room. Idempotent. */
  async leave() {
    if (this.#isOver()) return;
    // A worker doesn't outlive its page, but a beacon does.
    if (this.#leaveUrl) navigator.sendBeacon(this.#leaveUrl);
    await this.#end('left');
  }

  /**
   * Leaves the room for now: one's place is kept for a while, for another call that has `resume`.
   * Idempotent.
   */
  async rest() {
    if (!this.#isOver()) await this.#end('left', {}, true);
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
    if (!this.#isOver()) void this.#end('failed', { code, message });
  }

  /**
   * @param {'left' | 'failed'} state
   * @param {Omit<CallEvents['state'], 'state'>} [why]
   * @param {boolean} [keepsPlace]
   */
  async #end(state, why, keepsPlace = false) {
    const worker = this.#worker;
    this.#worker = null;
    this.#become(state, why);
    removeEventListener('pagehide', this.#onPageHide);
    this.#endWatch();
    void this.#sound.close();
    this.#settleJoin?.();
    this.#placed?.('');
    // Whatever has failed, the others don't wait for this one to come back.
    await worker?.leave(keepsPlace);
  }
}
