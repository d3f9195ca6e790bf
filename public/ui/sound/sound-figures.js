import { LATENESS_BINS_MS } from '../../shared/control.js';
import { figureTexts, texts } from '../../texts.js';
import { build, setText } from '../kit/element.js';
import { quantity } from './sound-report.js';

/**
 * @import { ClientStats } from '../../client/call/client-stats.js'
 *
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} up    of this one's sound, as the server counts it
 * @property {string} down  of what is heard here
 */

/** Counts of packets and frames since joining, which both sides keep under the same name. */
const COUNTS = /** @type {const} */ (['lost', 'late', 'early', 'duplicate', 'concealed', 'recovered']);

/**
 * What is counted of a call, both ways.
 * @param {ClientStats} stats
 * @returns {Figure[]} with a dash for what isn't known, or not counted
 */
export function figuresOf({ receivedPercent, detail: { server, playout, uplink, client } }) {
  const told = /** @type {Record<string, any>} */ (server ?? {});
  const own = /** @type {Record<string, any>} */ (playout);
  const percent = (/** @type {number | null | undefined} */ value) => quantity(value, '%', 1);
  return [
    { name: figureTexts.received, up: percent(told.receivedPercent), down: percent(own.receivedPercent) },
    { name: figureTexts.received10s, up: percent(told.receivedPercent10s), down: percent(receivedPercent) },
    ...COUNTS.map((name) => ({ name: figureTexts[name], up: quantity(told[name], ''), down: quantity(own[name], '') })),
    { name: figureTexts.gaps, up: quantity(null, ''), down: quantity(client?.gapMs, 'ms') },
    { name: figureTexts.jitter, up: quantity(told.jitterMs, 'ms', 1), down: quantity(own.wantedMs, 'ms', 1) },
    { name: figureTexts.drift, up: quantity(uplink?.driftPpm, 'ppm', 1), down: quantity(own.driftPpm, 'ppm', 1) },
  ];
}

/**
 * How late this one's frames came to the server, of the last seconds.
 * @param {ClientStats} stats
 * @returns {{ name: string, share: number }[]} share: 0 to 1; none where nothing came
 */
export function latenessOf({ detail: { server } }) {
  const bins = server?.latenessBins;
  if (!Array.isArray(bins) || bins.length !== LATENESS_BINS_MS.length + 1) return [];
  const sum = bins.reduce((all, count) => all + count, 0);
  if (!(sum > 0)) return [];
  return bins.map((count, i) => ({
    name: i < LATENESS_BINS_MS.length ? texts.latenessUpTo(LATENESS_BINS_MS[i]) : texts.latenessOver,
    share: count / sum,
  }));
}

/** The figures as a table, and lateness as bars. */
export class SoundFigures {
  #rows = build('tbody', {});
  #bars = build('div', { class: 'lateness', role: 'img', 'aria-label': texts.lateness });

  constructor() {
    const heads = [texts.figures, texts.up, texts.down].map((head) => build('th', { scope: 'col' }, head));
    this.element = build(
      'section',
      { class: 'figures' },
      build('table', {}, build('thead', {}, build('tr', {}, ...heads)), this.#rows),
      build('p', { class: 'hint' }, texts.lateness),
      this.#bars,
    );
  }

  /** @param {ClientStats} stats */
  show(stats) {
    for (const [i, { name, up, down }] of figuresOf(stats).entries()) {
      const row = this.#rows.children[i] ?? this.#rows.appendChild(this.#newRow(name));
      setText(/** @type {HTMLElement} */ (row.children[1]), up);
      setText(/** @type {HTMLElement} */ (row.children[2]), down);
    }
    const bins = latenessOf(stats);
    this.#bars.replaceChildren(
      ...bins.map(({ name, share }) => {
        const bar = build('span', { title: `${name}: ${quantity(100 * share, '%', 1)}` });
        bar.style.setProperty('block-size', `${100 * share}%`);
        return bar;
      }),
    );
    const shown = bins.filter(({ share }) => share > 0).map(({ name, share }) => `${name} ${quantity(100 * share, '%')}`);
    this.#bars.setAttribute('aria-label', [texts.lateness, ...shown].join(', '));
  }

  /** @param {string} name */
  #newRow(name) {
    return build('tr', {}, build('th', { scope: 'row' }, name), build('td', {}), build('td', {}));
  }
}
