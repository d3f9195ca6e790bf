import { CallMicrophone, mixesSides } from '../capture/microphone.js';
import { systemClock } from '../../shared/clock.js';
import { MetronomePlayer } from '../playout/metronome.js';
import { OutputDevice } from '../playout/output-device.js';
import { TrackPlayer } from '../track/track-player.js';
import { TrackPieces } from '../track/track-sound.js';
import { deviceDelaysOf } from './device-delays.js';
import { RunningContext, SoundGraph } from './sound-graph.js';

/**
 * @import { CallOptions, DeviceOptions } from './types.js'
 * @import { Support } from '../connection/support.js'
 * @import { Beat } from '../playout/metronome.js'
 * @import { Track } from '../track/track-player.js'
 * @import { CallWorker } from './call-port.js'
 *
 * @typedef {object} CallSoundEvents
 * @property {(code: string) => void} notice   something happened
 * @property {(code: string) => void} settled  the notice of this code no longer holds
 */

/**
 * Time after which the page asks the person to look why there is no microphone yet, in
 * milliseconds.
 */
const SLOW_MS = 2000;

/** A call's microphone, output device and audio context, with recovery from their failures. */
export class CallSound {
  #support;
  #options;
  #on;
  #microphone;
  #speaker;
  /** @type {SoundGraph | null} */
  #graph = null;
  /** @type {RunningContext | null} */
  #running = null;
  #listenFirst = () => {};
  /** @type {MetronomePlayer | null} */
  #metronome = null;
  /** @type {Beat | null} */
  #beat = null;
  #hearsBeat = true;
  /** @type {TrackPlayer | null} */
  #trackPlayer = null;
  /** @type {Track | null} */
  #track = null;
  #trackLevel = 1;
  #closed = false;
  /** Pieces of the room's backing track. */
  pieces = new TrackPieces();

  /**
   * @param {Support} support
   * @param {DeviceOptions & Pick<CallOptions, 'join'>} options  read again when it changes
   * @param {CallSoundEvents} on
   */
  constructor(support, options, on) {
    this.#support = support;
    this.#options = options;
    this.#on = on;
    const tell = { notice: on.notice, settle: on.settled };
    this.#speaker = new OutputDevice(tell);
    this.#microphone = new CallMicrophone({
      ...tell,
      processing: () => this.#processing(),
      capture: (stream) => this.#capture(stream),
      release: () => this.#graph?.stopCapture(),
    });
  }

  /** @param {MediaStream} stream */
  async #capture(stream) {
    if (!this.#graph) return;
    const { noiseModel, inputs, join } = this.#options;
    const split = inputs && stream.getAudioTracks()[0].getSettings().channelCount === 2;
    await this.#graph.startCapture(stream, { noiseModel, split });
    const isMixed = join.channels === 2 && this.#graph.channels === 2 && mixesSides(stream);
    if (isMixed) this.#on.notice('stereo-processed');
    else this.#on.settled('stereo-processed');
  }

  #processing() {
    const {
      processing = true,
      echoCancellation,
      noiseSuppression,
      autoGainControl,
      inputs,
      join,
    } = this.#options;
    if (inputs) return inputs;
    return {
      channels: join.channels,
      echoCancellation: echoCancellation ?? processing,
      noiseSuppression: noiseSuppression ?? processing,
      autoGainControl: autoGainControl ?? processing,
    };
  }

  /**
   * Node that all sound of the call passes through; null before start().
   * @type {AudioNode | null}
   */
  get output() {
    return this.#graph?.output ?? null;
  }

  /** The delays of the microphone and of the output device. */
  get deviceDelays() {
    return deviceDelaysOf(this.#microphone.stream, this.#graph?.context ?? null);
  }

  get microphoneTrack() {
    return this.#microphone.stream?.getAudioTracks()[0] ?? null;
  }

  get hasMicrophone() {
    return this.#graph !== null && this.#microphone.captured;
  }

  /** Asks for the microphone, if one is wanted, and waits for it until listenFirst() is called. */
  async open() {
    await this.#speaker.choose(this.#options.speakerId ?? '');
    const { microphoneId = '' } = this.#options;
    if (this.#closed || this.#lacksMicrophone(microphoneId)) return;
    // A browser's question may stay unanswered for ever.
    const timer = setTimeout(() => this.#on.notice('microphone-slow'), SLOW_MS);
    let waits = true;
    const opened = this.#microphone.open(microphoneId).then(() => {
      clearTimeout(timer);
      this.#on.settled('microphone-slow');
      if (!waits && this.#microphone.captured) this.#on.notice('microphone-back');
    });
    await Promise.race([
      opened,
      new Promise((resolve) => (this.#listenFirst = () => resolve(undefined))),
    ]);
    waits = false;
  }

  /** Stops waiting for the microphone: it is used when it comes. */
  listenFirst() {
    this.#listenFirst();
  }

  /** @param {string | null} deviceId */
  #lacksMicrophone(deviceId) {
    if (this.#support.microphone || deviceId === null) return false;
    this.#on.notice(this.#support.problems[0]);
    return true;
  }

  /**
   * Starts playing and capturing, or restarts both.
   * @param {Pick<CallWorker, 'send'>} worker
   * @param {{ sampleRate: number, channels: number, frameMs: number }} format the room's
   */
  async start(worker, format) {
    this.#running?.close();
    this.#metronome?.close();
    this.#trackPlayer?.close();
    await this.#graph?.close();
    if (this.#closed) return;
    const { sharedArrayBuffer, audioWorklet } = this.#support;
    const graph = new SoundGraph(worker, format, sharedArrayBuffer && audioWorklet);
    this.#graph = graph;
    this.#running = new RunningContext(graph.context, {
      held: (code) => this.#on.notice(code),
      runs: (stopped) => this.#runs(stopped),
    });
    this.#metronome = new MetronomePlayer(graph.output, format.sampleRate, systemClock);
    this.#metronome.setHeard(this.#hearsBeat);
    this.#metronome.play(this.#beat);
    this.#trackPlayer = new TrackPlayer(graph.output, format.sampleRate, systemClock, {
      get: (id, number) => this.pieces.get(id, number),
      failing: (isFailing) => {
        if (isFailing) this.#on.notice('track-not-heard');
        else this.#on.settled('track-not-heard');
      },
    });
    this.#trackPlayer.setLevel(this.#trackLevel);
    this.#trackPlayer.play(this.#track);
    await graph.startPlayback();
    await this.#speaker.play(graph.context);
    await this.#microphone.connect();
  }

  /** @param {boolean} stopped */
  #runs(stopped) {
    for (const code of ['sound-blocked', 'sound-interrupted', 'no-output']) this.#on.settled(code);
    if (stopped) this.#on.notice('sound-resumed');
  }

  /** @param {Beat | null} beat the room's metronome; null when it is off */
  beat(beat) {
    this.#beat = beat;
    this.#metronome?.play(beat);
  }

  /** @param {boolean} heard true when this person hears the metronome */
  setBeatHeard(heard) {
    this.#hearsBeat = heard;
    this.#metronome?.setHeard(heard);
  }

  /** @param {Track | null} track the room's backing track */
  track(track) {
    this.#track = track;
    void this.pieces.keep(track?.id ?? '', track?.seconds ?? 0);
    this.#trackPlayer?.play(track);
  }

  /** @param {number} level factor of amplitude of the backing track; 0: silent */
  setTrackLevel(level) {
    this.#trackLevel = level;
    this.#trackPlayer?.setLevel(level);
  }

  /**
   * @param {{ sample: number, atMs: number } | null} clock the room's sample clock at a time of the
   *   page's clock; null: unknown
   */
  followClock(clock) {
    this.#metronome?.follow(clock);
    this.#trackPlayer?.follow(clock);
  }

  /**
   * Accepts sound that the worker decoded because the player asked for it.
   * @param {Float32Array<ArrayBuffer>} samples
   */
  play(samples) {
    this.#graph?.play(samples);
  }

  /** @param {string | null} deviceId as Call.setMicrophone has it */
  async setMicrophone(deviceId) {
    return !this.#lacksMicrophone(deviceId) && this.#microphone.choose(deviceId);
  }

  reopenMicrophone() {
    return this.#microphone.reopen();
  }

  /** @param {string} deviceId as Call.setSpeaker has it */
  setSpeaker(deviceId) {
    return this.#speaker.choose(deviceId);
  }

  /** Starts sound that the browser holds back. */
  async resume() {
    await this.#running?.resume();
  }

  /** The computer or the page may have come back. */
  wake() {
    if (this.#graph && this.#graph.context.state !== 'running') void this.#running?.resume();
  }

  /** Idempotent. */
  async close() {
    this.#closed = true;
    this.#running?.close();
    this.#listenFirst();
    this.#metronome?.close();
    this.#trackPlayer?.close();
    this.pieces.close();
    this.#microphone.close();
    this.#speaker.close();
    await this.#graph?.close();
  }
}
