import { build } from '../ui/kit/element.js';
import { timeText } from './moment.js';

/** @typedef {{ label: string, from: number, to: number }} Chapter  in seconds */

const CUE = /^(\d+):(\d\d):(\d\d\.\d{3}) --> (\d+):(\d\d):(\d\d\.\d{3})\n<v ([^>\n]*)>/gm;

/**
 * Reads the list of speakers from the server's WebVTT.
 * @param {string} vtt
 * @returns {Chapter[]}
 */
export function readChapters(vtt) {
  return [...vtt.matchAll(CUE)].map(([, h1, m1, s1, h2, m2, s2, label]) => ({
    from: Number(h1) * 3600 + Number(m1) * 60 + Number(s1),
    to: Number(h2) * 3600 + Number(m2) * 60 + Number(s2),
    label: label.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&'),
  }));
}

/** List of speakers over time; each entry jumps to its beginning. */
export class ChapterList {
  #list;
  #empty;
  #onSeek;
  /** @type {Chapter[]} */
  #chapters = [];
  /** @type {HTMLElement[]} */
  #rows = [];

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} empty shown when there are none
   * @param {(seconds: number) => void} onSeek
   */
  constructor(list, empty, onSeek) {
    this.#list = list;
    this.#empty = empty;
    this.#onSeek = onSeek;
  }

  /** @param {Chapter[]} chapters */
  show(chapters) {
    const same = this.#chapters.findIndex(
      (chapter, i) => JSON.stringify(chapter) !== JSON.stringify(chapters[i]),
    );
    const kept = same < 0 ? Math.min(this.#chapters.length, chapters.length) : same;
    for (const row of this.#rows.splice(kept)) row.remove();
    for (const chapter of chapters.slice(kept)) {
      const row = this.#rowOf(chapter);
      this.#rows.push(row);
      this.#list.append(row);
    }
    this.#chapters = chapters;
    this.#empty.hidden = chapters.length > 0;
  }

  /** @param {Chapter} chapter */
  #rowOf({ label, from }) {
    const button = build(
      'button',
      { type: 'button', class: 'chapter' },
      build('span', { class: 'chapter-time' }, timeText(from)),
      ' ',
      build('span', {}, label),
    );
    button.addEventListener('click', () => this.#onSeek(from));
    return build('li', {}, button);
  }

  /** Marks the current speakers. @param {number} seconds */
  at(seconds) {
    this.#chapters.forEach(({ from, to }, i) => {
      const button = /** @type {HTMLElement} */ (this.#rows[i].firstElementChild);
      if (seconds >= from && seconds < to) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    });
  }
}
