/** @import { Clock } from '../../shared/clock.js' */

/**
 * Number of the last readings of the output's clock whose median counts, since one may be off by a
 * burst.
 */
const READINGS = 5;

/**
 * Smallest jump of the output's clock between two looks that counts, in milliseconds: an output may
 * pause.
 */
const MOVED_MS = 2;

/**
 * Converts the room's sample clock to an audio context's time. Sound scheduled at a sample leaves
 * the speaker when the room's clock reaches that sample.
 */
class RoomTime {
  #context;
  #sampleRate;
  #clock;
  /**
   * The room's sample clock: `sample` at `atMs` of the page's clock.
   * @type {{ sample: number, atMs: number } | null}
   */
  #read = null;
  /**
   * Readings of the context's lead over the page's clock, in milliseconds, the latest last.
   * @type {number[]}
   */
  #readings = [];
  /** The lead at the last look, in milliseconds. */
  #aheadMs = NaN;

  /**
   * @param {AudioContext} context
   * @param {number} sampleRate the room's, Hz
   * @param {Clock} clock the page's
   */
  constructor(context, sampleRate, clock) {
    this.#context = context;
    this.#sampleRate = sampleRate;
    this.#clock = clock;
  }

  /**
   * @param {{ sample: number, atMs: number } | null} read the room's sample clock at a time of the
   *   page's clock; null when it is unknown
   */
  follow(read) {
    this.#read = read;
  }

  /**
   * Reads the output's clock.
   * @returns {boolean} true when it has jumped, so that scheduled sound is out of time
   */
  look() {
    const before = this.#aheadMs;
    this.#aheadMs = this.#measureAhead();
    return Math.abs(this.#aheadMs - before) > MOVED_MS;
  }

  /** The room's sample clock now; null when it is unknown or nothing plays. */
  get now() {
    if (!this.#read || this.#context.state !== 'running') return null;
    return this.#read.sample + ((this.#clock.now() - this.#read.atMs) * this.#sampleRate) / 1000;
  }

  /**
   * @param {number} sample of the room's clock, which is known
   * @returns {number} seconds of the context's time
   */
  secondsAt(sample) {
    const { sample: from, atMs } = /** @type {{ sample: number, atMs: number }} */ (this.#read);
    return (atMs + ((sample - from) * 1000) / this.#sampleRate + this.#aheadMs) / 1000;
  }

  /**
   * Reads the context's lead over the page's clock, for the sound that leaves the speaker now (Web
   * Audio API, getOutputTimestamp).
   * @returns {number} milliseconds; the median of the last readings
   */
  #measureAhead() {
    const { contextTime = 0, performanceTime = 0 } = this.#context.getOutputTimestamp?.() ?? {};
    const { currentTime, outputLatency = 0 } = this.#context;
    const hasTimestamp = performanceTime > 0;
    this.#readings.push(
      hasTimestamp
        ? contextTime * 1000 - performanceTime
        : (currentTime - outputLatency) * 1000 - this.#clock.now(),
    );
    if (this.#readings.length > READINGS) this.#readings.shift();
    return this.#readings.toSorted((a, b) => a - b)[this.#readings.length >> 1];
  }
}

/** Interval at which players schedule the sound that comes next, in milliseconds. */
const STEP_MS = 250;

/** Base of players that schedule sound on an audio context by the room's clock. */
export class RoomPlayer {
  #clock;
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {AudioNode} output of an AudioContext
   * @param {number} sampleRate the room's, Hz
   * @param {Clock} clock the page's
   */
  constructor(output, sampleRate, clock) {
    this.context = /** @type {AudioContext} */ (output.context);
    this.sampleRate = sampleRate;
    this.#clock = clock;
    this.time = new RoomTime(this.context, sampleRate, clock);
    this.output = new GainNode(this.context, { gain: 1 });
    this.output.connect(output);
  }

  /** @param {{ sample: number, atMs: number } | null} read as RoomTime.follow() has it */
  follow(read) {
    this.time.follow(read);
  }

  /** Starts scheduling again, or stops it. @param {boolean} isOn */
  run(isOn) {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    if (isOn) this.#step();
  }

  #step() {
    this.#timer = this.#clock.setTimeout(() => this.#step(), STEP_MS);
    if (this.time.look()) this.cancel();
    this.schedule();
  }

  /** Schedules the sound of the next seconds. */
  schedule() {}

  /** Cancels scheduled sound. */
  cancel() {}

  /** Idempotent. */
  close() {
    this.run(false);
    this.cancel();
    this.output.disconnect();
  }
}
