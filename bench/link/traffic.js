/**
 * Small programs that run inside a link's namespaces and measure it as `ping` and `iperf` do:
 * `node bench/link/traffic.js echo|ping|sink|source|flood …`. They print their results as a line of
 * JSON; all but `ping` end with their input.
 */

import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { seededRandom } from '../../testkit/random.js';

/** Time in which the last answer must come, in milliseconds. */
const PING_LINGER_MS = 2000;
const CHUNK = Buffer.alloc(64 * 1024);

/**
 * Bytes of a datagram of `flood`, and of its headers of IP and UDP: a full packet on a path with
 * tunnels.
 */
const DATAGRAM = Buffer.alloc(1200);
const HEADER_BYTES = 28;

/** @param {unknown} value */
const print = (value) => void process.stdout.write(`${JSON.stringify(value)}\n`);

const now = () => Number(process.hrtime.bigint()) / 1e6;

/** @param {() => void} close */
function untilInputEnds(close) {
  process.stdin.resume().on('end', () => {
    close();
    process.stdin.destroy();
  });
}

/** Sends each datagram back. @param {string} address */
function echo(address) {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => socket.send(message, from.port, from.address));
  socket.bind(0, address, () => print({ port: socket.address().port }));
  untilInputEnds(() => socket.close());
}

/**
 * @param {string} address @param {string} port
 * @param {string} count @param {string} intervalMs
 * @param {string} bytes of data, as `ping -s` counts them
 */
function ping(address, port, count, intervalMs, bytes) {
  const socket = createSocket('udp4');
  const sent = new Float64Array(Number(count));
  const rtts = /** @type {(number | null)[]} */ (Array.from(sent, () => null));
  let answered = 0;
  const finish = () => {
    socket.close();
    print({ rtts });
  };
  let timer = /** @type {NodeJS.Timeout} */ (/** @type {unknown} */ (undefined));
  socket.on('message', (message) => {
    const at = now();
    const i = message.readUInt32BE(0);
    if (rtts[i] !== null) return;
    rtts[i] = at - sent[i];
    answered += 1;
    if (answered < sent.length) return;
    clearTimeout(timer);
    finish();
  });
  socket.on('error', () => {});
  const packet = Buffer.alloc(Math.max(4, Number(bytes)));
  const start = now();
  const send = (/** @type {number} */ i) => {
    packet.writeUInt32BE(i, 0);
    sent[i] = now();
    socket.send(packet, Number(port), address);
    const next = i + 1 < sent.length ? () => send(i + 1) : finish;
    const wait =
      i + 1 < sent.length ? start + (i + 1) * Number(intervalMs) - now() : PING_LINGER_MS;
    timer = setTimeout(next, Math.max(0, wait));
  };
  send(0);
}

/**
 * Counts what comes by TCP and by UDP until its input ends, and says how much it was, and in what
 * time.
 * @param {string} address
 */
function sink(address) {
  let [bytes, first, last] = [0, 0, 0];
  const take = (/** @type {Buffer} */ data) => {
    last = now();
    if (bytes === 0) first = last;
    bytes += data.length;
  };
  const udp = createSocket('udp4').on('message', take);
  const tcp = createServer((socket) => socket.on('data', take).on('error', () => {}));
  tcp.listen(0, address, () =>
    udp.bind(0, address, () =>
      print({
        port: /** @type {import('node:net').AddressInfo} */ (tcp.address()).port,
        udpPort: udp.address().port,
      }),
    ),
  );
  untilInputEnds(() =>
    process.stdout.write(`${JSON.stringify({ bytes, seconds: (last - first) / 1000 })}\n`, () =>
      process.exit(),
    ),
  );
}

/**
 * Sends as much as it can.
 * @param {string} address
 * @param {string} port
 * @param {string} seconds
 * @param {string} flows TCP connections
 */
function source(address, port, seconds, flows) {
  const sockets = new Set(
    Array.from({ length: Number(flows) }, () => connect(Number(port), address)),
  );
  for (const socket of sockets) {
    const fill = () => {
      while (socket.writable && socket.write(CHUNK));
    };
    socket.on('connect', () => {
      print('connected');
      fill();
      setTimeout(
        () => {
          socket.off('drain', fill);
          socket.end();
        },
        Number(seconds) * 1000,
      ).unref();
    });
    socket.on('drain', fill);
    socket.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    });
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) process.stdin.destroy();
    });
  }
  // The bytes that wait to be sent are dropped, so that they don't go on.
  untilInputEnds(() => sockets.forEach((socket) => socket.resetAndDestroy()));
}

/**
 * Sends datagrams at random times (Poisson). Even intervals would keep step with a full queue,
 * which then has room for all of them and for nobody else. Source: S. Floyd and V. Jacobson, "On
 * Traffic Phase Effects in Packet-Switched Gateways", 1992.
 * @param {string} address @param {string} port @param {string} seconds
 * @param {string} bits a second on average, with headers
 */
function flood(address, port, seconds, bits) {
  const socket = createSocket('udp4');
  const random = seededRandom(1);
  const meanMs = ((DATAGRAM.length + HEADER_BYTES) * 8000) / Number(bits);
  const [start, endMs] = [now(), Number(seconds) * 1000];
  let dueMs = 0;
  let timer = setTimeout(send);
  print('started');
  function send() {
    const elapsedMs = now() - start;
    for (; dueMs <= elapsedMs; dueMs -= meanMs * Math.log(1 - random()))
      socket.send(DATAGRAM, Number(port), address);
    if (dueMs < endMs) timer = setTimeout(send, dueMs - elapsedMs);
  }
  socket.on('error', () => {});
  untilInputEnds(() => {
    clearTimeout(timer);
    socket.close();
  });
}

const [name, ...args] = process.argv.slice(2);
const programs = /** @type {Record<string, (...args: string[]) => void>} */ ({
  echo,
  ping,
  sink,
  source,
  flood,
});
programs[name](...args);
