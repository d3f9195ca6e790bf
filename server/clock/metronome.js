/**
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 * @import { SampleClock } from './sample-clock.js'
 *
 * @typedef {object} Beat metronome that is on
 * @property {number} bpm beats a minute
 * @property {number} beats of a bar, the first of which sounds higher
 * @property {number} from first beat, on the room's sample clock
 * @property {string} by label of the participant who set it
 */

/** Time until the first beat, in milliseconds: by then everybody has been notified. */
const LEAD_MS = 500;

/**
 * Metronome of a room, on its sample clock. No click is sent: each page plays them when the clock
 * reaches them. So everybody hears a beat at the same moment, and music played on the beat is on it
 * in the mix.
 */
export class Metronome {
  #sampleClock;
  #tell;
  /** @type {Readonly<Beat> | null} null while it is off */
  beat = null;

  /**
   * @param {object} options
   * @param {SampleClock} options.sampleClock of the room
   * @param {(message: ServerMessage) => void} options.tell notifies everybody in the room
   */
  constructor({ sampleClock, tell }) {
    this.#sampleClock = sampleClock;
    this.#tell = tell;
  }

  /**
   * Finds the bar that follows a whole bar of beats, so that it is counted in.
   * @param {number} earliest sample of the room's clock
   * @returns {number} first sample of that bar, at least a bar after `earliest`; `earliest` while
   *   the metronome is off
   */
  countedIn(earliest) {
    if (this.beat === null) return earliest;
    const { bpm, beats, from } = this.beat;
    const bar = (beats * 60 * this.#sampleClock.sampleRate) / bpm;
    const begun = Math.max(0, Math.ceil((earliest - from) / bar));
    return Math.round(from + (begun + 1) * bar);
  }

  /**
   * Restarts or stops it.
   * @param {{ bpm: number | null, beats: number }} tempo null: off
   * @param {string} by label of the requester
   */
  set({ bpm, beats }, by) {
    if (bpm === null && this.beat === null) return;
    const { sampleRate } = this.#sampleClock;
    const from = Math.ceil(this.#sampleClock.now() + (LEAD_MS * sampleRate) / 1000);
    this.beat = bpm === null ? null : Object.freeze({ bpm, beats, from, by });
    this.#tell({ type: 'metronome', beat: this.beat, by });
  }
}
