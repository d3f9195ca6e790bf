/**
 * @import { Source } from '../source/source.js'
 * @import { Speaker } from './speaker.js'
 */

import { addRamped } from '../../public/shared/level.js';

/** How loud one listener hears others, where it differs from how everybody does. A gain moves within a frame. */
export class Volumes {
  /** By the source's id; before: the gain of the last frame that was mixed. @type {Map<string, { gain: number, before: number, frame: number }>} */
  #gains = new Map();

  /** How many are heard in another way than everybody hears them. */
  get size() {
    return this.#gains.size;
  }

  /**
   * @param {string} id  the source's
   * @param {number} gain  0 and more; 1: as everybody
   * @param {number} frame  the last one in which the source was heard
   */
  set(id, gain, frame) {
    const known = this.#gains.get(id);
    if (known) known.gain = gain;
    else if (gain !== 1) this.#gains.set(id, { gain, before: 1, frame });
  }

  /** @param {string} id  of a source that is no more */
  forget(id) {
    this.#gains.delete(id);
  }

  /**
   * @param {ReadonlyArray<Speaker>} speakers
   * @returns {boolean} whether any of them is heard in another way
   */
  concern(speakers) {
    if (this.#gains.size === 0) return false;
    for (let i = 0; i < speakers.length; i++) if (this.#gains.has(speakers[i].id)) return true;
    return false;
  }

  /**
   * Mixes what this listener hears of a frame.
   * @param {Float32Array} mix  filled
   * @param {number} frame
   * @param {ReadonlyArray<Speaker>} speakers  those who are heard in the frame
   * @param {string | null} except  the id of the source that is left out: one's own
   * @returns {boolean} whether there is anything to be heard
   */
  mix(mix, frame, speakers, except) {
    mix.fill(0);
    let sounding = false;
    for (let i = 0; i < speakers.length; i++) {
      const { id, samples, channels } = speakers[i];
      if (id === except) continue;
      const from = this.#begins(id, frame);
      const to = this.#ends(id, frame);
      if (from === 0 && to === 0) continue;
      addRamped(mix, 0, samples, 0, mix.length / channels, channels, from, to);
      sounding = true;
    }
    return sounding;
  }

  /**
   * Adds what this listener hears of a source from a sample on.
   * @param {Float32Array} mix
   * @param {number} start  where the sound is read
   * @param {Source} source
   * @param {number} frame  that is answered
   * @param {number} from  the gain with which everybody hears it at the beginning
   * @param {number} to  and at the end
   * @returns {number} how many samples of sound were added
   */
  addTo(mix, start, { id, ring }, frame, from, to) {
    const before = this.#begins(id, frame);
    return ring.addTo(mix, start, from * before, to * this.#ends(id, frame));
  }

  /**
   * @param {string} id
   * @param {number} frame
   * @returns {number} the gain with which the frame begins
   */
  #begins(id, frame) {
    const known = this.#gains.get(id);
    if (known === undefined) return 1;
    // A source that begins anew has no gain of a frame before to move from.
    return known.frame === frame - 1 ? known.before : known.gain;
  }

  /**
   * @param {string} id
   * @param {number} frame
   * @returns {number} the gain with which the frame ends, and the next one begins
   */
  #ends(id, frame) {
    const known = this.#gains.get(id);
    if (known === undefined) return 1;
    known.before = known.gain;
    known.frame = frame;
    if (known.gain === 1) this.#gains.delete(id);
    return known.before;
  }
}
