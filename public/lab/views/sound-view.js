/** @import { Measurements } from '../measurements.js' */

import { elementOf } from '../../ui/kit/element.js';
import { addedUpMs } from '../measurements.js';
import { Plot, showScatter } from './plot.js';
import { PROTOCOLS } from '../runs/protocol.js';
import { fillLegend, fillTable, lineOf } from './protocols.js';
import { summarize } from '../summary.js';
import { milliseconds, nameOf, percentage, texts } from '../texts.js';

/** Sound latency, added up as in the thesis and as it was heard. */
export class SoundView {
  #section = elementOf('sound', HTMLElement);
  #figures = elementOf('sound-figures', HTMLTableElement);
  #turns = elementOf('sound-turns', HTMLTableElement);
  #above = elementOf('sound-above', HTMLElement);
  #legend = elementOf('sound-legend', HTMLUListElement);
  #time;

  constructor() {
    this.#time = new Plot(elementOf('sound-time', HTMLElement), {
      label: texts.plotOf(texts.axes.soundLatency, texts.axes.time),
      xLabel: texts.axes.time,
      yLabel: texts.axes.soundLatency,
      lines: PROTOCOLS.map((protocol) => ({
        label: nameOf(protocol),
        ...lineOf(protocol),
        kind: 'points',
      })),
    });
  }

  /** @param {Measurements} measurements */
  show({ runs, turns }) {
    const protocols = PROTOCOLS.filter((protocol) => (runs.get(protocol)?.heard.length ?? 0) > 0);
    this.#section.hidden = protocols.length === 0;
    if (protocols.length === 0) return;
    fillLegend(this.#legend, protocols);
    const readings = protocols.map((protocol) => {
      const heard = runs.get(protocol)?.heard ?? [];
      return /** @type {const} */ ([
        protocol,
        heard.map(({ atMs, latencyMs }) => ({ atMs, ms: latencyMs })),
      ]);
    });
    showScatter(this.#time, this.#above, new Map(readings));
    this.#showFigures(runs, protocols);
    const rows = turns.map(({ protocol, startMs, endMs }) => {
      const heard =
        runs.get(protocol)?.heard.filter(({ atMs }) => atMs >= startMs && atMs < endMs) ?? [];
      const summary = summarize(heard.map(({ latencyMs }) => latencyMs));
      const figures = summary ? [milliseconds(summary.p50), milliseconds(summary.max)] : ['', ''];
      return [texts.from(startMs, endMs), nameOf(protocol), ...figures];
    });
    fillTable(this.#turns, texts.soundTable, rows);
  }

  /**
   * @param {Measurements['runs']} runs
   * @param {readonly import('../runs/protocol.js').Protocol[]} protocols
   */
  #showFigures(runs, protocols) {
    const found = protocols.map((protocol) => {
      const run = /** @type {import('../measurements.js').ProtocolRun} */ (runs.get(protocol));
      const heard = summarize(run.heard.map(({ latencyMs }) => latencyMs));
      return { addedUp: summarize(addedUpMs(run)), heard, likeness: summarize(run.correlations) };
    });
    const rows = (
      /** @type {'addedUp' | 'heard'} */ kind,
      /** @type {Record<string, string>} */ labels,
    ) =>
      Object.entries(labels).map(([key, label]) => [
        label,
        ...found.map((one) => {
          const value = one[kind]?.[/** @type {'mean'} */ (key)];
          return value === undefined ? '' : milliseconds(value);
        }),
      ]);
    fillTable(
      this.#figures,
      [texts.quantity, ...protocols.map(nameOf)],
      [
        ...rows('heard', texts.heard),
        ...rows('addedUp', texts.addedUp),
        [
          texts.likeness,
          ...found.map((one) => (one.likeness ? percentage(100 * one.likeness.mean) : '')),
        ],
      ],
    );
  }
}
