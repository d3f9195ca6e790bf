/**
 * @import { Server } from 'node:http'
 * @import { Router } from 'express'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Config } from '../config/config.js'
 * @import { Log } from '../log.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { RoomsByThread } from '../host/rooms-by-thread.js'
 * @import { WebhookState } from '../webhooks/webhooks.js'
 *
 * @typedef {object} Operator  the operator's part of a server
 * @property {Router} api
 * @property {Readiness} readiness
 * @property {number | null} metricsPort  TCP; null without metrics
 * @property {string[]} lines  messages for the person who starts the server
 * @property {() => Promise<void>} close
 */

import { createOperatorApi } from './api.js';
import { partsOf, readListenAddress } from '../config/readers.js';
import { VERSION } from '../packages.js';
import { ClusterRooms } from './cluster-rooms.js';
import { createStatus, Readiness, RequestCounts } from './status.js';

/**
 * Opens the operator's part of a server: the API, and the metrics if configured.
 * @param {Pick<Config, 'operatorToken' | 'metrics' | 'maxRooms' | 'maxSessions'>} config
 * @param {object} parts
 * @param {RoomsByThread} parts.rooms
 * @param {Recordings} parts.recordings
 * @param {() => boolean} parts.isDraining
 * @param {{ codec: string, engine: string | null }} parts.build
 * @param {import('../http/gate.js').HttpCounts} parts.httpCounts
 * @param {() => import('../../native/binding.js').Admissions | null} parts.admissions of the HTTP/3
 *   engine
 * @param {() => Date} parts.certificateEnd  of the certificate in use that ends first
 * @param {() => number} [parts.workerEnds]  number of worker threads that crashed or were killed
 * @param {() => WebhookState[]} [parts.webhooks]
 * @param {import('../cluster/cluster.js').Cluster} [parts.cluster]
 * @param {Clock} parts.clock
 * @param {Server} parts.server  of the page and the API
 * @param {import('./api.js').ClientOf} parts.clientOf
 * @param {Log} parts.log
 * @param {() => void} parts.onDrain  starts a graceful shutdown
 * @returns {Promise<Operator>}
 */
export async function openOperator(
  config,
  {
    rooms,
    recordings,
    isDraining,
    build,
    clock,
    server,
    clientOf,
    log,
    onDrain,
    cluster,
    ...counts
  },
) {
  const { operatorToken } = config;
  const { host, port: metricsPort } = partsOf(readListenAddress, config.metrics);
  const readiness = new Readiness({ isDraining, drain: onDrain });
  const requests = new RequestCounts(server);
  const status = createStatus({
    rooms,
    recordings,
    readiness,
    cluster,
    ...counts,
    now: () => clock.now(),
    build: { version: VERSION, ...build },
    limits: { rooms: config.maxRooms, people: config.maxSessions },
    requests,
  });
  const everywhere =
    cluster &&
    new ClusterRooms({
      local: rooms,
      wire: cluster.wire,
      nodes: () => cluster.everyNode(),
      isHere: (room) => cluster.isHere(room),
    });
  everywhere?.start();
  const api = createOperatorApi({
    rooms: everywhere ?? rooms,
    recordings,
    readiness,
    status,
    operatorToken,
    version: VERSION,
    log,
    clientOf,
  });
  /** @type {Awaited<ReturnType<typeof openMetrics>> | null} */
  let metrics = null;
  try {
    if (metricsPort !== null) metrics = await openMetrics({ host, port: metricsPort, status, log });
  } catch (error) {
    requests.close();
    throw error;
  }
  const close = async () => {
    everywhere?.close();
    requests.close();
    await metrics?.close();
  };
  const port = metrics?.port ?? null;
  const lines =
    port === null
      ? []
      : [`Metrics are on: http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`];
  return { api, readiness, metricsPort: port, lines, close };
}

/**
 * Loads the metrics, with their package, and serves them.
 * @param {object} options
 * @param {string} options.host
 * @param {number} options.port
 * @param {ReturnType<typeof createStatus>} options.status
 * @param {Log} options.log
 */
async function openMetrics({ status, ...options }) {
  const [{ Metrics }, { openMetricsServer }] = await Promise.all([
    import('./metrics.js'),
    import('./metrics-server.js'),
  ]);
  return openMetricsServer({ ...options, metrics: new Metrics(status) });
}
