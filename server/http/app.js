/**
 * @import { ErrorRequestHandler, NextFunction, Request, Response } from 'express'
 * @import { RequestListener } from 'node:http'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 * @import { Http1Transport, Middleware } from '../transport/http1.js'
 * @import { ApiOptions } from './api.js'
 *
 * @typedef {(request: import('node:http').IncomingMessage, response:
 *   import('node:http').ServerResponse) => boolean} Share returns true when it has answered
 */

import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { systemClock } from '../../public/shared/clock.js';
import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';
import { stackOf } from '../log.js';
import { createApi } from './api.js';
import { bannedBy, missing } from './recordings-api.js';
import { packageDirectory } from '../packages.js';
import { answerError, answerJson, answerSentence } from '../request/body.js';
import { roomPage } from './room-page.js';
import { StaticFiles } from './static-files.js';
import { canonicalPath, splitTarget } from '../request/target.js';

const HOME = fileURLToPath(new URL('../../', import.meta.url));
const PUBLIC = join(HOME, 'public/');

/**
 * Served directories by path. Paths match the disk, so that an import means the same in a browser
 * and in Node.
 */
const DIRECTORIES = Object.freeze({
  '/public': PUBLIC,
  '/worklets': join(HOME, 'worklets'),
  '/vendor/libopus-wasm': join(packageDirectory('libopus-wasm'), 'dist'),
  '/vendor/noble-ciphers': packageDirectory('@noble/ciphers'),
  '/vendor/noble-hashes': packageDirectory('@noble/hashes'),
  '/vendor/rnnoise-wasm': packageDirectory('@echogarden/rnnoise-wasm'),
  '/vendor/uplot': join(packageDirectory('uplot'), 'dist'),
  '/vendor/uqr': join(packageDirectory('uqr'), 'dist'),
});

/** Paths that answer OPTIONS, which load balancers use as a health check. */
const PATHS = ['/', '/r/:room', '/listen/:room', '/recordings/:id', '/embed.js', '/admin', '/lab'];

/** Methods of those paths. */
const ALLOWED = 'GET, HEAD, OPTIONS';

/**
 * connect-src names schemes: HTTP/3 may use another port and host, and some browsers don't count
 * WebSocket as 'self'.
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

/** Headers of modules and style sheets: the page that loads one sets all other rules. */
const PART_HEADERS = Object.freeze({
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
});

/** Headers of every other answer; the first two and the resource policy give SharedArrayBuffer. */
const HEADERS = Object.freeze({
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'microphone=(self)',
  ...PART_HEADERS,
});

/** Modules and style sheets. A worker's script isn't one: it sets its own rules (HTML, 10.2.4). */
const PART = /(?<![/-]worker)\.(?:m?js|css)$/;

/** Headers of files that pages of all origins may use. */
const OPEN = Object.freeze({ 'Cross-Origin-Resource-Policy': 'cross-origin' });

const NO_RECORDING = Object.freeze({
  reason: 'no-recording',
  sentence:
    'There is no such recording. Perhaps the link isn’t whole, or the recording was deleted.',
});

/** Makes browsers use only HTTPS for a year (RFC 6797). */
const STRICT_TRANSPORT = 'max-age=31536000';

/** Errors from connections that the client broke or that carried no HTTP: the gate counts them. */
const CLIENTS_FAULT = /^(HPE_|ECONNABORTED|ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)/;

/**
 * Serves everything over HTTP/1: pages, their files, the API, and requests of the transport.
 *
 * @param {ApiOptions & { http1: Pick<Http1Transport, 'handle'>, listening?: { handle: Middleware },
 *   icecast?: { handle: Middleware }, webrtc?: { handle: Middleware }, log: Pick<Log, 'error'>,
 *   isSecure?: boolean, share?: Share, embedOrigins?: ReadonlyArray<string> | null }} options with
 *   `listening`, rooms as endless files; with `icecast` and `webrtc`, streams into and out of
 *   rooms. `isSecure` is true over HTTPS. `share` allows pages of other origins to read answers,
 *   and `embedOrigins` to embed the listeners' page
 * @returns {RequestListener}
 */
export function createApp({
  http1,
  listening,
  icecast,
  webrtc,
  log,
  clock = systemClock,
  isSecure = false,
  share,
  embedOrigins = null,
  ...api
}) {
  const headers =
    api.cluster && !isSecure
      ? {
          ...HEADERS,
          'Content-Security-Policy': CONTENT_SECURITY_POLICY.replace(' https:', ' http: https:'),
        }
      : HEADERS;
  const files = new StaticFiles({
    directories: directoriesWith(api.labModule),
    headersOf: (path) => (PART.test(path) ? PART_HEADERS : headers),
    clock,
  });
  /** @type {import('./room-page.js').SendPage} */
  const send = (file, request, response, next, own) =>
    void files.send(request, response, `${PUBLIC}${file}`, next, own);
  /** @param {string} file @param {Record<string, string>} [own] */
  const sendPage =
    (file, own) =>
    (
      /** @type {Request} */ request,
      /** @type {Response} */ response,
      /** @type {NextFunction} */ next,
    ) =>
      send(file, request, response, next, own);
  const fail = failed(log);
  const app = express();
  app.disable('x-powered-by');
  // Answers of the API change each time, and files have their own validators.
  app.disable('etag');
  app.use((_request, response, next) => {
    response.set(headers);
    next();
  });
  app.use('/api', createApi({ ...api, clock }));
  app.use(toCanonicalPath);
  app.options(
    PATHS,
    ({ path }, response) =>
      void response
        .status(204)
        .set('Allow', path.startsWith('/listen/') ? `${ALLOWED}, PUT, SOURCE` : ALLOWED)
        .end(),
  );
  app.get('/', sendPage('index.html'));
  app.get(
    '/r/:room',
    roomPage({ ...api, embedOrigins, policy: headers['Content-Security-Policy'], send }),
  );
  app.get('/embed.js', sendPage('embed.js', OPEN));
  app.get('/admin', sendPage('admin/index.html'));
  app.get('/lab', sendPage('lab/index.html'));
  if (icecast) app.use(icecast.handle);
  if (webrtc) app.use(webrtc.handle);
  if (listening) app.use(listening.handle);
  app.get('/recordings/:id', recordingPage(api, sendPage('recordings/index.html')));
  app.use(notFound);
  app.use(fail);
  // Audio arrives 50 times a second per person, and a page has a hundred files: both cost half as
  // much without Express.
  return (request, response) => {
    if (isSecure && isDomain(request.headers.host))
      response.setHeader('Strict-Transport-Security', STRICT_TRANSPORT);
    if (share?.(request, response)) return;
    const toApp = (/** @type {unknown} */ error) => {
      if (error)
        fail(error, /** @type {Request} */ (request), /** @type {Response} */ (response), () =>
          response.destroy(),
        );
      else app(request, response);
    };
    http1.handle(request, response, () => files.handle(request, response, toApp));
  };
}

/**
 * Returns the served directories, with that of a plugin's module for the page /lab.
 * @param {string} [labModule]
 * @returns {Readonly<Record<string, string>>}
 */
function directoriesWith(labModule) {
  if (labModule === undefined) return DIRECTORIES;
  const folder = dirname(labModule);
  return { ...DIRECTORIES, [folder]: join(HOME, folder) };
}

/**
 * Serves the page of a recording, or the reason why there is none.
 * @param {Pick<ApiOptions, 'recordings' | 'rooms' | 'clientOf'>} api
 * @param {(request: Request, response: Response, next: NextFunction) => void} sendPage
 */
function recordingPage({ recordings, rooms, clientOf }, sendPage) {
  const isBanned = bannedBy(rooms.bans, clientOf);
  return async (
    /** @type {Request} */ request,
    /** @type {Response} */ response,
    /** @type {NextFunction} */ next,
  ) => {
    const code = await refusalOf(recordings, String(request.params.id), (room) =>
      isBanned(request, room),
    );
    if (code === null) sendPage(request, response, next);
    else answerPage(request, response, code, code === 'not-found' ? NO_RECORDING : {});
  };
}

/**
 * @param {ApiOptions['recordings']} recordings
 * @param {string} id  of the requested recording
 * @param {(room: string) => boolean} isBanned
 * @returns {Promise<ErrorCode | null>} reason to refuse it, or null
 */
async function refusalOf(recordings, id, isBanned) {
  const room = await recordings?.roomOf(id);
  if (typeof room === 'string') return isBanned(room) ? 'banned' : null;
  return recordings ? missing(recordings, id) : 'not-found';
}

/** @param {Request} request @param {Response} response */
function notFound(request, response) {
  if (isApi(request)) answerError(response, 'not-found');
  else answerPage(request, response, 'not-found');
}

/**
 * Answers with an error page.
 * @param {Request} request
 * @param {Response} response
 * @param {ErrorCode} code
 * @param {{ reason?: string, sentence?: string }} [own]  replace the code and its sentence
 */
function answerPage(request, response, code, { reason = code, sentence } = {}) {
  const { status, message } = errors[code];
  if (answerSentence(request, response, status, sentence ?? message, reason))
    countRefusal('http', code);
}

/**
 * Redirects to the canonical path of a page.
 * @param {Request} request
 * @param {Response} response
 * @param {NextFunction} next
 */
function toCanonicalPath(request, response, next) {
  const { path, query } = splitTarget(request.url);
  const canonical =
    request.method === 'GET' || request.method === 'HEAD' ? canonicalPath(path) : null;
  if (canonical === null) return next();
  // More media players follow a 302 than a 308.
  response.writeHead(302, { Location: canonical + query, 'Content-Length': 0 });
  response.end();
}

/** @param {Pick<Log, 'error'>} log */
function failed(log) {
  /** @type {ErrorRequestHandler} */
  return (error, request, response, next) => {
    if (CLIENTS_FAULT.test(error?.code)) return void response.destroy();
    const status = error?.status >= 400 && error?.status < 500 ? error.status : 500;
    const code = status === 404 ? 'not-found' : status < 500 ? 'bad-request' : 'internal';
    if (status === 500)
      log.error(
        {
          event: 'request-failed',
          method: request.method,
          // A query may have an invitation.
          url: splitTarget(request.url).path,
          error: stackOf(error),
        },
        'request failed',
      );
    const { message } = errors[code];
    if (!response.headersSent) countRefusal('http', code);
    // Express aborts an answer that has begun.
    if (response.headersSent) next(error);
    else if (isApi(request)) answerJson(response, status, { code, message });
    else answerSentence(request, response, status, message, code);
  };
}

/** @param {Request} request */
const isApi = ({ originalUrl, url }) => /^\/api(\/|$)/.test(originalUrl ?? url);

/**
 * True for a domain that belongs to this server alone. Browsers ignore the header for addresses; at
 * localhost it would force HTTPS on all other servers of the machine.
 * @param {string | undefined} host  as sent
 */
function isDomain(host = '') {
  const name = host.replace(/:\d*$/, '');
  return name.includes('.') && !name.endsWith('.localhost') && !isIP(name);
}
