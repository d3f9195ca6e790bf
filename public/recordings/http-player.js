/**
 * A player of a recording.
 * @typedef {object} Player
 * @property {boolean} playing    true when it plays, or waits for sound to play
 * @property {boolean} waiting    true when it lacks the sound to play
 * @property {number} seconds     current position
 * @property {string} via         a sentence about the sound's transport
 * @property {() => Promise<void>} play  rejects when the browser forbids it
 * @property {() => void} pause
 * @property {(seconds: number) => void} seek  within the recording
 * @property {(speed: number) => void} setSpeed  0.5 to 2; the pitch is kept
 * @property {(seconds: number) => void} grown  tells the recording's new length
 * @property {() => void} close  idempotent
 *
 * @typedef {{ changed: () => void, failed: (error: unknown) => void }} PlayerEvents
 */

import { recordingPageTexts as texts } from '../texts/pages.js';

/** Distance from the end of the loaded sound at which a moment counts as beyond it, in seconds. */
const END_SECONDS = 0.3;

/**
 * Plays a recording over HTTP by the browser's own player, which fetches ranges.
 * @implements {Player}
 */
export class HttpPlayer {
  #audio = new Audio();
  #url;
  #seconds;
  /** Position to go to once the file is known. @type {number | null} */
  #pending = null;
  #loads = 0;
  #events;
  via = texts.overHttp;

  /**
   * @param {string} url of the recording
   * @param {number} seconds its present length
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

  /** True when the browser can play a recording over HTTP. */
  static get playable() {
    return fileFor(new Audio()) !== null;
  }

  /** Loads the present length of the file. */
  #load() {
    const { playbackRate } = this.#audio;
    this.#audio.src = `${this.#url}/${fileFor(this.#audio)}?${this.#loads++}`;
    // A new source starts at the default rate.
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
      this.#goOn();
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
    try {
      await this.#audio.play();
    } catch (error) {
      // Pause was pressed, or another position loads the file again, before it was there.
      if (/** @type {Error} */ (error).name !== 'AbortError') throw error;
    }
  }

  #goOn() {
    this.play().catch(this.#events.failed);
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
    if (isBeyond && playing) this.#goOn();
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
 * @returns {string | null} a file that the browser can play; null for none
 */
function fileFor(audio) {
  if (audio.canPlayType('audio/ogg; codecs=opus') !== '') return 'mix.opus';
  return audio.canPlayType('audio/webm; codecs=opus') === '' ? null : 'mix.webm';
}
