import { cueOf } from './chapters.js';

/** Limit of a transcript, in characters: some 20 hours of speech. Later captions are left out. */
export const MAX_TRANSCRIPT_LENGTH = 1_000_000;

/** Characters that a caption counts beside its text: its times and the voice span. */
const CUE_LENGTH = 100;

/**
 * Text of a caption, in seconds from the recording's beginning.
 * @typedef {{ id: string, label: string, from: number, to: number, text: string, lang: string,
 *   by?: string }} SpokenCue
 */

/** Collects what recorded people say, as captions that came during the recording. */
export class Transcript {
  /** @type {SpokenCue[]} */
  #cues = [];
  #length = 0;
  #isChanged = false;

  /** True once it has had a caption. */
  exists = false;

  /** @param {SpokenCue} cue */
  add(cue) {
    const length = cue.text.length + CUE_LENGTH;
    if (this.#length + length > MAX_TRANSCRIPT_LENGTH) return;
    this.#length += length;
    this.#cues.push(cue);
    this.exists = this.#isChanged = true;
  }

  /** Removes a person who has withdrawn consent. @param {string} id */
  forget(id) {
    const kept = this.#cues.filter((cue) => cue.id !== id);
    if (kept.length === this.#cues.length) return;
    this.#cues = kept;
    this.#length = kept.reduce((length, { text }) => length + text.length + CUE_LENGTH, 0);
    this.#isChanged = true;
  }

  /** True once after each change. */
  takeChange() {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /**
   * @returns {string} WebVTT with a cue for each caption. The speaker's label is in a voice span;
   *   its language and the program that wrote it are in a note
   */
  toVtt() {
    const cues = this.#cues.toSorted((a, b) => a.from - b.from);
    const writers = [...new Set(cues.flatMap(({ by }) => (by === undefined ? [] : [by])))];
    const notes = writers.map((by) => `NOTE Captions by ${by.replace(/\s+/g, ' ')}\n`);
    return ['WEBVTT\n', ...notes, ...cues.map(cueOf)].join('\n');
  }
}
