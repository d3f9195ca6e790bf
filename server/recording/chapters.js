/**
 * Level of the quietest sound that counts as speech, in −dBov (RFC 6464): above the noise of most
 * rooms.
 */
const SPEECH_LEVEL = 45;

/**
 * Limit of chapters. Near it, longer pauses stay within a chapter, and the shortest chapters are
 * left out.
 */
export const MAX_CHAPTERS = 1000;

/**
 * Longest pause within a chapter, and shortest chapter, in seconds, while there are few chapters.
 */
const PAUSE_SECONDS = 2;
const LEAST_SECONDS = 1;

/**
 * A chapter: one person's speech between two moments, in seconds from the recording's beginning.
 * @typedef {{ id: string, label: string, from: number, to: number }} Chapter
 */

/** Finds chapters from the levels of people's frames. */
export class Chapters {
  #frameSeconds;
  #pause = PAUSE_SECONDS;
  /**
   * Chapters of people who speak, or have just stopped, by person's id.
   * @type {Map<string, Chapter>}
   */
  #open = new Map();
  /** @type {Chapter[]} */
  #closed = [];

  /** @param {number} frameSeconds  duration of a frame */
  constructor(frameSeconds) {
    this.#frameSeconds = frameSeconds;
  }

  /**
   * Adds one person's frame.
   * @param {string} id  of the person
   * @param {string} label
   * @param {number} frame  from the recording's beginning
   * @param {number} level  in −dBov
   */
  heard(id, label, frame, level) {
    if (level > SPEECH_LEVEL) return;
    const from = frame * this.#frameSeconds;
    const to = from + this.#frameSeconds;
    const open = this.#open.get(id);
    if (open && from - open.to <= this.#pause) {
      open.to = to;
      return;
    }
    if (open) this.#close(open);
    this.#open.set(id, { id, label, from, to });
  }

  /** Removes a person who has withdrawn consent. @param {string} id */
  forget(id) {
    this.#open.delete(id);
    this.#closed = this.#closed.filter((chapter) => chapter.id !== id);
  }

  /** @param {Chapter} chapter */
  #close(chapter) {
    if (lengthOf(chapter) >= LEAST_SECONDS) this.#closed.push(chapter);
    if (this.#closed.length >= MAX_CHAPTERS) this.#thin();
  }

  #thin() {
    this.#pause *= 2;
    /** @type {Map<string, Chapter>} */
    const last = new Map();
    const merged = [];
    for (const chapter of this.#closed) {
      const before = last.get(chapter.id);
      if (before && chapter.from - before.to <= this.#pause) {
        before.to = chapter.to;
        continue;
      }
      last.set(chapter.id, chapter);
      merged.push(chapter);
    }
    const kept = new Set(
      merged.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_CHAPTERS / 2),
    );
    this.#closed = merged.filter((chapter) => kept.has(chapter));
  }

  /** @returns {Chapter[]} ordered by beginning */
  list() {
    const open = [...this.#open.values()].filter((chapter) => lengthOf(chapter) >= LEAST_SECONDS);
    return [...this.#closed, ...open].sort((a, b) => a.from - b.from);
  }

  /** @returns {string} WebVTT: a cue for each chapter, with the speaker's label in a voice span */
  toVtt() {
    const cues = this.list().map((chapter) => cueOf({ ...chapter, text: chapter.label }));
    return ['WEBVTT\n', ...cues].join('\n');
  }
}

/** @param {Chapter} chapter @returns {number} in seconds */
const lengthOf = ({ from, to }) => to - from;

/**
 * Writes a cue of WebVTT.
 * @param {{ label: string, from: number, to: number, text: string, lang?: string }} cue  lang: the
 *   language of the text, if it is known
 */
export function cueOf({ label, from, to, text, lang }) {
  const content = lang === undefined ? textOf(text) : `<lang ${lang}>${textOf(text)}</lang>`;
  return `${timeOf(from)} --> ${timeOf(to)}\n<v ${textOf(label)}>${content}</v>\n`;
}

/** @param {number} seconds @returns {string} hh:mm:ss.ttt */
function timeOf(seconds) {
  const ms = Math.round(seconds * 1000);
  const two = (/** @type {number} */ value) => String(Math.floor(value)).padStart(2, '0');
  const minutes = `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}`;
  return `${minutes}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`;
}

/** Escapes the text of a cue (WebVTT, section 4.2.2). @param {string} text */
const textOf = (text) =>
  text.replace(/\s+/g, ' ').replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
