import { connect, createServer } from 'node:net';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A path to a TCP port that can be cut. @param {number} to */
export async function openBridge(to) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(to, '127.0.0.1');
    for (const [from, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        other.destroy();
      });
      from.pipe(other);
    }
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const cut = (/** @type {boolean} */ on) => {
    isCut = on;
    if (on) for (const socket of sockets) socket.destroy();
  };
  const close = () => {
    cut(true);
    return new Promise((resolve) => void server.close(resolve));
  };
  return { port, cut, close };
}

/**
 * Opens a bare TCP connection to a port of this machine. A test writes anything on it, and detects
 * errors by the response.
 * @param {number} port
 * @param {(() => unknown)[]} open the test's list of cleanups
 * @returns {import('node:net').Socket & { got: string }} got: the received text
 */
export function dial(port, open) {
  const socket = Object.assign(connect(port, '127.0.0.1'), { got: '' });
  socket.on('error', () => {});
  socket.on('data', (bytes) => void (socket.got += bytes.toString('latin1')));
  open.push(() => void socket.destroy());
  return socket;
}

/** Bytes of an IPv4 and a UDP header. */
const HEADER_BYTES = 28;

/**
 * A path to a UDP port of this machine with little capacity upwards: packets queue, and are dropped
 * when the queue is full. The way down is unlimited.
 * @param {number} to the port
 * @param {{ bitrate: number, queueMs: number }} path of the way up, in bits a second with headers
 * @returns {Promise<{ port: number, close: () => Promise<void> }>}
 */
export async function openThinPath(to, { bitrate, queueMs }) {
  const near = createSocket('udp6');
  const far = createSocket('udp4');
  const bytesPerMs = bitrate / 8000;
  /** The browser's address. */
  let client = { address: '', port: 0 };
  let freeMs = 0;
  let isClosed = false;
  near.on('message', (bytes, from) => {
    client = from;
    const now = performance.now();
    const startMs = Math.max(now, freeMs);
    if (startMs - now > queueMs) return;
    freeMs = startMs + (bytes.length + HEADER_BYTES) / bytesPerMs;
    setTimeout(() => {
      if (!isClosed) far.send(bytes, to, '127.0.0.1', () => {});
    }, freeMs - now);
  });
  far.on('message', (bytes) => near.send(bytes, client.port, client.address));
  far.on('error', () => {});
  near.bind(0, '::');
  await once(near, 'listening');
  const close = async () => {
    isClosed = true;
    for (const socket of [near, far])
      await new Promise((resolve) => void socket.close(() => resolve(undefined)));
  };
  return { port: near.address().port, close };
}
