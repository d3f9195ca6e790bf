/**
 * @import { Measurements } from '../measurements.js'
 *
 * @typedef {Record<string, string | number | boolean | null>} Environment the server, browser and
 *   time of a measurement
 */

import { addedUpMs, roundTripsMs } from '../measurements.js';
import { leastDelay, summarize } from '../summary.js';

/** Rounds to a thousandth of a millisecond, which is finer than a browser's clock. */
const round = (/** @type {number | null} */ ms) =>
  ms === null ? null : Math.round(ms * 1000) / 1000;

/** Shares of audio whose least delay is reported, in percent. */
export const TARGETS = Object.freeze([90, 99]);

/**
 * Formats all measurements as one JSON document.
 * @param {Measurements} measurements
 * @param {Environment} environment
 * @returns {string}
 */
export function formatJson(measurements, environment) {
  const protocols = [...new Set(measurements.received.map(({ protocol }) => protocol))];
  return `${JSON.stringify(
    {
      about: 'Measured by the lab of aloud. All times in milliseconds, at_ms since the run began.',
      environment,
      failures: measurements.failures.map(({ protocol, reason }) => ({ protocol, reason })),
      round_trips: {
        turns: measurements.turns.map(({ protocol, startMs, endMs }) => ({
          protocol,
          start_ms: round(startMs),
          end_ms: round(endMs),
        })),
        sender_lateness_ms: summarize(measurements.latenessMs),
        protocols: Object.fromEntries(
          [...measurements.runs].map(([protocol, run]) => [protocol, describeRun(run)]),
        ),
      },
      received_audio: {
        least_delay_ms: Object.fromEntries(
          protocols.map((protocol) => [protocol, leastDelays(measurements, protocol)]),
        ),
        spans: measurements.received.map(describeSpan),
      },
    },
    null,
    1,
  )}\n`;
}

/** @param {import('../measurements.js').ProtocolRun} run */
function describeRun(run) {
  const answered = roundTripsMs(run);
  return {
    format: run.format,
    server_delay_ms: run.serverDelayMs,
    sent: run.roundTrips.length,
    lost: run.roundTrips.length - answered.length,
    round_trip_ms: summarize(answered),
    sound_latency_added_up_ms: summarize(addedUpMs(run)),
    sound_latency_heard_ms: summarize(run.heard.map(({ latencyMs }) => latencyMs)),
    sound_pieces: {
      found: run.correlations.length,
      not_found: run.unknownPieces,
      correlation: summarize(run.correlations),
    },
    samples: {
      client: run.roundTrips.map(({ client }) => client),
      frame: run.roundTrips.map(({ frame }) => frame),
      at_ms: run.roundTrips.map(({ atMs }) => round(atMs)),
      round_trip_ms: run.roundTrips.map(({ roundTripMs }) => round(roundTripMs)),
    },
    heard: {
      at_ms: run.heard.map(({ atMs }) => round(atMs)),
      latency_ms: run.heard.map(({ latencyMs }) => round(latencyMs)),
    },
  };
}

/** @param {Measurements} measurements @param {import('../runs/protocol.js').Protocol} protocol */
function leastDelays(measurements, protocol) {
  const curves = (/** @type {('A' | 'B')[]} */ ...clients) =>
    clients.map((client) => measurements.receivedCurve(protocol, client));
  return TARGETS.map((percent) => ({
    percent,
    a: leastDelay(curves('A'), percent),
    b: leastDelay(curves('B'), percent),
    both: leastDelay(curves('A', 'B'), percent),
  }));
}

/** @param {import('../measurements.js').ReceivedSpan} span */
const describeSpan = ({ protocol, client, serverDelayMs, atMs, sentSamples, heardSamples }) => ({
  protocol,
  client,
  server_delay_ms: serverDelayMs,
  at_ms: round(atMs),
  sent_samples: sentSamples,
  heard_samples: heardSamples,
});

/** Columns of the CSV; a row fills those of its kind of measurement. */
const COLUMNS = Object.freeze([
  'measurement',
  'protocol',
  'client',
  'frame',
  'at_ms',
  'round_trip_ms',
  'sound_latency_ms',
  'server_delay_ms',
  'sent_samples',
  'heard_samples',
]);

/**
 * Formats every sample as one row: round trips (empty if lost), heard sound, received audio. Lines
 * in front that begin with `#` hold the common values.
 * @param {Measurements} measurements
 * @param {Environment} environment
 * @returns {string} as in RFC 4180, except for the lines in front
 */
export function formatCsv(measurements, environment) {
  const lines = Object.entries(environment).map(
    ([key, value]) => `# ${key}: ${String(value).replace(/\s+/g, ' ')}`,
  );
  const row = (/** @type {Record<string, string | number | null>} */ values) =>
    void lines.push(COLUMNS.map((column) => cell(values[column])).join(','));
  lines.push(COLUMNS.join(','));
  for (const [protocol, run] of measurements.runs) {
    const common = { protocol, server_delay_ms: run.serverDelayMs };
    for (const { client, frame, atMs, roundTripMs } of run.roundTrips) {
      const times = { at_ms: round(atMs), round_trip_ms: round(roundTripMs) };
      row({ measurement: 'round_trip', ...common, client, frame, ...times });
    }
    for (const { atMs, latencyMs } of run.heard) {
      const times = { at_ms: round(atMs), sound_latency_ms: round(latencyMs) };
      row({ measurement: 'heard_sound', ...common, client: 'B', ...times });
    }
  }
  for (const span of measurements.received)
    row({ measurement: 'received_audio', ...describeSpan(span) });
  return `${lines.join('\r\n')}\r\n`;
}

/** @param {string | number | null | undefined} value */
function cell(value) {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
