/**
 * @import { Lateness } from '../source/lateness.js'
 */

/** Delay with which `auto` begins, before anybody has sent anything, in milliseconds. */
export const START_MS = 20;

/** Smallest delay of `auto`, in milliseconds: below it D would follow the timers of both ends. */
const LEAST_MS = 1;

/** Speed at which D falls while somebody speaks and while nobody does, in milliseconds a second. */
const FALL_SPEAKING = 5;
const FALL_SILENT = 40;

/** Share of the distance that D falls in a second, if that is faster. */
const FALL_SHARE = 0.5;

/** Speed at which D falls to a requested number, in milliseconds per millisecond. */
const FALL_ASKED = 0.1;

/**
 * Speed at which D rises, in frames a frame: faster would be one long gap for listeners with good
 * reception.
 */
const RISE = 0.5;

/**
 * Time for which D could have been a frame smaller before it falls in `reply` while somebody
 * speaks, in milliseconds.
 */
const REPLY_PATIENCE_MS = 10_000;

/** Most frames of a pause for which D moves at once, if only answers move it. */
const MAX_MOVED_FRAMES = 10;

/**
 * Server-side delay D of a room: a requested number, or `auto`, the smallest that keeps every
 * speaker's received audio at the target.
 *
 * The wanted D changes at once when packets come late. D in force follows in one step per frame:
 * the mix clock's ticks move, and no frame is left out or doubled. A rise waits, a fall hurries.
 * The caller provides the time.
 */
export class DelayControl {
  #frameMs;
  #sampleRate;
  #maxMs;
  /** @type {number | 'auto'} */
  #setting = 'auto';
  /** D in force, in milliseconds, with its fraction. */
  #ms = 0;
  /** Most that D may still rise before the next frame. */
  #budgetMs = 0;
  #replyFrames = 0;
  #replyWaitMs = 0;
  /** Time when answers last moved D, on the sample clock. */
  #movedAt = 0;

  /**
   * @param {object} options
   * @param {number} options.frameMs
   * @param {number} options.sampleRate Hz
   * @param {number | 'auto'} options.setting milliseconds, or auto
   * @param {number} [options.maxMs] most that `auto` may reach
   */
  constructor({ frameMs, sampleRate, setting, maxMs = 400 }) {
    this.#frameMs = frameMs;
    this.#sampleRate = sampleRate;
    this.#maxMs = maxMs;
    this.#budgetMs = RISE * frameMs;
    /** Wanted D, which the one in force moves towards, in milliseconds. */
    this.wantedMs = Math.min(START_MS, maxMs);
    /** D in force for the room's clock, in samples. */
    this.delaySamples = 0;
    /** D in force for answers to packets, in samples. */
    this.replyDelaySamples = 0;
    // A room begins at its setting; only later changes move gradually.
    if (setting !== 'auto') this.wantedMs = setting;
    this.#ms = this.wantedMs;
    this.set(setting);
  }

  #inSamples() {
    this.delaySamples = Math.round((this.#ms * this.#sampleRate) / 1000);
    this.replyDelaySamples = Math.round((this.replyDelayMs * this.#sampleRate) / 1000);
  }

  /** Setting: a number of milliseconds, or `auto`. */
  get setting() {
    return this.#setting;
  }

  /** @param {number | 'auto'} setting milliseconds, or auto, which continues from the current D */
  set(setting) {
    this.#setting = setting;
    if (setting !== 'auto') this.wantedMs = setting;
    else this.wantedMs = Math.min(this.wantedMs, this.#maxMs);
    this.#coverReplies();
    this.#inSamples();
  }

  /** True when only a new setting moves D. */
  get settled() {
    return this.#setting !== 'auto' && this.#ms === this.wantedMs;
  }

  /** D in force for the room's clock, in milliseconds. */
  get delayMs() {
    return this.#ms;
  }

  /**
   * D for answers to packets, in milliseconds. If D is a number of whole frames, so is an answer.
   * Otherwise an answer needs a frame that ends later than its part of it. So `auto` uses whole
   * frames here, enough to cover D.
   */
  get replyDelayMs() {
    return this.#setting === 'auto' ? this.#replyFrames * this.#frameMs : this.#ms;
  }

  /**
   * Checks a speaker after a packet: D rises at once when the speaker needs more.
   * @param {Lateness} speaker
   * @param {number} nowMs
   * @param {() => number | null} roundTripMs called only when D would rise
   * @returns {boolean} true when D in force has changed
   */
  observe(speaker, nowMs, roundTripMs) {
    if (this.#setting !== 'auto' || speaker.needMs <= this.wantedMs || speaker.excluded)
      return false;
    speaker.review(nowMs, roundTripMs());
    if (speaker.excluded || speaker.needMs <= this.wantedMs) return false;
    this.wantedMs = Math.min(speaker.needMs, this.#maxMs);
    return this.#rise();
  }

  /**
   * Sets the wanted D to the largest need of the present speakers that aren't excluded. Call it
   * once a second.
   * @param {Iterable<Lateness>} speakers reviewed
   */
  review(speakers) {
    if (this.#setting !== 'auto') return;
    let need = LEAST_MS;
    let heard = false;
    for (const speaker of speakers) {
      if (speaker.count === 0 || speaker.excluded) continue;
      heard = true;
      if (speaker.needMs > need) need = speaker.needMs;
    }
    if (heard) this.wantedMs = Math.min(need, this.#maxMs);
  }

  #rise() {
    const step = Math.min(this.wantedMs - this.#ms, this.#budgetMs);
    if (step <= 0) return false;
    this.#ms += step;
    this.#budgetMs -= step;
    this.#coverReplies();
    this.#inSamples();
    return true;
  }

  #coverReplies() {
    const frames = Math.ceil(this.#ms / this.#frameMs - 1e-9);
    if (frames <= this.#replyFrames) return;
    this.#replyFrames = frames;
    this.#replyWaitMs = 0;
  }

  /**
   * Moves D after some time.
   * @param {number} frames of the grid, not always whole
   * @param {boolean} speaking true when there was sound
   * @returns {boolean} true when D in force has changed
   */
  advance(frames, speaking) {
    if (this.settled) return false;
    const passedMs = frames * this.#frameMs;
    this.#budgetMs = RISE * passedMs;
    this.#settleReplies(passedMs, speaking);
    const down = this.#ms - this.wantedMs;
    if (down <= 0) return this.#rise();
    const least = speaking ? FALL_SPEAKING : FALL_SILENT;
    const speed = this.#setting === 'auto' ? Math.max(least, FALL_SHARE * down) / 1000 : FALL_ASKED;
    this.#ms -= Math.min(down, speed * passedMs);
    this.#inSamples();
    return true;
  }

  /**
   * Moves D with the packets, if nothing ticks.
   * @param {number} sample on the sample clock, now
   * @param {boolean} speaking true when there was sound
   * @returns {boolean} true when D in force has changed
   */
  advanceTo(sample, speaking) {
    if (this.settled) return false;
    const passedMs = ((sample - this.#movedAt) * 1000) / this.#sampleRate;
    this.#movedAt = sample;
    const frames = Math.min(passedMs / this.#frameMs, MAX_MOVED_FRAMES);
    return frames > 0 && this.advance(frames, speaking);
  }

  /**
   * Settles D for answers: it has a tolerance of a quarter of a frame, and falls when nobody
   * speaks.
   * @param {number} passedMs
   * @param {boolean} speaking
   */
  #settleReplies(passedMs, speaking) {
    this.#coverReplies();
    const frames = Math.ceil(this.#ms / this.#frameMs + 0.25);
    this.#replyWaitMs = frames < this.#replyFrames ? this.#replyWaitMs + passedMs : 0;
    if (this.#replyWaitMs === 0 || (speaking && this.#replyWaitMs < REPLY_PATIENCE_MS)) return;
    this.#replyFrames -= 1;
    this.#replyWaitMs = 0;
    this.#inSamples();
  }

  /** D to show to participants, in milliseconds. @param {'tick' | 'reply'} delivery */
  shownDelayMs(delivery) {
    return roundMs(delivery === 'reply' ? this.replyDelayMs : this.#ms);
  }

  /** Part of GET /api/rooms/<room> about D. */
  describe() {
    return {
      mode: this.#setting === 'auto' ? 'auto' : 'fixed',
      serverDelayMs: roundMs(this.#ms),
      replyDelayMs: roundMs(this.replyDelayMs),
      wantedMs: this.wantedMs,
      maxMs: this.#maxMs,
    };
  }
}

/** @param {number} ms */
const roundMs = (ms) => Math.round(ms * 1000) / 1000;
