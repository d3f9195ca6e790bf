/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 */

import { readFileSync } from 'node:fs';
import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';

/** Bytes of an oversized body that are still read, so that its sender can read the answer. */
const MAX_IGNORED_BYTES = 1024 * 1024;

/**
 * Reads a request's whole body. Calls back once, or never if the request breaks off.
 * @param {IncomingMessage} request
 * @param {number} maxBytes
 * @param {(body: Buffer | null) => void} onBody  receives null if the body exceeds maxBytes
 */
export function readBody(request, maxBytes, onBody) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  let told = Number(request.headers['content-length'] ?? 0) > maxBytes;
  request.on('error', () => {});
  request.on('data', (/** @type {Buffer} */ chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes + MAX_IGNORED_BYTES) request.destroy();
    else if (bytes <= maxBytes) chunks.push(chunk);
    else if (!told) {
      told = true;
      chunks.length = 0;
      onBody(null);
    }
  });
  request.on('end', () => {
    if (!told) onBody(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes));
  });
  if (told) onBody(null);
}

/**
 * Checks the media type of a body, ignoring its parameters.
 * @param {IncomingMessage} request
 * @param {string} type  in lower case
 */
export function isOfType(request, type) {
  return request.headers['content-type']?.split(';', 1)[0].trim().toLowerCase() === type;
}

/** @param {Buffer} body  UTF-8 @returns {unknown} undefined if it isn't JSON */
export function parseJson(body) {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {string} type
 * @param {Uint8Array | string} body
 * @returns {boolean} false if it was answered before, or the client has gone
 */
export function answer(response, status, type, body) {
  if (response.headersSent || response.destroyed) return false;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
  return true;
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {object} value
 */
export function answerJson(response, status, value) {
  return answer(response, status, 'application/json; charset=utf-8', JSON.stringify(value));
}

/**
 * Answers with an error that is counted elsewhere.
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 * @param {number} [status]  replaces the code's own
 */
export function answerCode(response, code, status = errors[code].status) {
  const { message } = errors[code];
  // RFC 9110, section 15.5.2.
  if (status === 401 && !response.headersSent) response.setHeader('WWW-Authenticate', 'Bearer');
  return answerJson(response, status, { code, message });
}

/**
 * Answers with an error, and counts the refusal.
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 * @param {number} [status]  replaces the code's own
 */
export function answerError(response, code, status) {
  if (answerCode(response, code, status)) countRefusal('http', code);
}

/** Page around a reason and a sentence: its file has those for an unknown address. */
const [BEFORE, BETWEEN, AFTER] = readFileSync(
  new URL('../../public/error.html', import.meta.url),
  'utf8',
).split(/(?<=data-reason=")not-found(?=")|There is nothing at this address\.(?=<)/);

/**
 * Answers with a sentence: as a page for a browser's navigation, as plain text otherwise.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {number} status
 * @param {string} sentence
 * @param {string} [reason]  an error's code, or another key of the page's translations
 * @returns {boolean} false if it was answered before, or the client has gone
 */
export function answerSentence(request, response, status, sentence, reason = '') {
  if (!request.headers.accept?.includes('text/html'))
    return answer(response, status, 'text/plain; charset=utf-8', `${sentence}\n`);
  const shown = sentence.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return answer(
    response,
    status,
    'text/html; charset=utf-8',
    BEFORE + reason + BETWEEN + shown + AFTER,
  );
}

/**
 * Answers with an error of the gate: in JSON for a program, as a sentence for a person. It is no
 * page, because a page's files would be refused too. It isn't counted.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 * @returns {boolean} false if it was answered before
 */
export function tellFailure(request, response, code) {
  const { status, message } = errors[code];
  if (request.url?.startsWith('/api/')) return answerCode(response, code);
  return answer(response, status, 'text/plain; charset=utf-8', `${message}\n`);
}

/**
 * Answers like `tellFailure`, and counts the refusal.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {ErrorCode} code
 */
export function answerFailure(request, response, code) {
  if (tellFailure(request, response, code)) countRefusal('http', code);
}
