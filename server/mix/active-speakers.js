/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { Participant } from '../room/member.js'
 * @import { Speaker } from './speaker.js'
 */

import { FrameState } from '../source/pcm-ring.js';

/** Who hasn't spoken for so long has paused, in milliseconds: another may have the place. */
const PAUSE_MS = 400;

/** Who has spoken for so long without a pause makes room for those who wait, in milliseconds: */
const MAX_TURN_MS = 10_000;
/** in a gap of so much, */
const GAP_MS = 60;
/** or in the middle of a word when another has waited with sound for so long. */
const PATIENCE_MS = 2000;

/** In `reply` a packet of so much before will do: who asks first doesn't wait for who is further away. */
const LOOK_BACK_MS = 100;

/**
 * Who is in the mix: the loudest, of at most so many. A place is kept until its speaker pauses, so that
 * nobody is cut in the middle of a word, but for one who never pauses while others wait. Only those who have
 * a place are decoded. Whoever sends no sound costs nothing here.
 */
export class Speakers {
  #max;
  #pauseFrames;
  #turnFrames;
  #gapFrames;
  #patienceFrames;
  #lookBackFrames;
  /** Those whose sound came of late, with a place or without. @type {Speaker[]} */
  #candidates = [];
  /** Those who have a place. @type {Speaker[]} */
  #placed = [];

  /**
   * @param {AudioFormat} format
   * @param {number} max how many places there are
   */
  constructor({ frameMs }, max) {
    this.#max = max;
    this.#pauseFrames = Math.ceil(PAUSE_MS / frameMs);
    this.#turnFrames = Math.ceil(MAX_TURN_MS / frameMs);
    this.#gapFrames = Math.ceil(GAP_MS / frameMs);
    this.#patienceFrames = Math.ceil(PATIENCE_MS / frameMs);
    this.#lookBackFrames = Math.ceil(LOOK_BACK_MS / frameMs);
    /** Those who are heard in the frame that was mixed last. @type {Speaker[]} */
    this.heard = [];
  }

  /**
   * Sound of somebody has come.
   * @param {Participant} person
   */
  notice({ speaker }) {
    if (speaker.listed) return;
    speaker.listed = true;
    this.#candidates.push(speaker);
  }

  /**
   * Chooses who is heard in a frame and mixes them. To be called for one frame after the other.
   * @param {number} frame
   * @param {Float32Array} mix filled with their sum; left as it is where nobody is heard
   * @returns {number} how many are heard
   */
  mix(frame, mix) {
    this.#forgetHeard();
    if (this.#candidates.length === 0) return 0;
    this.#fillPlaces(frame, 0);
    for (let i = 0; i < this.#placed.length; i++) this.#hear(this.#placed[i], frame, mix);
    this.#dropLeaving();
    return this.heard.length;
  }

  /**
   * Chooses who is heard from a frame on where nothing is mixed on the tick. To be called for one frame after the
   * other, and measure() when it has been decoded.
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

  /**
   * @param {Speaker} speaker
   * @returns {boolean} whether others have all the places
   */
  isLeftOut({ listed, placed }) {
    return listed && !placed && this.#placed.length >= this.#max;
  }

  #forgetHeard() {
    while (this.heard.length > 0) /** @type {Speaker} */ (this.heard.pop()).heard = false;
  }

  /** @param {number} frame @param {number} back */
  #look(frame, back) {
    const candidates = this.#candidates;
    for (let i = candidates.length - 1; i >= 0; i--) {
      const speaker = candidates[i];
      if (frame - speaker.soundThrough <= this.#pauseFrames && !speaker.isOver(frame)) {
        speaker.look(frame, back);
        continue;
      }
      this.#unplace(speaker);
      speaker.rest();
      candidates[i] = candidates[candidates.length - 1];
      candidates.pop();
    }
  }

  /** @param {number} frame @param {number} back see Speaker.look() */
  #fillPlaces(frame, back) {
    this.#look(frame, back);
    this.#giveFree(frame);
    this.#giveOthers(frame);
    this.#countUnmixed(frame);
  }

  /** @param {number} frame */
  #giveFree(frame) {
    while (this.#placed.length < this.#max) {
      const next = this.#nextWaiting(frame, false);
      if (next === null) return;
      this.#place(next, frame);
    }
  }

  /** @param {number} frame */
  #giveOthers(frame) {
    for (;;) {
      const next = this.#nextWaiting(frame, true);
      const paused = next && this.#softestPaused(frame);
      if (next === null || paused === null) break;
      paused.leaving = true;
      this.#place(next, frame);
    }
    const next = this.#nextWaiting(frame, true);
    const longest = next && this.#longestTurn(frame, next.waitedFrames >= this.#patienceFrames);
    if (next === null || longest === null) return;
    longest.leaving = true;
    this.#place(next, frame);
  }

  /**
   * @param {number} frame
   * @param {boolean} voiceOnly
   */
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
   * @param {boolean} force whether one may be cut in the middle of a word
   */
  #longestTurn(frame, force) {
    let longest = null;
    for (let i = 0; i < this.#placed.length; i++) {
      const speaker = this.#placed[i];
      if (speaker.leaving || frame - speaker.turnFrame < this.#turnFrames) continue;
      const isInWord = (speaker.present && speaker.voice) || frame - speaker.voiceFrame < this.#gapFrames;
      if (isInWord && !force) continue;
      if (longest === null || speaker.turnFrame < longest.turnFrame) longest = speaker;
    }
    return longest;
  }

  /**
   * @param {Speaker} speaker
   * @param {number} frame
   */
  #place(speaker, frame) {
    speaker.place(frame);
    this.#placed.push(speaker);
  }

  /** @param {Speaker} speaker */
  #unplace(speaker) {
    if (!speaker.placed) return;
    speaker.placed = false;
    speaker.leaving = false;
    this.#placed.splice(this.#placed.indexOf(speaker), 1);
  }

  /**
   * @param {Speaker} speaker
   * @param {number} frame
   * @param {Float32Array} mix
   */
  #hear(speaker, frame, mix) {
    if (speaker.person.sound.pull(frame, true) < FrameState.concealed) return;
    speaker.take(frame, this.#pauseFrames);
    const { samples } = speaker;
    if (this.heard.length === 0) mix.set(samples);
    else for (let i = 0; i < mix.length; i++) mix[i] += samples[i];
    speaker.heard = true;
    this.heard.push(speaker);
  }

  #dropLeaving() {
    for (let i = this.#placed.length - 1; i >= 0; i--) {
      if (this.#placed[i].leaving) this.#unplace(this.#placed[i]);
    }
  }

  /** @param {number} frame */
  #countUnmixed(frame) {
    for (let i = 0; i < this.#candidates.length; i++) {
      const { placed, person } = this.#candidates[i];
      const { packets } = person.sound;
      if (placed || !packets.has(frame) || packets.length(frame) === 0) continue;
      person.reception.unmixed += 1;
      if (packets.isRedundant(frame)) person.reception.recovered += 1;
    }
  }

  /**
   * Somebody has left the room. The frame that is just being sent stays as it is.
   * @param {Participant} person
   */
  forget({ speaker }) {
    this.#unplace(speaker);
    if (speaker.listed) this.#candidates.splice(this.#candidates.indexOf(speaker), 1);
    speaker.listed = false;
  }
}
