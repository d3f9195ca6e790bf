/** @import { Source } from '../source/source.js' */

import { rampGain } from '../../public/shared/sound/level.js';
import { LEVEL_MASK, SILENT_LEVEL, VOICE_BIT } from '../../public/shared/wire/packet.js';
import { FrameState } from '../source/pcm-ring.js';

/** Softest level of voice, in -dBov: softer sound isn't voice, whatever the sender says. */
const SOFTEST_VOICE = 60;

/** Weight of one frame in the mean error of a sender's levels. */
const WRONG_WEIGHT = 0.1;

/** Decrease of the known error while nothing is decoded, in dB a second. */
const WRONG_FALL = 1;

/** Head start of a waiting speaker, in dB for each second. */
const PATIENCE = 2;

/** Fade-in of sound that is heard from its middle on, in milliseconds. */
const FADE_IN_MS = 5;

const NO_SAMPLES = new Float32Array(0);

/** State of one source in the mix: its loudness, its place, and the start of its turn. */
export class Speaker {
  #source;
  #frameMs;
  #frameSamples;
  #frameValues;
  #fadeSamples;
  #fadesIn = false;
  #told = SILENT_LEVEL;
  /** Mean excess of the sent level over the decoded one, in dB. */
  #wrong = 0;
  #decodedFrame = -1;
  #waitsFrom = -1;
  #listed = false;
  #placed = false;
  #leaving = false;
  #present = false;
  #received = false;
  #voice = false;
  #waitedFrames = 0;
  #heardFrame = -1;
  #voiceFrame = -1;
  #turnFrame = -1;
  #level = SILENT_LEVEL;
  /** @type {Float32Array} */
  #samples = NO_SAMPLES;
  #faded = NO_SAMPLES;

  /** @param {Source} source */
  constructor(source) {
    const { frameMs, frameSamples, frameValues, channels, sampleRate } = source.format;
    this.#source = source;
    this.id = source.id;
    this.number = source.number;
    this.channels = channels;
    this.#frameMs = frameMs;
    this.#frameSamples = frameSamples;
    this.#frameValues = frameValues;
    this.#fadeSamples = Math.min(frameSamples, Math.round((FADE_IN_MS * sampleRate) / 1000));
  }

  get source() {
    return this.#source;
  }

  /** True while its sound is watched. */
  get listed() {
    return this.#listed;
  }

  /** True when it has a place in the mix. */
  get placed() {
    return this.#placed;
  }

  /** True when its place ends with this frame. */
  get leaving() {
    return this.#leaving;
  }

  /** True when the frame has a packet with sound. */
  get present() {
    return this.#present;
  }

  /** True when the last passed frame has a payload; else its sound is missing. */
  get received() {
    return this.#received;
  }

  /** True when that sound has voice, as far as is known. */
  get voice() {
    return this.#voice;
  }

  /** Number of frames in a row with sound and no place. */
  get waitedFrames() {
    return this.#waitedFrames;
  }

  /** Last mixed frame. */
  get heardFrame() {
    return this.#heardFrame;
  }

  /** Last frame with voice. */
  get voiceFrame() {
    return this.#voiceFrame;
  }

  /** First frame of the current turn, which has no pause. */
  get turnFrame() {
    return this.#turnFrame;
  }

  /** Level of the last decoded sound, in -dBov. */
  get level() {
    return this.#level;
  }

  /** Last frame as it is in the mix; valid during the frame's tick, and not to be changed. */
  get samples() {
    return this.#samples;
  }

  /** Begins to watch its sound. */
  list() {
    this.#listed = true;
  }

  /** Stops watching it, after a while without sound. */
  unlist() {
    this.#listed = false;
    this.#waitsFrom = -1;
  }

  /**
   * Reads the sender's level of a frame.
   * @param {number} frame
   * @param {number} back number of earlier frames that may stand in for a missing one
   */
  look(frame, back) {
    const source = this.#source;
    const oldest = Math.max(0, frame - back);
    while (frame > oldest && !source.has(frame)) frame -= 1;
    this.#present = source.hasSound(frame);
    this.#waitedFrames = this.#present && !this.#placed ? this.#waitedFrames + 1 : 0;
    if (!this.#present) return;
    const told = source.sentLevel(frame);
    this.#told = told & LEVEL_MASK;
    this.#voice = (told & VOICE_BIT) !== 0 && this.#expected(frame) <= SOFTEST_VOICE;
    if (!this.#placed && this.#waitsFrom < 0) this.#waitsFrom = frame;
  }

  /**
   * Level to expect, in -dBov: a sender of wrong levels isn't trusted for a while.
   * @param {number} frame
   */
  #expected(frame) {
    const forgotten = ((frame - this.#decodedFrame) * this.#frameMs * WRONG_FALL) / 1000;
    return this.#told + Math.max(0, this.#wrong - forgotten);
  }

  /** Rank among waiting speakers: the largest gets a place first. @param {number} frame */
  rank(frame) {
    const waitedMs = (frame - this.#waitsFrom) * this.#frameMs;
    return (this.#voice ? 1000 : 0) - this.#expected(frame) + (PATIENCE * waitedMs) / 1000;
  }

  /**
   * Gives it a place. Earlier frames aren't decoded, except the ones that prime the decoder.
   * @param {number} frame first one that is heard
   */
  place(frame) {
    this.#placed = true;
    this.#leaving = false;
    this.#turnFrame = frame;
    this.#voiceFrame = frame;
    this.#waitsFrom = -1;
    this.#fadesIn = this.#source.continuesIn(frame);
    if (this.#fadesIn) this.#source.prime(frame);
    else this.#source.skipTo(frame);
  }

  /** Ends its place with this frame, which fades out. */
  leave() {
    this.#leaving = true;
  }

  unplace() {
    this.#placed = false;
    this.#leaving = false;
  }

  /**
   * Takes the frame's samples, as they are mixed: from the ring, or a faded copy.
   * @param {number} frame
   * @param {number} pauseFrames number of frames without voice that end its turn
   */
  take(frame, pauseFrames) {
    this.#samples = this.#source.ring.frame(frame);
    this.measure(frame, pauseFrames);
    if (this.#fadesIn || this.#leaving) this.#fade();
    this.#fadesIn = false;
    this.#heardFrame = frame;
  }

  #fade() {
    if (this.#faded === NO_SAMPLES) this.#faded = new Float32Array(this.#frameValues);
    this.#faded.set(this.#samples);
    this.#samples = this.#faded;
    if (this.#fadesIn) rampGain(this.#samples, 0, this.#fadeSamples, this.channels, 0, 1);
    if (this.#leaving) rampGain(this.#samples, 0, this.#frameSamples, this.channels, 1, 0);
  }

  /**
   * Uses the decoded level instead of the sent one.
   * @param {number} frame
   * @param {number} pauseFrames
   */
  measure(frame, pauseFrames) {
    this.#level = this.#source.level;
    if (this.#present) {
      const wrong = Math.max(0, this.#level - this.#told);
      this.#wrong += (wrong - this.#wrong) * WRONG_WEIGHT;
      this.#decodedFrame = frame;
    }
    this.#speaks(frame, pauseFrames);
  }

  /**
   * Passes the frame on undecoded, in a room that forwards. The sent level counts as the true one.
   * @param {number} frame
   * @param {number} pauseFrames number of frames without voice that end its turn
   * @returns {boolean} true when it is heard in the frame
   */
  pass(frame, pauseFrames) {
    const state = this.#source.pass(frame);
    this.#received = state === FrameState.received;
    if (state < FrameState.concealed) return false;
    this.#heardFrame = frame;
    this.believe(frame, pauseFrames);
    return true;
  }

  /** Uses the sent level as the true one. @param {number} frame @param {number} pauseFrames */
  believe(frame, pauseFrames) {
    if (!this.#present) return;
    this.#level = this.#told;
    this.#speaks(frame, pauseFrames);
  }

  /** @param {number} frame @param {number} pauseFrames */
  #speaks(frame, pauseFrames) {
    if (!this.#voice || this.#level > SOFTEST_VOICE) return;
    if (frame - this.#voiceFrame > pauseFrames) this.#turnFrame = frame;
    this.#voiceFrame = frame;
  }
}
