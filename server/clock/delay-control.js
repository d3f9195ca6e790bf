/**
 * @import { Lateness } from '../source/lateness.js'
 */

/** The delay with which `auto` begins, before anybody has sent anything, in milliseconds. */
export const START_MS = 20;

/**
 * The smallest delay that `auto` takes, in milliseconds: below it D would follow the timers of both
 * ends.
 */
const LEAST_MS = 1;

/**
 * How fast D falls by itself while somebody speaks and while nobody does, in milliseconds a second.
 */
const FALL_SPEAKING = 5;
const FALL_SILENT = 40;

/** The share of the distance that D falls in a second, where that is more. */
const FALL_SHARE = 0.5;

/**
 * How fast D falls to a number that was asked for, in milliseconds for each millisecond that
 * passes.
 */
const FALL_ASKED = 0.1;

/**
 * How fast D rises, in frames a frame: faster would be one long gap for those who are well
 * received.
 */
const RISE = 0.5;

/**
 * How long D could have been a frame smaller before it falls in `reply` although somebody speaks,
 * in milliseconds.
 */
const REPLY_PATIENCE_MS = 10_000;

/** The most frames of a pause that D moves for at once, where only answers move it. */
const MAX_MOVED_FRAMES = 10;

/**
 * A room's server-side delay D: a number that was asked for, or `auto`: the smallest that keeps
 * every speaker's received audio at the target. What is wanted changes at once when packets come
 * late; what is in force follows it in steps, one for each frame, so that the mix clock's ticks
 * move and none is left out or doubled: a rise waits, a fall hurries. Time is given: there is none
 * in here.
 */
export class DelayControl {
  #frameMs;
  #sampleRate;
  #maxMs;
  /** @type {number | 'auto'} */
  #setting = 'auto';
  /** D in force, in milliseconds, with its fraction. */
  #ms = 0;
  /** The most by which D may still rise before the next frame. */
  #budgetMs = 0;
  #replyFrames = 0;
  #replyWaitMs = 0;
  /** When answers moved D last, on the sample clock. */
  #movedAt = 0;

  /**
   * @param {object} options
   * @param {number} options.frameMs
   * @param {number} options.sampleRate    Hz
   * @param {number | 'auto'} options.setting  milliseconds, or auto
   * @param {number} [options.maxMs]         what `auto` may go up to
   */
  constructor({ frameMs, sampleRate, setting, maxMs = 400 }) {
    this.#frameMs = frameMs;
    this.#sampleRate = sampleRate;
    this.#maxMs = maxMs;
    this.#budgetMs = RISE * frameMs;
    /** The wanted D, towards which the one in force moves, in milliseconds. */
    this.wantedMs = Math.min(START_MS, maxMs);
    /** D in force, for what is pushed on the room's clock, in samples. */
    this.delaySamples = 0;
    /** D in force, for answers to packets, in samples. */
    this.replyDelaySamples = 0;
    // A room begins where it is told to; later on it goes there.
    if (setting !== 'auto') this.wantedMs = setting;
    this.#ms = this.wantedMs;
    this.set(setting);
  }

  #inSamples() {
    this.delaySamples = Math.round((this.#ms * this.#sampleRate) / 1000);
    this.replyDelaySamples = Math.round((this.replyDelayMs * this.#sampleRate) / 1000);
  }

  /** The setting: a number of milliseconds, or `auto`. */
  get setting() {
    return this.#setting;
  }

  /** @param {number | 'auto'} setting milliseconds, or auto, which goes on from where D is */
  set(setting) {
    this.#setting = setting;
    if (setting !== 'auto') this.wantedMs = setting;
    else this.wantedMs = Math.min(this.wantedMs, this.#maxMs);
    this.#coverReplies();
    this.#inSamples();
  }

  /** Whether nothing moves D but a new setting. */
  get settled() {
    return this.#setting !== 'auto' && this.#ms === this.wantedMs;
  }

  /** D in force, for what is pushed on the room's clock, in milliseconds. */
  get delayMs() {
    return this.#ms;
  }

  /**
   * D for answers to packets, in milliseconds. An answer is made of whole frames when D is a number
   * of them; of a part, when it isn't, and then it needs a frame that ends later than the part. So
   * `auto` has whole frames here, as many as cover D.
   */
  get replyDelayMs() {
    return this.#setting === 'auto' ? this.#replyFrames * this.#frameMs : this.#ms;
  }

  /**
   * Looks at a speaker of whom a packet has come: D rises at once when that one needs more.
   * @param {Lateness} speaker
   * @param {number} nowMs
   * @param {() => number | null} roundTripMs asked only when D would rise
   * @returns {boolean} whether D in force has changed
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
   * To be called once a second: D is wanted no larger than those need who are there and to be
   * waited for.
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
   * Time has passed: D moves.
   * @param {number} frames   of the grid, not always whole
   * @param {boolean} speaking whether anything was to be heard
   * @returns {boolean} whether D in force has changed
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
   * Moves D with the packets that come, where nothing ticks.
   * @param {number} sample  on the sample clock, now
   * @param {boolean} speaking  whether anything was to be heard
   * @returns {boolean} whether D in force has changed
   */
  advanceTo(sample, speaking) {
    if (this.settled) return false;
    const passedMs = ((sample - this.#movedAt) * 1000) / this.#sampleRate;
    this.#movedAt = sample;
    const frames = Math.min(passedMs / this.#frameMs, MAX_MOVED_FRAMES);
    return frames > 0 && this.advance(frames, speaking);
  }

  /**
   * An answer's D has a quarter of a frame's play, and falls when nobody speaks.
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

  /**
   * D as its people are told, in milliseconds.
   * @param {'tick' | 'reply'} delivery
   */
  toldMs(delivery) {
    return roundMs(delivery === 'reply' ? this.replyDelayMs : this.#ms);
  }

  /** The part of GET /api/rooms/<room> about D. */
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

/**
 * Rounds to a thousandth.
 * @param {number} ms
 */
const roundMs = (ms) => Math.round(ms * 1000) / 1000;
