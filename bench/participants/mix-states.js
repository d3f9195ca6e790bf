/**
 * @import { Source } from '../../server/source/source.js'
 *
 * @typedef {{ name: string, source: Pick<Source, 'offsetMs' | 'format' | 'packets' | 'ring'> | null
 *   }} Speaker
 *
 * @typedef {object} MixState  what there was of a speaker's frame when it was mixed
 * @property {string} name
 * @property {number} frame  by the speaker's own clock
 * @property {number} state  a FrameState
 * @property {number} mix    the frame of the mix
 */

import { FrameState } from '../../server/source/pcm-ring.js';

/** Notes the state of each speaker's frames when they were mixed, and in which frame of the mix. */
export class MixStates {
  /**
   * The last frame of each that was noted, by the speaker's own clock; -1 before the first.
   * @type {Map<Speaker, number>}
   */
  #last = new Map();

  /** @param {Speaker} speaker  noted from now on; one who is already stays so */
  add(speaker) {
    if (!this.#last.has(speaker)) this.#last.set(speaker, -1);
  }

  /**
   * @param {number} mix  the frame that was just mixed: nothing has been decoded since
   * @param {MixState[]} notes  added to
   */
  mixed(mix, notes) {
    for (const [speaker, last] of this.#last) {
      const { name, source } = speaker;
      if (source === null) continue;
      const said = mix - Math.round(source.offsetMs / source.format.frameMs);
      // Sound that got shorter, to catch up, holds frames that no frame of the mix has to itself;
      // silence is left out of it.
      for (let between = last < 0 ? said : last + 1; between < said; between++)
        notes.push({ name, frame: between, state: sentState(source, between), mix });
      notes.push({ name, frame: said, state: source.ring.state(mix), mix });
      this.#last.set(speaker, said);
    }
  }
}

/**
 * @param {Pick<Source, 'packets'>} source
 * @param {number} frame by the speaker's clock
 * @returns {number} a FrameState
 */
function sentState({ packets }, frame) {
  if (packets.hasSound(frame)) return FrameState.received;
  return packets.has(frame) ? FrameState.silent : FrameState.absent;
}
