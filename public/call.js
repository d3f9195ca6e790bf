import { CallSound } from './client/call/call-sound.js';
import { CallWorker } from './client/call/call-port.js';
import { NO_CALL } from './client/call/call-view.js';
import { addDevices } from './client/call/device-delays.js';
import { Store } from './client/call/store.js';
import { findSupport } from './client/connection/support.js';
import { onNetworkChange } from './client/connection/reconnecting.js';
import { readTrack } from './client/track/track-sound.js';

/**
 * @import { AudioFormat } from './shared/sound/audio-format.js'
 * @import { Nearness } from './shared/nearness.js'
 * @import { ClientStats } from './client/call/call-stats.js'
 * @import { CallOptions, CallView, ClientOptions, Joined } from './client/call/types.js'
 * @import { LiveOptions } from './client/call/types.js'
 * @import { ClientMessage } from './shared/messages/client-messages.js'
 * @import { CaptionFields } from './shared/messages/fields.js'
 * @import { ServerMessages } from './shared/messages/server-messages.js'
 *
 * @typedef {object} CallEvents  what happens once: the `detail` of each event
 * @property {{ code: string }} notice the call goes on, with a fault of this code:
 *   - 'no-microphone', 'microphone-refused', 'microphone-busy', 'microphone-ended',
 *     'microphone-insecure', 'no-audio-worklet': listening only
 *   - 'microphone-slow': the browser may be asking for it, and joining waits; see listenFirst()
 *   - 'microphone-muted': by the system
 *   - 'microphone-replaced', 'speaker-replaced': by the default one, until 'microphone-back' or
 *     'speaker-back'
 *   - 'no-output'
 *   - 'sound-blocked', 'sound-interrupted': until 'sound-resumed'. Call resumeSound() when the
 *     person presses something; any press on the page does the same
 *   - 'room-mono': though stereo was asked for
 *   - 'pcm-off': though PCM was asked for
 *   - 'stereo-processed': the browser makes a microphone's sides the same
 *   - 'noise-model': it can't be used, and the browser's noise suppression takes its place
 *   - 'track-unreadable', 'track-too-long', 'track-not-sent': of a backing track
 *   - 'track-not-heard': pieces of the room's backing track are missing, until it is settled
 *   - 'e2e-key': others have another key
 * @property {{ code: string }} settled  the notice of this code no longer holds
 * @property {ServerMessages['refused']} refused     the server did not do what was asked
 * @property {ServerMessages['moderated']} moderated
 *   a moderator has done something to this participant
 * @property {CaptionFields} caption
 *   words of a speaker, if this participant wants captions
 */

/**
 * One call in a room, for the page: the microphone, the output device, and this end of the port to
 * the worker. Network and codecs run there and in worklets, so that what the page does can't be
 * heard.
 *
 *     const call = new Call({ join: { room: 'tea', name: 'Ada' } });
 *     call.store.subscribe(['state'], ({ state }) => show(state));
 *     await call.join();
 */
export class Call extends EventTarget {
  /**
   * The call as it is now. Its state is 'joined' once there is sound. After 'ended' the call is
   * over: make a new one to join again.
   * @type {Store<CallView>}
   */
  store = new Store(NO_CALL);
  #options;
  #support = findSupport();
  /** @type {CallWorker | null} */
  #worker = null;
  #sound;
  #onPageHide = () => void this.leave();
  #endWatch = () => {};
  /** @type {AudioFormat | null} */
  #format = null;
  /** @type {Promise<void> | null} */
  #joining = null;
  /** @type {(() => void) | null} */
  #settleJoin = null;
  /**
   * Resolves with the place of an offered track; '' if there is none.
   * @type {((id: string) => void) | null}
   */
  #placed = null;

  /** @param {CallOptions} options */
  constructor(options) {
    super();
    this.#options = { origin: location.origin, ...options, join: { ...options.join } };
    this.#sound = new CallSound(this.#support, this.#options, {
      notice: (code) => this.#emit('notice', { code }),
      settled: (code) => this.#emit('settled', { code }),
    });
    this.store.subscribe(['session', 'node', 'metronome', 'track'], (now, before) => {
      this.#sound.pieces.origin = now.node || this.#options.origin;
      // A server that was restarted has another clock.
      if (now.session !== before.session) this.#sound.followClock(null);
      if (now.metronome !== before.metronome) this.#sound.beat(now.metronome.beat);
      if (now.track !== before.track) this.#sound.track(now.track.track);
      if (now.session !== before.session) this.#placed?.('');
    });
  }

  /** The parts of a call that this browser allows. */
  static support() {
    return findSupport();
  }

  get state() {
    return this.store.value.state;
  }

  /**
   * Node that all sound of the call passes through; null before 'joined'.
   * @type {AudioNode | null}
   */
  get output() {
    return this.#sound.output;
  }

  /**
   * The microphone's track; null without one.
   * @type {MediaStreamTrack | null}
   */
  get microphoneTrack() {
    return this.#sound.microphoneTrack;
  }

  /** True when others can hear this person: not in the audience. */
  get hasMicrophone() {
    return this.#sound.hasMicrophone;
  }

  /** Token with which another call resumes this place in the room; '' before 'joined'. */
  get resume() {
    return this.store.value.joined?.resume ?? '';
  }

  /**
   * Options with which this person's shared sound joins, once the call has.
   * @param {string} name  for everybody
   * @returns {ClientOptions}
   */
  sharingAs(name) {
    const { origin, transport, e2eKey, join } = this.#options;
    const { room, e2e } = join;
    return { origin, transport, e2eKey, join: { room, e2e, name, owner: this.resume } };
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
    if (this.state !== 'ended') this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /**
   * Joins the room once. Call it from a press, because browsers start sound only then.
   * @returns {Promise<void>} the same each time, which never rejects: once settled, the state is
   *   'joined' or 'ended'
   */
  join() {
    return (this.#joining ??= this.#join());
  }

  async #join() {
    if (this.state !== 'idle') return;
    addEventListener('pagehide', this.#onPageHide);
    this.#endWatch = onNetworkChange(() => this.#wake());
    this.store.set({ state: 'connecting' });
    if (!this.#support.audio) {
      this.#fail('no-audio');
      return;
    }
    await this.#sound.open();
    if (this.state === /** @type {string} */ ('ended')) return;
    await new Promise((resolve) => {
      this.#settleJoin = () => resolve(undefined);
      this.#startWorker();
    });
  }

  #startWorker() {
    this.#worker = new CallWorker(
      {
        changed: (changes) => this.#follow(changes),
        refused: (message) => {
          if (message.of === 'track') this.#placed?.('');
          this.#emit('refused', message);
        },
        moderated: (message) => this.#emit('moderated', message),
        caption: ({ caption }) => this.#emit('caption', caption),
        'track-place': ({ id }) => this.#placed?.(String(id)),
        notice: ({ code }) => this.#noticed(code),
        frame: ({ samples }) => this.#sound.play(samples),
      },
      (code, message) => this.#fail(code, message),
    );
    this.#worker.send('join', this.#options);
  }

  /** @param {string} code  of the worker's notice */
  #noticed(code) {
    if (code === 'noise-model') {
      // The browser's own takes its place.
      Object.assign(this.#options, { noiseModel: false, noiseSuppression: true });
      void this.#sound.reopenMicrophone();
    }
    this.#emit('notice', { code });
  }

  /** @param {Partial<CallView>} changes of the worker's store */
  #follow({ state, away = null, end, joined, stats, ...room }) {
    if (this.state === 'ended') return;
    if (end) return this.#fail(end.code, end.message);
    if (stats) this.#complete(stats);
    this.store.set({ ...room, ...(stats && { stats }), ...(joined && { joined }) });
    if (joined) void this.#joined(joined);
    // Until there is sound the call is still joining.
    const hasJoined = this.state === 'joined' || this.state === 'away';
    if (hasJoined && (state === 'joined' || state === 'away')) this.store.set({ state, away });
  }

  /** @param {ClientStats} stats completed with figures that only the page has */
  #complete(stats) {
    stats.clock.atMs -= performance.timeOrigin;
    const delays = this.#sound.deviceDelays;
    addDevices(stats, delays);
    // The worker tells the server, for people who hear this microphone.
    this.#worker?.send('change', { microphoneMs: delays.microphoneMs });
    this.#sound.followClock(stats.clock);
  }

  /**
   * Starts sound for the first time, or again: then it goes on, unless the format has changed.
   * @param {Joined} joined
   */
  async #joined({ format, isLossless }) {
    const isSame = this.#format !== null && JSON.stringify(format) === JSON.stringify(this.#format);
    this.#format = format;
    if (isSame) return;
    if (format.channels < (this.#options.join.channels ?? 1))
      this.#emit('notice', { code: 'room-mono' });
    if (this.#options.join.pcm && !isLossless) this.#emit('notice', { code: 'pcm-off' });
    try {
      await this.#sound.start(/** @type {CallWorker} */ (this.#worker), format);
    } catch (error) {
      this.#fail('no-sound', /** @type {Error} */ (error).message);
    }
    if (this.state === 'ended') return;
    this.store.set({ state: 'joined', away: null });
    this.#settleJoin?.();
    await this.resumeSound();
  }

  /** Joins without waiting for the microphone any longer; it is used as soon as it is there. */
  listenFirst() {
    this.#sound.listenFirst();
  }

  /** Tries to reconnect at once, without waiting for the next attempt. */
  retry() {
    this.#wake();
  }

  #wake() {
    this.#worker?.send('wake', null);
    this.#sound.wake();
  }

  /**
   * Switches to another microphone.
   * @param {string | null} deviceId '' the default one; null: listen only from now on
   * @returns {Promise<boolean>} false when it can't be used: the previous one stays
   */
  setMicrophone(deviceId) {
    return this.#sound.setMicrophone(deviceId);
  }

  /**
   * Plays the call on another speaker.
   * @param {string} deviceId '' for the default one
   * @returns {Promise<boolean>} false when it can't be used: the previous one stays
   */
  setSpeaker(deviceId) {
    return this.#sound.setSpeaker(deviceId);
  }

  /**
   * Sets the processing of the microphone's sound, and reopens the microphone for it.
   * @param {Pick<CallOptions, 'echoCancellation' | 'noiseSuppression' | 'autoGainControl' |
   *   'noiseModel' | 'inputs'>} processing
   */
  setProcessing(processing) {
    Object.assign(this.#options, processing);
    return this.#sound.reopenMicrophone();
  }

  /**
   * @param {ClientMessage} message for the server
   * @returns {boolean} false without a connection: the message is not sent
   */
  sendControl(message) {
    if (this.state !== 'joined' || !this.#worker) return false;
    this.#worker.send('control', message);
    return true;
  }

  /**
   * @param {boolean} suppresses true leaves silence out if the server allows it; false is for music
   */
  suppressSilence(suppresses) {
    this.#change({ silenceSuppression: suppresses });
  }

  /**
   * Sets how near this person is to the speakers, while they only listen.
   * @param {Nearness} nearness
   */
  setNearness(nearness) {
    this.#change({ nearness });
  }

  /** @param {boolean} muted true when others don't hear this person */
  mute(muted) {
    this.#change({ muted });
  }

  /** @param {LiveOptions} changes  of the options */
  #change(changes) {
    const { nearness, ...others } = changes;
    Object.assign(this.#options, others);
    if (nearness) this.#options.join.nearness = nearness;
    this.#worker?.send('change', changes);
  }

  /** @param {boolean} heard true, the default, when this person hears the room's metronome */
  setMetronomeHeard(heard) {
    this.#sound.setBeatHeard(heard);
  }

  /**
   * Offers a backing track to the room, in place of the present one.
   * @param {Blob} file  sound, in a format that the browser reads
   * @param {string} name
   * @param {(share: number) => void} [progress]  of sending, 0 to 1
   * @returns {Promise<boolean>} false when it failed: a notice, or `refused`, gives the reason
   */
  async offerTrack(file, name, progress = () => {}) {
    try {
      const sound = await readTrack(file);
      this.#placed?.('');
      const place = new Promise((resolve) => (this.#placed = resolve));
      if (!this.sendControl({ type: 'track', action: 'offer', name, seconds: sound.duration }))
        throw new Error('no connection');
      const id = await place;
      if (id === '') return false;
      await this.#sound.pieces.send(id, sound, progress);
      return true;
    } catch (error) {
      this.#emit('notice', {
        code: /** @type {{ code?: string }} */ (error).code ?? 'track-not-sent',
      });
      return false;
    }
  }

  /**
   * @param {number} level factor of amplitude of the room's backing track for this person; 0:
   *   silent
   */
  setTrackLevel(level) {
    this.#sound.setTrackLevel(level);
  }

  /**
   * Sends for parts that are loaded later.
   * @type {CallWorker['send']}
   */
  toWorker(type, detail, transfer) {
    this.#worker?.send(type, detail, transfer);
  }

  /** Starts sound that the browser holds back; call it from a press. */
  resumeSound() {
    return this.#sound.resume();
  }

  /** Leaves the room. Idempotent. */
  async leave() {
    if (this.state === 'ended') return;
    // A worker doesn't outlive its page, but a beacon does.
    const leaveUrl = this.store.value.joined?.leaveUrl;
    if (leaveUrl) navigator.sendBeacon(leaveUrl);
    await this.#end('left');
  }

  /**
   * Leaves the room for now: the place is kept for a while, for another call with `resume`.
   * Idempotent.
   */
  async rest() {
    if (this.state !== 'ended') await this.#end('left', '', true);
  }

  /**
   * @param {string} code
   * @param {string} [message] for diagnosis
   */
  #fail(code, message) {
    if (this.state !== 'ended') void this.#end(code, message);
  }

  /**
   * @param {string} code
   * @param {string} [message]
   * @param {boolean} [keepsPlace]
   */
  async #end(code, message = '', keepsPlace = false) {
    const worker = this.#worker;
    this.#worker = null;
    this.store.set({ state: 'ended', away: null, end: { code, message } });
    removeEventListener('pagehide', this.#onPageHide);
    this.#endWatch();
    void this.#sound.close();
    this.#settleJoin?.();
    this.#placed?.('');
    // One failed call must not delay the others.
    await worker?.leave(keepsPlace);
  }
}
