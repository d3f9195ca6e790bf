/** @import { Clock } from '../../shared/clock.js' */

import { systemClock } from '../../shared/clock.js';

/**
 * @typedef {object} CallMicrophoneOptions
 * @property {() => Omit<MicrophoneOptions, 'deviceId'>} processing the browser's processing of the
 *   sound
 * @property {(stream: MediaStream) => Promise<void>} capture captures its sound for the call; may
 *   reject
 * @property {() => void} release                                 called when no microphone is left
 * @property {(code: string) => void} notice                      reports an event
 * @property {(code: string) => void} settle ends the notice of this code
 * @property {MediaDevices} [devices]
 * @property {Clock} [clock]
 */

/** Lifetime below which a microphone is reopened only after the same time, in milliseconds. */
const BRIEF_MS = 2000;

const REFUSED = 'microphone-refused';

/** Outcome of an opening during which another microphone was asked for. */
const OVERTAKEN = 'overtaken';

/**
 * The microphone of a call. If the chosen device disappears, the default one replaces it until it
 * returns. Without any microphone, the first to appear is opened.
 */
export class CallMicrophone {
  /** Id of the chosen device; '' for the default one; null to listen only. @type {string | null} */
  chosen = null;
  /** @type {MediaStream | null} */
  stream = null;
  /** True when the call captures its sound. */
  captured = false;
  /** Device id that the stream was opened with. */
  #opened = '';
  #openedMs = 0;
  #turn = 0;
  #taking = 0;
  #mustCheckAgain = false;
  /** @type {unknown} */
  #timer = null;
  #closed = false;
  #reopened = Promise.resolve();
  /** @type {Set<string>} notices that may still be shown */
  #noticed = new Set();
  #options;
  #devices;
  #clock;
  #onDevices = () => void this.#checkDevices();

  /** @param {CallMicrophoneOptions} options */
  constructor(options) {
    this.#options = options;
    this.#devices = options.devices ?? globalThis.navigator?.mediaDevices;
    this.#clock = options.clock ?? systemClock;
    this.#devices?.addEventListener?.('devicechange', this.#onDevices);
  }

  /** Opens the chosen microphone, or the default one. @param {string | null} deviceId */
  async open(deviceId) {
    this.chosen = deviceId;
    this.#tell(await this.#open());
  }

  /** @returns {Promise<string>} '' when it is the chosen one, a notice's code, or OVERTAKEN */
  async #open() {
    const { chosen } = this;
    if (chosen === null) return '';
    const problem = await this.#take(chosen);
    if (problem === '' || problem === OVERTAKEN || problem === REFUSED || chosen === '')
      return problem;
    const another = await this.#take('');
    if (another === OVERTAKEN) return another;
    return another === '' ? 'microphone-replaced' : problem;
  }

  /**
   * Switches to another microphone; if it can't be used, the previous one stays.
   * @param {string | null} deviceId '' the default one; null: listen only from now on
   * @returns {Promise<boolean>} true when it is used
   */
  async choose(deviceId) {
    this.#settleAll();
    if (deviceId === null) {
      this.#turn += 1;
      this.chosen = null;
      this.#drop();
      return true;
    }
    const problem = await this.#take(deviceId);
    if (problem === OVERTAKEN) return false;
    // A reopening that this choice overtook has stopped the previous one.
    if (problem !== '' && this.#hasEnded) this.#drop();
    if (problem === '' || this.stream === null) this.chosen = deviceId;
    this.#tell(problem);
    return problem === '';
  }

  /**
   * Reopens the microphone after a change of the wanted processing. Several reopenings follow each
   * other.
   */
  reopen() {
    this.#reopened = this.#reopened.then(() => this.#reopen());
    return this.#reopened;
  }

  async #reopen() {
    if (!this.stream || this.#closed) return;
    // While a device is open, Chromium gives further streams the processing of the first.
    stopMicrophone(this.stream);
    const problem = await this.#take(this.#opened);
    if (problem === OVERTAKEN) return;
    if (problem !== '') this.#drop();
    this.#tell(problem === '' && this.#opened !== this.chosen ? 'microphone-replaced' : problem);
  }

  /** Starts capturing the open microphone, once the call accepts its sound. */
  async connect() {
    if (this.stream && !this.#closed) this.#tell(await this.#capture(this.stream));
  }

  /** @param {MediaStream} stream @returns {Promise<string>} as #take */
  async #capture(stream) {
    try {
      await this.#options.capture(stream);
      if (this.stream !== stream) return OVERTAKEN;
      this.captured = true;
      return '';
    } catch (error) {
      if (this.stream !== stream) return OVERTAKEN;
      this.#drop();
      return microphoneProblem(error);
    }
  }

  /**
   * @param {string} deviceId
   * @returns {Promise<string>} '' when it is open, the problem's code, OVERTAKEN when another was
   *   asked for in the meantime
   */
  async #take(deviceId) {
    const turn = ++this.#turn;
    this.#taking += 1;
    try {
      const stream = await openMicrophone(
        { ...this.#options.processing(), deviceId },
        this.#devices,
      );
      if (turn === this.#turn && !this.#closed) return await this.#adopt(stream, deviceId);
      stopMicrophone(stream);
      return OVERTAKEN;
    } catch (error) {
      return turn === this.#turn && !this.#closed ? microphoneProblem(error) : OVERTAKEN;
    } finally {
      this.#taking -= 1;
      if (this.#taking === 0 && this.#mustCheckAgain) void this.#checkDevices();
    }
  }

  /** @param {MediaStream} stream @param {string} deviceId */
  #adopt(stream, deviceId) {
    stopMicrophone(this.stream);
    this.stream = stream;
    this.#opened = deviceId;
    this.#openedMs = this.#clock.now();
    this.#settleAll();
    for (const track of stream.getAudioTracks()) {
      track.onended = () => this.#lost();
      track.onmute = () => this.#tell('microphone-muted');
      track.onunmute = () => this.#settle('microphone-muted');
      if (track.muted) this.#tell('microphone-muted');
    }
    return this.#capture(stream);
  }

  /** Handles the end of the open microphone. */
  #lost() {
    const isBrief = this.#clock.now() - this.#openedMs < BRIEF_MS;
    this.#drop();
    this.#settleAll();
    if (!isBrief) return void this.#recover();
    this.#tell('microphone-ended');
    this.#timer = this.#clock.setTimeout(() => void this.#recover(), BRIEF_MS);
  }

  async #recover() {
    if (this.stream || this.#taking > 0 || this.#closed) return;
    const code = await this.#open();
    if (this.chosen !== null)
      this.#tell(
        code === '' ? 'microphone-back' : code === 'no-microphone' ? 'microphone-ended' : code,
      );
  }

  /** Handles a change of devices. */
  async #checkDevices() {
    this.#mustCheckAgain = this.#taking > 0;
    if (this.#mustCheckAgain || this.chosen === null || this.#closed) return;
    const ids = (await listMicrophones(this.#devices)).map(({ deviceId }) => deviceId);
    if (this.#taking > 0 || this.chosen === null || this.#closed) return;
    if (!this.stream) {
      // A person who refused is asked again when they choose a microphone.
      if (ids.length > 0 && !this.#noticed.has(REFUSED)) await this.#recover();
    } else if (this.#opened !== this.chosen && ids.includes(this.chosen)) {
      if ((await this.#take(this.chosen)) === '') this.#tell('microphone-back');
    } else if (this.#isGone(ids)) {
      this.#lost();
    }
  }

  get #hasEnded() {
    return this.stream?.getAudioTracks()[0]?.readyState === 'ended';
  }

  /** @param {string[]} ids of the present devices; '' before the browser's permission */
  #isGone(ids) {
    const id = this.stream?.getAudioTracks()[0]?.getSettings?.().deviceId;
    return this.#hasEnded || (Boolean(id) && !ids.includes('') && !ids.includes(String(id)));
  }

  #drop() {
    stopMicrophone(this.stream);
    this.stream = null;
    this.captured = false;
    this.#options.release();
  }

  /** @param {string} code a notice's; '' and OVERTAKEN show nothing */
  #tell(code) {
    if (this.#closed || code === '' || code === OVERTAKEN) return;
    this.#noticed.add(code);
    this.#options.notice(code);
  }

  /** @param {string} code */
  #settle(code) {
    if (this.#noticed.delete(code)) this.#options.settle(code);
  }

  #settleAll() {
    for (const code of [...this.#noticed]) this.#settle(code);
  }

  /** Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#devices?.removeEventListener?.('devicechange', this.#onDevices);
    this.#drop();
  }
}

/**
 * Opens a microphone; each problem has a code.
 *
 * @typedef {object} MicrophoneOptions
 * @property {string} [deviceId]            '' or absent: the default one
 * @property {boolean} [echoCancellation]   default true
 * @property {boolean} [noiseSuppression]   default true
 * @property {boolean} [autoGainControl]    default true
 * @property {1 | 2} [channels]             default 1
 */

/** @type {Readonly<Record<string, string>>} by the names of Media Capture and Streams, 10.2 */
const codes = Object.freeze({
  NotAllowedError: 'microphone-refused',
  SecurityError: 'microphone-refused',
  NotFoundError: 'no-microphone',
  OverconstrainedError: 'no-microphone',
});

/**
 * @param {unknown} error thrown by getUserMedia or the audio context
 * @returns {string} code of the sentence that tells what to do
 */
export function microphoneProblem(error) {
  return codes[/** @type {{ name?: string } | null} */ (error)?.name ?? ''] ?? 'microphone-busy';
}

/**
 * Asks for a microphone. An unprocessed mono one is opened a second time if that gives its sound
 * sooner.
 * @param {MicrophoneOptions} options
 * @param {MediaDevices} [devices]
 * @returns {Promise<MediaStream>} rejects as getUserMedia does
 */
export async function openMicrophone(options, devices = navigator.mediaDevices) {
  const {
    deviceId,
    echoCancellation = true,
    noiseSuppression = true,
    autoGainControl = true,
    channels = 1,
  } = options;
  const isProcessed = echoCancellation || noiseSuppression || autoGainControl;
  const audio = {
    ...(deviceId ? { deviceId: { exact: deviceId } } : {}),
    channelCount: { ideal: channels },
    echoCancellation,
    noiseSuppression,
    autoGainControl,
    // Voice processing works in pieces of 10 ms; without it some devices have shorter ones.
    ...(isProcessed ? {} : { latency: { ideal: 0 } }),
  };
  const stream = await devices.getUserMedia({ audio });
  if (isProcessed || channels === 2 || !isSlow(stream)) return stream;
  return (await openQuick(stream, audio, devices)) ?? stream;
}

/** Length of the pieces in which Chromium processes a voice, in seconds. */
const PROCESSED_SECONDS = 0.01;

/**
 * Chromium's name for echo cancellation of calls over RTCPeerConnection only, of which our pages
 * have none. Sound passes unprocessed (within 0.5 dB, in mono), but in pieces of 10 ms.
 * docs/browsers.md has the figures.
 */
const REMOTE_ONLY = 'remote-only';

/**
 * @param {MediaStream} stream @returns {MediaTrackCapabilities & { latency?: { max: number } }}
 *   with members that not all browsers have
 */
const capabilitiesOf = (stream) => stream.getAudioTracks()[0]?.getCapabilities?.() ?? {};

/** @param {MediaStream} stream @returns {MediaTrackSettings & { latency?: number }} */
const settingsOf = (stream) => stream.getAudioTracks()[0]?.getSettings?.() ?? {};

/** @param {MediaStream} stream */
const knowsRemoteOnly = (stream) =>
  Boolean(capabilitiesOf(stream).echoCancellation?.includes?.(REMOTE_ONLY));

/**
 * True when an unprocessed microphone has longer pieces of sound than a processed one.
 * @param {MediaStream} stream
 */
const isSlow = (stream) =>
  (settingsOf(stream).latency ?? 0) > PROCESSED_SECONDS && knowsRemoteOnly(stream);

/**
 * @param {MediaStream} slow stopped when another replaces it
 * @param {MediaTrackConstraints} audio constraints that it was opened with
 * @param {MediaDevices} devices
 * @returns {Promise<MediaStream | null>} null when no other is sooner
 */
async function openQuick(slow, audio, devices) {
  const { deviceId, latency = 0 } = settingsOf(slow);
  const again = /** @type {MediaTrackConstraints} */ ({
    ...audio,
    ...(deviceId && { deviceId: { exact: deviceId } }),
    echoCancellation: REMOTE_ONLY,
  });
  try {
    const quick = await devices.getUserMedia({ audio: again });
    const isQuicker = (settingsOf(quick).latency ?? Infinity) < latency;
    stopMicrophone(isQuicker ? slow : quick);
    return isQuicker ? quick : null;
  } catch {
    // Browsers that open no second stream keep the first.
    return null;
  }
}

/**
 * True when a microphone's two sides are equal because the browser processes them. Chromium does,
 * and only Chromium knows REMOTE_ONLY; Firefox keeps the sides apart.
 * @param {MediaStream} stream
 */
export function mixesSides(stream) {
  const { echoCancellation, noiseSuppression, autoGainControl } = settingsOf(stream);
  return (
    knowsRemoteOnly(stream) && Boolean(echoCancellation || noiseSuppression || autoGainControl)
  );
}

/** Maximum number of pieces of 10 ms that wait for a late worker. */
const MOST_PIECES = 100;

/**
 * @typedef {{ MediaStreamTrackProcessor?: new (options: { track: MediaStreamTrack, maxBufferSize:
 *   number }) => { readable: unknown } }} TrackScope
 *
 * @param {MediaStream} stream
 * @param {number} mostRate Hz; higher rates are left to the audio context
 * @param {TrackScope} [scope] the window, or a test's substitute
 * @returns {boolean} true when soundOf() works
 */
export function canReadTrack(stream, mostRate, scope = /** @type {TrackScope} */ (globalThis)) {
  const [track] = stream.getAudioTracks();
  const rate = track?.getSettings().sampleRate ?? Infinity;
  return Boolean(scope.MediaStreamTrackProcessor) && rate <= mostRate;
}

/**
 * Opens a microphone's sound without an audio context, whose blocks and device would delay it. Only
 * some browsers can (MediaStreamTrackProcessor in Chromium).
 * @param {MediaStream} stream for which canReadTrack() is true
 * @param {TrackScope} [scope] the window, or a test's substitute
 * @returns {ReadableStream<AudioData>}
 */
export function soundOf(stream, scope = /** @type {TrackScope} */ (globalThis)) {
  const [track] = stream.getAudioTracks();
  const { MediaStreamTrackProcessor } = /** @type {Required<TrackScope>} */ (scope);
  const { readable } = new MediaStreamTrackProcessor({ track, maxBufferSize: MOST_PIECES });
  return /** @type {ReadableStream<AudioData>} */ (readable);
}

/** Switches the microphone off. @param {MediaStream | null} stream */
export function stopMicrophone(stream) {
  for (const track of stream?.getTracks() ?? []) {
    track.onended = track.onmute = track.onunmute = null;
    track.stop();
  }
}

/**
 * Lists the microphones. Before the browser's permission they have neither id nor label.
 * @param {MediaDevices} [devices]
 * @returns {Promise<{ deviceId: string, label: string }[]>} empty when the browser lists none
 */
export async function listMicrophones(devices = globalThis.navigator?.mediaDevices) {
  try {
    const all = await devices.enumerateDevices();
    return all
      .filter(({ kind }) => kind === 'audioinput')
      .map(({ deviceId, label }) => ({ deviceId, label }));
  } catch {
    return [];
  }
}
