/**
 * @import { NextFunction, Request, Response } from 'express'
 * @import { RequestListener } from 'node:http'
 * @import { Log } from '../log.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { Rooms } from '../room/rooms.js'
 * @import { Http1Transport } from '../transport/http1.js'
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import compression from 'compression';
import express from 'express';
import { errors } from '../../public/shared/errors.js';
import { MAX_ROOM_NAME, MAX_USER_NAME } from '../../public/shared/text.js';
import { MAX_PACKET_BYTES } from '../../public/shared/packet.js';
import { changeRoom } from './operator.js';
import { recordingsApi } from './recordings-api.js';
import { answerError, answerJson } from '../transport/http-body.js';

const HOME = new URL('../../', import.meta.url);
const PUBLIC = fileURLToPath(new URL('public/', HOME));

/** What is served, by path: as on disk, so that an import means the same in a browser as in Node. */
const DIRECTORIES = Object.freeze({
  '/public': PUBLIC,
  '/worklets': fileURLToPath(new URL('worklets/', HOME)),
  '/vendor/libopus-wasm': fileURLToPath(new URL('node_modules/libopus-wasm/dist/', HOME)),
  '/vendor/uplot': fileURLToPath(new URL('node_modules/uplot/dist/', HOME)),
  '/vendor/uqr': fileURLToPath(new URL('node_modules/uqr/dist/', HOME)),
});

/**
 * HTTP/3 is on a port of its own and may be on a host of its own, and not every browser counts
 * WebSocket as 'self', hence the schemes.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self' https: wss: ws:",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** On everything: the first three give the page SharedArrayBuffer. */
const HEADERS = Object.freeze({
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'microphone=(self)',
});

/**
 * @typedef {object} AppOptions
 * @property {{ hashes: string[] }} certificate  hashes: SHA-256 in base64; none where browsers trust it anyway
 * @property {{ certificateHash?: () => string } | null} [http3]  whose certificate may be an older one
 * @property {number | null} h3Port              UDP; null without HTTP/3
 * @property {string} sessionPath                of WebTransport and WebSocket
 * @property {{ webtransport?: string }} unavailable  a sentence for each transport that isn't there
 * @property {Pick<Http1Transport, 'handle'>} http1
 * @property {Pick<Rooms, 'get'>} rooms
 * @property {Recordings} [recordings]
 * @property {string | null} [operatorToken]     null where nobody may change a running room
 * @property {Pick<SampleClock, 'now' | 'sampleRate'>} sampleClock
 * @property {Pick<Log, 'error'>} log
 */

/**
 * Everything that is served over HTTP/1: the pages, their files, and the API.
 *
 * @param {AppOptions} options
 * @returns {RequestListener}
 */
export function createApp({ http1, log, ...api }) {
  const app = express();
  app.disable('x-powered-by');
  app.use((_request, response, next) => {
    response.set(HEADERS);
    next();
  });
  app.use('/api', createApi(api));
  // Pages and their files; what the API says is short.
  app.use(compression());
  app.get(['/', '/r/:room'], (_request, response) => sendPage(response, 'index.html'));
  app.get('/lab', (_request, response) => sendPage(response, 'lab/index.html'));
  for (const [path, directory] of Object.entries(DIRECTORIES)) app.use(path, serveFiles(directory));
  app.use(notFound);
  app.use(failed(log));
  // Audio comes by here 50 times a second for each person; through Express it costs twice as much.
  return (request, response) => http1.handle(request, response, () => app(request, response));
}

/** @param {Omit<AppOptions, 'http1' | 'log'>} options */
function createApi({ rooms, recordings, sampleClock, operatorToken = null, ...served }) {
  const api = express.Router();
  const { version } = JSON.parse(readFileSync(new URL('package.json', HOME), 'utf8'));
  api.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  api.get('/config', (_request, response) => void response.json(describeServer(version, served)));
  api.get('/clock', (request, response) => {
    const { room } = request.query;
    const clock = (typeof room === 'string' && rooms.get(room)?.settings.sampleClock) || sampleClock;
    const reading = JSON.stringify({ clock: clock.now(), sampleRate: clock.sampleRate });
    response.set('X-Audio-Metadata', reading).type('json').send(reading);
  });
  api.get('/rooms/:room', (request, response, next) => {
    const room = rooms.get(request.params.room);
    if (room) response.json(room.describe());
    else next();
  });
  api.patch('/rooms/:room', changeRoom({ rooms, operatorToken }));
  if (recordings) api.use('/recordings', recordingsApi({ recordings, operatorToken }));
  return api;
}

/**
 * @param {string} version
 * @param {Pick<AppOptions, 'certificate' | 'http3' | 'h3Port' | 'sessionPath' | 'unavailable'>} served
 */
function describeServer(version, { certificate, http3, h3Port, sessionPath, unavailable }) {
  const hashes = new Set(certificate.hashes);
  if (hashes.size > 0 && http3?.certificateHash) hashes.add(http3.certificateHash());
  const webtransport = { url: sessionPath, port: h3Port, certificateHashes: [...hashes] };
  return {
    version,
    limits: { roomName: MAX_ROOM_NAME, userName: MAX_USER_NAME, packetBytes: MAX_PACKET_BYTES },
    transports: {
      webtransport: h3Port === null ? null : webtransport,
      websocket: { path: sessionPath },
      http1: { path: '/api/sessions' },
    },
    unavailable,
  };
}

/**
 * @param {Response} response
 * @param {string} file
 */
function sendPage(response, file) {
  response.sendFile(file, { root: PUBLIC, cacheControl: false, headers: { 'Cache-Control': 'no-cache' } });
}

/** @param {string} directory */
function serveFiles(directory) {
  return express.static(directory, {
    index: false,
    redirect: false,
    cacheControl: false,
    setHeaders: (response) => response.setHeader('Cache-Control', 'no-cache'),
  });
}

/**
 * @param {Request} request
 * @param {Response} response
 */
function notFound(request, response) {
  if (isApi(request)) answerError(response, 'not-found');
  else response.status(404).type('text').send(`${errors['not-found'].message}\n`);
}

/** @param {Pick<Log, 'error'>} log */
function failed(log) {
  /** @type {(error: any, request: Request, response: Response, next: NextFunction) => void} */
  return (error, request, response, next) => {
    const status = error?.status >= 400 && error?.status < 500 ? error.status : 500;
    const code = status === 404 ? 'not-found' : status < 500 ? 'bad-request' : 'internal';
    if (status === 500) log.error(`${request.method} ${request.url} failed: ${error?.stack ?? error}`);
    // Express breaks off what was begun.
    if (response.headersSent) next(error);
    else if (isApi(request)) answerJson(response, status, { code, message: errors[code].message });
    else response.status(status).type('text').send(`${errors[code].message}\n`);
  };
}

/** @param {Request} request */
const isApi = ({ originalUrl }) => originalUrl === '/api' || originalUrl.startsWith('/api/');
