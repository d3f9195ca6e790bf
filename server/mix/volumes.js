/**
 * @import { Participant } from '../room/member.js'
 * @import { Speaker } from './speaker.js'
 */

import { addRamped } from '../../public/shared/level.js';

/** How loud one listener wants to hear others, where it isn't as everybody does. */
export class Volumes {
  /** @type {Map<Speaker, { gain: number, before: number, frame: number }>} before: in the frame that was mixed last */
  #gains = new Map();

  /** How many are heard in another way than everybody hears them. */
  get size() {
    return this.#gains.size;
  }

  /**
   * @param {Speaker} speaker
   * @param {number} gain 0 and more; 1: as everybody
   * @param {number} frame the last one in which the speaker was heard
   */
  set(speaker, gain, frame) {
    const known = this.#gains.get(speaker);
    if (known) known.gain = gain;
    else if (gain !== 1) this.#gains.set(speaker, { gain, before: 1, frame });
  }

  /** @param {Speaker} speaker who has left */
  forget(speaker) {
    this.#gains.delete(speaker);
  }

  /**
   * @param {Speaker} before  may still be heard, until it is forgotten
   * @param {Speaker} after  the same person on another session
   */
  replace(before, after) {
    const known = this.#gains.get(before);
    if (known !== undefined) this.#gains.set(after, known);
  }

  /**
   * @param {Volumes} before  of the same listener on another session
   */
  continue(before) {
    for (const [speaker, known] of before.#gains) this.#gains.set(speaker, { ...known });
  }

  /**
   * Whether any of these is to be heard in another way.
   * @param {ReadonlyArray<Speaker>} speakers
   */
  concern(speakers) {
    if (this.#gains.size === 0) return false;
    for (let i = 0; i < speakers.length; i++) if (this.#gains.has(speakers[i])) return true;
    return false;
  }

  /**
   * Mixes what this listener hears of a frame. A gain that was changed moves within the frame.
   * @param {Float32Array} mix filled
   * @param {number} frame
   * @param {ReadonlyArray<Speaker>} speakers those who are heard in the frame
   * @param {Participant | null} except who isn't
   * @returns {boolean} whether there is anything to be heard
   */
  mix(mix, frame, speakers, except) {
    mix.fill(0);
    let sounding = false;
    for (let i = 0; i < speakers.length; i++) {
      const speaker = speakers[i];
      if (speaker.person.holder === except) continue;
      const from = this.before(speaker, frame);
      const to = this.take(speaker, frame);
      if (from === 0 && to === 0) continue;
      const { samples, channels } = speaker;
      addRamped(mix, 0, samples, 0, mix.length / channels, channels, from, to);
      sounding = true;
    }
    return sounding;
  }

  /**
   * Adds what this listener hears of somebody from a sample on.
   * @param {Float32Array} mix
   * @param {number} start where the sound is read
   * @param {Participant} person
   * @param {number} frame that is answered
   * @param {number} from  the gain that everybody hears it with at the beginning
   * @param {number} to    and at the end
   * @returns {number} how many samples of sound were added
   */
  addTo(mix, start, { sound: { ring }, speaker }, frame, from, to) {
    const before = this.before(speaker, frame);
    return ring.addTo(mix, start, from * before, to * this.take(speaker, frame));
  }

  /**
   * The gain that a frame begins with.
   * @param {Speaker} speaker
   * @param {number} frame
   */
  before(speaker, frame) {
    const known = this.#gains.get(speaker);
    if (known === undefined) return 1;
    // What begins anew has nothing to go over from.
    return known.frame === frame - 1 ? known.before : known.gain;
  }

  /**
   * The gain that a frame ends with, and the next one begins with.
   * @param {Speaker} speaker
   * @param {number} frame
   */
  take(speaker, frame) {
    const known = this.#gains.get(speaker);
    if (known === undefined) return 1;
    known.before = known.gain;
    known.frame = frame;
    if (known.gain === 1) this.#gains.delete(speaker);
    return known.before;
  }
}
