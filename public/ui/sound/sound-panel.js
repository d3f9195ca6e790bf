import { announce, build, makeButton, setText } from '../kit/element.js';
import { InputControls } from './input-controls.js';
import { MetronomeControls } from './metronome-controls.js';
import { OperatorControls } from './operator-controls.js';
import { OwnControls } from './own-controls.js';
import { ShareControls } from './share-controls.js';
import { TrackControls } from './track-controls.js';
import {
  devicesSentence,
  figuresOf,
  PARTS,
  quantity,
  savingsOf,
  SoundFigures,
  soundReport,
} from './sound-figures.js';
import { saveStatistics } from './sound-export.js';
import { noticeText, partTexts, texts } from '../../texts/texts.js';

/**
 * @import { ClientStats } from '../../client/call/call-stats.js'
 * @import { CurrentCall } from '../call/current-call.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { SoundHistory } from './sound-history.js'
 * @import { SoundPlots } from './sound-plots.js'
 */

/** The style sheet of the plots' library. */
const PLOT_STYLE = '/vendor/uplot/uPlot.min.css';

/** The panel Sound: the age of the sound and its parts, two minutes of plots, and the figures. */
export class SoundPanel {
  #room;
  /** @type {ClientStats | null} */
  #stats = null;
  #history;
  /** @type {SoundPlots | null} */
  #plots = null;
  #isLoading = false;
  #age = build('p', { class: 'sound-age' }, texts.soundAge('–'));
  #parts = PARTS.map((part) => ({
    part,
    value: build('dd', {}, '–'),
    bar: build('span', { class: `part part-${part}` }),
  }));
  #place = build(
    'div',
    { class: 'plots-place' },
    build('p', { class: 'hint' }, texts.plotsLoading),
  );
  #figures = new SoundFigures();
  #devices = build('p', { class: 'hint' });
  #savings = build('ul', { class: 'savings' });
  #operator;

  /**
   * @param {string} room
   * @param {CurrentCall} current
   * @param {Notices} notices
   * @param {SoundHistory} history of the call
   */
  constructor(room, current, notices, history) {
    this.#room = room;
    this.#history = history;
    this.#operator = new OperatorControls(room);
    const copy = makeButton('button small', texts.copyAsText, async () => {
      if (!(await notices.copy(this.#report()))) return;
      announce(texts.copied);
      copy.textContent = texts.copied;
      setTimeout(() => (copy.textContent = texts.copyAsText), 3000);
    });
    const rows = this.#parts.map(({ part, value }) =>
      build(
        'div',
        { class: 'part-row' },
        build('dt', {}, build('span', { class: `part-key part-${part}` }), partTexts[part]),
        value,
      ),
    );
    /** The panel's elements, from top to bottom. @type {HTMLElement[]} */
    this.parts = [
      build(
        'section',
        { class: 'sound-sum', 'aria-label': texts.soundSum },
        this.#age,
        build(
          'div',
          { class: 'parts', 'aria-hidden': 'true' },
          ...this.#parts.map(({ bar }) => bar),
        ),
        build('dl', { class: 'part-list' }, ...rows),
        build('p', { class: 'hint' }, texts.soundSumHint),
        this.#devices,
        build('h3', {}, texts.savings),
        this.#savings,
      ),
      new MetronomeControls(current).element,
      new TrackControls(current).element,
      new ShareControls(current).element,
      new InputControls(current).element,
      new OwnControls(room, current).element,
      this.#place,
      this.#figures.element,
      copy,
      this.#saveButton('csv', texts.saveAsCsv),
      this.#saveButton('json', texts.saveAsJson),
      this.#operator.element,
    ];
  }

  opened() {
    this.#operator.opened();
    if (!this.#isLoading) void this.#load();
  }

  closed() {
    this.#operator.closed();
  }

  /** @param {ClientStats | null} stats  null before the first ones */
  show(stats) {
    this.#stats = stats;
    this.#show();
  }

  async #load() {
    this.#isLoading = true;
    try {
      const { SoundPlots: Plots } = await import('./sound-plots.js');
      document.head.append(build('link', { rel: 'stylesheet', href: PLOT_STYLE }));
      this.#plots = new Plots();
      this.#place.replaceChildren(this.#plots.element);
      this.#show();
    } catch {
      this.#isLoading = false;
      this.#place.replaceChildren(build('p', { class: 'hint' }, noticeText('plots-failed')));
    }
  }

  #show() {
    this.#plots?.show(this.#history.samples);
    if (!this.#stats) return;
    const { delayMs, delayParts } = this.#stats;
    setText(this.#age, texts.soundAge(quantity(delayMs, 'ms')));
    for (const { part, value, bar } of this.#parts) {
      setText(value, quantity(delayParts[part], 'ms'));
      bar.style.setProperty('flex-grow', String(Math.max(0, delayParts[part] || 0)));
    }
    setText(this.#devices, devicesSentence(this.#stats));
    const savings = savingsOf(delayParts).map(({ part, ms }) => texts.saves(part, ms));
    showList(this.#savings, savings.length > 0 ? savings : [texts.savesNothing]);
    this.#figures.show(this.#stats);
    this.#operator.follow(delayParts.serverDelayMs);
  }

  /**
   * A button that saves the call's statistics.
   * @param {'csv' | 'json'} format
   * @param {string} label
   */
  #saveButton(format, label) {
    return makeButton('button small', label, () => {
      const { kept, beginMs } = this.#history;
      if (kept.length === 0) return;
      const begun = new Date(performance.timeOrigin + beginMs).toISOString();
      saveStatistics(format, { room: this.#room, begun, samples: kept });
    });
  }

  #report() {
    const sample = this.#history.kept.at(-1);
    if (!this.#stats || !sample) return `${texts.soundAge('–')}\n`;
    const figures = figuresOf(this.#stats);
    return soundReport({
      room: this.#room,
      stats: this.#stats,
      sample,
      figures,
      at: new Date().toISOString(),
    });
  }
}

/**
 * Shows sentences as a list's items, and touches only what has changed.
 * @param {HTMLElement} list
 * @param {string[]} sentences
 */
function showList(list, sentences) {
  while (list.children.length > sentences.length) list.lastElementChild?.remove();
  for (const [i, sentence] of sentences.entries()) {
    setText(
      /** @type {HTMLElement} */ (list.children[i] ?? list.appendChild(build('li', {}))),
      sentence,
    );
  }
}
