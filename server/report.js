/**
 * The report for the person who starts a server: its address, the features that are on, and how to
 * turn on the others.
 *
 * @import { Config } from './config/config.js'
 */

import { isLocalUrl } from '../public/shared/local-host.js';
import { fullBandBitrate, streamBitrate } from '../public/shared/stream/bitrate.js';
import { reachedAt } from './cluster/open-cluster.js';
import { isHttps, pageUrl } from './config/config.js';
import { audioFormatOf, clusterNameOf } from './config/readers.js';

const PAGE_WITHOUT_HTTPS =
  'HTTPS is off for the page, so browsers give a microphone to pages on this machine only. ' +
  'To turn it on: --lan for the same network, --cert FILE --key FILE, or --domain NAME';

/**
 * @param {Config} config
 * @param {number} port  of the page
 * @param {{ lan: { url: string, lines: string[] } | null, http3: string, webrtc: string, added?:
 *   string, workers: number, codec: string, plainHttp: string[], operator: string[] }} parts lines
 *   about opened parts; lan: the address with --lan; workers: their number
 * @returns {string[]}
 */
export function reportOf(
  config,
  port,
  { lan, http3, webrtc, added, workers, codec, plainHttp, operator },
) {
  return [
    `aloud is at ${lan ? lan.url : pageUrl(config, port)}`,
    ...(lan ? lan.lines : []),
    http3,
    ...(added ? [added] : []),
    ...(workers > 0 ? [`${workers} worker threads have the rooms.`] : []),
    codec,
    ...soundReport(config),
    ...plainHttp,
    ...operator,
    ...clusterLines(config, port),
    `WebSocket and HTTP/1 are on, at the page's TCP port ${port}.`,
    webrtc,
    ...(isHttps(config) ? [] : [PAGE_WITHOUT_HTTPS]),
  ];
}

/**
 * Breaks the report between words, where a terminal would break it within one. A line that begins
 * with a space is a command, and stays whole to be copied.
 * @param {ReadonlyArray<string>} report
 * @param {number} [columns]  of the terminal; undefined where the report goes elsewhere
 * @returns {string}
 */
export const wrapReport = (report, columns = Infinity) =>
  report
    .join('\n')
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrap(line, columns)))
    .join('\n');

/** @param {string} line @param {number} columns */
function wrap(line, columns) {
  let [text, ...words] = line.split(' ');
  let length = text.length;
  for (const word of words) {
    const fits = length + 1 + word.length <= columns;
    text += (fits ? ' ' : '\n') + word;
    length = (fits ? length + 1 : 0) + word.length;
  }
  return text;
}

/** @param {Config} config @param {number} port */
function clusterLines(config, port) {
  if (config.cluster === null) return [];
  const { url } = reachedAt(config, port);
  return [
    `This is a node of the cluster ${clusterNameOf(config.cluster)}; browsers reach it at ${url}.`,
    ...(isLocalUrl(url)
      ? [
          `${url} is an address of a local network: Chrome asks people on a page from elsewhere ` +
            'whether the page may connect to it (docs/scaling.md). --advertise-url names another.',
        ]
      : []),
  ];
}

/** @param {number} bitrate */
const kbps = (bitrate) => `${bitrate / 1000} kb/s`;

/**
 * Warns about the sound of a low bit rate.
 * @param {Pick<Config, 'bitrate' | 'sampleRate' | 'channels' | 'frameMs'>} config
 * @returns {string[]} a line for the person who starts the server; none if the rate is enough
 */
export function soundReport(config) {
  const format = audioFormatOf(config);
  const given = streamBitrate(config.bitrate, format);
  const full = fullBandBitrate(format);
  if (given > full || config.bitrate * format.channels >= full) return [];
  const lacks = format.channels === 2 ? 'stereo and high sounds' : 'high sounds';
  if (given === full) {
    return [
      `With Opus frames of ${format.frameMs / format.opusFrames} ms each stream has ` +
        `${kbps(given)}, more than --bitrate says: with less, Opus leaves out ${lacks}.`,
    ];
  }
  return [`A stream has ${kbps(given)}: with less than ${kbps(full)} Opus leaves out ${lacks}.`];
}
