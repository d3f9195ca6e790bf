import { LATENESS_BINS_MS } from '../../shared/wire/control.js';
import { connectionNames, figureTexts, partTexts, texts } from '../../texts/texts.js';
import { decimalText } from '../../texts/units.js';
import { build, setText } from '../kit/element.js';

/**
 * @import { ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { ClientStats, DelayParts } from '../../client/call/call-stats.js'
 * @import { Sample } from './sound-history.js'
 *
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} up    of one's own sound, as the server counts it
 * @property {string} down  of the sound that is heard here
 */

/**
 * The parts of the delay, in the order in which sound passes them.
 * @type {readonly (keyof DelayParts)[]}
 */
export const PARTS = [
  'microphoneMs',
  'frameMs',
  'codecMs',
  'serverDelayMs',
  'laterMs',
  'wayMs',
  'playoutMs',
  'outputMs',
  'speakerMs',
];

/**
 * Formats a number with its unit, or a dash for one that isn't known.
 * @param {number | null | undefined} value
 * @param {string} unit
 * @param {number} [digits] after the point
 */
export function quantity(value, unit, digits = 0) {
  return value === null || value === undefined || !Number.isFinite(value)
    ? '–'
    : `${decimalText(value, digits)} ${unit}`.trimEnd();
}

/**
 * Best value of each part, in milliseconds: the shortest frame, a wait of one, two blocks of a
 * worklet, a cable's sound card.
 */
const BEST = { frameMs: 2.5, serverDelayMs: 1, playoutMs: 1, outputMs: 6, speakerMs: 40 };

/** Smallest saving worth an effort, in milliseconds. */
const WORTH_MS = 3;

/**
 * Finds possible savings for each part of the delay, the largest first. The network's delay can't
 * be shortened, and others' microphones are theirs; the server's delay covers the way up.
 * @param {DelayParts} parts
 * @returns {{ part: keyof DelayParts, ms: number }[]} worthwhile savings
 */
export function savingsOf(parts) {
  const least = { ...BEST, serverDelayMs: BEST.serverDelayMs + parts.wayMs };
  return PARTS.filter((part) => part in least)
    .map((part) => ({
      part,
      ms: Math.round((parts[part] ?? 0) - least[/** @type {keyof typeof BEST} */ (part)]),
    }))
    .filter(({ ms }) => ms >= WORTH_MS)
    .toSorted((a, b) => b.ms - a.ms);
}

/**
 * Says which devices' delays are missing in the age of the sound, and the delay that this person's
 * microphone adds for others.
 * @param {ClientStats} stats
 */
export function devicesSentence({ delayParts, microphoneMs, suppressionMs = 0 }) {
  const own = quantity(microphoneMs, 'ms');
  const lacks = !Number.isFinite(delayParts.speakerMs)
    ? [texts.soundSumNoDevices]
    : !Number.isFinite(delayParts.microphoneMs)
      ? [texts.soundSumDevices]
      : [];
  return [
    ...lacks,
    ...(Number.isFinite(microphoneMs) ? [texts.ownMicrophone(own)] : []),
    ...(suppressionMs > 0 ? [texts.ownSuppression(quantity(suppressionMs, 'ms'))] : []),
  ].join(' ');
}

/** Counts of packets and frames since joining, by the name that server and client use for them. */
const COUNTS = /** @type {const} */ ([
  'lost',
  'late',
  'early',
  'duplicate',
  'concealed',
  'recovered',
]);

/**
 * The figures of a call, in both directions.
 * @param {ClientStats} stats
 * @returns {Figure[]} with a dash for unknown or uncounted values
 */
export function figuresOf({ receivedPercent, detail: { server, playout, uplink, client } }) {
  /** @type {Partial<ServerMessages['stats']>} */
  const sent = server ?? {};
  /** @type {Partial<Record<(typeof COUNTS)[number], number>>} */
  const counts = playout;
  const percent = (/** @type {number | null | undefined} */ value) => quantity(value, '%', 1);
  return [
    {
      name: figureTexts.received,
      up: percent(sent.receivedPercent),
      down: percent(playout.receivedPercent),
    },
    {
      name: figureTexts.received10s,
      up: percent(sent.receivedPercent10s),
      down: percent(receivedPercent),
    },
    ...COUNTS.map((name) => ({
      name: figureTexts[name],
      up: quantity(sent[name], ''),
      down: quantity(counts[name], ''),
    })),
    { name: figureTexts.gaps, up: quantity(null, ''), down: quantity(client?.gapMs, 'ms') },
    {
      name: figureTexts.jitter,
      up: quantity(sent.jitterMs, 'ms', 1),
      down: quantity(playout.wantedMs, 'ms', 1),
    },
    {
      name: figureTexts.drift,
      up: quantity(uplink?.driftPpm, 'ppm', 1),
      down: quantity(playout.driftPpm, 'ppm', 1),
    },
  ];
}

/**
 * Distribution of the lateness of this person's frames at the server.
 * @param {ClientStats} stats
 * @returns {{ name: string, share: number }[]} share: 0 to 1; empty when no frame came
 */
export function latenessOf({ detail: { server } }) {
  const bins = server?.latenessBins;
  if (!Array.isArray(bins) || bins.length !== LATENESS_BINS_MS.length + 1) return [];
  const sum = bins.reduce((all, count) => all + count, 0);
  if (!(sum > 0)) return [];
  return bins.map((count, i) => ({
    name:
      i < LATENESS_BINS_MS.length ? texts.latenessUpTo(LATENESS_BINS_MS[i]) : texts.latenessOver,
    share: count / sum,
  }));
}

/**
 * The panel's contents as text, to copy.
 * @param {object} what
 * @param {string} what.room
 * @param {ClientStats} what.stats
 * @param {Sample} what.sample  of the last second
 * @param {Figure[]} what.figures
 * @param {string} what.at      the time, ISO 8601
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
    devicesSentence(stats),
    ...rows.map(([name, value]) => `${name}: ${value}`),
    ...figures.map(({ name, up, down }) => `${name}: ${texts.up} ${up}, ${texts.down} ${down}`),
    '',
  ].join('\n');
}

/** The figures as a table, and the lateness as bars. */
export class SoundFigures {
  #rows = build('tbody', {});
  #bars = build('div', { class: 'lateness', role: 'img', 'aria-label': texts.lateness });

  constructor() {
    const heads = [texts.figures, texts.up, texts.down].map((head) =>
      build('th', { scope: 'col' }, head),
    );
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
    const shown = bins
      .filter(({ share }) => share > 0)
      .map(({ name, share }) => `${name} ${quantity(100 * share, '%')}`);
    this.#bars.setAttribute('aria-label', [texts.lateness, ...shown].join(', '));
  }

  /** @param {string} name */
  #newRow(name) {
    return build('tr', {}, build('th', { scope: 'row' }, name), build('td', {}), build('td', {}));
  }
}
