/**
 * @import { Server } from 'node:http'
 * @import { Clock } from '../public/shared/clock.js'
 * @import { Config } from './config/config.js'
 * @import { ServerCertificate } from './certificate/certificate-source.js'
 * @import { Log } from './log.js'
 * @import { Observer } from './room/room-config.js'
 * @import { RoomServices } from './room/room-config.js'
 * @import { Accept } from './transport/session.js'
 */

import { fileURLToPath } from 'node:url';
import { loadThreadCpuMs } from '@aloud/native';
import { createAudioFormat } from '../public/shared/audio-format.js';
import { systemClock } from '../public/shared/clock.js';
import { createApp } from './http/app.js';
import { defaultEncoderSettings, openCodec } from './codec/codec.js';
import { AdaptiveComplexity } from './codec/adaptive-complexity.js';
import { Access } from './access/access.js';
import { openCertificate } from './certificate/certificate-source.js';
import { createLog } from './log.js';
import { closeServer, createPageServer, listen } from './http/server.js';
import { MAX_SERVER_DELAY_MS } from './config/options.js';
import { Recordings } from './recording/recordings.js';
import { SampleClock } from './clock/sample-clock.js';
import { TickScheduler } from './clock/tick-scheduler.js';
import { Arrivals } from './room/arrivals.js';
import { Rooms } from './room/rooms.js';
import { createHttp1Transport } from './transport/http1.js';
import { createWebSocketTransport } from './transport/websocket.js';
import { openWebTransport } from './transport/webtransport.js';

/** The directory of recordings when no other is asked for. */
const RECORDING_DIRECTORY = fileURLToPath(new URL('../recordings/', import.meta.url));

/** The path of a session, for WebTransport and WebSocket. */
const SESSION_PATH = '/session';

/**
 * @typedef {object} RunningServer
 * @property {string} url            the page's address on this machine
 * @property {number} port           TCP
 * @property {number | null} h3Port  UDP; null without HTTP/3
 * @property {string[]} report       lines for the person who started it: its address, what is on, and for
 *                                   what isn't, why, and what would turn it on
 * @property {Rooms} rooms
 * @property {() => Promise<void>} close  ends every session, socket, timer and thread. Idempotent
 */

/**
 * Starts a server.
 *
 * @param {Config} config
 * @param {{ log?: Log, clock?: Clock, wallNow?: () => number, observer?: Observer }} [options]
 * @returns {Promise<RunningServer>}
 * @throws {import('./config/config.js').ConfigError} when a setting won't do, such as a port that is in use
 */
export async function createServer(config, options = {}) {
  const { log = createLog(), clock = systemClock, wallNow = Date.now, observer } = options;
  /** Closes what was opened, the last first. @type {(() => void | Promise<void>)[]} */
  const opened = [];
  const close = async () => {
    while (opened.length > 0) await opened.pop()?.();
  };
  try {
    return await start(config, { log, clock, wallNow, observer, opened, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {Config} config
 * @param {{ log: Log, clock: Clock, wallNow: () => number, observer?: Observer,
 *   opened: (() => void | Promise<void>)[], close: () => Promise<void> }} options
 * @returns {Promise<RunningServer>}
 */
async function start(config, { log, clock, wallNow, observer, opened, close }) {
  const sampleClock = new SampleClock(clock, config.sampleRate);
  const certificate = await openCertificate(config, { clock, wallNow, log });
  opened.push(() => certificate.close());
  const httpServer = createPageServer(config, certificate);
  const { host, port } = await listen(httpServer, config.host, config.port);
  opened.push(() => closeServer(httpServer));

  const recordings = openRecordings(config, { clock, wallNow, log }, opened);
  const effort = new AdaptiveComplexity({ setting: config.complexity, clock, log, cpuMs: loadThreadCpuMs() ?? undefined });
  opened.push(() => effort.close());
  const { codec, line: codecLine } = await openCodec(config.codec);
  const ticks = new TickScheduler(clock);
  const services = { clock, wallNow, sampleClock, ticks, codec, effort, recordings, observer };
  const rooms = openRooms(config, { ...services, log: config.logLevel === 'debug' ? log : { ...log, debug: undefined } });
  const { accept } = new Arrivals({ rooms, clock, log });
  const http3 = await openHttp3({ ...config, host }, certificate, accept, log);
  const { transport } = http3;
  ticks.pollWith(() => transport?.poll?.());
  opened.push(() => transport?.close());
  const http1 = openOverTcp(config, httpServer, { accept, clock, log }, opened);
  opened.push(() => rooms.close());

  const h3Port = http3.transport?.address().port ?? null;
  const app = createApp({
    certificate,
    http3: http3.transport,
    h3Port,
    sessionPath: SESSION_PATH,
    unavailable: http3.transport ? {} : { webtransport: http3.line },
    http1,
    rooms,
    recordings,
    sampleClock,
    log,
    operatorToken: config.operatorToken,
  });
  httpServer.on('request', app);
  const url = `${config.cert ? 'https' : 'http'}://localhost:${port}`;
  const report = reportOf(config, { url, port, lines: [http3.line, codecLine] });
  return { url, port, h3Port, report, rooms, close };
}

/**
 * @param {Config} config
 * @param {Server} server
 * @param {{ accept: Accept, clock: Clock, log: Log }} options
 * @param {(() => void | Promise<void>)[]} opened what to close, the last first
 */
function openOverTcp({ maxSessions, idleTimeoutMs }, server, options, opened) {
  const shared = { ...options, maxSessions, idleTimeoutMs };
  const webSocket = createWebSocketTransport({ ...shared, server, path: SESSION_PATH });
  const http1 = createHttp1Transport(shared);
  opened.push(() => webSocket.close(), () => http1.close());
  return http1;
}

const PAGE_WITHOUT_HTTPS =
  "HTTPS is off for the page, so browsers give a microphone to pages on this machine only. To turn it on: --cert FILE --key FILE";

/**
 * @param {Config} config
 * @param {{ url: string, port: number, lines: string[] }} started  lines: about codec and HTTP/3
 * @returns {string[]}
 */
function reportOf({ cert }, { url, port, lines }) {
  const http1 = `WebSocket and HTTP/1 are on, at the page's TCP port ${port}.`;
  return [`aloud is at ${url}`, ...lines, http1, ...(cert ? [] : [PAGE_WITHOUT_HTTPS])];
}

/**
 * @param {Config} config
 * @param {RoomServices} services
 */
function openRooms(config, services) {
  const { delivery, echo, bitrate, application, maxParticipants } = config;
  const { idleTimeoutMs, awayTimeoutMs } = config;
  const { serverDelayMs, maxServerDelayMs, receivedTarget } = config;
  const { maxSpeakers, levelBalance, silenceSuppression, redundancy } = config;
  return new Rooms({
    maxRooms: config.maxRooms,
    maxPeople: config.maxSessions,
    services: { ...services, access: new Access({ keys: config.keys, clock: services.clock, wallNow: services.wallNow }) },
    config: {
      format: createAudioFormat(config),
      delivery,
      serverDelayMs,
      maxServerDelayMs,
      receivedTarget,
      maxDelayMs: MAX_SERVER_DELAY_MS,
      maxSpeakers,
      levelBalance,
      silenceSuppression,
      redundancy,
      echo,
      bitrate,
      complexity: config.complexity === 'auto' ? defaultEncoderSettings.complexity : config.complexity,
      application,
      maxParticipants,
      idleTimeoutMs,
      awayTimeoutMs,
    },
  });
}

/**
 * @param {Config} config
 * @param {{ clock: Clock, wallNow: () => number, log: Log }} shared
 * @param {(() => void | Promise<void>)[]} opened what to close, the last first
 */
function openRecordings({ recordingDir, recordingLimitMb, recordingKeepHours }, shared, opened) {
  const recordings = new Recordings({
    directory: recordingDir ?? RECORDING_DIRECTORY,
    limitBytes: recordingLimitMb * 1_000_000,
    keepHours: recordingKeepHours,
    ...shared,
  });
  void recordings.sweep();
  opened.push(() => recordings.close());
  return recordings;
}

/**
 * @param {Config} config
 * @param {ServerCertificate} certificate
 * @param {Accept} accept
 * @param {Log} log
 */
async function openHttp3(config, certificate, accept, log) {
  const http3 = await openWebTransport(config.engine, {
    accept,
    host: config.host,
    port: config.h3Port,
    certificate: certificate.current,
    idleTimeoutMs: config.idleTimeoutMs,
    congestionController: config.congestionController,
    receiveQueue: config.receiveQueue,
    path: SESSION_PATH,
    maxSessions: config.maxSessions,
    log,
  });
  const { transport } = http3;
  if (transport) certificate.onRenew((renewed) => transport.updateCertificate(renewed));
  return http3;
}
