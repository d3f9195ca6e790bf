/**
 * The codecs' figures as tables in Markdown.
 *
 * @typedef {import('./run.js').Settings} Settings
 * @typedef {import('./run.js').CodecFigures} CodecFigures
 * @typedef {import('./loss.js').LossFigures} LossFigures
 * @typedef {{ settings: Settings, figures: Record<string, CodecFigures> }} Case
 * @typedef {{ percent: number, how: string, figures: LossFigures }} LossCase
 * @typedef {import('./run.js').MemoryFigures} MemoryFigures
 */

import { quantile, sorted } from '../../testkit/statistics.js';

const SETTING = ['frame', 'bit rate', 'application', 'complexity', 'mode'];

/** @param {Settings} settings */
export function nameOf({ sampleRate, frameSamples, bitrate, application, complexity }) {
  return (
    `${(frameSamples * 1000) / sampleRate} ms | ${bitrate / 1000} kb/s | ${application} | ` +
    `${complexity}`
  );
}

/** @param {Case} one */
function settingCells({ settings, figures }) {
  return [
    nameOf(settings),
    [...new Set(Object.values(figures).map(({ mode }) => mode))].join(', '),
  ];
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
function table(head, rows) {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/**
 * Each codec's time, and its ratio to the first codec's time: the median of the turns' ratios, with
 * their quartiles.
 * @param {Case[]} cases
 * @param {string[]} names the codecs'
 */
export function timeTable(cases, names) {
  const times = names.flatMap((name) => [`${name}: encode`, 'decode']);
  const ratios = names.slice(1).flatMap((name) => [`${name} ÷ ${names[0]}: encode`, 'decode']);
  const rows = cases.map((one) => {
    const all = names.map((name) => one.figures[name]);
    const cells = all.flatMap(({ encodeMedianUs, encodeP99Us, decodeMedianUs, decodeP99Us }) => [
      `${encodeMedianUs.toFixed(0)} (${encodeP99Us.toFixed(0)})`,
      `${decodeMedianUs.toFixed(0)} (${decodeP99Us.toFixed(0)})`,
    ]);
    const compared = all
      .slice(1)
      .flatMap((other) => [ratioOf(other, all[0], 'encodeUs'), ratioOf(other, all[0], 'decodeUs')]);
    return [...settingCells(one), ...cells, ...compared];
  });
  return table([...SETTING, ...times, ...ratios], rows);
}

/**
 * @param {CodecFigures} one
 * @param {CodecFigures} other
 * @param {'encodeUs' | 'decodeUs'} what
 */
function ratioOf(one, other, what) {
  const ratios = sorted(one.rounds.map((round, i) => round[what] / other.rounds[i][what]));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((q) => quantile(ratios, q).toFixed(2));
  return `${middle} (${low}–${high})`;
}

/**
 * @param {Case[]} cases
 * @param {string[]} names the codecs'
 */
export function soundTable(cases, names) {
  const titles = names.flatMap((name) => [`${name}: score`, 'Bark', 'pre-echo', 'SNR', 'kb/s']);
  const rows = cases.map((one) => {
    const cells = names.flatMap((name) => {
      const { weightedSnrDb, barkDistanceDb, preEchoDb, segmentalSnrDb, bitrate } =
        one.figures[name];
      const decimals = [weightedSnrDb.toFixed(1), barkDistanceDb.toFixed(2), preEchoDb.toFixed(1)];
      return [...decimals, segmentalSnrDb.toFixed(1), (bitrate / 1000).toFixed(1)];
    });
    return [...settingCells(one), ...cells];
  });
  return table([...SETTING, ...titles], rows);
}

/** @param {LossCase[]} cases */
export function lossTable(cases) {
  const head = ['lost', 'how', 'payload, kb/s', 'still missing', 'score', 'Bark'];
  const rows = cases.map(({ percent, how, figures }) => [
    `${percent} %`,
    how,
    figures.payloadKbps.toFixed(0),
    `${figures.missingPercent.toFixed(1)} %`,
    figures.weightedSnrDb.toFixed(1),
    figures.barkDistanceDb.toFixed(2),
  ]);
  return table(head, rows);
}

/**
 * @param {{ frameMs: number, bitrate: number, same: CodecFigures, given: CodecFigures }[]} cases
 */
export function shortTable(cases) {
  const head = [
    'frame',
    'bit rate',
    'encode, µs',
    'decode, µs',
    'score',
    'Bark',
    'given',
    'score',
    'Bark',
  ];
  const rows = cases.map(({ frameMs, bitrate, same, given }) => [
    `${frameMs} ms`,
    `${bitrate / 1000} kb/s`,
    same.encodeMedianUs.toFixed(0),
    same.decodeMedianUs.toFixed(0),
    same.weightedSnrDb.toFixed(1),
    same.barkDistanceDb.toFixed(2),
    `${(given.bitrate / 1000).toFixed(0)} kb/s`,
    given.weightedSnrDb.toFixed(1),
    given.barkDistanceDb.toFixed(2),
  ]);
  return table(head, rows);
}

/**
 * @param {{ bitrate: number, average: CodecFigures & { visqol: number }, constant: CodecFigures & {
 *   visqol: number } }[]} cases
 */
export function constantTable(cases) {
  const head = [
    'bit rate',
    'on average: longest payload',
    'score',
    'Bark',
    'ViSQOL',
    'each payload: longest',
    'score',
    'Bark',
    'ViSQOL',
  ];
  const rows = cases.map(({ bitrate, average, constant }) => [
    `${bitrate / 1000} kb/s`,
    ...[average, constant].flatMap(({ longestBytes, weightedSnrDb, barkDistanceDb, visqol }) => [
      `${longestBytes} B`,
      weightedSnrDb.toFixed(1),
      barkDistanceDb.toFixed(2),
      visqol.toFixed(2),
    ]),
  ]);
  return table(head, rows);
}

/**
 * @param {Case[]} cases
 * @param {Record<string, MemoryFigures>} memory by codec
 */
export function libraryTable(cases, memory) {
  const head = [
    'codec',
    'memory: encoder',
    'decoder',
    'allocated a frame: encode',
    'decode',
    'lookahead: low-delay',
    'others',
  ];
  const rows = Object.entries(memory).map(([name, one]) => {
    const of = (/** @type {string} */ application) =>
      /** @type {Case} */ (cases.find(({ settings }) => settings.application === application))
        .figures[name];
    return [
      name,
      `${(one.encoderBytes / 1000).toFixed(0)} kB`,
      `${(one.decoderBytes / 1000).toFixed(0)} kB`,
      `${one.encodeAllocatedBytes} B`,
      `${one.decodeAllocatedBytes} B`,
      `${of('low-delay').lookaheadMs} ms`,
      `${of('audio').lookaheadMs} ms`,
    ];
  });
  return table(head, rows);
}
