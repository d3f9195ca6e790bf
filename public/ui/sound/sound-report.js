import { connectionNames, partTexts, texts } from '../../texts.js';

/**
 * @import { ClientStats, DelayParts } from '../../client/call/client-stats.js'
 * @import { Figure } from './sound-figures.js'
 * @import { Sample } from './sound-history.js'
 */

/** The order of the parts: the way that sound goes. @type {readonly (keyof DelayParts)[]} */
export const PARTS = ['frameMs', 'serverDelayMs', 'wayMs', 'playoutMs', 'outputMs'];

/**
 * A number as people read it, or a dash where it isn't known.
 * @param {number | null | undefined} value
 * @param {string} unit
 * @param {number} [digits] after the point
 */
export function quantity(value, unit, digits = 0) {
  return value === null || value === undefined || !Number.isFinite(value) ? '–' : `${value.toFixed(digits)} ${unit}`.trimEnd();
}

/**
 * What the panel shows, as text to copy.
 * @param {object} what
 * @param {string} what.room
 * @param {ClientStats} what.stats
 * @param {Sample} what.sample  the last one
 * @param {Figure[]} what.figures
 * @param {string} what.at      when, in words or ISO 8601
 * @returns {string}
 */
export function soundReport({ room, stats, sample, figures, at }) {
  const { delayMs, delayParts, transport } = stats;
  const parts = PARTS.map((part) => `  ${partTexts[part]}: ${quantity(delayParts[part], 'ms')}`);
  const rows = [
    [texts.plotRoundTrip, quantity(sample.roundTripMs, 'ms')],
    [texts.plotReceived, quantity(sample.receivedPercent, '%', 1)],
    [texts.plotServerDelay, quantity(sample.serverDelayMs, 'ms')],
    [texts.plotPlayoutDelay, quantity(sample.playoutDelayMs, 'ms')],
    [texts.lossUp, quantity(sample.lostUpPercent, '%', 1)],
    [texts.lossDown, quantity(sample.lostDownPercent, '%', 1)],
    [texts.rateUp, quantity(sample.upKbps, 'kb/s')],
    [texts.rateDown, quantity(sample.downKbps, 'kb/s')],
  ];
  return [
    texts.reportTitle(room, at),
    texts.connectedOver(connectionNames[transport] ? transport : String(transport)),
    texts.soundAge(quantity(delayMs, 'ms')),
    ...parts,
    ...rows.map(([name, value]) => `${name}: ${value}`),
    ...figures.map(({ name, up, down }) => `${name}: ${texts.up} ${up}, ${texts.down} ${down}`),
    '',
  ].join('\n');
}

/**
 * The ends of a plot's axis: a little more than the values need, so that it seldom moves.
 * @param {(number | null)[]} values
 * @param {{ least: number, hangs?: boolean }} row  least: the axis is at least so long; hangs: it ends at 100,
 *   and its foot moves
 * @returns {[number, number]}
 */
export function rangeOf(values, { least, hangs = false }) {
  const known = values.filter((value) => value !== null);
  if (hangs) {
    const low = Math.min(100 - least, ...known);
    return [Math.max(0, Math.floor(low / 5) * 5), 100];
  }
  const high = Math.max(least, ...known) * 1.1;
  const step = 10 ** Math.floor(Math.log10(high)) / 2;
  return [0, Math.ceil(high / step) * step];
}
