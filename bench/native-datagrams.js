/**
 * Measures the cost of a datagram on the native HTTP/3 engine. Many sessions over the loopback send
 * at a fixed rate to an echoing server. Server and clients share this process, so "JS thread" is
 * the work of both ends. The process figure includes QUIC's threads.
 */

import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { DEFAULTS, Endpoint, loadError } from '@aloud/native';
import { generateCertificate } from '../server/certificate/generate.js';

/** @import { NativeSession } from '@aloud/native' */

const HELP = `node bench/native-datagrams.js [options]

  --mode echo|many|group
                        echo: each session sends, the server echoes; many: the server sends one
                        payload to all sessions at once; group: to a group of all sessions, which
                        QUIC's threads send (default echo)
  --sessions <n>        1 to 1000 (default 100)
  --rate <n>            datagrams a second for each session, 1 to 1000 (default 50)
  --bytes <n>           of each datagram, 16 to 1100 (default 90)
  --seconds <n>         of measuring, 1 to 60 (default 5)
  --io-threads <n>      for each of the two ends, 1 to 16 (default ${DEFAULTS.ioThreads})
  --json                prints one line of JSON instead of a table
`;

const MODES = ['echo', 'many', 'group'];

/** Options that are whole numbers: default, minimum, maximum. */
const NUMBERS = /** @type {const} */ ({
  sessions: [100, 1, 1000],
  rate: [50, 1, 1000],
  bytes: [90, 16, 1100],
  seconds: [5, 1, 60],
  'io-threads': [DEFAULTS.ioThreads, 1, 16],
});

const WARM_UP_MS = 500;
const DRAIN_MS = 500;

/** Sessions that are opened at the same time. */
const OPENING = 50;

const wait = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * @typedef {{ mode: string, sessions: number, rate: number, bytes: number, seconds: number,
 *   ioThreads: number }} Load
 */

/**
 * @param {string[]} args
 * @returns {Load & { json: boolean } | null} null when help is asked for
 * @throws {RangeError | TypeError}
 */
function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      mode: { type: 'string', default: 'echo' },
      sessions: { type: 'string' },
      rate: { type: 'string' },
      bytes: { type: 'string' },
      seconds: { type: 'string' },
      'io-threads': { type: 'string' },
    },
  });
  if (values.help) return null;
  const { mode, json } = values;
  if (!MODES.includes(mode))
    throw new RangeError(`--mode must be of ${MODES.join(', ')}; it is ${mode}.`);
  const number = (/** @type {keyof typeof NUMBERS} */ name) => {
    const [normal, least, most] = NUMBERS[name];
    const given = values[name];
    const value = given === undefined ? normal : Number(given);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new RangeError(`--${name} ${given}: a whole number from ${least} to ${most}`);
  };
  return {
    mode,
    json,
    sessions: number('sessions'),
    rate: number('rate'),
    bytes: number('bytes'),
    seconds: number('seconds'),
    ioThreads: number('io-threads'),
  };
}

/**
 * Opens an echoing server and its clients.
 * @param {Load} load
 */
async function openSessions({ sessions, ioThreads }) {
  const certificate = await generateCertificate({ hosts: ['localhost'], now: new Date() });
  const server = new Endpoint({ ioThreads });
  const client = new Endpoint({ ioThreads });
  const listeners = /** @type {NativeSession[]} */ ([]);
  const { port } = await server.listen({
    ...certificate,
    onRequest: (request) => request.accept(),
    onSession: (session) => {
      session.onDatagram = (bytes) => void session.send(bytes);
      listeners.push(session);
    },
  });
  const clients = /** @type {NativeSession[]} */ ([]);
  while (clients.length < sessions) {
    const batch = Array.from({ length: Math.min(OPENING, sessions - clients.length) }, () =>
      client.connect(`https://localhost:${port}/`, { certificateHashes: [certificate.hash] }),
    );
    clients.push(...(await Promise.all(batch)));
  }
  // The server learns of the last ones a moment later than their client.
  while (listeners.length < sessions) await wait(1);
  const close = () => Promise.all([client.close(), server.close()]);
  return { server, clients, listeners, close };
}

/**
 * Counts the datagrams that come back and their latencies; each starts with the time of its
 * sending.
 */
class Meter {
  constructor() {
    this.sent = 0;
    /**
     * The time that the sending calls took on JavaScript's thread, in milliseconds, and how many
     * they were.
     */
    this.callMs = 0;
    this.calls = 0;
    this.received = 0;
    /** @type {number[]} */
    this.latencies = [];
    this.on = false;
    this.since = 0;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs
   */
  take(bytes, arrivalMs) {
    const sentMs = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0);
    if (sentMs < this.since) return;
    this.received += 1;
    this.latencies.push(arrivalMs - sentMs);
  }
}

/**
 * Sends at the load's rate: every session once in each period, spread over it.
 * @param {Load} load
 * @param {(slot: number, slots: number, payload: Uint8Array) => number} sendSlot answers how many
 *   it sent
 * @param {Meter} meter
 * @returns {() => void} stops it
 */
function startSending({ rate, bytes, mode }, sendSlot, meter) {
  const payload = new Uint8Array(bytes);
  const view = new DataView(payload.buffer);
  const slots = mode !== 'echo' ? 1 : Math.max(1, Math.round(1000 / rate / 2));
  const slotMs = 1000 / rate / slots;
  const start = performance.now();
  let slot = 0;
  const timer = setInterval(() => {
    for (; start + slot * slotMs <= performance.now(); slot++) {
      const startMs = performance.now();
      view.setFloat64(0, startMs);
      const sent = sendSlot(slot % slots, slots, payload);
      if (!meter.on) continue;
      meter.sent += sent;
      meter.calls += 1;
      meter.callMs += performance.now() - startMs;
    }
  }, 1);
  return () => clearInterval(timer);
}

/** @param {Load} load */
async function measure(load) {
  const { server, clients, listeners, close } = await openSessions(load);
  const meter = new Meter();
  for (const session of clients)
    session.onDatagram = (bytes, arrivalMs) => meter.take(bytes, arrivalMs);
  const group = server.createGroup();
  group.set(listeners);
  const sendSlot = (
    /** @type {number} */ slot,
    /** @type {number} */ slots,
    /** @type {Uint8Array} */ payload,
  ) => {
    if (load.mode === 'many') return server.sendMany(listeners, payload);
    if (load.mode === 'group') return group.send(payload);
    let sent = 0;
    for (let i = slot; i < clients.length; i += slots) sent += Number(clients[i].send(payload));
    return sent;
  };
  const stop = startSending(load, sendSlot, meter);
  await wait(WARM_UP_MS);

  meter.since = performance.now();
  meter.on = true;
  const cpu = process.cpuUsage();
  const loop = performance.eventLoopUtilization();
  await wait(load.seconds * 1000);
  const { active } = performance.eventLoopUtilization(loop);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - meter.since) / 1000;
  meter.on = false;
  stop();
  await wait(DRAIN_MS);
  await close();
  return summarize(load, meter, { seconds, activeMs: active, cpuUs: user + system });
}

/**
 * @param {Load} load
 * @param {Meter} meter
 * @param {{ seconds: number, activeMs: number, cpuUs: number }} spent
 */
function summarize(
  { mode, sessions, rate, bytes },
  { sent, received, latencies, calls, callMs },
  { seconds, activeMs, cpuUs },
) {
  latencies.sort((a, b) => a - b);
  const percentile = (/** @type {number} */ p) =>
    latencies[Math.floor((latencies.length - 1) * p)] ?? NaN;
  const round = (/** @type {number} */ value) => Number(value.toFixed(2));
  return {
    mode,
    sessions,
    rate,
    bytes,
    perSecond: Math.round(sent / seconds),
    jsMicroseconds: round((activeMs * 1000) / sent),
    callMicroseconds: round((callMs * 1000) / calls),
    processMicroseconds: round(cpuUs / sent),
    lostPercent: round(Math.max(0, 100 * (1 - received / sent))),
    p50Ms: round(percentile(0.5)),
    p99Ms: round(percentile(0.99)),
  };
}

/** @param {Awaited<ReturnType<typeof measure>>} result */
function printTable({ mode, ...result }) {
  const what = mode === 'echo' ? 'there and back' : 'one payload to all';
  console.log(
    `${result.sessions} sessions, ${result.rate} datagrams/s each of ${result.bytes} ` +
      `bytes, ${what}`,
  );
  console.log(`datagrams/s            ${result.perSecond}`);
  console.log(`JS thread, µs each     ${result.jsMicroseconds} (busy event loop, both ends)`);
  console.log(`a sending call, µs     ${result.callMicroseconds} (on the JS thread)`);
  console.log(
    `process, µs each       ${result.processMicroseconds} (CPU of all threads, both ends)`,
  );
  console.log(`lost                   ${result.lostPercent} %`);
  console.log(`latency p50 / p99      ${result.p50Ms} / ${result.p99Ms} ms`);
}

try {
  const options = readOptions(process.argv.slice(2));
  const missing = loadError();
  if (!options) {
    console.log(HELP);
  } else if (missing) {
    console.error(`There is no native engine to measure: ${missing}`);
    process.exitCode = 1;
  } else {
    const result = await measure(options);
    if (options.json) console.log(JSON.stringify(result));
    else printTable(result);
  }
} catch (error) {
  console.error(`${/** @type {Error} */ (error).message}\n\n${HELP}`);
  process.exitCode = 2;
}
