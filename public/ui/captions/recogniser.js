/**
 * The browser's speech recognition, with a track and on this device. It needs `start(track)`,
 * `processLocally`, `available()` and `install()` of the Web Speech API, which Chrome and Edge have
 * in 2026. Recognition by a service of the browser's maker is never used.
 *
 * @typedef {ArrayLike<{ transcript: string }> & { isFinal: boolean }} Result
 * @typedef {{ results: ArrayLike<Result>, resultIndex: number }} ResultEvent
 * @typedef {'available' | 'downloadable' | 'downloading' | 'unavailable'} Availability
 * @typedef {{ langs: string[], processLocally: true }} Wish
 *
 * @typedef {object} Recognition
 * @property {string} lang
 * @property {boolean} continuous
 * @property {boolean} interimResults
 * @property {boolean} processLocally
 * @property {((event: ResultEvent) => void) | null} onresult
 * @property {((event: { error: string }) => void) | null} onerror
 * @property {(() => void) | null} onend
 * @property {(track: MediaStreamTrack) => void} start
 * @property {() => void} abort
 *
 * @typedef {{ new (): Recognition, prototype: object, available: (wish: Wish) =>
 *   Promise<Availability>, install: (wish: Wish) => Promise<boolean> }} RecognitionClass
 * @typedef {{ SpeechRecognition?: RecognitionClass, webkitSpeechRecognition?: RecognitionClass }}
 *   RecognitionScope
 */

import { MAX_CAPTION_LENGTH, MAX_CAPTION_SECONDS } from '../../shared/limits.js';

/** Shortest time between two captions that still change, in milliseconds: the server allows one a
 * second. */
const CHANGE_MS = 1500;

/** Time until a recogniser that has ended is started again, in milliseconds. */
const AGAIN_MS = 500;

/** Errors after which another attempt can't help. */
const FINAL_ERRORS = new Set(['not-allowed', 'service-not-allowed', 'language-not-supported']);

const scopeOf = () => /** @type {RecognitionScope} */ (/** @type {unknown} */ (globalThis));

/**
 * @param {RecognitionScope} [scope]
 * @returns {RecognitionClass | null} null where the browser recognises nothing on this device
 */
export function recognitionOf(scope = scopeOf()) {
  const Recognition = scope.SpeechRecognition ?? scope.webkitSpeechRecognition;
  const isLocal = Recognition && 'processLocally' in Recognition.prototype && Recognition.available;
  return isLocal ? Recognition : null;
}

/**
 * Splits text into captions, at spaces if there are any.
 * @param {string} text
 * @returns {string[]}
 */
export function captionsOf(text) {
  const parts = [];
  let rest = [...text.trim()];
  while (rest.length > MAX_CAPTION_LENGTH) {
    const space = rest.lastIndexOf(' ', MAX_CAPTION_LENGTH);
    const length = space > 0 ? space : MAX_CAPTION_LENGTH;
    parts.push(rest.slice(0, length).join('').trim());
    rest = [...rest.slice(length).join('').trim()];
  }
  return rest.length === 0 ? parts : [...parts, rest.join('')];
}

/** Writes what a track says, until it is stopped. */
export class Recogniser {
  #options;
  /** @type {Recognition | null} */
  #recognition = null;
  #isStopped = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Beginning of the present speech, and time of its last changing caption. */
  #sinceMs = NaN;
  #changedMs = -Infinity;

  /**
   * @param {object} options
   * @param {RecognitionClass} options.Recognition
   * @param {string} options.lang
   * @param {() => MediaStreamTrack | null} options.track  read at each start
   * @param {(text: string, final: boolean, seconds: number) => void} options.said
   * @param {() => void} options.failed  called once, when the browser has given up
   */
  constructor(options) {
    this.#options = options;
    this.#start();
  }

  #start() {
    const { Recognition, lang, track } = this.#options;
    const source = track();
    if (this.#isStopped || source === null || source.readyState !== 'live') return this.#again();
    const recognition = new Recognition();
    Object.assign(recognition, {
      lang,
      continuous: true,
      interimResults: true,
      processLocally: true,
    });
    recognition.onresult = (event) => this.#heard(event);
    recognition.onerror = ({ error }) => {
      if (FINAL_ERRORS.has(error)) this.#fail();
    };
    recognition.onend = () => this.#again();
    this.#recognition = recognition;
    try {
      recognition.start(source);
    } catch {
      this.#fail();
    }
  }

  /** Starts again: browsers end a recogniser after some time, or with its track. */
  #again() {
    this.#recognition = null;
    this.#sinceMs = NaN;
    if (!this.#isStopped) this.#timer = setTimeout(() => this.#start(), AGAIN_MS);
  }

  /** @param {ResultEvent} event */
  #heard({ results, resultIndex }) {
    const nowMs = performance.now();
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = nowMs;
    let unfinished = '';
    for (let i = resultIndex; i < results.length; i++) {
      const { transcript } = results[i][0];
      if (results[i].isFinal) this.#finish(transcript, nowMs);
      else unfinished += transcript;
    }
    const [text] = captionsOf(unfinished).slice(-1);
    if (text === undefined || nowMs - this.#changedMs < CHANGE_MS) return;
    this.#changedMs = nowMs;
    this.#options.said(text, false, this.#seconds(nowMs));
  }

  /** @param {string} text @param {number} nowMs */
  #finish(text, nowMs) {
    for (const part of captionsOf(text)) this.#options.said(part, true, this.#seconds(nowMs));
    this.#sinceMs = NaN;
  }

  /** @param {number} nowMs */
  #seconds(nowMs) {
    const seconds = (nowMs - this.#sinceMs) / 1000;
    return Math.min(MAX_CAPTION_SECONDS, Math.max(0, seconds || 0));
  }

  #fail() {
    if (this.#isStopped) return;
    this.stop();
    this.#options.failed();
  }

  /** Idempotent. */
  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const recognition = this.#recognition;
    this.#recognition = null;
    if (!recognition) return;
    recognition.onresult = recognition.onerror = recognition.onend = null;
    recognition.abort();
  }
}
