/**
 * @import { Server } from 'node:http'
 * @import { Cluster } from './cluster/cluster.js'
 * @import { AcmeCertificate } from './certificate/acme-certificate.js'
 * @import { Clock } from '../public/shared/clock.js'
 * @import { ResumeTokens } from './access/resume-token.js'
 * @import { IsAllowedHost } from './allowed-hosts.js'
 * @import { Config } from './config/config.js'
 * @import { ServerCertificate } from './certificate/certificate-source.js'
 * @import { HttpCounts } from './http/http-counts.js'
 * @import { Log } from './log.js'
 * @import { Observer } from './room/room-config.js'
 * @import { Bans } from './access/bans.js'
 * @import { Recordings } from './recording/recordings.js'
 * @import { Arrivals } from './room/entry/arrivals.js'
 * @import { Rooms } from './room/rooms.js'
 * @import { PortOwner } from './host/workers.js'
 * @import { Http3Transport } from './transport/webtransport.js'
 * @import { DataChannels } from './transport/data-channel.js'
 * @import { Accept } from './transport/session.js'
 */

import { systemClock } from '../public/shared/clock.js';
import { isIPv4 } from 'node:net';
import { availableParallelism } from 'node:os';
import { hashesOf } from './http/api.js';
import { createApp } from './http/app.js';
import { openCertificate } from './certificate/certificate-source.js';
import { createLog } from './log.js';
import { allowHosts } from './allowed-hosts.js';
import { Gate } from './http/gate.js';
import { createHttpCounts } from './http/http-counts.js';
import { closeServer, createPageServer, listen, listeningHosts } from './http/server.js';
import { createRedirectServer } from './http/redirect.js';
import { openCluster, reachedAt } from './cluster/open-cluster.js';
import { shareWithNodes } from './cluster/origins.js';
import { soundReport } from './codec/sound-report.js';
import { isHttps } from './config/config.js';
import { drainRooms } from './drain.js';
import { Directory } from './host/directory.js';
import { RoomHost } from './host/room-host.js';
import { Workers } from './host/workers.js';
import { OnDemand } from './ondemand/on-demand.js';
import { openRelays } from './relay/open-relays.js';
import { openOperator } from './operator/operator.js';
import { createListening } from './listen/listening.js';
import { pageUrl } from './page-url.js';
import { clientAddress, trustedPeer } from './transport/client-address.js';
import { MAX_PEERS, openDataChannels, SILENCE_MS } from './transport/data-channel.js';
import { createHttp1Transport } from './transport/http1.js';
import { createWebSocketTransport } from './transport/websocket.js';
import { openWebTransport } from './transport/webtransport.js';

/** The path of a session, for WebTransport and WebSocket. */
const SESSION_PATH = '/session';

/**
 * @typedef {object} RunningServer
 * @property {string} url            the page's address on this machine
 * @property {number} port           TCP
 * @property {number | null} h3Port  UDP; null without HTTP/3
 * @property {string[]} report lines for the person who started it: its address, what is on, and for
 *   what isn't, why, and what would turn it on
 * @property {number | null} metricsPort  TCP; null without metrics
 * @property {Rooms} rooms  those of the main thread; none where there are workers
 * @property {Directory} directory  all rooms, wherever they are
 * @property {Workers | null} workers
 * @property {HttpCounts} httpCounts  what clients did wrong over TCP
 * @property {(ms: number) => Promise<void>} drain lets nobody new in, tells everybody, and waits
 *   until all have left, for so long at most
 * @property {Arrivals} arrivals
 * @property {Recordings} recordings
 * @property {() => Promise<void>} close  ends every session, socket, timer and thread. Idempotent
 */

/**
 * Starts a server.
 *
 * @param {Config} config
 * @param {{ log?: Log, clock?: Clock, wallNow?: () => number, observer?: Observer, onDrain?: () =>
 *   void }} [options] onDrain: ends the server gently, as the operator has asked for over HTTP
 * @returns {Promise<RunningServer>}
 * @throws {import('./config/config.js').ConfigError} when a setting won't do, such as a port that
 *   is in use
 */
export async function createServer(config, options = {}) {
  const {
    log = createLog(),
    clock = systemClock,
    wallNow = Date.now,
    observer,
    onDrain = () => {},
  } = options;
  /** Closes what was opened, the last first. @type {(() => void | Promise<void>)[]} */
  const opened = [];
  const close = async () => {
    while (opened.length > 0) await opened.pop()?.();
  };
  try {
    return await start(config, { log, clock, wallNow, observer, onDrain, opened, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {Config} config
 * @param {{ log: Log, clock: Clock, wallNow: () => number, observer?: Observer, onDrain: () =>
 *   void, opened: (() => void | Promise<void>)[], close: () => Promise<void> }} options
 * @returns {Promise<RunningServer>}
 */
async function start(config, { log, clock, wallNow, observer, onDrain, opened, close }) {
  const certificate = await openCertificate(config, { clock, wallNow, log });
  opened.push(() => certificate.close());
  const { gate, isAllowedHost, httpCounts, httpServer } = openGate(
    config,
    certificate,
    { clock, log },
    opened,
  );
  const hosts = await listeningHosts(config.host);

  const { cluster, relays, workers, host, directory } = await openHosts(
    config,
    { clock, wallNow, log, observer },
    opened,
  );
  const allowsOrigin =
    cluster && ((/** @type {string | undefined} */ origin) => cluster.allowsOrigin(origin));
  const { rooms, recordings, arrivals, ticks, sampleClock } = host;
  const { accept } = workers ?? arrivals;
  const http3 = await openHttp3({ ...config, host: hosts }, certificate, {
    accept,
    readers: openOnDemand({ recordings, bans: directory.bans, clock, log }, opened),
    isAllowedHost,
    allowsOrigin,
    log,
    ...(workers && { handOver: workers.handOver, ioThreads: engineThreads(workers.count) }),
  });
  ticks.pollWith(() => http3.transport?.poll?.());
  opened.push(() => http3.transport?.close());
  const { http1, listening } = openOverTcp(
    config,
    httpServer,
    gate,
    { accept, allowsOrigin, rooms: directory, cluster, clock, log },
    opened,
  );
  const forLab = await openForLab(config, { accept, clock, log }, opened);
  opened.push(() => rooms.close());
  opened.push(() => workers?.close());
  await workers?.start(host, portOwner(http3.transport));

  const build = { codec: host.codec.name, engine: http3.transport?.engine ?? null };
  const watched = {
    httpCounts,
    cluster,
    admissions: () => http3.transport?.admissions?.() ?? null,
    isDraining: () => rooms.draining,
    workerEnds: () => workers?.restarts ?? 0,
  };
  const asked = { server: httpServer, clientOf: clientAddress(config), onDrain };
  const operator = await openOperator(config, {
    rooms: directory,
    recordings,
    ...watched,
    ...asked,
    build,
    clock,
    log,
  });
  opened.push(() => operator.close());
  const served = {
    ...servedOver(config, certificate, http3, forLab),
    rooms: directory,
    recordings,
    verifier: host.verifier,
    clientOf: asked.clientOf,
    sampleClock,
    clock,
    cluster,
    operatorApi: operator.api,
  };
  gate.attach(
    httpServer,
    createApp({
      ...served,
      embedOrigins: config.embedOrigins,
      http1,
      listening,
      log,
      share: allowsOrigin && shareWithNodes(allowsOrigin),
    }),
    http1.carries,
  );
  // Last, so that whoever is heard is answered.
  const port = await listen(httpServer, hosts, config.port);
  const url = pageUrl(config, port);
  if (cluster)
    opened.push(
      () => cluster.close(),
      () => relays?.close(),
    );
  cluster?.start({
    ...reachedAt(config, port),
    h3Port: served.h3Port,
    certificateHashes: () => hashesOf(served),
  });
  const plain = await openPlainHttp(config, certificate, { hosts, port }, opened);
  operator.readiness.started();
  const threads = workers ? [`${workers.count} worker threads have the rooms.`] : [];
  const report = reportOf(config, {
    url,
    port,
    lines: [
      http3.line,
      ...forLab.lines,
      ...threads,
      host.codecLine,
      ...soundReport(config),
      ...plain,
      ...operator.lines,
      ...clusterLines(config, port),
    ],
  });
  const { h3Port } = served;
  const drain = (/** @type {number} */ ms) => {
    workers?.drain(Math.round(ms / 1000));
    return drainRooms(directory, { ms, clock, cluster, relays: relays?.out });
  };
  const { metricsPort } = operator;
  return {
    url,
    port,
    h3Port,
    metricsPort,
    report,
    rooms,
    arrivals,
    recordings,
    httpCounts,
    directory,
    workers,
    drain,
    close,
  };
}

/**
 * What has the rooms: this thread, its workers, and the other nodes of a cluster.
 * @param {Config} config
 * @param {{ clock: Clock, wallNow: () => number, log: Log, observer?: Observer }} options
 * @param {(() => void | Promise<void>)[]} opened what to close, the last first
 */
async function openHosts(config, { clock, wallNow, log, observer }, opened) {
  const { cluster, tokens } = openCluster(config, {
    clock,
    wallNow,
    log,
    rooms: () => relays?.rooms ?? host.rooms,
  });
  const relays = cluster && openRelays(config, { cluster, clock, log, host: () => host });
  const workers = openWorkers(config, { clock, log, tokens });
  const host = await RoomHost.open(config, {
    clock,
    wallNow,
    log,
    observer,
    cluster,
    relays: relays?.out,
    tokens,
    elsewhere: workers?.elsewhere,
  });
  opened.push(() => host.close());
  relays?.start();
  return { cluster, relays, workers, host, directory: new Directory(host, workers ?? {}) };
}

/**
 * What the page is told of the ways into a room.
 * @param {Config} config
 * @param {ServerCertificate} certificate
 * @param {Awaited<ReturnType<typeof openHttp3>>} http3
 * @param {Awaited<ReturnType<typeof openForLab>>} forLab
 */
function servedOver(
  config,
  certificate,
  { transport, line },
  { dataChannels, lines: [datachannel] },
) {
  const { host, port: h3Port = null } = transport?.address() ?? {};
  const unavailable = {
    ...(!transport && { webtransport: line }),
    ...(dataChannels === null && { datachannel }),
  };
  return {
    certificate,
    http3: transport,
    h3Port,
    h3Host: isIPv4(host ?? '') ? host : undefined,
    sessionPath: SESSION_PATH,
    dataChannels,
    unavailable,
    isSecure: isHttps(config),
  };
}

/** The host of --advertise-url, by which other nodes' pages come. @param {Config} config */
const advertisedHost = ({ advertiseUrl }) =>
  advertiseUrl === null ? [] : [new URL(advertiseUrl).hostname];

/**
 * What stands before all that is served over TCP: the server, not listening yet, and its gate.
 * @param {Config} config
 * @param {ServerCertificate} certificate
 * @param {{ clock: Clock, log: Log }} options
 * @param {(() => void | Promise<void>)[]} opened what to close, the last first
 */
function openGate(config, certificate, { clock, log }, opened) {
  const isAllowedHost = allowHosts({
    allowed: [
      ...(config.allowedHosts ?? []),
      ...(config.domains ?? []),
      config.host,
      ...advertisedHost(config),
    ],
    certificate: () => certificate.current.certPem,
    warn: (message) => log.warn(message),
  });
  const httpCounts = createHttpCounts();
  const known = { clientOf: clientAddress(config), isProxy: trustedPeer(config) };
  const gate = new Gate({ clock, isAllowedHost, counts: httpCounts, ...known });
  opened.push(() => gate.close());
  const httpServer = createPageServer(config, certificate);
  opened.push(() => closeServer(httpServer));
  return { gate, isAllowedHost, httpCounts, httpServer };
}

/** The fewest cores on which rooms are in workers by themselves. */
const WORKERS_FROM_CORES = 4;

/**
 * The threads that have the rooms, not started yet; null where the main thread has them, as on a
 * node of a cluster.
 * @param {Config} config
 * @param {{ clock: Clock, log: Log, tokens: ResumeTokens }} options
 */
function openWorkers(config, options) {
  const { workers, cluster } = config;
  const cores = availableParallelism();
  const byItself = cluster !== null || cores < WORKERS_FROM_CORES ? 0 : Math.floor(cores / 2);
  const count = workers === 'auto' ? byItself : workers;
  return count === 0 ? null : new Workers(config, count, options);
}

/** The threads for QUIC's work beside so many workers. @param {number} workers */
const engineThreads = (workers) => Math.max(1, availableParallelism() - workers);

/**
 * @param {Http3Transport | null} transport
 * @returns {PortOwner | null} the engine, where it can hand sessions to other threads
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
 * @param {Config} config
 * @param {Server} server
 * @param {Gate} gate
 * @param {{ accept: Accept, allowsOrigin?: (origin: string | undefined) => boolean, rooms:
 *   Directory, cluster: Cluster | undefined, clock: Clock, log: Log }} options
 * @param {(() => void | Promise<void>)[]} opened what to close, the last first
 */
function openOverTcp(config, server, gate, options, opened) {
  const { maxSessions, idleTimeoutMs } = config;
  const shared = { ...options, maxSessions, idleTimeoutMs, clientOf: clientAddress(config) };
  const webSocket = createWebSocketTransport({
    ...shared,
    server,
    path: SESSION_PATH,
    refuseUpgrade: (request) => gate.refuseUpgrade(request),
    otherUpgrade: (request, socket) => gate.ignoreUpgrade(request, socket),
  });
  const http1 = createHttp1Transport(shared);
  const listening = createListening({ ...shared, outlives: (request) => gate.outlives(request) });
  opened.push(
    () => webSocket.close(),
    () => http1.close(),
    () => listening.close(),
  );
  return { http1, listening };
}

/**
 * What only the page /lab uses: data channels, where sessions may ask how their packets go.
 * @param {Config} config
 * @param {{ accept: Accept, clock: Clock, log: Log }} options
 * @param {(() => void | Promise<void>)[]} opened what to close, the last first
 * @returns {Promise<{ dataChannels?: DataChannels | null, lines: string[] }>}  lines for the report
 */
async function openForLab(config, options, opened) {
  if (config.carry !== 'any') return { lines: [] };
  const limits = { maxSessions: MAX_PEERS, idleTimeoutMs: SILENCE_MS };
  const { transport, line } = await openDataChannels({
    ...options,
    ...limits,
    clientOf: clientAddress(config),
  });
  opened.push(() => transport?.close());
  return { dataChannels: transport, lines: [line] };
}

/** @param {Config} config @param {number} port */
function clusterLines(config, port) {
  if (config.cluster === null) return [];
  return [
    `This is a node of the cluster ${config.clusterName}; browsers reach it at ` +
      `${reachedAt(config, port).url}.`,
  ];
}

const PAGE_WITHOUT_HTTPS =
  'HTTPS is off for the page, so browsers give a microphone to pages on this machine only. ' +
  'To turn it on: --cert FILE --key FILE, or --domain NAME';

/**
 * Opens the port of plain HTTP that leads to HTTPS, and then has the certificate issued where there
 * is none.
 * @param {Config} config
 * @param {ServerCertificate} certificate
 * @param {{ hosts: string[], port: number }} page  where HTTPS listens
 * @param {(() => void | Promise<void>)[]} opened what to close, the last first
 * @returns {Promise<string[]>} lines for the report
 */
async function openPlainHttp({ httpPort, domains, acmeDirectory }, certificate, page, opened) {
  if (httpPort === 'off') return [];
  const acme = domains ? /** @type {AcmeCertificate} */ (certificate) : null;
  const server = createRedirectServer({
    httpsPort: page.port,
    names: domains,
    challenges: acme?.challenges,
  });
  const port = await listen(server, page.hosts, httpPort, 'http-port');
  opened.push(() => closeServer(server));
  const lines = [`Plain HTTP at TCP port ${port} leads to HTTPS.`];
  if (!acme) return lines;
  acme.begin();
  const authority = new URL(acmeDirectory).host;
  if (acme.isIssued)
    return [
      ...lines,
      `The certificate is of ${authority}, valid until ${acme.current.notAfter.toISOString()}.`,
    ];
  return [
    ...lines,
    `A certificate is asked for at ${authority}; until the log says that it was issued, ` +
      'browsers warn.',
  ];
}

/**
 * @param {Config} config
 * @param {{ url: string, port: number, lines: string[] }} started lines: about codec, HTTP/3 and
 *   certificate
 * @returns {string[]}
 */
function reportOf(config, { url, port, lines }) {
  const http1 = `WebSocket and HTTP/1 are on, at the page's TCP port ${port}.`;
  return [`aloud is at ${url}`, ...lines, http1, ...(isHttps(config) ? [] : [PAGE_WITHOUT_HTTPS])];
}

/**
 * What serves recordings over WebTransport.
 * @param {{ recordings: Recordings, bans: Pick<Bans, 'has'>, clock: Clock, log: Log }} options
 * @param {(() => void | Promise<void>)[]} opened what to close, the last first
 */
function openOnDemand(options, opened) {
  const readers = new OnDemand(options);
  opened.push(() => readers.close());
  return readers;
}

/**
 * @param {Omit<Config, 'host'> & { host: string[] }} config
 * @param {ServerCertificate} certificate
 * @param {{ accept: Accept, isAllowedHost: IsAllowedHost, allowsOrigin?: (origin: string |
 *   undefined) => boolean, readers: OnDemand, log: Log }} options
 */
async function openHttp3(config, certificate, options) {
  const http3 = await openWebTransport(config.engine, {
    ...options,
    host: config.host,
    port: config.h3Port,
    certificate: certificate.current,
    idleTimeoutMs: config.idleTimeoutMs,
    congestionController: config.congestionController,
    receiveQueue: config.receiveQueue,
    carry: config.carry,
    path: SESSION_PATH,
    maxSessions: config.maxSessions,
  });
  const { transport } = http3;
  if (transport?.recordingPath) options.readers.start();
  if (transport) certificate.onRenew((renewed) => transport.updateCertificate(renewed));
  return http3;
}
