import { build } from '../ui/kit/element.js';
import { KeyedList } from '../ui/kit/keyed-list.js';
import { timeText } from '../texts/units.js';

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
  #empty;
  #onSeek;
  /** @type {Chapter[]} */
  #chapters = [];
  #rows;

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} empty shown when there are none
   * @param {(seconds: number) => void} onSeek
   */
  constructor(list, empty, onSeek) {
    this.#empty = empty;
    this.#onSeek = onSeek;
    this.#rows = new KeyedList(
      list,
      keyOf,
      (/** @type {Chapter} */ chapter) => this.#makeRow(chapter),
      (neighbour) => neighbour?.querySelector('button')?.focus(),
    );
  }

  /** @param {Chapter[]} chapters */
  show(chapters) {
    this.#rows.show(chapters);
    this.#chapters = chapters;
    this.#empty.hidden = chapters.length > 0;
  }

  /** @param {Chapter} chapter */
  #makeRow({ label, from }) {
    const button = build(
      'button',
      { type: 'button', class: 'chapter' },
      build('span', { class: 'chapter-time' }, timeText(from)),
      ' ',
      build('span', { dir: 'auto' }, label),
    );
    button.addEventListener('click', () => this.#onSeek(from));
    return { element: build('li', {}, button), button };
  }

  /** Marks the current speakers. @param {number} seconds */
  at(seconds) {
    for (const chapter of this.#chapters) {
      const button = this.#rows.rows.get(keyOf(chapter))?.button;
      if (seconds >= chapter.from && seconds < chapter.to)
        button?.setAttribute('aria-current', 'true');
      else button?.removeAttribute('aria-current');
    }
  }
}

/** A chapter that grows keeps its row. @param {Chapter} chapter */
const keyOf = ({ label, from }) => `${from} ${label}`;
