/**
 * @import { Protocol } from '../runs/protocol.js'
 * @import { Measurements } from '../measurements.js'
 */

import { elementOf, setText } from '../../ui/kit/element.js';
import { roundTripsMs } from '../measurements.js';
import { Plot, showScatter } from './plot.js';
import { PROTOCOLS } from '../runs/protocol.js';
import { fillLegend, fillTable, lineOf } from './protocols.js';
import { cumulative, histogram, quantile, sorted, summarize, axisEnd } from '../summary.js';
import { milliseconds, nameOf, percentage, texts } from '../texts.js';

/** Number of parts of a latency axis. */
const PARTS = 60;

/** Shares of answers whose time the table shows. */
const SHARES = Object.freeze([0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]);

/** Round trips: over time, their distribution, and figures. */
export class RoundTripView {
  #section = elementOf('round-trips', HTMLElement);
  #figures = elementOf('round-trip-figures', HTMLTableElement);
  #turns = elementOf('round-trip-turns', HTMLTableElement);
  #shares = elementOf('round-trip-shares', HTMLTableElement);
  #above = elementOf('round-trip-above', HTMLElement);
  #late = elementOf('round-trip-late', HTMLElement);
  #legends = ['time-legend', 'share-legend'].map((id) => elementOf(id, HTMLUListElement));
  #time;
  #cumulative;
  #histogram;

  constructor() {
    const { time, roundTrip, share, histogram: answers } = texts.axes;
    const lines = (/** @type {'line' | 'points' | 'steps'} */ kind) =>
      PROTOCOLS.map((protocol) => ({ label: nameOf(protocol), ...lineOf(protocol), kind }));
    this.#time = new Plot(elementOf('round-trip-time', HTMLElement), {
      label: texts.plotOf(roundTrip, time),
      xLabel: time,
      yLabel: roundTrip,
      lines: lines('points'),
    });
    const byLatency = (
      /** @type {string} */ id,
      /** @type {string} */ yLabel,
      /** @type {'line' | 'steps'} */ kind,
    ) =>
      new Plot(elementOf(id, HTMLElement), {
        label: texts.plotOf(yLabel, roundTrip),
        xLabel: roundTrip,
        yLabel,
        lines: lines(kind),
      });
    this.#cumulative = byLatency('round-trip-cumulative', share, 'line');
    this.#histogram = byLatency('round-trip-histogram', answers, 'steps');
    const shape = elementOf('distribution-shape', HTMLElement);
    shape.addEventListener('change', () => this.#showShape());
    this.#showShape();
  }

  #showShape() {
    const isCumulative = elementOf('shape-cumulative', HTMLInputElement).checked;
    elementOf('round-trip-cumulative', HTMLElement).hidden = !isCumulative;
    elementOf('round-trip-histogram', HTMLElement).hidden = isCumulative;
  }

  /** @param {Measurements} measurements */
  show({ runs, turns, latenessMs }) {
    const protocols = PROTOCOLS.filter((protocol) => runs.has(protocol));
    this.#section.hidden = protocols.length === 0;
    if (protocols.length === 0) return;
    const ascending = new Map(
      protocols.map((protocol) => [protocol, sorted(roundTripsMs(runOf(runs, protocol)))]),
    );
    for (const legend of this.#legends) fillLegend(legend, protocols);
    showScatter(
      this.#time,
      this.#above,
      new Map(protocols.map((protocol) => [protocol, readingsOf(runOf(runs, protocol))])),
    );
    this.#showDistribution(ascending);
    this.#showFigures(runs, protocols);
    this.#showTurns(runs, turns);
    const late = summarize(latenessMs);
    setText(this.#late, late ? texts.late(late.p99) : '');
  }

  /** @param {Map<Protocol, Float64Array>} ascending */
  #showDistribution(ascending) {
    const xEnd = axisEnd([...ascending.values()]);
    const edges = Array.from({ length: PARTS + 1 }, (_, i) => (xEnd * i) / PARTS);
    const none = edges.map(() => null);
    const linesOf = (/** @type {typeof cumulative} */ shape) =>
      PROTOCOLS.map((protocol) => {
        const values = ascending.get(protocol);
        return values && values.length > 0 ? shape(values, edges) : none;
      });
    this.#cumulative.show(edges, linesOf(cumulative), { xEnd, yEnd: 103 });
    const bars = linesOf(histogram);
    const most = Math.max(1, ...bars.flat().map((value) => value ?? 0));
    this.#histogram.show(edges, bars, { xEnd, yEnd: most * 1.05 });
    const protocols = [...ascending.keys()];
    fillTable(
      this.#shares,
      [texts.shareTable, ...protocols.map(nameOf)],
      SHARES.map((share) => [
        percentage(share * 100),
        ...[...ascending.values()].map((values) =>
          values.length > 0 ? milliseconds(quantile(values, share)) : '',
        ),
      ]),
    );
  }

  /** @param {Measurements['runs']} runs @param {readonly Protocol[]} protocols */
  #showFigures(runs, protocols) {
    const found = protocols.map((protocol) => {
      const run = runOf(runs, protocol);
      const answered = roundTripsMs(run);
      return { summary: summarize(answered), lost: run.roundTrips.length - answered.length };
    });
    const { count, lost, ...times } = texts.statistics;
    const rows = Object.entries(times).map(([key, label]) => [
      label,
      ...found.map(({ summary }) =>
        summary ? milliseconds(summary[/** @type {keyof typeof times} */ (key)]) : '',
      ),
    ]);
    rows.push([count, ...found.map(({ summary }) => String(summary?.count ?? 0))]);
    rows.push([lost, ...found.map((one) => String(one.lost))]);
    fillTable(this.#figures, [texts.quantity, ...protocols.map(nameOf)], rows);
  }

  /** @param {Measurements['runs']} runs @param {Measurements['turns']} turns */
  #showTurns(runs, turns) {
    const rows = turns.map(({ protocol, startMs, endMs }) => {
      const during =
        runs.get(protocol)?.roundTrips.filter(({ atMs }) => atMs >= startMs && atMs < endMs) ?? [];
      const answered = during.flatMap(({ roundTripMs }) =>
        roundTripMs === null ? [] : [roundTripMs],
      );
      const summary = summarize(answered);
      const figures = summary ? [milliseconds(summary.p50), milliseconds(summary.p95)] : ['', ''];
      return [
        texts.from(startMs, endMs),
        nameOf(protocol),
        ...figures,
        String(during.length - answered.length),
      ];
    });
    fillTable(this.#turns, texts.turnTable, rows);
  }
}

/** @param {Measurements['runs']} runs @param {Protocol} protocol */
const runOf = (runs, protocol) =>
  /** @type {import('../measurements.js').ProtocolRun} */ (runs.get(protocol));

/** @param {import('../measurements.js').ProtocolRun} run */
const readingsOf = ({ roundTrips }) =>
  roundTrips.flatMap(({ atMs, roundTripMs }) =>
    roundTripMs === null ? [] : [{ atMs, ms: roundTripMs }],
  );
