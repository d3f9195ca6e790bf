/**
 * Exports the server's metrics for Prometheus. They are collected on request from existing
 * counters, so nothing here is on the path of a frame. No label names a room or a person.
 *
 * @import { Metric } from 'prom-client'
 * @import { Status } from './status.js'
 *
 * @typedef {[labels: Record<string, string>, value: number]} Sample
 * @typedef {object} MetricRow
 * @property {'counter' | 'gauge'} type
 * @property {string} help
 * @property {string[]} [labels]
 * @property {(status: Status) => Iterable<Sample> | number | null} samples  a number has no labels;
 *   null is no sample
 */

import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** Gauges of prom-client that end in `_total`, which Prometheus reserves for counters. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Histogram of the lateness of ticks. */
const TICK_LATENESS = 'aloud_tick_lateness_seconds';

/** @param {ReturnType<MetricRow['samples']>} samples @returns {Iterable<Sample>} */
const listOf = (samples) => (typeof samples === 'number' ? [[{}, samples]] : (samples ?? []));

/** @param {Record<string, number>} counts @param {string} label @returns {Sample[]} */
const each = (counts, label) =>
  Object.entries(counts).map(([name, count]) => [{ [label]: name }, count]);

/**
 * @param {MetricRow['help']} help
 * @param {MetricRow['samples']} samples
 * @param {string[]} [labels]
 * @returns {MetricRow}
 */
const counter = (help, samples, labels = []) => ({ type: 'counter', help, samples, labels });

/**
 * @param {MetricRow['help']} help
 * @param {MetricRow['samples']} samples
 * @param {string[]} [labels]
 * @returns {MetricRow}
 */
const gauge = (help, samples, labels = []) => ({ type: 'gauge', help, samples, labels });

/** Metrics by name. @type {Readonly<Record<string, MetricRow>>} */
const METRICS = Object.freeze({
  aloud_build_info: gauge(
    'The version, the Opus library and the HTTP/3 engine that run; always 1.',
    ({ version, codec, engine }) => [[{ version, codec, engine: engine ?? 'none' }, 1]],
    ['version', 'codec', 'engine'],
  ),
  aloud_ready: gauge('1 while newcomers are let in, 0 while starting and draining.', (s) =>
    Number(s.state === 'ready'),
  ),

  aloud_rooms: gauge('Rooms that are open.', (s) => s.rooms),
  aloud_rooms_limit: gauge('Rooms that may be open at once.', (s) => s.limits.rooms),
  aloud_mirrors: gauge('Rooms in which one person tests their sound.', (s) => s.mirrors),
  aloud_people: gauge('People who have a place in a room.', (s) => s.people),
  aloud_people_limit: gauge('People who may have a place at once.', (s) => s.limits.people),
  aloud_people_away: gauge(
    'People whose connection is lost and whose place is kept.',
    (s) => s.away,
  ),
  aloud_listeners: gauge('People who only listen.', (s) => s.listeners),
  aloud_broadcast_listeners: gauge(
    'Listeners of broadcasts, by their bit rate.',
    (s) => each(s.listenersByRate, 'rate'),
    ['rate'],
  ),
  aloud_broadcast_rate_changes_total: counter(
    "Changes of a listener's bit rate, up and down, and probes for a higher one that failed.",
    (s) => each(s.rateChanges, 'change'),
    ['change'],
  ),
  aloud_sessions: gauge(
    'Sessions of people in rooms, by transport.',
    (s) => each(s.sessions, 'transport'),
    ['transport'],
  ),
  aloud_sessions_limited: gauge(
    'Sessions of people in rooms, by the limit of their rate: path, application, or unknown.',
    (s) => each(s.sessionLimits, 'by'),
    ['by'],
  ),
  aloud_joins_total: counter('People who came into a room, or back into it.', (s) => s.joins),
  aloud_joins_waiting: gauge(
    'Joins that wait for their turn, because many came at once.',
    (s) => s.joinsWaiting,
  ),
  aloud_short_visits_total: counter(
    'Sessions that ended within two seconds of joining.',
    (s) => s.shortVisits,
  ),
  aloud_sessions_ended_total: counter(
    'Sessions that ended, by transport and reason: left, or a code of the registry of errors.',
    (s) => s.sessionEnds.map(({ transport, code, count }) => [{ transport, code }, count]),
    ['transport', 'code'],
  ),
  aloud_refusals_total: counter(
    'Refused joins, commands, HTTP requests and sessions, by code of the registry of errors.',
    (s) => s.refusals.map(({ of, code, count }) => [{ of, code }, count]),
    ['of', 'code'],
  ),

  aloud_packets_received_total: counter(
    'Audio packets from people that were used.',
    (s) => s.packets.received,
  ),
  aloud_packets_late_total: counter(
    'Audio packets that came after their frame had been mixed.',
    (s) => s.packets.late,
  ),
  aloud_packets_lost_total: counter(
    'Audio packets that never came, by their numbers.',
    (s) => s.packets.lost,
  ),
  aloud_packets_dropped_total: counter(
    'Packets and messages from people that were not used, by reason.',
    (s) => each(s.packets.dropped, 'reason'),
    ['reason'],
  ),
  aloud_packets_unsent_total: counter(
    'Packets to people that were not sent, because their path was blocked.',
    (s) => s.packets.unsent,
  ),
  aloud_packets_out_lost_total: counter(
    'Packets to people that the transport knows to be lost.',
    (s) => s.packets.lostOut,
  ),
  aloud_frames_concealed_total: counter(
    'Frames of people that the decoder concealed.',
    (s) => s.packets.concealed,
  ),
  aloud_frames_recovered_total: counter(
    'Frames of people that a later packet repeated in time.',
    (s) => s.packets.recovered,
  ),
  aloud_frames_unmixed_total: counter(
    'Frames of people that were not mixed, because others were louder.',
    (s) => s.packets.unmixed,
  ),
  aloud_frames_garbled_total: counter(
    'Payloads of people that are not Opus of the room.',
    (s) => s.packets.garbled,
  ),
  aloud_frames_skipped_total: counter(
    'Frames of rooms that were never mixed, because the server stalled.',
    (s) => s.skippedFrames,
  ),

  aloud_room_delay_median_seconds: gauge(
    'The median of the server-side delays D of all rooms.',
    (s) => s.delay.medianMs / 1000,
  ),
  aloud_room_delay_max_seconds: gauge(
    'The largest server-side delay D of a room.',
    (s) => s.delay.maxMs / 1000,
  ),
  aloud_mix_cpu_seconds_total: counter(
    'Processor time of the thread that mixes, or of all worker threads.',
    (s) => s.load.mixCpuSeconds,
  ),
  aloud_worker_mix_cpu_seconds_total: counter(
    'Processor time of each worker thread that mixes.',
    (s) => s.load.workers.map(({ mixCpuSeconds }, i) => [{ worker: String(i + 1) }, mixCpuSeconds]),
    ['worker'],
  ),
  aloud_worker_rooms: gauge(
    'Rooms of each worker thread.',
    (s) => s.load.workers.map(({ rooms }, i) => [{ worker: String(i + 1) }, rooms]),
    ['worker'],
  ),
  aloud_worker_ends_total: counter(
    'Worker threads that crashed, and were started again.',
    (s) => s.load.workerEnds,
  ),
  aloud_busy: gauge('1 while newcomers are refused, because the server is overloaded.', (s) =>
    Number(s.busy),
  ),
  aloud_rooms_reduced: gauge(
    'Rooms that mix fewer speakers, because their mixes were late.',
    (s) => s.reducedRooms,
  ),
  aloud_encoder_complexity: gauge(
    'The complexity at which Opus is encoded, 0 to 10.',
    (s) => s.load.complexity,
  ),
  aloud_codec_faults_total: counter(
    'Encoders and decoders that failed and were replaced.',
    (s) => s.codecFaults,
  ),

  aloud_recordings_bytes: gauge('Bytes of all recordings on the disk.', (s) => s.recordings.bytes),
  aloud_recordings_limit_bytes: gauge(
    'Bytes that all recordings may have.',
    (s) => s.recordings.limitBytes,
  ),
  aloud_recordings_open: gauge('Recordings that are being written.', (s) => s.recordings.open),

  aloud_http_requests_total: counter(
    'HTTP requests that were answered, by status: pages, files, the API and the HTTP/1 transport.',
    (s) => each(s.httpRequests, 'status'),
    ['status'],
  ),
  aloud_http_connections_ended_total: counter(
    'TCP connections that were ended because of their client, by reason.',
    (s) => each(s.connectionsEnded, 'reason'),
    ['reason'],
  ),
  aloud_quic_connections_pending: gauge(
    'QUIC connections that are no session yet.',
    (s) => s.admissions?.pending ?? 0,
  ),
  aloud_quic_retries_total: counter(
    'QUIC connections that had to prove their address first.',
    (s) => s.admissions?.retried ?? 0,
  ),
  aloud_quic_displaced_total: counter(
    'QUIC connections without a session that were dropped for a newer one, because there ' +
      'were too many, of all or of one network.',
    (s) => s.admissions?.displaced ?? 0,
  ),
  aloud_quic_refused_total: counter(
    'QUIC connections that were refused, because sessions had all places.',
    (s) => s.admissions?.refused ?? 0,
  ),
  aloud_http3_connections_ended_total: counter(
    'QUIC connections that were closed, because they broke the rules of HTTP/3.',
    (s) => s.admissions?.broken ?? 0,
  ),
  aloud_http3_requests_refused_total: counter(
    'Requests over HTTP/3 that the engine refused: for no session, too large, or malformed.',
    (s) => s.admissions?.requestsRefused ?? 0,
  ),
  aloud_cluster_connected: gauge(
    '1 while the NATS of the cluster is connected; no sample without a cluster.',
    (s) => s.cluster && Number(s.cluster.bus === 'connected'),
  ),
  aloud_cluster_nodes: gauge(
    'Nodes of the cluster, with this one.',
    (s) => s.cluster && s.cluster.nodes,
  ),
  aloud_cluster_rooms: gauge('Rooms that this node owns.', (s) => s.cluster && s.cluster.rooms),
  aloud_relayed_rooms: gauge(
    'Rooms of other nodes of the cluster that this node relays.',
    (s) => s.cluster && s.cluster.relayedRooms,
  ),
  aloud_relay_listeners: gauge(
    'People who listen here to rooms of other nodes.',
    (s) => s.cluster && s.cluster.relayListeners,
  ),
  aloud_listeners_elsewhere: gauge(
    'People who listen at other nodes to rooms of this one.',
    (s) => s.cluster && s.cluster.listenersElsewhere,
  ),
  aloud_cluster_rooms_moved_total: counter(
    'Rooms that moved from this node to another one.',
    (s) => s.cluster && s.cluster.movedRooms,
  ),
  aloud_cluster_messages_dropped_total: counter(
    "Messages on the cluster's NATS that came from no node.",
    (s) => s.cluster && s.cluster.droppedMessages,
  ),
  aloud_webhook_events_total: counter(
    'Events for webhooks, by result: delivered or dropped.',
    ({ webhooks }) =>
      /** @type {const} */ (['delivered', 'dropped']).map((result) => [
        { result },
        webhooks.reduce((sum, webhook) => sum + webhook[result], 0),
      ]),
    ['result'],
  ),

  aloud_certificate_expiry_timestamp_seconds: gauge(
    'End of the certificate in use, in seconds since 1970; of two, the one that ends first.',
    (s) => Date.parse(s.certificateUntil) / 1000,
  ),
  aloud_file_shortages_total: counter(
    'Times when no more files or connections could be opened.',
    (s) => s.fileShortages,
  ),
  aloud_log_lines_dropped_total: counter(
    'Lines that the log left out, because there were too many of their kind.',
    (s) => s.leftOutLogLines,
  ),
});

/** Names of aloud's own metrics, including the histogram's. */
export const METRIC_NAMES = Object.freeze([
  ...Object.keys(METRICS),
  ...['bucket', 'sum', 'count'].map((part) => `${TICK_LATENESS}_${part}`),
]);

/**
 * Metrics of Node.js and the process, including its event loop. There is one process, so they are
 * collected from the first request on.
 * @type {Registry | null}
 */
let ofProcess = null;

function processMetrics() {
  if (ofProcess !== null) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  for (const name of MISNAMED) ofProcess.removeSingleMetric(name);
  return ofProcess;
}

export class Metrics {
  #registry = new Registry();
  #process = processMetrics();
  #status;
  /** @type {((status: Status) => void)[]} */
  #updates = [];
  /** @type {Status['ticks']} */
  #ticks = { count: 0, sumMs: 0, bins: [] };

  /** @param {() => Promise<Status>} status */
  constructor(status) {
    this.#status = status;
    for (const [name, row] of Object.entries(METRICS)) {
      this.#updates.push(
        row.type === 'counter' ? this.#counter(name, row) : this.#gauge(name, row),
      );
    }
    this.#registry.registerMetric(this.#histogram());
  }

  get contentType() {
    return this.#registry.contentType;
  }

  /** @returns {Promise<string>} in Prometheus' text format */
  async collect() {
    const status = await this.#status();
    this.#ticks = status.ticks;
    for (const update of this.#updates) update(status);
    return `${await this.#registry.metrics()}\n${await this.#process.metrics()}`;
  }

  /** @param {string} name @param {MetricRow} row */
  #gauge(name, { help, labels, samples }) {
    const metric = new Gauge({ name, help, labelNames: labels, registers: [this.#registry] });
    return (/** @type {Status} */ status) => {
      metric.reset();
      for (const [of, value] of listOf(samples(status))) metric.set(of, value);
    };
  }

  /** @param {string} name @param {MetricRow} row */
  #counter(name, { help, labels, samples }) {
    const metric = new Counter({ name, help, labelNames: labels, registers: [this.#registry] });
    /** The last exported values, by labels. @type {Map<string, number>} */
    const told = new Map();
    return (/** @type {Status} */ status) => {
      for (const [of, value] of listOf(samples(status))) {
        const key = JSON.stringify(of);
        const before = told.get(key) ?? 0;
        // A late packet no longer counts as lost, so the counter waits until the value exceeds it
        // again.
        metric.inc(of, Math.max(0, value - before));
        told.set(key, Math.max(before, value));
      }
    };
  }

  /** Exports existing counts as a histogram: prom-client's own would have to observe every tick. */
  #histogram() {
    const get = async () => {
      const { count, sumMs, bins } = this.#ticks;
      const bucket = (/** @type {string | number} */ le, /** @type {number} */ value) => ({
        metricName: `${TICK_LATENESS}_bucket`,
        labels: { le },
        value,
      });
      const values = [
        ...bins.map(({ upToMs, count: ticks }) => bucket(upToMs / 1000, ticks)),
        bucket('+Inf', count),
        { metricName: `${TICK_LATENESS}_sum`, labels: {}, value: sumMs / 1000 },
        { metricName: `${TICK_LATENESS}_count`, labels: {}, value: count },
      ];
      return {
        name: TICK_LATENESS,
        help: "How late rooms' frames were mixed.",
        type: 'histogram',
        aggregator: 'sum',
        values,
      };
    };
    return /** @type {Metric} */ (
      /** @type {unknown} */ ({ name: TICK_LATENESS, get, reset: () => {} })
    );
  }
}
