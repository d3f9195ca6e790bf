/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Config } from '../config/config.js'
 * @import { Log } from '../log.js'
 * @import { ClusterRooms } from './cluster.js'
 */

import { readFileSync } from 'node:fs';
import { ResumeTokens } from '../access/resume-token.js';
import { isHttps } from '../config/config.js';
import { pageUrl } from '../page-url.js';
import { Cluster } from './cluster.js';
import { NatsBus } from './nats-bus.js';

const PACKAGE = new URL('../../package.json', import.meta.url);

/**
 * Makes this server a node of a cluster, where it is to be one. It takes part from start() on.
 * @param {Config} config
 * @param {{ clock: Clock, wallNow: () => number, log: Log, rooms: () => ClusterRooms }} options
 * @returns {{ cluster: Cluster | undefined, tokens: ResumeTokens }}
 */
export function openCluster(config, { clock, wallNow, log, rooms }) {
  const {
    cluster: url,
    clusterName: name,
    clusterKey,
    awayTimeoutMs: awayMs,
    maxSessions,
  } = config;
  if (url === null) return { cluster: undefined, tokens: new ResumeTokens({ wallNow }) };
  const { version: software } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  const openBus = (/** @type {string} */ id) => new NatsBus(url, { name: `aloud ${id}`, log });
  const tokens = new ResumeTokens({ key: clusterKey ?? undefined, wallNow, awayMs });
  const limits = { people: maxSessions };
  const cluster = new Cluster({
    name,
    openBus,
    clock,
    wallNow,
    log,
    rooms,
    limits,
    software,
    keptMs: tokens.freshMs,
  });
  return { cluster, tokens };
}

/**
 * Where clients reach this node: the origin of --advertise-url, or the page's address.
 * @param {Pick<Config, 'advertiseUrl' | 'domains' | 'allowedHosts' | 'cert'>} config
 * @param {number} port  of the page
 * @returns {{ url: string, origins: string[] }} origins: of the pages that this node serves
 */
export function reachedAt(config, port) {
  const { advertiseUrl, domains, allowedHosts } = config;
  const url = new URL(advertiseUrl ?? pageUrl(/** @type {Config} */ (config), port)).origin;
  const scheme = isHttps(config) ? 'https' : 'http';
  const names = [...(domains ?? []), ...(allowedHosts ?? [])].filter((name) => !name.includes('*'));
  // A load balancer before the nodes may have HTTPS where they have none.
  const origins = names.flatMap((name) =>
    [`https://${name}`, `${scheme}://${name}:${port}`].map((origin) => new URL(origin).origin),
  );
  return { url, origins: [...new Set([url, ...origins])] };
}
