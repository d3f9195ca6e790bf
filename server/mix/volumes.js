/**
 * @import { Source } from '../source/source.js'
 * @import { Speaker } from './speaker.js'
 */

import { addRamped } from '../../public/shared/sound/level.js';

/**
 * @typedef {object} Volume loudness and side of one source; mono uses the left gains
 * @property {number} left gain to reach
 * @property {number} right
 * @property {number} leftBefore gain at the end of the last mixed frame
 * @property {number} rightBefore
 * @property {number} frame last mixed frame
 */

/**
 * Volumes of other participants that one listener has set, and their pan in a stereo room. A gain
 * moves within a frame.
 */
export class Volumes {
  /** By the source's id. @type {Map<string, Volume>} */
  #gains = new Map();
  /** Gains at the beginning and the end of the source's last requested frame. */
  #from = 1;
  #to = 1;
  #rightFrom = 1;
  #rightTo = 1;

  /** Number of sources with a volume or pan of their own. */
  get size() {
    return this.#gains.size;
  }

  /**
   * @param {string} id of the source
   * @param {number} gain 0 and more; 1: unchanged
   * @param {number} pan -1, on the left alone, to 1, on the right alone; 0 in a mono room
   * @param {number} frame last one in which the source was heard
   */
  set(id, gain, pan, frame) {
    const [left, right] = [gain * Math.min(1, 1 - pan), gain * Math.min(1, 1 + pan)];
    const known = this.#gains.get(id);
    if (known) Object.assign(known, { left, right });
    else if (left !== 1 || right !== 1)
      this.#gains.set(id, { left, right, leftBefore: 1, rightBefore: 1, frame });
  }

  /** @param {string} id of a source that has left */
  forget(id) {
    this.#gains.delete(id);
  }

  /**
   * @param {ReadonlyArray<Speaker>} speakers
   * @returns {boolean} true when one of them has a volume of its own
   */
  concern(speakers) {
    if (this.#gains.size === 0) return false;
    for (let i = 0; i < speakers.length; i++) if (this.#gains.has(speakers[i].id)) return true;
    return false;
  }

  /**
   * Mixes a frame for this listener.
   * @param {Float32Array} mix filled
   * @param {number} frame
   * @param {ReadonlyArray<Speaker>} speakers heard in the frame
   * @param {string | null} except id of the source to leave out: one's own
   * @returns {boolean} true when there is sound
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
   * Adds a source's sound from a sample on, for this listener.
   * @param {Float32Array} mix
   * @param {number} start first sample to read
   * @param {Source} source
   * @param {number} frame answered one
   * @param {number} from gain for everybody at the beginning
   * @param {number} to gain for everybody at the end
   * @returns {number} number of samples of sound that were added
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
   * Sets the gains at the beginning and the end of a frame; the next one begins with the latter.
   * @param {string} id of the source
   * @param {number} frame
   */
  #move(id, frame) {
    const known = this.#gains.get(id);
    if (known === undefined) {
      this.#from = this.#to = this.#rightFrom = this.#rightTo = 1;
      return;
    }
    // A restarted source has no earlier gain to move from.
    const goesOn = known.frame === frame - 1;
    this.#from = goesOn ? known.leftBefore : known.left;
    this.#rightFrom = goesOn ? known.rightBefore : known.right;
    this.#to = known.leftBefore = known.left;
    this.#rightTo = known.rightBefore = known.right;
    known.frame = frame;
    if (known.left === 1 && known.right === 1) this.#gains.delete(id);
  }
}
