/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { MixMath } from '../codec/mix-math.js'
 * @import { Source } from '../source/source.js'
 */

import { mixMath } from '../codec/mix-math.js';
import { FrameState } from '../source/pcm-ring.js';
import { Speaker } from './speaker.js';

/** Pause after which another source may get a speaker's place, in milliseconds. */
const PAUSE_MS = 400;

/** Turn after which a speaker makes room for waiting ones, in milliseconds. */
const MAX_TURN_MS = 10_000;

/** Gap between words that ends an overlong turn, in milliseconds. */
const GAP_MS = 60;

/**
 * Time that a source with sound waits before a speaker is cut off in the middle of a word, in
 * milliseconds.
 */
const PATIENCE_MS = 2000;

/**
 * Age of a packet that may stand in for a missing one in `reply`, in milliseconds: the first to ask
 * doesn't wait for others.
 */
const LOOK_BACK_MS = 100;

/**
 * Chooses the speakers of the mix: the loudest, one per place. A place is kept until its speaker
 * pauses, so nobody is cut in the middle of a word. The exception is a speaker who never pauses
 * while others wait. Only sources with a place are decoded, and a source without sound costs
 * nothing.
 */
export class ActiveSpeakers {
  #max;
  #pauseFrames;
  #turnFrames;
  #gapFrames;
  #patienceFrames;
  #lookBackFrames;
  /** @type {Map<Source, Speaker>} */
  #speakers = new Map();
  /** Speakers with recent sound, with or without a place. @type {Speaker[]} */
  #candidates = [];
  /** Speakers with a place. @type {Speaker[]} */
  #placed = [];
  /** Speakers in the last mixed frame. @type {Speaker[]} */
  #heard = [];
  /** Their sound. @type {Float32Array[]} */
  #sounds = [];
  #math;

  /**
   * @param {AudioFormat} format
   * @param {number} max number of places
   * @param {MixMath} [math]
   */
  constructor({ frameMs }, max, math = mixMath) {
    this.#max = max;
    this.#math = math;
    this.#pauseFrames = Math.ceil(PAUSE_MS / frameMs);
    this.#turnFrames = Math.ceil(MAX_TURN_MS / frameMs);
    this.#gapFrames = Math.ceil(GAP_MS / frameMs);
    this.#patienceFrames = Math.ceil(PATIENCE_MS / frameMs);
    this.#lookBackFrames = Math.ceil(LOOK_BACK_MS / frameMs);
  }

  /** @param {number} places number from the next frame on; the softest speakers lose theirs */
  set places(places) {
    this.#max = places;
  }

  /** @returns {ReadonlyArray<Speaker>} */
  get placed() {
    return this.#placed;
  }

  /** Speakers in the last mixed frame. @returns {ReadonlyArray<Speaker>} */
  get heard() {
    return this.#heard;
  }

  /** @param {Source} source  may be heard from now on */
  add(source) {
    this.#speakers.set(source, new Speaker(source));
  }

  /** @param {Source} source not heard any more; the frame being sent stays unchanged */
  remove(source) {
    const speaker = this.of(source);
    if (speaker === undefined) return;
    this.#unplace(speaker);
    if (speaker.listed) this.#candidates.splice(this.#candidates.indexOf(speaker), 1);
    this.#speakers.delete(source);
  }

  /** @param {Source} source  that was added */
  of(source) {
    return this.#speakers.get(source);
  }

  /** @param {Source} source with new sound */
  notice(source) {
    const speaker = this.of(source);
    if (speaker === undefined || speaker.listed) return;
    speaker.list();
    this.#candidates.push(speaker);
  }

  /**
   * Chooses the speakers of a frame and mixes them. Call it for one frame after the other.
   * @param {number} frame
   * @param {Float32Array} mix filled with their sum; unchanged when nobody is heard
   * @returns {number} number of speakers heard
   */
  mix(frame, mix) {
    while (this.#heard.length > 0) this.#heard.pop();
    while (this.#sounds.length > 0) this.#sounds.pop();
    if (this.#candidates.length === 0) return 0;
    this.#fillPlaces(frame, 0);
    for (let i = 0; i < this.#placed.length; i++) this.#placed[i].source.prepare(frame);
    for (let i = 0; i < this.#placed.length; i++) {
      const speaker = this.#placed[i];
      if (speaker.source.pull(frame, true) < FrameState.concealed) continue;
      speaker.take(frame, this.#pauseFrames);
      this.#heard.push(speaker);
      this.#sounds.push(speaker.samples);
    }
    if (this.#heard.length > 0) this.#math.sumSounds(mix, this.#sounds);
    this.#dropLeaving();
    return this.#heard.length;
  }

  /**
   * Chooses the speakers of a frame and passes it on undecoded, by the senders' levels only. Call
   * it for one frame after the other.
   * @param {number} frame
   * @returns {number} number of speakers heard: see `heard`, the loudest first
   */
  pass(frame) {
    while (this.#heard.length > 0) this.#heard.pop();
    if (this.#candidates.length === 0) return 0;
    this.#fillPlaces(frame, 0);
    for (let i = 0; i < this.#placed.length; i++) {
      const speaker = this.#placed[i];
      if (!speaker.pass(frame, this.#pauseFrames)) continue;
      this.#heard.push(speaker);
      for (
        let at = this.#heard.length - 1;
        at > 0 && this.#heard[at - 1].level > speaker.level;
        at--
      ) {
        this.#heard[at] = this.#heard[at - 1];
        this.#heard[at - 1] = speaker;
      }
    }
    this.#dropLeaving();
    return this.#heard.length;
  }

  /**
   * Gives a source with a new packet a place at once, if it has sound and a place is free.
   * @param {Source} source
   * @param {number} frame
   * @param {boolean} hasSound
   * @returns {boolean} true when it has a place
   */
  admit(source, frame, hasSound) {
    const speaker = this.of(source);
    if (speaker === undefined) return false;
    if (hasSound && !speaker.placed && speaker.listed && this.#placed.length < this.#max)
      this.#place(speaker, frame);
    return speaker.placed;
  }

  /**
   * Chooses the speakers from a frame on, when nothing is mixed on the tick. Call it for one frame
   * after the other, and measure() once the frame is decoded.
   * @param {number} frame
   */
  choose(frame) {
    if (this.#candidates.length === 0) return;
    this.#fillPlaces(frame, this.#lookBackFrames);
    this.#dropLeaving();
  }

  /** @param {number} frame */
  measure(frame) {
    for (let i = 0; i < this.#placed.length; i++) this.#placed[i].measure(frame, this.#pauseFrames);
  }

  /** Trusts the senders' levels, because nothing is decoded. @param {number} frame */
  believe(frame) {
    for (let i = 0; i < this.#placed.length; i++) this.#placed[i].believe(frame, this.#pauseFrames);
  }

  /** @param {Source} source @returns {boolean} true when it has sound and others have all places */
  isLeftOut(source) {
    const speaker = this.of(source);
    return (
      speaker !== undefined && speaker.listed && !speaker.placed && this.#placed.length >= this.#max
    );
  }

  /** @param {number} frame @param {number} back */
  #look(frame, back) {
    const candidates = this.#candidates;
    for (let i = candidates.length - 1; i >= 0; i--) {
      const speaker = candidates[i];
      if (
        frame - speaker.source.soundThrough <= this.#pauseFrames &&
        !speaker.source.isOver(frame)
      ) {
        speaker.look(frame, back);
        continue;
      }
      this.#unplace(speaker);
      speaker.unlist();
      candidates[i] = candidates[candidates.length - 1];
      candidates.pop();
    }
  }

  /** @param {number} frame @param {number} back see Speaker.look() */
  #fillPlaces(frame, back) {
    this.#look(frame, back);
    this.#takeSurplus();
    this.#fillFreePlaces(frame);
    this.#replaceSpeakers(frame);
    this.#countUnmixed(frame);
  }

  #takeSurplus() {
    for (let surplus = this.#placed.length - this.#max; surplus > 0; surplus--) {
      let softest = null;
      for (let i = 0; i < this.#placed.length; i++) {
        const speaker = this.#placed[i];
        if (!speaker.leaving && (softest === null || speaker.level > softest.level))
          softest = speaker;
      }
      softest?.leave();
    }
  }

  /** @param {number} frame */
  #fillFreePlaces(frame) {
    while (this.#placed.length < this.#max) {
      const next = this.#nextWaiting(frame, false);
      if (next === null) return;
      this.#place(next, frame);
    }
  }

  /** @param {number} frame */
  #replaceSpeakers(frame) {
    for (;;) {
      const next = this.#nextWaiting(frame, true);
      const paused = next && this.#softestPaused(frame);
      if (next === null || paused === null) break;
      paused.leave();
      this.#place(next, frame);
    }
    const next = this.#nextWaiting(frame, true);
    const longest = next && this.#longestTurn(frame, next.waitedFrames >= this.#patienceFrames);
    if (next === null || longest === null) return;
    longest.leave();
    this.#place(next, frame);
  }

  /** @param {number} frame @param {boolean} voiceOnly */
  #nextWaiting(frame, voiceOnly) {
    let best = null;
    let bestRank = -Infinity;
    for (let i = 0; i < this.#candidates.length; i++) {
      const speaker = this.#candidates[i];
      if (speaker.placed || !speaker.present || (voiceOnly && !speaker.voice)) continue;
      const rank = speaker.rank(frame);
      if (rank <= bestRank) continue;
      best = speaker;
      bestRank = rank;
    }
    return best;
  }

  /** @param {number} frame */
  #softestPaused(frame) {
    let softest = null;
    for (let i = 0; i < this.#placed.length; i++) {
      const speaker = this.#placed[i];
      const begins = speaker.present && speaker.voice;
      if (speaker.leaving || begins || frame - speaker.voiceFrame <= this.#pauseFrames) continue;
      if (softest === null || speaker.level > softest.level) softest = speaker;
    }
    return softest;
  }

  /**
   * @param {number} frame
   * @param {boolean} force true when a speaker may be cut in the middle of a word
   */
  #longestTurn(frame, force) {
    let longest = null;
    for (let i = 0; i < this.#placed.length; i++) {
      const speaker = this.#placed[i];
      if (speaker.leaving || frame - speaker.turnFrame < this.#turnFrames) continue;
      const isInWord =
        (speaker.present && speaker.voice) || frame - speaker.voiceFrame < this.#gapFrames;
      if (isInWord && !force) continue;
      if (longest === null || speaker.turnFrame < longest.turnFrame) longest = speaker;
    }
    return longest;
  }

  /** @param {Speaker} speaker @param {number} frame */
  #place(speaker, frame) {
    speaker.place(frame);
    this.#placed.push(speaker);
  }

  /** @param {Speaker} speaker */
  #unplace(speaker) {
    if (!speaker.placed) return;
    speaker.unplace();
    this.#placed.splice(this.#placed.indexOf(speaker), 1);
  }

  #dropLeaving() {
    for (let i = this.#placed.length - 1; i >= 0; i--) {
      if (this.#placed[i].leaving) this.#unplace(this.#placed[i]);
    }
  }

  /** @param {number} frame */
  #countUnmixed(frame) {
    for (let i = 0; i < this.#candidates.length; i++) {
      if (!this.#candidates[i].placed) this.#candidates[i].source.leaveOut(frame);
    }
  }
}
