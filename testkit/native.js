import { Endpoint, isBuilt, loadError, loadOpus } from '@aloud/native';
import { generateCertificate } from '../server/certificate/generate.js';
import { canBuildNative, requireOrSkip } from './skip.js';

/** @import { NativeSession, Stream } from '@aloud/native' */

/** `describe` for tests of the native engine. */
export const nativeTests = requireOrSkip(
  isBuilt() && loadError() === null,
  'the native engine is not built',
  canBuildNative,
);

/** The addon's Opus; null if it isn't built. */
export function opusOrNull() {
  try {
    return loadOpus();
  } catch {
    return null;
  }
}

/** @returns {ReturnType<typeof generateCertificate>} */
export const newCertificate = () =>
  generateCertificate({ hosts: ['localhost', '127.0.0.1', '::1'], now: new Date() });

/** Owners to be closed after a test, last opened first. @type {(() => unknown)[]} */
const open = [];

/**
 * @template {{ close: () => unknown }} T
 * @param {T} owner
 */
export function closeAfter(owner) {
  open.push(() => owner.close());
  return owner;
}

export async function closeAll() {
  for (const close of open.splice(0).reverse()) await close();
}

/**
 * Waits until something is there.
 * @template T
 * @param {() => T | null | undefined | false} look
 * @param {number} [limitMs]
 * @returns {Promise<T>}
 */
export async function until(look, limitMs = 10_000) {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`nothing after ${limitMs} ms: ${look}`);
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
}

/**
 * Messages of the errors that callbacks of the engine throw, in the test runner's place, until
 * closeAll().
 * @returns {string[]} which grows
 */
export function collectThrown() {
  const messages = /** @type {string[]} */ ([]);
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => void messages.push(error.message));
  closeAfter({
    close: () => {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    },
  });
  return messages;
}

/** Keeps JavaScript's thread from reading, while QUIC's threads go on. @param {number} ms */
export function blockThread(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * A server on a free port of this machine, which accepts what asks for '/session'.
 * @param {object} [setup]
 * @param {Partial<import('@aloud/native').EndpointSettings>} [setup.options]
 * @param {(request: import('@aloud/native').SessionRequest) => void} [setup.onRequest]
 * @param {(session: NativeSession) => void} [setup.onSession]
 */
export async function startServer({ options, onRequest, onSession = echo } = {}) {
  const certificate = await newCertificate();
  const endpoint = closeAfter(new Endpoint(options));
  const sessions = /** @type {NativeSession[]} */ ([]);
  const { certPem, keyPem } = certificate;
  const { port } = await endpoint.listen({
    certPem,
    keyPem,
    onRequest:
      onRequest ??
      ((request) => (request.path === '/session' ? request.accept() : request.reject(404))),
    onSession: (session) => {
      sessions.push(session);
      onSession(session);
    },
  });
  return { endpoint, certificate, sessions, port, url: `https://localhost:${port}/session` };
}

/** Sends each datagram back. @param {NativeSession} session */
export function echo(session) {
  session.onDatagram = (bytes) => void session.send(bytes);
}

/** A session's datagrams as text, and its end. @param {NativeSession} session */
export function record(session) {
  const seen = {
    datagrams: /** @type {string[]} */ ([]),
    arrivals: /** @type {number[]} */ ([]),
    streams: /** @type {Stream[]} */ ([]),
    closed: /** @type {unknown[] | null} */ (null),
  };
  session.onDatagram = (bytes, arrivalMs) => {
    seen.datagrams.push(Buffer.from(bytes).toString());
    seen.arrivals.push(arrivalMs);
  };
  session.onStream = (stream) => seen.streams.push(stream);
  session.onClosed = (...end) => {
    seen.closed = end;
  };
  return seen;
}

/** All that comes on a stream, until its end. @param {Stream} stream @returns {Promise<Buffer>} */
export function readAll(stream) {
  const parts = /** @type {Buffer[]} */ ([]);
  const chunk = new Uint8Array(8192);
  return new Promise((resolve) => {
    const read = () => {
      for (let count = stream.read(chunk); count !== 0; count = stream.read(chunk)) {
        if (count === null) return resolve(Buffer.concat(parts));
        parts.push(Buffer.from(chunk.slice(0, count)));
      }
      return undefined;
    };
    stream.onReadable = read;
    read();
  });
}
