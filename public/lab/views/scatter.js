/**
 * @import { TransportName } from '../../client/connection/connection.js'
 * @import { Plot } from './plot.js'
 *
 * @typedef {{ atMs: number, ms: number }} Reading  when, and how long it took
 */

import { setText } from '../../ui/kit/element.js';
import { PROTOCOLS } from './protocols.js';
import { sorted, usualEnd } from '../summary.js';
import { texts } from '../texts.js';

/**
 * Shows readings over time. The axis ends where what is usual can be told apart; what is above is drawn at
 * its edge, and said.
 *
 * @param {Plot} plot whose lines are the protocols
 * @param {HTMLElement} above where it is said
 * @param {ReadonlyMap<TransportName, Reading[]>} readings
 */
export function showScatter(plot, above, readings) {
  const points = [...readings].flatMap(([protocol, list]) =>
    list.map(({ atMs, ms }) => ({ atMs, ms, line: PROTOCOLS.indexOf(protocol) })),
  );
  points.sort((a, b) => a.atMs - b.atMs);
  const yEnd = usualEnd([...readings.values()].map((list) => sorted(list.map(({ ms }) => ms))));
  const x = points.map(({ atMs }) => atMs / 1000);
  const lines = PROTOCOLS.map((_, line) =>
    points.map((point) => (point.line === line ? Math.min(point.ms, yEnd) : null)),
  );
  plot.show(x, lines, { xEnd: x.at(-1) ?? 1, yEnd: yEnd * 1.03 });
  let count = 0;
  let largest = 0;
  for (const { ms } of points) {
    if (ms <= yEnd) continue;
    count += 1;
    largest = Math.max(largest, ms);
  }
  setText(above, count > 0 ? texts.above(count, yEnd, largest) : '');
}
