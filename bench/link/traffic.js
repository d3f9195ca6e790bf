/**
 * Small programs that run inside a link's namespaces and measure it as `ping` and `iperf` do:
 * `node bench/link/traffic.js echo|ping|sink|source …`. They print their results as a line of JSON; `echo` and
 * `sink` end with their input.
 */

import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

/** Time in which the last answer must come, in milliseconds. */
const PING_LINGER_MS = 2000;
const CHUNK = Buffer.alloc(64 * 1024);

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
    const wait = i + 1 < sent.length ? start + (i + 1) * Number(intervalMs) - now() : PING_LINGER_MS;
    timer = setTimeout(next, Math.max(0, wait));
  };
  send(0);
}

/** Takes one connection and says what came, and in what time. @param {string} address */
function sink(address) {
  const server = createServer((socket) => {
    server.close();
    let [bytes, first, last] = [0, 0, 0];
    socket.on('data', (data) => {
      last = now();
      if (bytes === 0) first = last;
      bytes += data.length;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      print({ bytes, seconds: (last - first) / 1000 });
      process.stdin.destroy();
    });
  });
  server.listen(0, address, () => print(server.address()));
  untilInputEnds(() => server.close());
}

/** Sends as much as it can. @param {string} address @param {string} port @param {string} seconds */
function source(address, port, seconds) {
  const socket = connect(Number(port), address);
  const fill = () => {
    while (socket.writable && socket.write(CHUNK));
  };
  socket.on('connect', () => {
    fill();
    setTimeout(() => {
      socket.off('drain', fill);
      socket.end();
    }, Number(seconds) * 1000);
  });
  socket.on('drain', fill);
  socket.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}

const [name, ...args] = process.argv.slice(2);
const programs = /** @type {Record<string, (...args: string[]) => void>} */ ({ echo, ping, sink, source });
programs[name](...args);
