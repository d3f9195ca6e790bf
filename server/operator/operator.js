/**
 * @import { Server } from 'node:http'
 * @import { Router } from 'express'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { AdaptiveComplexity } from '../codec/adaptive-complexity.js'
 * @import { Config } from '../config/config.js'
 * @import { Log } from '../log.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { Rooms } from '../room/rooms.js'
 *
 * @typedef {object} Operator  what an operator has of a server
 * @property {Router} api
 * @property {Readiness} readiness
 * @property {number | null} metricsPort  TCP; null without metrics
 * @property {string[]} lines             sentences about it, for the person who starts the server
 */

import { readFileSync } from 'node:fs';
import { createOperatorApi } from './api.js';
import { openMetricsServer } from './metrics-server.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';
import { createStatus, RequestCounts } from './status.js';

const PACKAGE = new URL('../../package.json', import.meta.url);

/**
 * Opens the operator's part of a server: its API, and its metrics where they are asked for.
 * @param {Pick<Config, 'operatorToken' | 'metricsPort' | 'metricsHost' | 'maxRooms' | 'maxSessions'>} config
 * @param {object} parts
 * @param {Rooms & { readonly draining?: boolean }} parts.rooms
 * @param {Recordings} parts.recordings
 * @param {Pick<AdaptiveComplexity, 'complexity' | 'cpuMs'>} parts.effort
 * @param {{ name: string }} parts.codec
 * @param {{ engine?: string } | null} parts.http3
 * @param {Clock} parts.clock
 * @param {Server} parts.server  of the page and the API
 * @param {Log} parts.log
 * @param {() => void} parts.onDrain  ends the server gently
 * @param {(() => void | Promise<void>)[]} opened  what to close, the last first
 * @returns {Promise<Operator>}
 */
export async function openOperator(config, parts, opened) {
  const { rooms, recordings, effort, codec, http3, clock, server, log, onDrain } = parts;
  const { operatorToken, metricsPort, metricsHost: host } = config;
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  const readiness = new Readiness({ isDraining: () => rooms.draining ?? false, drain: onDrain });
  const isWatched = metricsPort !== 'off' || operatorToken !== null;
  const requests = isWatched ? new RequestCounts(server) : null;
  opened.push(() => requests?.close());
  const status = createStatus({
    rooms,
    recordings,
    readiness,
    effort,
    now: () => clock.now(),
    build: { version, codec: codec.name, engine: http3?.engine ?? null },
    limits: { rooms: config.maxRooms, people: config.maxSessions },
    requests,
  });
  const api = createOperatorApi({ rooms, recordings, readiness, status, operatorToken, version, log });
  if (metricsPort === 'off') return { api, readiness, metricsPort: null, lines: [] };
  const { port, close } = await openMetricsServer({ host, port: metricsPort, metrics: new Metrics(status), log });
  opened.push(close);
  const line = `Metrics are on: http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`;
  return { api, readiness, metricsPort: port, lines: [line] };
}
