/** Checks of the network: ports, UDP and NATS. */

import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { createServer, isIPv6 } from 'node:net';
import { connect } from '@nats-io/transport-node';
import { Endpoint, loadError } from '@aloud/native';
import { listenError } from '../errors/config-error.js';
import { pageUrl } from '../config/config.js';
import { partsOf, readClusterUrl, readListenAddress } from '../config/readers.js';
import { listeningHosts } from '../tcp-listening.js';
import { lanAddress, lanUrl } from '../lan.js';
import { fail, note, ok, reasonOf, warn } from './finding.js';
import { ownHost } from './running.js';

/**
 * @import { Config } from '../config/config.js'
 * @import { Check, Finding, Running } from './finding.js'
 */

/** Longest wait for a datagram, a session or NATS, in milliseconds. */
const WAIT_MS = 3000;

const OPEN_UDP =
  'let the UDP port through firewalls and routers; calls go over WebSocket until then';

/** @typedef {'port' | 'h3-port' | 'http-port' | 'metrics'} PortOption */

/** @type {Check} */
export async function checkPorts({ config, running }) {
  const { port, httpPort } = config;
  const metrics = partsOf(readListenAddress, config.metrics);
  if (running) return [ok(`aloud ${running.version} runs at port ${port}`)];
  const hosts = await listeningHosts(config.host);
  const findings = [await checkTcp('port', port, hosts)];
  if (httpPort !== 'off') findings.push(await checkTcp('http-port', httpPort, hosts));
  if (metrics.port !== null) findings.push(await checkTcp('metrics', metrics.port, [metrics.host]));
  return findings;
}

/**
 * @param {PortOption} option
 * @param {number} port
 * @param {string[]} hosts
 * @returns {Promise<Finding>}
 */
async function checkTcp(option, port, hosts) {
  for (const host of hosts) {
    const server = createServer();
    const error = await new Promise((resolve) => {
      server.once('error', resolve);
      server.listen({ port, host }, () => resolve(null));
    });
    await new Promise((resolve) => server.close(resolve));
    if (error) return portFailure(error, option, host, port);
  }
  return ok(`--${option} ${port}: TCP port free`);
}

/**
 * @param {unknown} error
 * @param {PortOption} option
 * @param {string} host
 * @param {number} port
 * @returns {Finding}
 */
function portFailure(error, option, host, port) {
  const { message } = /** @type {Error} */ (listenError(error, option, host, port));
  const [what, ...remedy] = message.replace(/\.$/, '').split('; ');
  return fail(what, remedy.join('; ') || `choose another --${option}`);
}

/** Hosts by which people reach this server from outside. @param {Config} config */
const publicHosts = ({ domains, advertiseUrl }) => [
  ...(domains ?? []),
  ...(advertiseUrl === null ? [] : [new URL(advertiseUrl).hostname.replace(/^\[|\]$/g, '')]),
];

/** @type {Check} */
export async function checkUdp({ config, running }) {
  if (config.engine === 'none') return [note('HTTP/3 is off: --engine none')];
  const lan = config.lan ? await lanAddress(config) : null;
  const shared = lan === null ? publicHosts(config) : [lan, ...publicHosts(config)];
  const hosts = [...new Set([ownHost(config), ...shared])];
  const findings = running ? await checkSessions(running, hosts) : await tryUdp(config, hosts);
  const page = lan === null ? pageUrl(config, config.port) : lanUrl(lan, config.port);
  return [
    ...findings,
    note(
      'only a browser elsewhere shows what its network lets through',
      `${running ? '' : 'start the server, and '}open ${page}/lab there`,
    ),
  ];
}

/**
 * Opens a WebTransport session to the running server.
 * @param {Running} running
 * @param {string[]} hosts
 * @returns {Promise<Finding[]>}
 */
async function checkSessions({ webtransport }, hosts) {
  if (webtransport === null)
    return [warn('the running server has no HTTP/3', 'its report at the start says why')];
  if (loadError() !== null) return [note('HTTP/3 could not be tried without the addon')];
  const { port, url, certificateHashes } = webtransport;
  const endpoint = new Endpoint({ ioThreads: 1, handshakeTimeoutMs: WAIT_MS });
  try {
    const findings = [];
    for (const host of hosts) {
      const at = `https://${isIPv6(host) ? `[${host}]` : host}:${port}${url}`;
      const startMs = performance.now();
      try {
        const session = await endpoint.connect(at, { certificateHashes });
        session.close();
        const tookMs = Math.round(performance.now() - startMs);
        findings.push(ok(`HTTP/3 at ${host}, UDP port ${port}: a session in ${tookMs} ms`));
      } catch (error) {
        const failed = `HTTP/3 at ${host}, UDP port ${port}: no session (${reasonOf(error)})`;
        findings.push(host === hosts[0] ? fail(failed, OPEN_UDP) : warn(failed, OPEN_UDP));
      }
    }
    return findings;
  } finally {
    await endpoint.close();
  }
}

/**
 * Opens the UDP port, and sends a datagram to it by each of its names.
 * @param {Config} config
 * @param {string[]} hosts
 * @returns {Promise<Finding[]>}
 */
async function tryUdp(config, hosts) {
  const [first] = await listeningHosts(config.host);
  const socket = createSocket(isIPv6(first) ? 'udp6' : 'udp4');
  const error = await new Promise((resolve) => {
    socket.once('error', resolve);
    socket.bind(config.h3Port, first, () => resolve(null));
  });
  if (error) return [portFailure(error, 'h3-port', first, config.h3Port)];
  try {
    const { port } = socket.address();
    const findings = [ok(`--h3-port ${config.h3Port}: UDP port free`)];
    for (const host of hosts) {
      const text = `a datagram to ${host}, UDP port ${port}`;
      const trouble = await arrives(socket, host, port);
      if (trouble === null) findings.push(ok(`${text} arrives`));
      else findings.push(warn(`${text} does not arrive (${trouble})`, OPEN_UDP));
    }
    return findings;
  } finally {
    socket.close();
  }
}

/**
 * @param {import('node:dgram').Socket} socket  that receives
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | null>} the trouble; null when a datagram arrived
 */
async function arrives(socket, host, port) {
  const word = Buffer.from(`aloud check ${process.pid} ${host}`);
  try {
    const { address, family } = await lookup(host);
    const sender = createSocket(family === 6 ? 'udp6' : 'udp4');
    try {
      return await new Promise((resolve) => {
        const timer = setTimeout(() => resolve(`nothing within ${WAIT_MS / 1000} s`), WAIT_MS);
        const read = (/** @type {Buffer} */ bytes) => {
          if (!bytes.equals(word)) return;
          clearTimeout(timer);
          socket.off('message', read);
          resolve(null);
        };
        socket.on('message', read);
        sender.send(word, port, address, (error) => {
          if (!error) return;
          clearTimeout(timer);
          resolve(reasonOf(error));
        });
      });
    } finally {
      sender.close();
    }
  } catch (error) {
    return reasonOf(error);
  }
}

/** @type {Check} */
export async function checkNats({ config: { cluster } }) {
  const read = cluster === null ? null : readClusterUrl(cluster);
  if (read === null) return [];
  const { servers, ...others } = read;
  return Promise.all(
    servers.map(async (server) => {
      try {
        const options = { ...others, servers: [server], timeout: WAIT_MS, reconnect: false };
        const nats = await connect(options);
        const tookMs = await nats.rtt();
        const { version } = nats.info ?? {};
        await nats.close();
        return ok(`NATS ${version} at ${server} answers in ${tookMs} ms`);
      } catch (error) {
        return fail(
          `NATS at ${server} can't be used (${reasonOf(error)})`,
          'start it, or correct --cluster (docs/scaling.md); without it the node serves alone',
        );
      }
    }),
  );
}
