/**
 * @import { NextFunction, Request, Response } from 'express'
 * @import { RequestListener } from 'node:http'
 * @import { Log } from '../log.js'
 * @import { Http1Transport } from '../transport/http1.js'
 * @import { ApiOptions } from './api.js'
 */

import { fileURLToPath } from 'node:url';
import compression from 'compression';
import express from 'express';
import { errors } from '../../public/shared/errors.js';
import { createApi } from './api.js';
import { answerError, answerJson } from './body.js';

const HOME = new URL('../../', import.meta.url);
const PUBLIC = fileURLToPath(new URL('public/', HOME));

/** The directories that are served, by path: as on disk, so that an import means the same in a browser as in Node. */
const DIRECTORIES = Object.freeze({
  '/public': PUBLIC,
  '/worklets': fileURLToPath(new URL('worklets/', HOME)),
  '/vendor/libopus-wasm': fileURLToPath(new URL('node_modules/libopus-wasm/dist/', HOME)),
  '/vendor/uplot': fileURLToPath(new URL('node_modules/uplot/dist/', HOME)),
  '/vendor/uqr': fileURLToPath(new URL('node_modules/uqr/dist/', HOME)),
});

/**
 * connect-src names schemes, since HTTP/3 is on a port of its own and may be on a host of its own, and not
 * every browser counts WebSocket as 'self'.
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

/** The headers of every answer; the first three give the page SharedArrayBuffer. */
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
 * Serves all that is served over HTTP/1: the pages, their files, the API, and the transport's requests.
 *
 * @param {ApiOptions & { http1: Pick<Http1Transport, 'handle'>, log: Pick<Log, 'error'> }} options
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
  // After the API, whose answers are too short to compress.
  app.use(compression());
  app.get(['/', '/r/:room'], (_request, response) => sendPage(response, 'index.html'));
  app.get('/admin', (_request, response) => sendPage(response, 'admin/index.html'));
  app.get('/lab', (_request, response) => sendPage(response, 'lab/index.html'));
  for (const [path, directory] of Object.entries(DIRECTORIES)) app.use(path, serveFiles(directory));
  app.use(notFound);
  app.use(failed(log));
  // Audio comes by here 50 times a second for each person, and costs half as much without Express.
  return (request, response) => http1.handle(request, response, () => app(request, response));
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
    // Express breaks off an answer that was begun.
    if (response.headersSent) next(error);
    else if (isApi(request)) answerJson(response, status, { code, message: errors[code].message });
    else response.status(status).type('text').send(`${errors[code].message}\n`);
  };
}

/** @param {Request} request */
const isApi = ({ originalUrl }) => originalUrl === '/api' || originalUrl.startsWith('/api/');
