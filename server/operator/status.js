/**
 * Collects the state of the server at one moment, for the metrics and the operator's API and page.
 * It names no room and no person.
 *
 * @import { Server } from 'node:http'
 * @import { Admissions } from '../../native/binding.js'
 * @import { EndCount, RefusalCount } from '../counts.js'
 * @import { ClusterStatus } from '../cluster/cluster.js'
 * @import { HttpCounts } from '../http/gate.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { RoomsByThread } from '../host/rooms-by-thread.js'
 * @import { HostState } from '../host/host-acts.js'
 * @import { WebhookState } from '../webhooks/webhooks.js'
 *
 * @typedef {object} Status
 * @property {string} version
 * @property {string} codec           the Opus library
 * @property {string | null} engine   the HTTP/3 engine; null without HTTP/3
 * @property {number} uptimeSeconds
 * @property {ReadinessState} state
 * @property {number} rooms
 * @property {number} mirrors
 * @property {number} people  with a place, including people who are away
 * @property {number} away
 * @property {number} listeners  people who only listen
 * @property {Record<string, number>} listenersByRate listeners to a broadcast, by bits per second
 * @property {{ up: number, down: number, failed: number }} rateChanges of their bit rates; failed:
 *   probes for a higher one
 * @property {Record<string, number>} sessions  by transport
 * @property {{ path: number, application: number, unknown: number }} sessionLimits sessions by the
 *   limit of their sending rate
 * @property {number} joins
 * @property {number} joinsWaiting  joins waiting for their turn
 * @property {number} shortVisits     sessions that ended within two seconds
 * @property {boolean} busy true while newcomers are refused because the mixers are overloaded
 * @property {number} reducedRooms  rooms that mix fewer speakers because of overload
 * @property {{ rooms: number, people: number }} limits
 * @property {{ mixCpuSeconds: number, complexity: number, workers: { mixCpuSeconds: number, rooms:
 *   number }[], workerEnds: number }} load of all threads that mix, and of each worker; complexity:
 *   the least of any; workerEnds: number of workers that crashed or were killed
 * @property {{ medianMs: number, maxMs: number }} delay  of rooms; 0 without rooms
 * @property {Omit<import('../source/receiver-stats.js').Traffic, 'copy' | 'drop'>} packets
 * @property {{ count: number, sumMs: number, bins: { upToMs: number, count: number }[] }} ticks
 *   their lateness
 * @property {number} skippedFrames
 * @property {number} codecFaults
 * @property {{ bytes: number, limitBytes: number, open: number }} recordings
 * @property {RefusalCount[]} refusals
 * @property {EndCount[]} sessionEnds
 * @property {Record<string, number>} httpRequests  by status
 * @property {HttpCounts} connectionsEnded  TCP connections by the fault of their clients
 * @property {Admissions | null} admissions new QUIC connections; null if the engine doesn't count
 *   them
 * @property {string} certificateUntil  end of the certificate in use, ISO 8601; of the page's and
 *   of HTTP/3's, the one that ends first
 * @property {number} leftOutLogLines
 * @property {number} fileShortages   moments at which no more files could be opened
 * @property {ClusterStatus | null} cluster  null outside a cluster
 * @property {WebhookState[]} webhooks
 *
 * @typedef {object} StatusOptions
 * @property {Pick<RoomsByThread, 'states'>} rooms
 * @property {Pick<Recordings, 'usage'>} recordings
 * @property {Readiness} readiness
 * @property {() => number} now       the monotonic clock, in milliseconds
 * @property {{ version: string, codec: string, engine: string | null }} build
 * @property {{ rooms: number, people: number }} limits
 * @property {RequestCounts} requests
 * @property {HttpCounts} httpCounts
 * @property {() => Admissions | null} admissions
 * @property {() => Date} certificateEnd
 * @property {() => number} [workerEnds]
 * @property {() => WebhookState[]} [webhooks]
 * @property {{ readonly status: ClusterStatus }} [cluster]
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** @typedef {{ server: Server, response: { statusCode: number } }} Finished */

/** Diagnostics channel of Node.js for every complete answer of an HTTP server. */
const FINISHED = 'http.server.response.finish';

/** Counts the answers of an HTTP server by status, from all parts of the server. */
export class RequestCounts {
  /** By status minus 100. */
  #counts = new Float64Array(500);
  #finished;

  /** @param {Server} server */
  constructor(server) {
    this.#finished = (/** @type {unknown} */ message) => {
      const finished = /** @type {Finished} */ (message);
      if (finished.server === server) this.#counts[finished.response.statusCode - 100] += 1;
    };
    subscribe(FINISHED, this.#finished);
  }

  /** @returns {Record<string, number>} by status */
  byStatus() {
    /** @type {Record<string, number>} */
    const found = {};
    this.#counts.forEach((count, status) => {
      if (count > 0) found[status + 100] = count;
    });
    return found;
  }

  close() {
    unsubscribe(FINISHED, this.#finished);
  }
}

/** @param {StatusOptions} options @returns {() => Promise<Status>} */
export function createStatus({
  rooms,
  recordings,
  readiness,
  now,
  build,
  limits,
  requests,
  httpCounts,
  admissions,
  certificateEnd,
  cluster,
  workerEnds = () => 0,
  webhooks = () => [],
}) {
  const startedMs = now();
  return async () => {
    const hosts = await rooms.states();
    const { delaysMs, mixCpuMs, complexity, ...sums } = addUp(hosts);
    const workers = hosts
      .slice(1)
      .map((host) => ({ mixCpuSeconds: host.mixCpuMs / 1000, rooms: host.rooms }));
    return {
      ...build,
      uptimeSeconds: (now() - startedMs) / 1000,
      state: readiness.state,
      limits,
      ...sums,
      delay: delaysOf(delaysMs),
      load: { mixCpuSeconds: mixCpuMs / 1000, complexity, workers, workerEnds: workerEnds() },
      recordings: recordings.usage,
      httpRequests: requests.byStatus(),
      connectionsEnded: { ...httpCounts },
      admissions: admissions(),
      certificateUntil: certificateEnd().toISOString(),
      cluster: cluster?.status ?? null,
      webhooks: webhooks(),
    };
  };
}

/**
 * Adds up the state of all hosts. With workers the first host, the main thread's, has no rooms.
 * @param {HostState[]} hosts  one or more
 * @returns {HostState}
 */
export function addUp(hosts) {
  const rooms = hosts.length > 1 ? hosts.slice(1) : hosts;
  return {
    .../** @type {HostState} */ (
      hosts.reduce((sum, host) => /** @type {HostState} */ (added(sum, host)))
    ),
    refusals: addedBy(
      hosts.flatMap((host) => host.refusals),
      ({ of, code }) => `${of} ${code}`,
    ),
    sessionEnds: addedBy(
      hosts.flatMap((host) => host.sessionEnds),
      ({ transport, code }) => `${transport} ${code}`,
    ),
    ticks: ticksOf(hosts.map((host) => host.ticks)),
    delaysMs: hosts.flatMap((host) => host.delaysMs),
    busy: rooms.some((host) => host.busy),
    complexity: Math.min(...rooms.map((host) => host.complexity)),
    mixCpuMs: rooms.reduce((sum, host) => sum + host.mixCpuMs, 0),
  };
}

/**
 * Adds numbers, or the equally named numbers of two objects.
 * @param {unknown} a
 * @param {unknown} b
 * @returns {unknown}
 */
function added(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a !== 'object' || a === null || Array.isArray(a)) return a ?? b;
  const [first, second] = [
    /** @type {Record<string, unknown>} */ (a),
    /** @type {Record<string, unknown>} */ (b),
  ];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name in second
        ? added(first[name] ?? (typeof second[name] === 'number' ? 0 : {}), second[name])
        : first[name],
    ]),
  );
}

/**
 * @template {{ count: number }} T
 * @param {T[]} counts
 * @param {(count: T) => string} keyOf
 * @returns {T[]}
 */
function addedBy(counts, keyOf) {
  /** @type {Map<string, T>} */
  const sums = new Map();
  for (const one of counts) {
    const key = keyOf(one);
    sums.set(key, { ...one, count: (sums.get(key)?.count ?? 0) + one.count });
  }
  return [...sums.values()];
}

/** @param {HostState['ticks'][]} all @returns {HostState['ticks']} */
function ticksOf(all) {
  const sum = (/** @type {(ticks: HostState['ticks']) => number} */ of) =>
    all.reduce((count, ticks) => count + of(ticks), 0);
  const bins = all[0].bins.map(({ upToMs }, i) => ({
    upToMs,
    count: sum((ticks) => ticks.bins[i].count),
  }));
  return { count: sum(({ count }) => count), sumMs: sum(({ sumMs }) => sumMs), bins };
}

/** @param {number[]} delaysMs */
function delaysOf(delaysMs) {
  if (delaysMs.length === 0) return { medianMs: 0, maxMs: 0 };
  const sorted = delaysMs.sort((a, b) => a - b);
  return { medianMs: sorted[Math.floor(sorted.length / 2)], maxMs: sorted[sorted.length - 1] };
}

/** @typedef {'starting' | 'ready' | 'draining'} ReadinessState */

/** Readiness of the server for newcomers: load balancers read it, and an operator can end it. */
export class Readiness {
  #started = false;
  #asked = false;
  #isDraining;
  #drain;

  /**
   * @param {object} options
   * @param {() => boolean} options.isDraining true once newcomers are refused, for any reason
   * @param {() => void} options.drain refuses newcomers, and stops the server after the last call
   */
  constructor({ isDraining, drain }) {
    this.#isDraining = isDraining;
    this.#drain = drain;
  }

  /** @returns {ReadinessState} */
  get state() {
    if (this.#asked || this.#isDraining()) return 'draining';
    return this.#started ? 'ready' : 'starting';
  }

  /** Marks all parts of the server as started. */
  started() {
    this.#started = true;
  }

  /** Starts a graceful shutdown. Idempotent. */
  drain() {
    if (this.#asked) return;
    this.#asked = true;
    this.#drain();
  }
}
