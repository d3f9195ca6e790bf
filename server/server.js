/**
 * Puts a server together: `start` lists its parts in their order of opening, with the reasons.
 *
 * @import { Server } from 'node:http'
 * @import { Clock } from '../public/shared/clock.js'
 * @import { ResumeTokens } from './access/resume-token.js'
 * @import { AcmeCertificate } from './certificate/acme-certificate.js'
 * @import { ServerCertificate } from './certificate/certificate-source.js'
 * @import { Config } from './config/config.js'
 * @import { PortOwner } from './host/workers.js'
 * @import { HttpCounts } from './http/gate.js'
 * @import { Log } from './log.js'
 * @import { Operator } from './operator/operator.js'
 * @import { AddedTransport, Plugin } from './plugin.js'
 * @import { Recordings } from './recording/recordings.js'
 * @import { Arrivals } from './host/arrivals.js'
 * @import { Observer } from './room/room-config.js'
 * @import { Rooms } from './host/rooms.js'
 * @import { Http3Transport } from './transport/webtransport.js'
 */

import { isIPv4 } from 'node:net';
import { availableParallelism } from 'node:os';
import { systemClock } from '../public/shared/clock.js';
import { allowHosts } from './allowed-hosts.js';
import { openAcceptedCertificate, openCertificate } from './certificate/certificate-source.js';
import { openCluster, reachedAt } from './cluster/open-cluster.js';
import { EVERY_HOST, isHttps, pageUrl } from './config/config.js';
import { partsOf, readAcme } from './config/readers.js';
import { drainRooms } from './drain.js';
import { RoomHost } from './host/room-host.js';
import { RoomsByThread } from './host/rooms-by-thread.js';
import { Workers } from './host/workers.js';
import { hashesOf } from './http/api.js';
import { createApp } from './http/app.js';
import { createHttpCounts, Gate } from './http/gate.js';
import { createRedirectServer } from './http/redirect.js';
import { closeServer, createPageServer, listen } from './http/server.js';
import { allowedOrigins, shareWith } from './http/sharing.js';
import { createIcecast, isStream } from './ingest/icecast.js';
import { listeningHosts } from './tcp-listening.js';
import { createListening } from './listen/listening.js';
import { createLog, withFields } from './log.js';
import { OpenParts } from './open-parts.js';
import { OnDemand } from './ondemand/on-demand.js';
import { openOperator } from './operator/operator.js';
import { openRelays } from './relay/open-relays.js';
import { reportOf } from './report.js';
import { clientAddress, trustedPeer } from './transport/client-address.js';
import { createHttp1Transport } from './transport/http1.js';
import { createWebRtc, findWebRtc, webRtcLine } from './webrtc/webrtc.js';
import { createWebSocketTransport } from './transport/websocket.js';
import { openWebTransport } from './transport/webtransport.js';
import { Webhooks } from './webhooks/webhooks.js';

/** Path of a session, for WebTransport and WebSocket. */
const SESSION_PATH = '/session';

/** Fewest cores on which rooms run in workers unless `--workers` says otherwise. */
const WORKERS_FROM_CORES = 4;

/**
 * Arguments of every step.
 * @typedef {object} Base
 * @property {Config} config
 * @property {Clock} clock
 * @property {() => number} wallNow  milliseconds since 1970
 * @property {Log} log
 * @property {Plugin} plugin
 * @property {OpenParts} opened
 *
 * @typedef {Awaited<ReturnType<typeof openFront>>} Front
 * @typedef {Awaited<ReturnType<typeof openNode>>} Node
 * @typedef {Awaited<ReturnType<typeof openHttp3>>} Http3
 * @typedef {ReturnType<typeof openOverTcp>} OverTcp
 */

/**
 * @typedef {object} RunningServer
 * @property {string} url            the page's address on this machine
 * @property {number} port           TCP
 * @property {number | null} h3Port  UDP; null without HTTP/3
 * @property {string[]} report lines for the person who started it: see report.js
 * @property {number | null} metricsPort  TCP; null without metrics
 * @property {Rooms} rooms  of the main thread; none with workers
 * @property {RoomsByThread} roomsByThread  all rooms
 * @property {Workers | null} workers
 * @property {HttpCounts} httpCounts  violations by clients over TCP
 * @property {(ms: number) => Promise<void>} drain refuses newcomers, tells everybody, and waits
 *   until all have left, for at most that long
 * @property {Arrivals} arrivals
 * @property {Recordings} recordings
 * @property {() => Promise<void>} close  ends every session, socket, timer and thread. Idempotent
 */

/**
 * Starts a server.
 *
 * @param {Config} config
 * @param {{ log?: Log, clock?: Clock, wallNow?: () => number, observer?: Observer, plugin?: Plugin,
 *   onDrain?: () => void }} [options] onDrain: ends the server gently, at the operator's request
 *   over HTTP
 * @returns {Promise<RunningServer>}
 * @throws {import('./config/config.js').ConfigError} for a setting that can't be used, such as a
 *   port in use
 */
export async function createServer(config, options = {}) {
  const { log = createLog(), clock = systemClock, wallNow = Date.now } = options;
  const { observer, plugin = {}, onDrain = () => {} } = options;
  const opened = new OpenParts();
  try {
    return await start({ config, clock, wallNow, log, plugin, opened }, { observer, onDrain });
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/**
 * @param {Base} base
 * @param {{ observer?: Observer, onDrain: () => void }} options
 * @returns {Promise<RunningServer>}
 */
async function start(base, { observer, onDrain }) {
  const { config, opened } = base;
  const lan = config.lan ? await import('./lan.js') : null;
  const address = lan ? await lan.lanAddress(config) : null;
  // The certificate comes first, since every listener shows it.
  const certificate = opened.add(await openCertificate(config, base));
  const pageCertificate =
    address === null
      ? certificate
      : opened.add(await openAcceptedCertificate(config, address, base));
  // The TCP server and its gate. Later parts are attached to them; it listens at the end.
  const front = await openFront(base, pageCertificate);
  // Rooms, on this thread or in workers, and the cluster of which this server is a node.
  const node = await openNode(base, observer);
  // Recordings that are read over WebTransport.
  const readers = openReaders(node);
  // Transports of sessions: HTTP/3, those over TCP, and a plugin's. Each closes its sessions, and
  // waits for peers to answer, who may be gone.
  const transports = opened.add(new OpenParts({ atOnce: true }));
  const withTransports = { ...node, opened: transports };
  const http3 = await openHttp3(withTransports, certificate, { ...front, readers });
  const overTcp = openOverTcp(withTransports, front);
  const added = await openAdded(withTransports);
  // From here on somebody may be in a room. On closing, rooms end before their transports, so that
  // everybody is still notified.
  opened.add(node.host.rooms);
  if (node.workers) opened.add(node.workers);
  await node.workers?.start(node.host, portOwner(http3.transport));
  // The operator's API and metrics read all parts above.
  const certificates = [certificate, pageCertificate];
  const operator = opened.add(await openForOperator(node, front, http3, { certificates, onDrain }));
  // Pages and API. Listening comes after them, so that the first request is answered.
  const served = servedOver(node, certificate, http3, added);
  attachPages(node, front, overTcp, { ...served, operatorApi: operator.api });
  const port = await listen(front.server, front.hosts, config.port);
  // Other nodes and plain HTTP send people to the port, which is known now.
  startNode(node, port, served);
  const plainHttp = await openPlainHttp(base, certificate, { hosts: front.hosts, port });
  operator.readiness.started();

  const { host, workers, roomsByThread } = node;
  const { rooms, arrivals, recordings } = host;
  return {
    url: pageUrl(config, port),
    port,
    h3Port: served.h3Port,
    metricsPort: operator.metricsPort,
    report: reportOf(config, port, {
      lan: lan && address !== null ? lan.lanReport(address, port, served.h3Port) : null,
      http3: http3.line,
      webrtc: webRtcLine(config.webrtc, webRtcPlace(config, front.server).port),
      added: added?.line,
      workers: workers?.count ?? 0,
      codec: host.codecLine,
      plainHttp,
      operator: operator.lines,
    }),
    rooms,
    arrivals,
    recordings,
    httpCounts: front.httpCounts,
    roomsByThread,
    workers,
    drain: (ms) => drain(node, ms),
    close: () => opened.close(),
  };
}

/**
 * Makes the TCP server, which doesn't listen yet, and the gate in front of all it serves.
 * @param {Base} base
 * @param {ServerCertificate} certificate
 */
async function openFront({ config, clock, log, opened }, certificate) {
  const { host, domains, hostnames, advertiseUrl } = config;
  const isAllowedHost = allowHosts({
    allowed: [
      ...(hostnames ?? []),
      ...(domains ?? []),
      host,
      // Pages of other nodes come by this name.
      ...(advertiseUrl === null ? [] : [new URL(advertiseUrl).hostname]),
    ],
    certificate: () => certificate.current.certPem,
    log,
  });
  const httpCounts = createHttpCounts();
  const clientOf = clientAddress(config);
  const isProxy = trustedPeer(config);
  const gate = opened.add(
    new Gate({ clock, isAllowedHost, counts: httpCounts, clientOf, isProxy }),
  );
  const server = createPageServer(config, certificate);
  opened.add({ close: () => closeServer(server) });
  return { gate, server, isAllowedHost, httpCounts, hosts: await listeningHosts(host) };
}

/**
 * Makes the hosts of rooms: this thread, its workers, and the other nodes of a cluster. Neither
 * workers nor cluster have started yet.
 * @param {Base} base
 * @param {Observer} [observer]
 */
async function openNode(base, observer) {
  const { config, clock, wallNow, plugin, opened } = base;
  const { cluster, tokens } = await openCluster(config, {
    ...base,
    rooms: () => relays?.rooms ?? host.rooms,
  });
  const log = cluster ? withFields(base.log, { node: cluster.id }) : base.log;
  const relays = cluster && openRelays(config, { cluster, clock, log, host: () => host });
  // Before the rooms, so that it closes after them: their end is sent too.
  const webhooks = opened.add(new Webhooks(config.webhooks ?? [], { clock, wallNow, log }));
  const happened = config.webhooks ? webhooks.take : undefined;
  const workers = openWorkers(config, { clock, log, tokens, pluginFile: plugin.file, happened });
  /** @type {RoomHost} */
  const host = opened.add(
    await RoomHost.open(config, {
      clock,
      wallNow,
      log,
      observer,
      plugin,
      cluster,
      tokens,
      relays: relays?.out,
      elsewhere: workers?.elsewhere,
      happened,
    }),
  );
  relays?.start();
  const roomsByThread = new RoomsByThread(host, workers ?? {});
  const allowsOrigin = allowedOrigins(
    cluster && ((origin) => cluster.allowsOrigin(origin)),
    config.embedOrigins,
  );
  const { accept } = workers ?? host.arrivals;
  return {
    ...base,
    log,
    cluster,
    tokens,
    relays,
    webhooks,
    workers,
    host,
    roomsByThread,
    allowsOrigin,
    accept,
  };
}

/**
 * Makes the threads that run the rooms, not started yet.
 * @param {Config} config
 * @param {{ clock: Clock, log: Log, tokens: ResumeTokens, pluginFile?: string,
 *   happened?: Webhooks['take'] }} options
 * @returns {Workers | null} null when the main thread runs the rooms, as on a node of a cluster
 */
function openWorkers(config, options) {
  const { workers, cluster } = config;
  const cores = availableParallelism();
  const chosen = cluster !== null || cores < WORKERS_FROM_CORES ? 0 : Math.floor(cores / 2);
  const count = workers === 'auto' ? chosen : workers;
  return count === 0 ? null : new Workers(config, count, options);
}

/** @param {Node} node */
function openReaders({ host, roomsByThread, clock, log, opened }) {
  const { recordings } = host;
  return opened.add(new OnDemand({ recordings, bans: roomsByThread.bans, clock, log }));
}

/**
 * Opens WebTransport, if there is an engine.
 * @param {Node} node
 * @param {ServerCertificate} certificate
 * @param {Front & { readers: OnDemand }} front
 */
async function openHttp3(node, certificate, { hosts, isAllowedHost, readers }) {
  const { config, log, opened, host, workers, allowsOrigin, accept } = node;
  const http3 = await openWebTransport(config.engine, {
    accept,
    readers,
    isAllowedHost,
    allowsOrigin,
    log,
    ...(workers && {
      handOver: workers.handOver,
      ioThreads: Math.max(1, availableParallelism() - workers.count),
    }),
    host: hosts,
    port: config.h3Port,
    certificate: certificate.current,
    idleTimeoutMs: config.idleTimeoutMs,
    parts: node.plugin.engine?.(config),
    path: SESSION_PATH,
    maxSessions: config.maxSessions,
  });
  const { transport } = http3;
  if (transport?.recordingPath) readers.start();
  if (transport) certificate.onRenew((renewed) => transport.updateCertificate(renewed));
  host.ticks.pollWith(() => transport?.poll?.());
  host.ticks.sendWith(transport);
  host.ticks.wakeWith(transport);
  if (transport) opened.add(transport);
  return http3;
}

/**
 * @param {Http3Transport | null} transport
 * @returns {PortOwner | null} the engine, if it can hand sessions to other threads
 */
function portOwner(transport) {
  const { share, closePort } = transport ?? {};
  return transport && share && closePort
    ? {
        share: () => share.call(transport),
        closePort: (port, code) => closePort.call(transport, port, code),
      }
    : null;
}

/**
 * Opens the services over TCP: sessions over WebSocket and HTTP/1, rooms as endless files, and
 * streams into rooms.
 * @param {Node} node
 * @param {Front} front
 */
function openOverTcp(node, { gate, server }) {
  const { config, clock, log, opened, accept, allowsOrigin, cluster, roomsByThread } = node;
  const shared = {
    accept,
    allowsOrigin,
    cluster,
    clock,
    log,
    rooms: roomsByThread,
    maxSessions: config.maxSessions,
    idleTimeoutMs: config.idleTimeoutMs,
    clientOf: clientAddress(config),
  };
  opened.add(
    createWebSocketTransport({
      ...shared,
      server,
      path: SESSION_PATH,
      refuseUpgrade: (request) => gate.refuseUpgrade(request),
      otherUpgrade: (request, socket, head) => gate.ignoreUpgrade(request, socket, head),
    }),
  );
  const http1 = opened.add(createHttp1Transport(shared));
  const listening = opened.add(
    createListening({ ...shared, outlives: (request) => gate.outlives(request) }),
  );
  const icecast = opened.add(
    createIcecast({
      ...shared,
      codec: node.host.codec,
      outlives: (request) => gate.outlives(request),
    }),
  );
  const webrtc = opened.add(
    createWebRtc({
      ...shared,
      codec: node.host.codec,
      at: () => webRtcPlace(config, server),
      load: config.webrtc ? findWebRtc() : null,
    }),
  );
  return { http1, listening, icecast, webrtc };
}

/**
 * Where WebRTC is: at the page's address, and at the number of its TCP port, unless HTTP/3 has it.
 * @param {Config} config
 * @param {Server} server
 * @returns {import('./webrtc/webrtc.js').Place}
 */
function webRtcPlace({ h3Port, engine }, server) {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return { address: null, port: 0 };
  const { address, port } = bound;
  return {
    address: EVERY_HOST.has(address) ? null : address,
    port: engine !== 'none' && port === h3Port ? 0 : port,
  };
}

/** Opens a plugin's transport, if it has one. @param {Node} node */
async function openAdded({ config, plugin, accept, clock, log, opened }) {
  const services = { accept, clock, log, clientOf: clientAddress(config) };
  const added = (await plugin.openTransport?.(config, services)) ?? null;
  if (added?.transport) opened.add(added.transport);
  return added;
}

/**
 * @param {Node} node
 * @param {Front} front
 * @param {Http3} http3
 * @param {{ certificates: ServerCertificate[], onDrain: () => void }} options  onDrain: ends the
 *   server gently
 * @returns {Promise<Operator>}
 */
function openForOperator(node, { server, httpCounts }, { transport }, { certificates, onDrain }) {
  const { config, clock, log, cluster, host, webhooks, workers, roomsByThread } = node;
  return openOperator(config, {
    rooms: roomsByThread,
    recordings: host.recordings,
    cluster,
    httpCounts,
    server,
    clock,
    log,
    onDrain,
    admissions: () => transport?.admissions?.() ?? null,
    isDraining: () => host.rooms.draining,
    certificateEnd: () =>
      new Date(Math.min(...certificates.map(({ current }) => current.notAfter.getTime()))),
    workerEnds: () => workers?.restarts ?? 0,
    webhooks: () => webhooks.states,
    clientOf: clientAddress(config),
    build: { codec: host.codec.name, engine: transport?.engine ?? null },
  });
}

/**
 * Collects the answer of the API about the transports, with the objects that the API uses.
 * @param {Node} node
 * @param {ServerCertificate} certificate
 * @param {Http3} http3
 * @param {AddedTransport | null} added
 */
function servedOver(node, certificate, { transport, line }, added) {
  const { config, clock, cluster, host, roomsByThread } = node;
  const address = transport?.address();
  return {
    certificate,
    http3: transport,
    h3Port: address?.port ?? null,
    h3Host: isIPv4(address?.host ?? '') ? address?.host : undefined,
    sessionPath: SESSION_PATH,
    added,
    labModule: node.plugin.labModule,
    unavailable: {
      ...(!transport && { webtransport: line }),
      ...(added && !added.transport && { [added.name]: added.line }),
    },
    isSecure: isHttps(config),
    rooms: roomsByThread,
    recordings: host.recordings,
    verifier: host.verifier,
    sampleClock: host.sampleClock,
    tokens: node.tokens,
    clientOf: clientAddress(config),
    clock,
    cluster,
  };
}

/**
 * Makes the gate pass requests on to pages, API and sessions over HTTP/1.
 * @param {Node} node
 * @param {Front} front
 * @param {OverTcp} overTcp
 * @param {ReturnType<typeof servedOver> & { operatorApi: Operator['api'] }} served
 */
function attachPages(
  { config, log, allowsOrigin },
  { gate, server },
  { http1, listening, icecast, webrtc },
  served,
) {
  const app = createApp({
    ...served,
    http1,
    listening,
    icecast,
    webrtc,
    log,
    embedOrigins: config.embedOrigins,
    share: allowsOrigin && shareWith(allowsOrigin),
  });
  gate.attach(server, app, http1.carries, isStream);
}

/**
 * Joins the cluster, if there is one.
 * @param {Node} node
 * @param {number} port  of the page
 * @param {ReturnType<typeof servedOver>} served
 */
function startNode({ config, opened, cluster, relays }, port, served) {
  if (!cluster) return;
  opened.add(cluster);
  if (relays) opened.add(relays);
  cluster.start({
    ...reachedAt(config, port),
    h3Port: served.h3Port,
    certificateHashes: () => hashesOf(served),
  });
}

/**
 * Opens the port of plain HTTP, which redirects to HTTPS, and orders a certificate if there is
 * none: the authority asks at this port.
 * @param {Base} base
 * @param {ServerCertificate} certificate
 * @param {{ hosts: string[], port: number }} page  address of HTTPS
 * @returns {Promise<string[]>} lines for the report
 */
async function openPlainHttp({ config, opened }, certificate, page) {
  const { httpPort, domains, acmeEmail } = config;
  if (httpPort === 'off') return [];
  const acme = domains ? /** @type {AcmeCertificate} */ (certificate) : null;
  const server = createRedirectServer({
    httpsPort: page.port,
    names: domains,
    challenges: acme?.challenges,
  });
  const port = await listen(server, page.hosts, httpPort, 'http-port');
  opened.add({ close: () => closeServer(server) });
  const lines = [`Plain HTTP at TCP port ${port} leads to HTTPS.`];
  if (!acme) return lines;
  acme.begin();
  const authority = new URL(partsOf(readAcme, acmeEmail).directoryUrl).host;
  const told = acme.isIssued
    ? `The certificate is of ${authority}, valid until ${acme.current.notAfter.toISOString()}.`
    : `A certificate is asked for at ${authority}; until the log says that it was issued, ` +
      'browsers warn.';
  return [...lines, told];
}

/** @param {Node} node @param {number} ms  the longest wait */
function drain({ workers, roomsByThread, clock, cluster, relays }, ms) {
  workers?.drain(Math.round(ms / 1000));
  return drainRooms(roomsByThread, { ms, clock, cluster, relays: relays?.out });
}
