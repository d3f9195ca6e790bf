/** @import { IncomingHttpHeaders } from 'node:http' */

import { ByteReader } from '../../programs/sound/byte-reader.js';

/** Longest line before a chunk, in bytes: its length, without extensions. */
const MAX_CHUNK_LINE = 32;

const CHUNK_LINE = /^([0-9a-f]{1,8})\s*(?:;[^\r\n]*)?\r\n/i;

/** Thrown for a body whose framing is wrong. */
export class BodyError extends Error {}

/**
 * Reads the body of a request whose connection the HTTP parser has left. It is in chunks, of a
 * known length, or, from Icecast's sources, ends with the connection.
 * @param {AsyncIterable<Uint8Array> & { destroy?: () => unknown }} connection after the head
 * @param {IncomingHttpHeaders} headers
 * @returns {AsyncIterable<Uint8Array>}
 * @throws {BodyError} while reading
 */
export function bodyOf(connection, headers) {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  if (coding !== undefined) return chunks(new ByteReader(connection));
  return length === undefined ? connection : first(new ByteReader(connection), Number(length));
}

/** @param {ByteReader} reader @param {number} count */
async function* first(reader, count) {
  for (let left = count; left > 0;) {
    const bytes = await reader.take(Math.min(left, Math.max(1, (await reader.here(left)).length)));
    if (bytes.length === 0) return;
    left -= bytes.length;
    yield bytes;
  }
}

/** @param {ByteReader} reader  of chunks (RFC 9112, section 7.1) */
async function* chunks(reader) {
  for (;;) {
    const bytes = await chunkLength(reader);
    if (bytes === 0) return;
    yield* first(reader, bytes);
    const end = await reader.take(2);
    if (end.length === 2 && end.toString('latin1') !== '\r\n') throw new BodyError('chunk');
    if (end.length < 2) return;
  }
}

/** @param {ByteReader} reader @returns {Promise<number>} 0 at the end */
async function chunkLength(reader) {
  for (let count = 3; count <= MAX_CHUNK_LINE; count++) {
    const line = await reader.peek(count);
    if (line.length < count) return 0;
    const [whole, hex] = CHUNK_LINE.exec(line.toString('latin1')) ?? [];
    if (whole === undefined) continue;
    await reader.take(whole.length);
    return parseInt(hex, 16);
  }
  throw new BodyError('chunk');
}
