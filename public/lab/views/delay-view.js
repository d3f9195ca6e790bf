/**
 * @import { Protocol } from '../runs/protocol.js'
 * @import { Measurements } from '../measurements.js'
 * @import { ClientName } from '../runs/pair.js'
 */

import { elementOf, setText } from '../../ui/kit/element.js';
import { TARGETS } from './data-files.js';
import { Plot } from './plot.js';
import { PROTOCOLS } from '../runs/protocol.js';
import { fillLegend, fillTable, lineOf } from './protocols.js';
import { leastDelay } from '../summary.js';
import { nameOf, percentage, texts } from '../texts.js';

/** Largest delay on the page, in milliseconds. */
export const MAX_DELAY_MS = 400;

/** Least time between two changes of the delay while the slider moves, in milliseconds. */
const TELL_MS = 100;

/** Number of spans, about a second, over which the audio heard now is averaged. */
const NOW_SPANS = 2;

/** @type {readonly ClientName[]} */
const CLIENTS = Object.freeze(/** @type {const} */ (['A', 'B']));

/** Received audio by the server-side delay: the slider, the audio heard now, the plot. */
export class DelayView {
  #slider = elementOf('server-delay', HTMLInputElement);
  #chosen = elementOf('server-delay-value', HTMLElement);
  #legend = elementOf('delay-legend', HTMLUListElement);
  #results = elementOf('delay-results', HTMLElement);
  #least = elementOf('delay-least', HTMLTableElement);
  #table = elementOf('delay-table', HTMLTableElement);
  #meters = {
    A: {
      bar: elementOf('heard-a', HTMLMeterElement),
      text: elementOf('heard-a-text', HTMLElement),
    },
    B: {
      bar: elementOf('heard-b', HTMLMeterElement),
      text: elementOf('heard-b-text', HTMLElement),
    },
  };
  #plot;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;

  /** @param {(serverDelayMs: number) => void} onDelay */
  constructor(onDelay) {
    this.#plot = new Plot(elementOf('delay-plot', HTMLElement), {
      label: texts.plotOf(texts.axes.received, texts.axes.serverDelay),
      xLabel: texts.axes.serverDelay,
      yLabel: texts.axes.received,
      lines: PROTOCOLS.flatMap((protocol) =>
        CLIENTS.map((client) => ({
          label: texts.client(protocol, client),
          color: lineOf(protocol).color,
          dash: client === 'A' ? [] : [6, 4],
          kind: /** @type {const} */ ('both'),
        })),
      ),
    });
    this.#slider.addEventListener('input', () => {
      this.#showDelay();
      if (this.#timer !== null) return;
      this.#timer = setTimeout(() => {
        this.#timer = null;
        onDelay(this.delayMs);
      }, TELL_MS);
    });
    this.#showDelay();
  }

  /** The slider's delay, in milliseconds. */
  get delayMs() {
    return this.#slider.valueAsNumber;
  }

  #showDelay() {
    const text = texts.delayIs(this.delayMs);
    setText(this.#chosen, text);
    this.#slider.ariaValueText = text;
  }

  /** Moves the slider, by a sweep or back after it. @param {number} serverDelayMs */
  follow(serverDelayMs) {
    this.#slider.value = String(serverDelayMs);
    this.#showDelay();
  }

  /** Resets the meters at the end of the sound. */
  silence() {
    for (const client of CLIENTS) this.#meter(client, null);
  }

  /** @param {ClientName} client @param {number | null} percent */
  #meter(client, percent) {
    const { bar, text } = this.#meters[client];
    bar.value = percent ?? 0;
    setText(text, texts.hears(percent));
  }

  /**
   * Shows what each client hears of the other now.
   * @param {Measurements} measurements
   * @param {Protocol} protocol
   */
  showNow({ received }, protocol) {
    for (const client of CLIENTS) {
      const spans = received.filter((span) => span.protocol === protocol && span.client === client);
      const last = spans.at(-1);
      if (!last) continue;
      let sent = 0;
      let heard = 0;
      for (const span of spans.slice(-NOW_SPANS)) {
        if (span.serverDelayMs !== last.serverDelayMs) continue;
        sent += span.sentSamples;
        heard += span.heardSamples;
      }
      this.#meter(client, Math.min(100, (100 * heard) / sent));
    }
  }

  /** @param {Measurements} measurements */
  show(measurements) {
    const protocols = PROTOCOLS.filter((protocol) =>
      measurements.received.some((span) => span.protocol === protocol),
    );
    this.#results.hidden = protocols.length === 0;
    if (protocols.length === 0) return;
    fillLegend(this.#legend, protocols);
    const curves = new Map(
      PROTOCOLS.map((protocol) => [
        protocol,
        CLIENTS.map((client) => measurements.receivedCurve(protocol, client)),
      ]),
    );
    const all = [...curves.values()].flat();
    const delays = [...new Set(all.flatMap((curve) => [...curve.keys()]))].sort((a, b) => a - b);
    const lines = all.map((curve) => delays.map((delay) => curve.get(delay) ?? null));
    this.#plot.show(delays, lines, { xEnd: MAX_DELAY_MS, yEnd: 103 });
    this.#showLeast(curves, protocols);
    const shown = protocols.flatMap((protocol) => curves.get(protocol) ?? []);
    fillTable(
      this.#table,
      [
        texts.delayTable,
        ...protocols.flatMap((protocol) => CLIENTS.map((client) => texts.client(protocol, client))),
      ],
      delays.map((delay) => [
        texts.delayIs(delay),
        ...shown.map((curve) => figure(curve.get(delay))),
      ]),
    );
  }

  /** @param {Map<Protocol, Map<number, number>[]>} curves @param {readonly Protocol[]} protocols */
  #showLeast(curves, protocols) {
    const rows = TARGETS.flatMap((percent) =>
      /** @type {const} */ (['both', 'A', 'B']).map((who) => [
        texts.leastDelay(who, percent),
        ...protocols.map((protocol) => {
          const [a, b] = curves.get(protocol) ?? [];
          const least = leastDelay(who === 'A' ? [a] : who === 'B' ? [b] : [a, b], percent);
          return least === null ? texts.noDelay : texts.delayIs(least);
        }),
      ]),
    );
    fillTable(this.#least, [texts.quantity, ...protocols.map(nameOf)], rows);
  }
}

/** @param {number | undefined} percent */
const figure = (percent) => (percent === undefined ? '' : percentage(percent));
