import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Bytes of an IPv4 and a UDP header. */
const HEADER_BYTES = 28;

/**
 * A path to a UDP port of this machine that carries little on the way up: packets wait in its queue
 * for those before them, and are dropped where that is full. The way down is free.
 * @param {number} to  the port
 * @param {{ bitrate: number, queueMs: number }} path  of the way up, in bits a second with headers
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
