/**
 * The qlog files of a run, one for each QUIC connection. In the addon's build for the lab quinn
 * writes them. They are completed here, so that qvis (https://qvis.quictools.info) shows them
 * right.
 *
 * @typedef {object} QlogRecord  a line: the header, or an event
 * @property {number} [time]  in milliseconds
 * @property {string} [name]
 * @property {Record<string, any>} [data]
 *
 * @typedef {object} QlogFile
 * @property {string} name     of the file
 * @property {Record<string, number>} events  their number by name
 * @property {boolean} isCut   true if its last line was not whole
 */

import { mkdirSync } from 'node:fs';
import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { featureLibrary, loadError } from '@aloud/native';

/** Environment variable with the directory, which the addon's build for the lab reads. */
const VARIABLE = 'QLOGDIR';

const ENDING = '.sqlog';

/** The character before each line (RFC 7464). */
const RECORD_SEPARATOR = '\u001e';

/** Round trips in metrics_updated, which quinn 0.11 gives in seconds and qlog in milliseconds. */
const ROUND_TRIPS = Object.freeze(['min_rtt', 'smoothed_rtt', 'latest_rtt', 'rtt_variance']);

/**
 * Reads an option that names the folder for qlog files.
 * @param {string} folder
 * @returns {string} its absolute path
 * @throws {InvalidArgumentError} without the build of the addon that writes them
 */
export function readQlogFolder(folder) {
  if (loadError(featureLibrary('lab')) === null) return resolve(folder);
  throw new InvalidArgumentError(
    "needs the native engine's build for the lab: npm run build:native -- --lab",
  );
}

/**
 * Makes this process, and its children, write qlog files. Their connections use the addon's build
 * for the lab, also for the product's congestion controller (controllers.js).
 * @param {string} folder  an absolute path
 */
export function beginQlogs(folder) {
  mkdirSync(folder, { recursive: true });
  process.env[VARIABLE] = folder;
}

/**
 * Completes the files of a folder that were written since the last time.
 * @param {string} folder
 * @returns {Promise<QlogFile[]>} the completed ones
 */
export async function completeQlogs(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING)).sort();
  const files = [];
  for (const name of names) {
    const path = join(folder, name);
    const [header, ...events] = readRecords(await readFile(path, 'utf8'));
    if (!header?.trace || header.trace.vantage_point.type !== 'unknown') continue;
    const { isCut, records } =
      events.at(-1) === null
        ? { isCut: true, records: events.slice(0, -1) }
        : { isCut: false, records: events };
    const completed = completeTrace(name.split('-')[0], header, records);
    // A reader never sees half of a file.
    await writeFile(`${path}.part`, completed.map(lineOf).join(''));
    await rename(`${path}.part`, path);
    files.push({ name, events: countsOf(records), isCut });
  }
  return files;
}

/**
 * @param {string} text  a sequence of JSON texts
 * @returns {any[]} the last one is null if it isn't whole
 * @throws {SyntaxError} when another one isn't
 */
export function readRecords(text) {
  const lines = text.split(RECORD_SEPARATOR).filter((line) => line.trim() !== '');
  return lines.map((line, i) => {
    if (i === lines.length - 1 && !line.endsWith('\n')) return null;
    return JSON.parse(line);
  });
}

/** @param {unknown} record */
const lineOf = (record) => `${RECORD_SEPARATOR}${JSON.stringify(record)}\n`;

/**
 * A connection's trace as qvis reads it. Mends what quinn-proto 0.11.19 writes otherwise: it
 * doesn't know which end it is, and gives round trips in seconds. It has a packet's length where
 * qlog had it before, and the same reason for each loss. Events of two threads are out of order.
 * @param {string} end  'client' or 'server'
 * @param {any} header
 * @param {QlogRecord[]} events
 * @returns {object[]} header and events
 */
function completeTrace(end, header, events) {
  const vantagePoint = { ...header.trace.vantage_point, type: end };
  return [
    { ...header, trace: { ...header.trace, vantage_point: vantagePoint } },
    ...events
      .map(completeEvent)
      .sort((a, b) => /** @type {number} */ (a.time) - /** @type {number} */ (b.time)),
  ];
}

/** @param {QlogRecord} event @returns {QlogRecord} */
function completeEvent(event) {
  const { data = {}, ...rest } = event;
  switch (event.name) {
    case 'recovery:metrics_updated':
      return {
        ...rest,
        data: Object.fromEntries(
          Object.entries(data).map(([name, value]) => [
            name,
            ROUND_TRIPS.includes(name) ? value * 1000 : value,
          ]),
        ),
      };
    case 'recovery:packet_lost': {
      const { trigger: _trigger, ...lost } = data;
      return { ...rest, data: withRawLength(lost) };
    }
    case 'transport:packet_sent':
      return { ...rest, data: withRawLength(data) };
    default:
      return event;
  }
}

/**
 * Moves a packet's length to where qvis looks for it: it leaves out packets without one.
 * @param {Record<string, any>} data  of an event
 */
function withRawLength({ header: { length, ...header }, ...data }) {
  return { ...data, header, raw: { ...data.raw, length } };
}

/** @param {QlogRecord[]} events @returns {Record<string, number>} */
function countsOf(events) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { name = '' } of events) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/**
 * One line about the files, for the report.
 * @param {readonly QlogFile[]} files
 */
export function qlogNote(files) {
  if (files.length === 0)
    return (
      'qlog: no file was written. No connection was of quinn, or the build for the lab is older ' +
      'than this (npm run build:native -- --lab).'
    );
  const events = files.flatMap((file) => Object.values(file.events));
  const cut = files.filter(({ isCut }) => isCut).length;
  return (
    `qlog: ${files.length} files (one for each QUIC connection of the native engine) with ` +
    `${events.reduce((all, count) => all + count, 0)} events, whose writing is in the ` +
    `processor time${cut > 0 ? `; the end of ${cut} is missing` : ''}.`
  );
}
