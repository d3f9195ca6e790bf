/**
 * Prints the number of datagrams that a UDP socket keeps while nobody reads, by the size of its
 * receive buffer. Datagrams have 160 bytes, as of a person who talks. It says so if the system
 * grants less than requested (net.core.rmem_max).
 *
 *   node bench/receive-buffer.js
 */

import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Linux's default of net.core.rmem_max, and what the HTTP/3 engine asks for (native/src/socket.rs),
 * in bytes.
 */
const SIZES = [212_992, 4 * 1024 * 1024];

/** Datagrams that are sent: more than either buffer holds. */
const SENT = 20_000;

const BYTES = 160;

/** Sends from another process, while this one doesn't read. @param {number} port */
function sendAll(port) {
  const sender = `
    const socket = require('node:dgram').createSocket('udp4');
    let sent = 0;
    const send = () => {
      for (let i = 0; i < 100; i++, sent++)
        socket.send(Buffer.alloc(${BYTES}), ${port}, '127.0.0.1');
      if (sent < ${SENT}) setTimeout(send, 1);
      else setTimeout(() => socket.close(), 200);
    };
    send();`;
  execFileSync(process.execPath, ['-e', sender]);
}

console.log(
  'asked for, bytes   granted, bytes   kept, datagrams   at 100 people, 50 a second each, ms',
);
for (const size of SIZES) {
  const socket = createSocket('udp4');
  let kept = 0;
  socket.on('message', () => kept++);
  await new Promise((resolve) => void socket.bind(0, '127.0.0.1', () => resolve(undefined)));
  socket.setRecvBufferSize(size);
  sendAll(socket.address().port);
  await pause(1000);
  // Linux counts its own bookkeeping too, and doubles the requested size (socket(7), SO_RCVBUF).
  const granted = socket.getRecvBufferSize() / 2;
  console.log(
    `${size}`.padEnd(19) + `${granted}`.padEnd(17) + `${kept}`.padEnd(18) + Math.round(kept / 5),
  );
  socket.close();
}
