/**
 * @import { Source } from '../source/source.js'
 * @import { Speaker } from './speaker.js'
 */

import { addRamped } from '../../public/shared/sound/level.js';

/**
 * @typedef {object} Volume  how one source is heard; the gains of mono are the left ones
 * @property {number} left    the gain that it is to have
 * @property {number} right
 * @property {number} leftBefore   that with which the last frame ended that was mixed
 * @property {number} rightBefore
 * @property {number} frame   that frame
 */

/**
 * How loud one listener hears others, and in a stereo room from where, where it differs from how
 * everybody does. A gain moves within a frame.
 */
export class Volumes {
  /** By the source's id. @type {Map<string, Volume>} */
  #gains = new Map();
  /** The gains with which the frame of the source that was asked for last begins and ends. */
  #from = 1;
  #to = 1;
  #rightFrom = 1;
  #rightTo = 1;

  /** How many are heard in another way than everybody hears them. */
  get size() {
    return this.#gains.size;
  }

  /**
   * @param {string} id  the source's
   * @param {number} gain  0 and more; 1: as everybody
   * @param {number} pan   -1, on the left alone, to 1, on the right alone; 0 in a mono room
   * @param {number} frame  the last one in which the source was heard
   */
  set(id, gain, pan, frame) {
    const [left, right] = [gain * Math.min(1, 1 - pan), gain * Math.min(1, 1 + pan)];
    const known = this.#gains.get(id);
    if (known) Object.assign(known, { left, right });
    else if (left !== 1 || right !== 1)
      this.#gains.set(id, { left, right, leftBefore: 1, rightBefore: 1, frame });
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
      this.#move(id, frame);
      if (this.#from === 0 && this.#to === 0 && this.#rightFrom === 0 && this.#rightTo === 0)
        continue;
      addRamped(
        mix,
        0,
        samples,
        0,
        mix.length / channels,
        channels,
        this.#from,
        this.#to,
        this.#rightFrom,
        this.#rightTo,
      );
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
    this.#move(id, frame);
    return ring.addTo(
      mix,
      start,
      from * this.#from,
      to * this.#to,
      from * this.#rightFrom,
      to * this.#rightTo,
    );
  }

  /**
   * Takes the gains with which a frame begins and ends; the next one begins with the latter.
   * @param {string} id  the source's
   * @param {number} frame
   */
  #move(id, frame) {
    const known = this.#gains.get(id);
    if (known === undefined) {
      this.#from = this.#to = this.#rightFrom = this.#rightTo = 1;
      return;
    }
    // A source that begins anew has no gain of a frame before to move from.
    const goesOn = known.frame === frame - 1;
    this.#from = goesOn ? known.leftBefore : known.left;
    this.#rightFrom = goesOn ? known.rightBefore : known.right;
    this.#to = known.leftBefore = known.left;
    this.#rightTo = known.rightBefore = known.right;
    known.frame = frame;
    if (known.left === 1 && known.right === 1) this.#gains.delete(id);
  }
}
