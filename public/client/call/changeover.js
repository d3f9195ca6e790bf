/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { CallSession } from './call-session.js'
 */

/** Length of sound that the next session must have played before it is heard, in milliseconds. */
const SOUND_MS = 60;

/** Amplitude above which samples count as sound. */
const SOUND = 1e-4;

/**
 * Longest changeover, in milliseconds: a room's owner ends a session at another node a second after
 * its successor has come.
 */
const MOST_MS = 900;

/**
 * Most pieces of the next session for each piece of the first: unsent silence comes in short ones.
 */
const MOST_PIECES = 8;

/**
 * A change from one session to another without a gap. The next session is played unheard beside the
 * first until it has sound, or the first has none. It ends after 0.9 s in any case.
 */
export class Changeover {
  #to;
  #clock;
  #channels;
  #perMs;
  #other = new Float32Array(0);
  /** Heard samples of the first session since the beginning, and played samples of the next one. */
  #heard = 0;
  #played = 0;
  /**
   * Length of the next session's present sound without concealment, and of the first one's present
   * silence, in samples.
   */
  #sound = 0;
  #silence = 0;
  /** Concealed frames of the next session. */
  #concealed = 0;
  #timer;
  #onOver;

  /**
   * @param {CallSession} from session that is heard
   * @param {CallSession} to next session, in a room of the same format
   * @param {{ clock: Clock, onOver: () => void }} options onOver: the changeover is over
   */
  constructor(from, to, { clock, onOver }) {
    this.from = from;
    this.#to = to;
    this.#clock = clock;
    const { channels, sampleRate } = /** @type {NonNullable<CallSession['format']>} */ (
      from.format
    );
    this.#channels = channels;
    this.#perMs = sampleRate / 1000;
    this.#onOver = onOver;
    this.#timer = clock.setTimeout(onOver, MOST_MS);
  }

  /**
   * Pulls the old sound, then a cross-fade, then the new sound, as CallClient.pull does.
   * @param {Float32Array} out
   * @param {number} [waitMs]
   * @param {number} [aheadMs]
   * @returns {number}
   */
  pull(out, waitMs, aheadMs) {
    const nowMs = this.#clock.now();
    const [first, next] = [this.from.playout, this.#to.playout];
    if (first === null || next === null) return 0;
    const count = first.pull(out, nowMs, waitMs, aheadMs);
    this.#heard += count;
    const other = this.#scratch(out.length);
    for (let i = 0; i < MOST_PIECES && this.#played < this.#heard; i++) {
      const pulled = next.pull(other, nowMs, waitMs, aheadMs);
      this.#played += pulled;
      this.#note(other, pulled);
    }
    this.#compare(out, count);
    return count;
  }

  /** As CallClient.render has it. @param {Float32Array} out */
  render(out) {
    this.from.render(out);
    const other = this.#scratch(out.length);
    this.#to.render(other);
    this.#note(other, out.length / this.#channels);
    this.#compare(out, out.length / this.#channels);
  }

  /** As CallClient.look has it. @param {number} waitMs @param {number} aheadMs */
  look(waitMs, aheadMs) {
    for (const { playout } of [this.from, this.#to])
      playout?.look(this.#clock.now(), waitMs, aheadMs);
  }

  /** @param {number} length */
  #scratch(length) {
    if (this.#other.length !== length) this.#other = new Float32Array(length);
    return this.#other;
  }

  /** @param {Float32Array} samples  of the next one @param {number} count */
  #note(samples, count) {
    const concealed = this.#to.playout?.counters.concealed ?? 0;
    this.#sound =
      this.#isSound(samples, count) && concealed === this.#concealed ? this.#sound + count : 0;
    this.#concealed = concealed;
  }

  /** @param {Float32Array} samples  of the first @param {number} count */
  #compare(samples, count) {
    this.#silence = this.#isSound(samples, count) ? 0 : this.#silence + count;
    const enough = SOUND_MS * this.#perMs;
    const isNextThere = (this.#to.playout?.nextFrame ?? -1) >= 0;
    if (this.#sound >= enough || (isNextThere && this.#silence >= enough)) this.#onOver();
  }

  /** @param {Float32Array} samples @param {number} count */
  #isSound(samples, count) {
    for (let i = 0; i < count * this.#channels; i++) if (Math.abs(samples[i]) > SOUND) return true;
    return false;
  }

  /** Ends the first. Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
    this.from.leave(true);
  }
}
/** Length of the fade over a jump, in samples: 5 ms at 48 kHz. */
const RAMP_SAMPLES = 240;

/** Smooths the step where sound changes from one source to another, or to silence. */
export class Declick {
  /** Last sample of each of two channels, and the step to smooth. */
  #last = new Float32Array(2);
  #step = new Float32Array(2);
  #left = 0;
  #jumps = false;

  /** Notes that the next samples are of another source. */
  jump() {
    this.#jumps = true;
  }

  /**
   * @param {Float32Array} samples the next ones, interleaved in stereo; changed in place
   * @param {number} count samples of both channels at once
   * @param {number} [channels]
   */
  smooth(samples, count, channels = 1) {
    if (count === 0) return;
    if (this.#jumps) {
      this.#jumps = false;
      for (let c = 0; c < channels; c++) this.#step[c] = this.#last[c] - samples[c];
      this.#left = RAMP_SAMPLES;
    }
    for (let i = 0; i < count && this.#left > 0; i++) {
      for (let c = 0; c < channels; c++)
        samples[i * channels + c] += (this.#step[c] * this.#left) / RAMP_SAMPLES;
      this.#left -= 1;
    }
    for (let c = 0; c < channels; c++) this.#last[c] = samples[(count - 1) * channels + c];
  }
}
