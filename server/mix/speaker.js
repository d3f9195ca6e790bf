/** @import { Source } from '../source/source.js' */

import { rampGain } from '../../public/shared/sound/level.js';
import { LEVEL_MASK, SILENT_LEVEL, VOICE_BIT } from '../../public/shared/wire/packet.js';
import { FrameState } from '../source/pcm-ring.js';

/** The softest level of voice, in -dBov: softer sound is none, whatever the sender says. */
const SOFTEST_VOICE = 60;

/** The weight of one frame in what is known of a sender's wrong levels. */
const WRONG_WEIGHT = 0.1;

/** How fast wrong levels are forgotten while nothing is decoded, in dB a second. */
const WRONG_FALL = 1;

/** The head start of one who waits, in dB for each second. */
const PATIENCE = 2;

/** Sound that is heard from its middle on is faded in over this, in milliseconds. */
const FADE_IN_MS = 5;

const NO_SAMPLES = new Float32Array(0);

/**
 * One source as the mix sees it: how loud it is, whether it has a place, and since when it is
 * heard.
 */
export class Speaker {
  #source;
  #frameMs;
  #frameSamples;
  #frameValues;
  #fadeSamples;
  #fadesIn = false;
  #told = SILENT_LEVEL;
  /** By how much the told level is louder than the decoded one, on average, in dB. */
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
  #samples = NO_SAMPLES;

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

  /** Whether its sound is being looked at. */
  get listed() {
    return this.#listed;
  }

  /** Whether it has a place in the mix. */
  get placed() {
    return this.#placed;
  }

  /** Whether its place ends with this frame. */
  get leaving() {
    return this.#leaving;
  }

  /** Whether there is a packet with sound for the frame. */
  get present() {
    return this.#present;
  }

  /** Whether the frame that was passed on last has a payload; else its sound is missing. */
  get received() {
    return this.#received;
  }

  /** Whether there is voice in that sound, as far as is known. */
  get voice() {
    return this.#voice;
  }

  /** For how many frames in a row it has had sound and no place. */
  get waitedFrames() {
    return this.#waitedFrames;
  }

  /** The last frame that was mixed. */
  get heardFrame() {
    return this.#heardFrame;
  }

  /** The last frame with voice. */
  get voiceFrame() {
    return this.#voiceFrame;
  }

  /** The frame since which it speaks without a pause. */
  get turnFrame() {
    return this.#turnFrame;
  }

  /** The level of what was decoded last, in -dBov. */
  get level() {
    return this.#level;
  }

  /** The last frame as it is in the mix. */
  get samples() {
    return this.#samples;
  }

  /** Its sound is being looked at from now on. */
  list() {
    this.#listed = true;
  }

  /** There was no sound for a while: it isn't looked at any more. */
  unlist() {
    this.#listed = false;
    this.#waitsFrom = -1;
  }

  /**
   * Looks at what the sender says of a frame.
   * @param {number} frame
   * @param {number} back  how many frames before it will do as well, where it isn't there
   */
  look(frame, back) {
    const source = this.#source;
    const oldest = Math.max(0, frame - back);
    while (frame > oldest && !source.has(frame)) frame -= 1;
    this.#present = source.hasSound(frame);
    this.#waitedFrames = this.#present && !this.#placed ? this.#waitedFrames + 1 : 0;
    if (!this.#present) return;
    const told = source.toldLevel(frame);
    this.#told = told & LEVEL_MASK;
    this.#voice = (told & VOICE_BIT) !== 0 && this.#expected(frame) <= SOFTEST_VOICE;
    if (!this.#placed && this.#waitsFrom < 0) this.#waitsFrom = frame;
  }

  /**
   * The level to be expected, in -dBov: a sender of wrong levels isn't believed for a while.
   * @param {number} frame
   */
  #expected(frame) {
    const forgotten = ((frame - this.#decodedFrame) * this.#frameMs * WRONG_FALL) / 1000;
    return this.#told + Math.max(0, this.#wrong - forgotten);
  }

  /**
   * The order in which those who wait are given places: the largest first.
   * @param {number} frame
   */
  rank(frame) {
    const waitedMs = (frame - this.#waitsFrom) * this.#frameMs;
    return (this.#voice ? 1000 : 0) - this.#expected(frame) + (PATIENCE * waitedMs) / 1000;
  }

  /**
   * Gives it a place. Earlier frames aren't decoded, but those that prime the decoder.
   * @param {number} frame  the first that is heard
   */
  place(frame) {
    this.#placed = true;
    this.#leaving = false;
    this.#turnFrame = frame;
    this.#voiceFrame = frame;
    this.#waitsFrom = -1;
    this.#fadesIn = frame > 0 && this.#source.hasSound(frame - 1);
    if (this.#fadesIn) this.#source.prime(frame);
    else this.#source.skipTo(frame);
  }

  /** Its place ends with this frame: it is faded out. */
  leave() {
    this.#leaving = true;
  }

  /** Takes its place away. */
  unplace() {
    this.#placed = false;
    this.#leaving = false;
  }

  /**
   * Copies the frame's samples from the ring, as they are mixed.
   * @param {number} frame
   * @param {number} pauseFrames  how many frames without voice end its turn
   */
  take(frame, pauseFrames) {
    const { ring } = this.#source;
    if (this.#samples === NO_SAMPLES) this.#samples = new Float32Array(this.#frameValues);
    const from = ring.offset(frame);
    const samples = this.#samples;
    for (let i = 0; i < this.#frameValues; i++) samples[i] = ring.samples[from + i];
    this.measure(frame, pauseFrames);
    if (this.#fadesIn) rampGain(samples, 0, this.#fadeSamples, this.channels, 0, 1);
    if (this.#leaving) rampGain(samples, 0, this.#frameSamples, this.channels, 1, 0);
    this.#fadesIn = false;
    this.#heardFrame = frame;
  }

  /**
   * Takes the decoded level for the told one.
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
   * Passes the frame on undecoded, where the room's sound is forwarded. The told level is taken for
   * the true one.
   * @param {number} frame
   * @param {number} pauseFrames  how many frames without voice end its turn
   * @returns {boolean} whether it is heard in the frame
   */
  pass(frame, pauseFrames) {
    const state = this.#source.pass(frame);
    this.#received = state === FrameState.received;
    if (state < FrameState.concealed) return false;
    this.#heardFrame = frame;
    this.believe(frame, pauseFrames);
    return true;
  }

  /**
   * Takes the told level for the true one.
   * @param {number} frame
   * @param {number} pauseFrames
   */
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
