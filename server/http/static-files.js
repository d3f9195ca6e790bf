/**
 * Serves the page's files from memory: each is read and compressed once, and no answer holds a
 * descriptor or a compressor. A request notices a changed file by its time and size, which are
 * checked at most once a second.
 *
 * @import { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
 * @import { Clock } from '../../public/shared/clock.js'
 *
 * @typedef {'br' | 'gzip'} Encoding
 *
 * @typedef {object} StaticFile
 * @property {string} etag           of its content
 * @property {string} type           for Content-Type
 * @property {Date} modified
 * @property {OutgoingHttpHeaders} headers  of each answer, with what a browser needs to ask again
 * @property {number} bytesOnDisk
 * @property {number} seenMs  time of the last check on the disk
 * @property {Buffer} body
 * @property {{ [encoding in Encoding]?: Promise<Buffer> }} packed compressed bodies that were
 *   requested
 */

import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Time for which a file counts as unchanged, in milliseconds. */
const FRESH_MS = 1000;

/** Size in bytes below which bodies aren't compressed: they fit one TCP segment. */
const LEAST_PACKED_BYTES = 1024;

/**
 * Brotli's effort. All files take 0.1 s and become 390 KB; level 4 gives 424 KB, and the highest
 * takes 1.8 s for 357 KB.
 */
const BROTLI_QUALITY = 8;

/**
 * Brotli's window, as a power of two: no larger than the body, because the rest would only be
 * zeroed memory.
 */
const BROTLI_WINDOWS = Object.freeze({ least: 10, most: 22 });

/** Limit of concurrent compressions: recordings and the disk use the same threads. */
const MAX_PACKING = 2;

/** Types by file extension; text is compressed. */
const TYPES = Object.freeze({
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
});
const OTHER_TYPE = 'application/octet-stream';

const packers = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** @type {Record<Encoding, (body: Buffer) => Promise<Buffer>>} */
const pack = {
  br: (body) => {
    const window = Math.min(
      BROTLI_WINDOWS.most,
      Math.max(BROTLI_WINDOWS.least, Math.ceil(Math.log2(body.length + 16))),
    );
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: window,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    };
    return packers.br(body, { params });
  },
  gzip: (body) => packers.gzip(body, { level: constants.Z_BEST_COMPRESSION }),
};

export class StaticFiles {
  #directories;
  #headersOf;
  #clock;
  /** Existing files by path on the disk. @type {Map<string, StaticFile>} */
  #files = new Map();
  /** Running checks of the disk. @type {Map<string, Promise<StaticFile | null>>} */
  #looking = new Map();
  #packing = 0;
  /** Waiting compressions. @type {(() => void)[]} */
  #waiting = [];

  /**
   * @param {object} options
   * @param {Readonly<Record<string, string>>} options.directories by URL path
   * @param {(path: string) => OutgoingHttpHeaders} options.headersOf  headers of an answer, by the
   *   path of its file on the disk
   * @param {Pick<Clock, 'now'>} options.clock
   */
  constructor({ directories, headersOf, clock }) {
    this.#directories = Object.entries(directories).map(([path, directory]) => ({
      prefix: `${path}/`,
      directory,
    }));
    this.#headersOf = headersOf;
    this.#clock = clock;
  }

  /**
   * Answers a request for a file in the directories.
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {(error?: unknown) => void} next called if there is no such file
   */
  handle(request, response, next) {
    const path = this.#pathOf(request);
    if (path === null) next();
    else void this.send(request, response, path, next);
  }

  /**
   * Answers a request with a file.
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {string} path on the disk
   * @param {(error?: unknown) => void} next called if there is no such file
   * @param {OutgoingHttpHeaders} [headers]  override those of the file
   */
  async send(request, response, path, next, headers = {}) {
    try {
      const kept = this.#files.get(path);
      const isFresh = kept && this.#clock.now() - kept.seenMs < FRESH_MS;
      const file = isFresh ? kept : await this.#look(path);
      if (file === null) next();
      else if (isUnchanged(request, file)) answerUnchanged(response, file, headers);
      else await this.#answer(request, response, file, headers);
    } catch (error) {
      next(error);
    }
  }

  /**
   * @param {IncomingMessage} request
   * @returns {string | null} a path in one of the directories, or null
   */
  #pathOf({ method, url = '' }) {
    if (method !== 'GET' && method !== 'HEAD') return null;
    const [asked] = url.split('?', 1);
    const found = this.#directories.find(({ prefix }) => asked.startsWith(prefix));
    if (!found) return null;
    const name = decode(asked.slice(found.prefix.length));
    // Names never begin with a dot, so no path leaves the directory or reaches hidden files.
    if (name === null || name.split('/').some((part) => part === '' || /^\.|[\0\\]/.test(part)))
      return null;
    return join(found.directory, name);
  }

  /**
   * Checks a file on the disk, once for all concurrent requests.
   * @param {string} path
   * @returns {Promise<StaticFile | null>} null if there is none
   */
  #look(path) {
    let look = this.#looking.get(path);
    if (!look) {
      look = this.#read(path).finally(() => this.#looking.delete(path));
      this.#looking.set(path, look);
    }
    return look;
  }

  /** @param {string} path */
  async #read(path) {
    const found = await stat(path).catch(() => null);
    if (!found?.isFile()) {
      this.#files.delete(path);
      return null;
    }
    const kept = this.#files.get(path);
    const seenMs = this.#clock.now();
    if (
      kept &&
      kept.bytesOnDisk === found.size &&
      kept.modified.getTime() === found.mtime.getTime()
    ) {
      kept.seenMs = seenMs;
      return kept;
    }
    const body = await readFile(path);
    const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const type = /** @type {Record<string, string>} */ (TYPES)[extname(path)] ?? OTHER_TYPE;
    const file = {
      etag,
      type,
      modified: found.mtime,
      headers: {
        ...this.#headersOf(path),
        'Cache-Control': 'no-cache',
        ETag: etag,
        'Last-Modified': found.mtime.toUTCString(),
        Vary: 'Accept-Encoding, Origin',
      },
      bytesOnDisk: found.size,
      seenMs,
      body,
      packed: {},
    };
    this.#files.set(path, file);
    return file;
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {StaticFile} file
   * @param {OutgoingHttpHeaders} headers
   */
  async #answer(request, response, file, headers) {
    const isPackable = file.type !== OTHER_TYPE && file.body.length >= LEAST_PACKED_BYTES;
    const encoding = isPackable ? preferredEncoding(request.headers['accept-encoding']) : null;
    const body = encoding === null ? file.body : await this.#pack(file, encoding);
    if (response.destroyed) return;
    response.writeHead(200, {
      ...file.headers,
      ...headers,
      'Content-Type': file.type,
      'Content-Length': body.length,
      ...(encoding && { 'Content-Encoding': encoding }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /**
   * @param {StaticFile} file
   * @param {Encoding} encoding
   * @returns {Promise<Buffer>}
   */
  #pack(file, encoding) {
    return (file.packed[encoding] ??= this.#compressNext(file.body, encoding));
  }

  /** @param {Buffer} body @param {Encoding} encoding */
  async #compressNext(body, encoding) {
    if (this.#packing >= MAX_PACKING)
      await new Promise((/** @type {(turn: void) => void} */ turn) => this.#waiting.push(turn));
    this.#packing += 1;
    try {
      return await pack[encoding](body);
    } finally {
      this.#packing -= 1;
      this.#waiting.shift()?.();
    }
  }
}

/**
 * @param {ServerResponse} response
 * @param {StaticFile} file
 * @param {OutgoingHttpHeaders} headers
 */
function answerUnchanged(response, file, headers) {
  response.writeHead(304, { ...file.headers, ...headers });
  response.end();
}

/** @param {string} text @returns {string | null} null if it is badly encoded */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * True if the client has the current file (RFC 9110, section 13.1).
 * @param {IncomingMessage} request
 * @param {StaticFile} file
 */
function isUnchanged({ headers }, { etag, modified }) {
  const { 'if-none-match': known, 'if-modified-since': since } = headers;
  if (known !== undefined)
    return (
      known === etag ||
      known.split(',').some((tag) => ['*', etag, etag.slice(2)].includes(tag.trim()))
    );
  // The header has only whole seconds.
  return since !== undefined && Math.floor(modified.getTime() / 1000) * 1000 <= Date.parse(since);
}

/** Available encodings, the best first. @type {readonly Encoding[]} */
const OFFERED = ['br', 'gzip'];

/** One coding of an Accept-Encoding header with its weight (RFC 9110, section 12.5.3). */
const CODING = /^\s*([a-z0-9*-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i;

/**
 * Chooses the compression of a body.
 * @param {string | string[] | undefined} header  Accept-Encoding
 * @returns {Encoding | null} null for none
 */
export function preferredEncoding(header) {
  if (typeof header !== 'string') return null;
  /** @type {Map<string, number>} */
  const weights = new Map();
  for (const part of header.split(',')) {
    const [, coding, weight = '1'] = CODING.exec(part) ?? [];
    if (coding) weights.set(coding.toLowerCase(), Number(weight));
  }
  const weightOf = (/** @type {string} */ coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const best = OFFERED.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a));
  return weightOf(best) > 0 ? best : null;
}
