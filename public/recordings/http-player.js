/**
 * What plays a recording.
 * @typedef {object} Player
 * @property {boolean} playing    whether it plays, or would but for waiting
 * @property {boolean} waiting    whether sound that should play hasn't come
 * @property {number} seconds     where it is
 * @property {string} via         a sentence about how the sound comes
 * @property {() => Promise<void>} play  rejects where the browser doesn't let it
 * @property {() => void} pause
 * @property {(seconds: number) => void} seek  within the recording
 * @property {(speed: number) => void} setSpeed  0.5 to 2; the pitch is kept
 * @property {(seconds: number) => void} grown  the recording is so long by now
 * @property {() => void} close  idempotent
 *
 * @typedef {{ changed: () => void, failed: (error: unknown) => void }} PlayerEvents
 */

import { recordingPageTexts as texts } from './texts.js';

/** How close to the end of what the element has loaded a moment counts as beyond it, in seconds. */
const END_SECONDS = 0.3;

/**
 * Plays a recording over HTTP by the browser's own player, which fetches it by ranges.
 * @implements {Player}
 */
export class HttpPlayer {
  #audio = new Audio();
  #url;
  #seconds;
  /** Where it goes as soon as it knows the file. @type {number | null} */
  #pending = null;
  #loads = 0;
  #events;
  via = texts.overHttp;

  /**
   * @param {string} url      of the recording
   * @param {number} seconds  its length by now
   * @param {PlayerEvents} events
   */
  constructor(url, seconds, events) {
    this.#url = url;
    this.#seconds = seconds;
    this.#events = events;
    const audio = this.#audio;
    audio.preload = 'metadata';
    audio.preservesPitch = true;
    for (const type of ['play', 'pause', 'waiting', 'playing', 'seeked', 'ratechange'])
      audio.addEventListener(type, () => events.changed());
    audio.addEventListener('loadedmetadata', () => this.#arrived());
    audio.addEventListener('ended', () => this.#ended());
    audio.addEventListener('error', () => events.failed(audio.error));
    this.#load();
  }

  /** Whether the browser can play a recording so. */
  static get playable() {
    return fileFor(new Audio()) !== null;
  }

  /** Loads the file, as long as it is by now. */
  #load() {
    const { playbackRate } = this.#audio;
    this.#audio.src = `${this.#url}/${fileFor(this.#audio)}?${this.#loads++}`;
    // A new source is played at the default rate.
    this.#audio.defaultPlaybackRate = playbackRate;
  }

  #arrived() {
    if (this.#pending === null) return;
    this.#audio.currentTime = this.#pending;
    this.#pending = null;
  }

  #ended() {
    if (this.#seconds > this.#audio.duration + 1) {
      this.#pending = this.#audio.duration;
      this.#load();
      void this.#audio.play();
    }
    this.#events.changed();
  }

  get playing() {
    return !this.#audio.paused && !this.#audio.ended;
  }

  get waiting() {
    return this.playing && this.#audio.readyState < this.#audio.HAVE_FUTURE_DATA;
  }

  get seconds() {
    return this.#pending ?? this.#audio.currentTime;
  }

  async play() {
    if (this.#audio.error) {
      this.#pending = this.seconds;
      this.#load();
    }
    await this.#audio.play();
  }

  pause() {
    this.#audio.pause();
  }

  /** @param {number} seconds */
  seek(seconds) {
    const { duration, readyState, HAVE_METADATA } = this.#audio;
    const isBeyond = seconds > duration - END_SECONDS && this.#seconds > duration + END_SECONDS;
    const { playing } = this;
    if (readyState >= HAVE_METADATA && !isBeyond) this.#audio.currentTime = seconds;
    else this.#pending = seconds;
    if (isBeyond) this.#load();
    if (isBeyond && playing) void this.#audio.play();
    this.#events.changed();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#audio.playbackRate = speed;
  }

  /** @param {number} seconds */
  grown(seconds) {
    this.#seconds = seconds;
  }

  close() {
    this.#audio.pause();
    this.#audio.removeAttribute('src');
    this.#audio.load();
  }
}

/**
 * @param {HTMLAudioElement} audio
 * @returns {string | null} the file that the browser plays; null where it plays neither
 */
function fileFor(audio) {
  if (audio.canPlayType('audio/ogg; codecs=opus') !== '') return 'mix.opus';
  return audio.canPlayType('audio/webm; codecs=opus') === '' ? null : 'mix.webm';
}
