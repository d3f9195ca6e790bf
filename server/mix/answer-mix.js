/**
 * @import { Participant } from '../room/member.js'
 */

/**
 * The mix of one stretch of time, as it is answered with to all who ask for it: the sum of all who are heard, from
 * which each takes out themselves.
 */
export class AnswerMix {
  start = -Infinity;
  /** Whether nothing has come since that belongs to it. */
  fresh = false;
  /** Whether what was missing has been made up; else it was still waited for. */
  due = false;
  /** How many samples of sound were added. */
  added = 0;
  /** Those whose sound is in it, and the gains that it begins and ends with. @type {Participant[]} */
  people = [];
  /** @type {number[]} */
  from = [];
  /** @type {number[]} */
  to = [];
  /** Those who aren't heard at its end since louder ones are. @type {Participant[]} */
  leftOut = [];
  /** How many of those in the room had begun to send, and how many samples of theirs were there. */
  senders = 0;
  sent = 0;

  /** @param {number} frameValues */
  constructor(frameValues) {
    this.pcm = new Float32Array(frameValues);
  }

  /**
   * @param {number} start
   * @param {boolean} due
   */
  begin(start, due) {
    this.start = start;
    this.due = due;
    this.fresh = true;
    this.added = this.senders = this.sent = 0;
    this.pcm.fill(0);
    // An array whose length is set to 0 would have to be allocated again.
    while (this.leftOut.length > 0) this.leftOut.pop();
    while (this.people.length > 0) {
      this.people.pop();
      this.from.pop();
      this.to.pop();
    }
  }

  /**
   * @param {Participant} person
   * @param {number} from  the gain at the beginning
   * @param {number} to    and at the end
   */
  add(person, from, to) {
    const added = person.sound.ring.addTo(this.pcm, this.start, from, to);
    if (added === 0) return;
    this.added += added;
    this.people.push(person);
    this.from.push(from);
    this.to.push(to);
  }

  /**
   * Counts how much of somebody was there.
   * @param {Participant} person
   * @param {number} samples
   */
  count({ sound }, samples) {
    if (!sound.hasSentAt(this.start)) return;
    this.senders += 1;
    this.sent += sound.ring.sentSamples(this.start, samples);
  }
}

/** So many are kept: for those who read with other delays than most, and to know who was heard just before. */
const KEPT = 8;

/** The mixes that were answered with lately. */
export class AnswerMixes {
  /** @type {AnswerMix[]} */
  #mixes = [];
  #turn = 0;
  #frameValues;

  /** @param {number} frameValues */
  constructor(frameValues) {
    this.#frameValues = frameValues;
  }

  /**
   * @param {number} start
   * @returns {AnswerMix | null}
   */
  find(start) {
    for (let i = 0; i < this.#mixes.length; i++) if (this.#mixes[i].start === start) return this.#mixes[i];
    return null;
  }

  /**
   * Something has come.
   * @param {number} sample from which on mixes are no longer what they would be
   * @param {number} samples in a mix
   */
  spoil(sample, samples) {
    for (let i = 0; i < this.#mixes.length; i++) {
      if (this.#mixes[i].start + samples > sample) this.#mixes[i].fresh = false;
    }
  }

  /** @returns {AnswerMix} the oldest, to be filled */
  next() {
    if (this.#mixes.length < KEPT) {
      const mix = new AnswerMix(this.#frameValues);
      this.#mixes.push(mix);
      return mix;
    }
    this.#turn = (this.#turn + 1) % KEPT;
    return this.#mixes[this.#turn];
  }
}
