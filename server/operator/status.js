/**
 * The state of the server at one moment, which the metrics, the operator's API and page are made from. It names no room
 * and no person.
 *
 * @import { Server } from 'node:http'
 * @import { Admissions } from '../../native/binding.js'
 * @import { EndCount, RefusalCount } from '../counts.js'
 * @import { ClusterStatus } from '../cluster/cluster.js'
 * @import { HttpCounts } from '../http/http-counts.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { Rooms } from '../room/rooms.js'
 * @import { Readiness, ReadinessState } from './readiness.js'
 *
 * @typedef {object} Status
 * @property {string} version
 * @property {string} codec           the Opus library
 * @property {string | null} engine   the HTTP/3 engine; null without HTTP/3
 * @property {number} uptimeSeconds
 * @property {ReadinessState} state
 * @property {number} rooms
 * @property {number} mirrors
 * @property {number} people          who have a place, those who are away included
 * @property {number} away
 * @property {Record<string, number>} sessions  by transport
 * @property {number} joins
 * @property {number} joinsWaiting    those that wait for their turn
 * @property {number} shortVisits     sessions that ended within two seconds
 * @property {boolean} busy           whether newcomers are refused, since there is more to mix than can be mixed
 * @property {number} reducedRooms    rooms that mix fewer speakers for that reason
 * @property {{ rooms: number, people: number }} limits
 * @property {{ mixCpuSeconds: number, complexity: number }} load
 * @property {{ medianMs: number, maxMs: number }} delay  of rooms; 0 where there are none
 * @property {import('../source/traffic.js').Traffic} packets
 * @property {{ count: number, sumMs: number, bins: { upToMs: number, count: number }[] }} ticks  how late they were
 * @property {number} skippedFrames
 * @property {number} codecFaults
 * @property {{ bytes: number, limitBytes: number, open: number }} recordings
 * @property {RefusalCount[]} refusals
 * @property {EndCount[]} sessionEnds
 * @property {Record<string, number>} httpRequests  by status
 * @property {HttpCounts} connectionsEnded  TCP connections, by what their clients did
 * @property {Admissions | null} admissions  new QUIC connections; null where the engine doesn't count them
 * @property {number} leftOutLogLines
 * @property {ClusterStatus | null} cluster  null where this server is no node of one
 *
 * @typedef {object} StatusOptions
 * @property {Rooms} rooms
 * @property {Pick<Recordings, 'usage'>} recordings
 * @property {Readiness} readiness
 * @property {{ readonly complexity: number }} effort
 * @property {() => number} cpuMs     the processor time of the thread that mixes
 * @property {() => number} now       the monotonic clock, in milliseconds
 * @property {{ version: string, codec: string, engine: string | null }} build
 * @property {{ rooms: number, people: number }} limits
 * @property {RequestCounts} requests
 * @property {HttpCounts} httpCounts
 * @property {{ readonly waiting: number }} arrivals
 * @property {() => Admissions | null} admissions
 * @property {{ readonly status: ClusterStatus }} [cluster]
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { counted } from '../counts.js';

/** Node.js' own channel: told of every answer of an HTTP server that is whole. */
const FINISHED = 'http.server.response.finish';

/** Counts the answers of an HTTP server by status, whatever part of the server has given them. */
export class RequestCounts {
  /** By status less 100. */
  #counts = new Float64Array(500);
  #finished;

  /** @param {Server} server */
  constructor(server) {
    this.#finished = (/** @type {any} */ message) => {
      if (message.server === server) this.#counts[message.response.statusCode - 100] += 1;
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

/**
 * @param {StatusOptions} options
 * @returns {() => Status}
 */
export function createStatus({ rooms, recordings, readiness, effort, cpuMs, now, build, limits, requests, httpCounts, arrivals, admissions, cluster }) {
  const startedMs = now();
  return () => {
    const { delaysMs, traffic, ...figures } = rooms.figures();
    const { leftOutLines, ...rest } = counted();
    const { shortVisits, load } = rooms.stats();
    return {
      ...build,
      uptimeSeconds: (now() - startedMs) / 1000,
      state: readiness.state,
      limits,
      ...figures,
      joinsWaiting: arrivals.waiting,
      shortVisits,
      busy: load.busy,
      reducedRooms: load.reducedRooms,
      packets: traffic,
      delay: delaysOf(delaysMs),
      load: { mixCpuSeconds: cpuMs() / 1000, complexity: effort.complexity },
      recordings: recordings.usage,
      httpRequests: requests.byStatus(),
      connectionsEnded: { ...httpCounts },
      admissions: admissions(),
      ...rest,
      leftOutLogLines: leftOutLines,
      cluster: cluster?.status ?? null,
    };
  };
}

/** @param {number[]} delaysMs */
function delaysOf(delaysMs) {
  if (delaysMs.length === 0) return { medianMs: 0, maxMs: 0 };
  const sorted = delaysMs.sort((a, b) => a - b);
  return { medianMs: sorted[Math.floor(sorted.length / 2)], maxMs: sorted[sorted.length - 1] };
}
