/**
 * @import { SampleClock } from './sample-clock.js'
 *
 * @typedef {object} Beat  a metronome that is on
 * @property {number} bpm    beats a minute
 * @property {number} beats  of a bar, the first of which sounds higher
 * @property {number} from   the first beat, on the room's sample clock
 * @property {string} by     the label of who set it
 */

/** The time until the first beat, in milliseconds: by then everybody has been told. */
const LEAD_MS = 500;

/**
 * The room's metronome: a beat on the room's sample clock. No click is sent. Each page plays them
 * itself when the clock reaches them, so that everybody hears a beat at the same moment, and what
 * is played on the beat is on it in the mix.
 */
export class Metronome {
  #sampleClock;
  #tell;
  /** @type {Readonly<Beat> | null} null while it is off */
  beat = null;

  /**
   * @param {object} options
   * @param {SampleClock} options.sampleClock  the room's
   * @param {(message: object) => void} options.tell  tells everybody in the room
   */
  constructor({ sampleClock, tell }) {
    this.#sampleClock = sampleClock;
    this.#tell = tell;
  }

  /**
   * Sets it going anew, or stops it.
   * @param {{ bpm: number | null, beats: number }} wish  null: off
   * @param {string} by  the label of who asks
   */
  set({ bpm, beats }, by) {
    if (bpm === null && this.beat === null) return;
    const { sampleRate } = this.#sampleClock;
    const from = Math.ceil(this.#sampleClock.now() + (LEAD_MS * sampleRate) / 1000);
    this.beat = bpm === null ? null : Object.freeze({ bpm, beats, from, by });
    this.#tell({ type: 'metronome', beat: this.beat, by });
  }
}
