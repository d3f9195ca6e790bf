/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Config } from '../config/config.js'
 * @import { Log } from '../log.js'
 * @import { ClusterRooms } from './cluster.js'
 */

import { ResumeTokens } from '../access/resume-token.js';
import { isHttps, pageUrl } from '../config/config.js';
import { clusterNameOf } from '../config/readers.js';
import { withFields } from '../log.js';
import { VERSION } from '../packages.js';
import { Cluster } from './cluster.js';

/**
 * Makes this server a node of a cluster if configured. It takes part from start() on.
 * @param {Config} config
 * @param {{ clock: Clock, wallNow: () => number, log: Log, rooms: () => ClusterRooms }} options
 * @returns {Promise<{ cluster: Cluster | undefined, tokens: ResumeTokens }>}
 */
export async function openCluster(config, { clock, wallNow, log, rooms }) {
  const { cluster: url, clusterKey, awayTimeoutMs: awayMs, maxSessions } = config;
  if (url === null) return { cluster: undefined, tokens: new ResumeTokens({ wallNow }) };
  // Imported here: a server of its own needs no client of NATS.
  const { NatsBus } = await import('./nats-bus.js');
  const openBus = (/** @type {string} */ id) =>
    new NatsBus(url, { name: `aloud ${id}`, log: withFields(log, { node: id }) });
  const tokens = new ResumeTokens({ key: clusterKey ?? undefined, wallNow, awayMs });
  const limits = { people: maxSessions };
  const cluster = new Cluster({
    name: clusterNameOf(url),
    openBus,
    clock,
    wallNow,
    log,
    rooms,
    limits,
    software: VERSION,
    keptMs: tokens.freshMs,
  });
  return { cluster, tokens };
}

/**
 * Address of this node for clients: the origin of --advertise-url, or the page's address.
 * @param {Pick<Config, 'advertiseUrl' | 'domains' | 'hostnames' | 'cert'>} config
 * @param {number} port  of the page
 * @returns {{ url: string, origins: string[] }} origins: of the pages that this node serves
 */
export function reachedAt(config, port) {
  const { advertiseUrl, domains, hostnames } = config;
  const url = new URL(advertiseUrl ?? pageUrl(/** @type {Config} */ (config), port)).origin;
  const scheme = isHttps(config) ? 'https' : 'http';
  const names = [...(domains ?? []), ...(hostnames ?? [])].filter((name) => !name.includes('*'));
  // A load balancer in front of the nodes may add HTTPS.
  const origins = names.flatMap((name) =>
    [`https://${name}`, `${scheme}://${name}:${port}`].map((origin) => new URL(origin).origin),
  );
  return { url, origins: [...new Set([url, ...origins])] };
}
