/** @import { Participant } from '../room/member.js' */

import { rampGain } from '../../public/shared/level.js';
import { LEVEL_MASK, SILENT_LEVEL, VOICE_BIT } from '../../public/shared/packet.js';

/** Sound that is softer than this is no voice, whatever is told, in -dBov. */
const SOFTEST_VOICE = 60;

/** How much one more frame moves what is known of a sender's levels being wrong. */
const WRONG_WEIGHT = 0.1;

/** That is forgotten by so much a second, in dB, while nothing is decoded. */
const WRONG_FALL = 1;

/** Who waits comes before those who are louder by so much, in dB, for each second. */
const PATIENCE = 2;

/** Sound that begins in its middle is faded in over so long, in milliseconds. */
const FADE_IN_MS = 5;

/** So many frames before the first that is heard the decoder is set going. */
export const PRIMING_FRAMES = 2;

const NO_SAMPLES = new Float32Array(0);

/** What is known of the sound of one participant: how loud it is, and since when it is heard. */
export class Speaker {
  #frameMs;
  #frameSamples;
  #frameValues;
  #fadeSamples;
  #fadesIn = false;
  #told = SILENT_LEVEL;
  /** By how much what is told is louder than what is decoded, on average, in dB. */
  #wrong = 0;
  #decodedFrame = -1;
  #waitsFrom = -1;

  /** Whether its sound is being looked at. */
  listed = false;
  /** Whether it has a place in the mix, and whether that ends with this frame. */
  placed = false;
  leaving = false;
  /** Whether it is in the frame that was mixed last. */
  heard = false;
  /** Whether a packet with sound is there for the frame, and with voice as far as is known. */
  present = false;
  voice = false;
  /** For how many frames it has had sound, one after the other, without a place. */
  waitedFrames = 0;
  /** The last frame that was mixed. */
  heardFrame = -1;
  /** The last frame with voice. */
  voiceFrame = -1;
  /** Since when it speaks without a pause. */
  turnFrame = -1;
  /** What was decoded last, in -dBov. */
  level = SILENT_LEVEL;
  /** The last frame as it is in the mix. */
  samples = NO_SAMPLES;

  /** @param {Participant} person */
  constructor(person) {
    const { frameMs, frameSamples, frameValues, channels, sampleRate } = person.format;
    this.person = person;
    this.channels = channels;
    /** As packets have it. */
    this.number = Number(person.id) & 0xffff;
    this.#frameMs = frameMs;
    this.#frameSamples = frameSamples;
    this.#frameValues = frameValues;
    this.#fadeSamples = Math.min(frameSamples, Math.round((FADE_IN_MS * sampleRate) / 1000));
  }

  /** The last frame that came with sound. */
  get soundThrough() {
    return this.person.sound.soundThrough;
  }

  /**
   * @param {number} frame
   * @returns {boolean} whether nothing of somebody who is gone is to be heard any more: it has faded, or they came back
   */
  isOver(frame) {
    const { closed, holder, sound } = this.person;
    if (!closed) return false;
    const isReplaced = holder !== this.person && holder.sound.firstFrame >= 0 && frame >= holder.sound.firstFrame;
    return isReplaced || frame > sound.endsWith;
  }

  /** There was no sound for a while. */
  rest() {
    this.listed = false;
    this.#waitsFrom = -1;
  }

  /**
   * Looks at what is told of a frame.
   * @param {number} frame
   * @param {number} back how many frames before it will do as well, where it isn't there
   */
  look(frame, back) {
    const { packets } = this.person.sound;
    const oldest = Math.max(0, frame - back);
    while (frame > oldest && !packets.has(frame)) frame -= 1;
    this.present = packets.has(frame) && packets.length(frame) > 0;
    this.waitedFrames = this.present && !this.placed ? this.waitedFrames + 1 : 0;
    if (!this.present) return;
    const told = packets.level(frame);
    this.#told = told & LEVEL_MASK;
    this.voice = (told & VOICE_BIT) !== 0 && this.#expected(frame) <= SOFTEST_VOICE;
    if (!this.placed && this.#waitsFrom < 0) this.#waitsFrom = frame;
  }

  /** How loud it is likely to be, in -dBov: who has told wrong levels isn't believed for a while. @param {number} frame */
  #expected(frame) {
    const forgotten = ((frame - this.#decodedFrame) * this.#frameMs * WRONG_FALL) / 1000;
    return this.#told + Math.max(0, this.#wrong - forgotten);
  }

  /**
   * The first to be given a place is the one that this is largest for.
   * @param {number} frame
   */
  rank(frame) {
    const waitedMs = (frame - this.#waitsFrom) * this.#frameMs;
    return (this.voice ? 1000 : 0) - this.#expected(frame) + (PATIENCE * waitedMs) / 1000;
  }

  /**
   * It is in the mix from now on. What came before isn't decoded.
   * @param {number} frame
   */
  place(frame) {
    const { packets } = this.person.sound;
    this.placed = true;
    this.leaving = false;
    this.turnFrame = frame;
    this.voiceFrame = frame;
    this.#waitsFrom = -1;
    this.#fadesIn = frame > 0 && packets.has(frame - 1) && packets.length(frame - 1) > 0;
    this.person.sound.skipTo(this.#fadesIn ? Math.max(0, frame - PRIMING_FRAMES) : frame);
  }

  /**
   * Takes the frame's samples from the ring, where they are, as they are to be mixed.
   * @param {number} frame
   * @param {number} pauseFrames so many without voice end its turn
   */
  take(frame, pauseFrames) {
    const { ring } = this.person.sound;
    if (this.samples === NO_SAMPLES) this.samples = new Float32Array(this.#frameValues);
    const from = ring.offset(frame);
    for (let i = 0; i < this.#frameValues; i++) this.samples[i] = ring.samples[from + i];
    this.measure(frame, pauseFrames);
    if (this.#fadesIn) rampGain(this.samples, 0, this.#fadeSamples, this.channels, 0, 1);
    if (this.leaving) rampGain(this.samples, 0, this.#frameSamples, this.channels, 1, 0);
    this.#fadesIn = false;
    this.heardFrame = frame;
  }

  /**
   * What was decoded counts, not what was told of it.
   * @param {number} frame
   * @param {number} pauseFrames
   */
  measure(frame, pauseFrames) {
    this.level = this.person.sound.level;
    if (this.present) {
      const wrong = Math.max(0, this.level - this.#told);
      this.#wrong += (wrong - this.#wrong) * WRONG_WEIGHT;
      this.#decodedFrame = frame;
    }
    if (!this.voice || this.level > SOFTEST_VOICE) return;
    if (frame - this.voiceFrame > pauseFrames) this.turnFrame = frame;
    this.voiceFrame = frame;
  }
}
