import { Resampler } from '../../public/client/clock/resampler.js';
import { SlidingMinimum } from '../../public/client/clock/drift-meter.js';
import { SpeechQueue } from '../../programs/sound/speech-queue.js';

/** Most sound that waits, in milliseconds; beyond it the program's connection isn't read. */
const MOST_MS = 3000;

/** Longest margin after underruns, in milliseconds. */
const MOST_MARGIN_MS = 1000;

/** Window whose least waiting sound shows the margin, in milliseconds: many pages of a second. */
const WINDOW_MS = 10_000;

/** Speed of steering: ppm per millisecond of error, and the maximum, which nobody hears. */
const PPM_A_MS = 5;
const MAX_PPM = 300;

/** Excess of waiting sound that is dropped at once, in milliseconds. */
const EXCESS_MS = 500;

/** Longest piece that is read at once, in milliseconds. */
const MOST_READ_MS = 200;

/**
 * Sound of a program, between its clock and the room's. The program sends in pieces, such as pages
 * of a second, by a clock of its own. The feed keeps a margin before the next piece, and resamples
 * by some parts per million to hold it. A program that sends faster than time passes, as from a
 * file, waits, and isn't steered. After a pause of its connection a live program looks like that,
 * so as much sound as was missing is dropped then.
 */
export class SoundFeed {
  #queue = new SpeechQueue(MOST_MS);
  #resampler;
  #input;
  #marginMs;
  #least = new SlidingMinimum(WINDOW_MS);
  #isPlaying = false;
  #beginsMs = Infinity;
  #steersFromMs = Infinity;
  /** True when the program has had to wait since the last reading. */
  #wasFull = false;
  /** Time at which the sound ran out; Infinity while it plays. */
  #ranOutMs = Infinity;
  /** Length of the missing sound that may still come, in milliseconds. */
  #missingMs = 0;

  /** Counters: times when the sound ran out, and milliseconds of it that were dropped. */
  counters = { underruns: 0, droppedMs: 0 };

  /**
   * @param {{ sampleRate: number, channels: number }} format
   * @param {number} marginMs  least sound that waits when the next piece arrives
   */
  constructor({ sampleRate, channels }, marginMs) {
    /** In Hz. */
    this.rate = sampleRate;
    this.channels = channels;
    this.#marginMs = marginMs;
    this.#queue.format = { sampleRate, channels };
    const capacity = Math.ceil((1.1 * MOST_READ_MS * sampleRate) / 1000);
    this.#resampler = new Resampler(capacity, channels);
    this.#input = new Float32Array((capacity + 64) * channels);
  }

  /** Most samples of a channel that can be read at once. */
  get most() {
    return Math.floor((MOST_READ_MS * this.rate) / 1000);
  }

  /** Sound that waits, in milliseconds. */
  get waitingMs() {
    return (this.#queue.waiting * 1000) / (this.rate * this.channels);
  }

  /** False while more than the limit waits. */
  get hasRoom() {
    return this.waitingMs <= MOST_MS;
  }

  /** Difference of the program's clock from the room's that is applied, in ppm. */
  get ppm() {
    return (this.#resampler.step - 1) * 1e6;
  }

  /**
   * @param {Float32Array} samples interleaved, kept until they are played
   * @param {number} nowMs  on the monotonic clock
   * @returns {Promise<void>} resolves once there is room for more
   */
  add(samples, nowMs) {
    if (this.#beginsMs === Infinity) this.#beginsMs = nowMs + this.#marginMs;
    const added = this.#queue.add(samples);
    this.#wasFull ||= this.waitingMs > MOST_MS;
    return added;
  }

  /** @returns {Promise<void>} resolves once all sound has been read */
  empty() {
    return this.#queue.empty();
  }

  /**
   * Reads the next samples, silence where there are none.
   * @param {Float32Array} out  filled
   * @param {number} count  samples of a channel, `most` at most
   * @param {number} nowMs  on the monotonic clock
   */
  read(out, count, nowMs) {
    if (!this.#isPlaying && nowMs < this.#beginsMs) return void out.fill(0);
    if (!this.#isPlaying) this.#begin(nowMs);
    const needed = this.#resampler.missing(count);
    const input = this.#input.subarray(0, needed * this.channels);
    if (this.#queue.waiting < input.length) this.#ranOut(nowMs);
    this.#queue.take(input);
    this.#resampler.write(input, 0, needed);
    this.#resampler.read(out, 0, count);
    if (this.#isPlaying) this.#steer(nowMs);
  }

  /** @param {number} nowMs */
  #begin(nowMs) {
    this.#isPlaying = true;
    this.#missingMs += Math.max(0, nowMs - this.#ranOutMs);
    this.#ranOutMs = Infinity;
    this.#least.reset();
    this.#steersFromMs = nowMs + WINDOW_MS;
  }

  /** @param {number} nowMs */
  #ranOut(nowMs) {
    this.#isPlaying = false;
    this.#ranOutMs = nowMs;
    this.#beginsMs = Infinity;
    this.#resampler.step = 1;
    this.#marginMs = Math.min(2 * this.#marginMs, MOST_MARGIN_MS);
    this.counters.underruns += 1;
  }

  /** @param {number} nowMs */
  #steer(nowMs) {
    const least = this.#least.add(nowMs, this.waitingMs);
    const wasFull = this.#wasFull;
    if (wasFull && this.#missingMs === 0) {
      this.#wasFull = false;
      this.#steersFromMs = nowMs + WINDOW_MS;
    }
    if (nowMs < this.#steersFromMs) return;
    const errorMs = least - this.#marginMs;
    if (errorMs > EXCESS_MS) {
      const mostMs = wasFull ? this.#missingMs : errorMs;
      return this.#drop(Math.min(errorMs, mostMs), nowMs);
    }
    this.#missingMs = 0;
    const ppm = Math.max(-MAX_PPM, Math.min(MAX_PPM, errorMs * PPM_A_MS));
    this.#resampler.step = 1 + ppm * 1e-6;
  }

  /** @param {number} ms @param {number} nowMs */
  #drop(ms, nowMs) {
    this.counters.droppedMs += ms;
    this.#missingMs = Math.max(0, this.#missingMs - ms);
    this.#wasFull = false;
    for (let left = Math.floor((ms * this.rate) / 1000) * this.channels; left > 0;) {
      const part = Math.min(left, this.#input.length);
      this.#queue.take(this.#input.subarray(0, part));
      left -= part;
    }
    this.#begin(nowMs);
  }

  /** Refuses all sound. Idempotent. */
  close() {
    this.#queue.close();
  }
}
