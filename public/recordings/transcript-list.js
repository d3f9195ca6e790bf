import { build, makeField, setText } from '../ui/kit/element.js';
import { KeyedList } from '../ui/kit/keyed-list.js';
import { recordingPageTexts as texts } from '../texts/pages.js';
import { timeText } from '../texts/units.js';

/**
 * @typedef {{ label: string, from: number, to: number, text: string, lang: string }} SpokenCue
 *   from, to: in seconds
 */

const TIME = /(\d+):(\d\d):(\d\d\.\d{3})/.source;
const CUE = new RegExp(
  `^${TIME} --> ${TIME}\\n<v ([^>\\n]*)><lang ([\\w-]+)>(.*)</lang></v>$`,
  'gm',
);

/** @param {string} text  escaped as in WebVTT */
const plain = (text) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

/**
 * Reads the captions of the server's WebVTT.
 * @param {string} vtt
 * @returns {SpokenCue[]}
 */
export function readTranscript(vtt) {
  return [...vtt.matchAll(CUE)].map(([, h1, m1, s1, h2, m2, s2, label, lang, text]) => ({
    from: Number(h1) * 3600 + Number(m1) * 60 + Number(s1),
    to: Number(h2) * 3600 + Number(m2) * 60 + Number(s2),
    label: plain(label),
    lang,
    text: plain(text),
  }));
}

/** Folds case and marks, so that "cafe" finds "Café". @param {string} text */
const folded = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * Finds captions whose text or speaker has all words of a query.
 * @param {SpokenCue[]} cues
 * @param {string} query
 */
export function search(cues, query) {
  const words = folded(query).split(/\s+/).filter(Boolean);
  return cues.filter(({ label, text }) => {
    const all = folded(`${label} ${text}`);
    return words.every((word) => all.includes(word));
  });
}

/** List of the captions, with a field for searching; each one jumps to its beginning. */
export class TranscriptList {
  #onSeek;
  /** @type {SpokenCue[]} */
  #cues = [];
  #vtt = '';
  #field = build('input', { type: 'search', id: 'transcript-search', autocomplete: 'off' });
  #found = build('p', { class: 'hint', role: 'status' });
  #list = build('ol', { class: 'chapters transcript', tabindex: '0' });
  #rows = new KeyedList(
    this.#list,
    keyOf,
    (/** @type {SpokenCue} */ cue) => ({ element: this.#makeRow(cue) }),
    (neighbour) => (neighbour?.querySelector('button') ?? this.#field).focus(),
  );
  element = build(
    'section',
    { 'aria-labelledby': 'transcript-title' },
    build('h2', { id: 'transcript-title' }, texts.transcript),
    makeField(texts.search, this.#field),
    this.#found,
    this.#list,
  );

  /** @param {(seconds: number) => void} onSeek */
  constructor(onSeek) {
    this.#onSeek = onSeek;
    this.#list.setAttribute('aria-labelledby', 'transcript-title');
    this.#field.addEventListener('input', () => this.#show());
  }

  /** @param {string} vtt  shown again only if it differs */
  show(vtt) {
    if (vtt === this.#vtt) return;
    this.#vtt = vtt;
    this.#cues = readTranscript(vtt);
    this.#show();
  }

  #show() {
    const query = this.#field.value.trim();
    const found = search(this.#cues, query);
    setText(this.#found, query === '' ? '' : texts.found(found.length));
    this.#rows.show(found);
  }

  /** @param {SpokenCue} cue */
  #makeRow({ label, from, text, lang }) {
    const button = build(
      'button',
      { type: 'button', class: 'chapter' },
      build('span', { class: 'chapter-time' }, timeText(from)),
      ' ',
      build(
        'span',
        {},
        build('strong', {}, `${label}: `),
        build('span', { lang, dir: 'auto' }, text),
      ),
    );
    button.addEventListener('click', () => this.#onSeek(from));
    return build('li', {}, button);
  }
}

/** A caption of a growing transcript keeps its row. @param {SpokenCue} cue */
const keyOf = ({ label, from, text }) => `${from} ${label} ${text}`;
