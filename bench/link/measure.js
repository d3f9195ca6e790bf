/**
 * Measures a link as its users see it: round trips as by `ping`, bandwidth as by `iperf`, and each
 * packet's one-way delay. The thesis has them in its tables 4.1 to 4.3.
 *
 * @typedef {{ flows: number } | { udpBits: number }} LoadKind flows of TCP, or bits of UDP a second
 *   with headers
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LinkError, run } from '../../testkit/network-namespace.js';
import { mean } from '../../testkit/statistics.js';
import { buildEmulator, EMULATOR } from './emulator.js';

const TRAFFIC = fileURLToPath(new URL('./traffic.js', import.meta.url));
const KILL_AFTER_MS = 5000;

/**
 * @typedef {{ exec: string[], address: string }} LinkEnd what to put before a command to run it
 *   there
 */
/** @typedef {{ client: LinkEnd, server: LinkEnd }} LinkEnds */

/**
 * @typedef {'ping' | 'echo' | 'script'} PingTool the system's, the emulator's own UDP echo, one in
 *   Node (adds some 0.5 ms)
 */

/**
 * @typedef {object} PingResult in milliseconds; the figures are NaN when nothing came back
 * @property {PingTool} tool
 * @property {number} count
 * @property {number} received
 * @property {number} lossPercent
 * @property {number} minMs
 * @property {number} meanMs
 * @property {number} maxMs
 * @property {number} deviationMs
 * @property {(number | null)[]} rtts null: lost
 */

/** A program in a namespace that prints lines of JSON. */
class Program {
  #child;
  #lines;
  #stderr = '';

  /** @param {LinkEnd} end @param {string[]} command */
  constructor(end, command) {
    const [file, ...args] = [...end.exec, ...command];
    this.#child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', (error) => void (this.#stderr = error.message));
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr = (this.#stderr + text).slice(-1000);
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.closed = once(this.#child, 'close').catch(() => {});
  }

  /** @returns {Promise<any>} the next line's JSON */
  async next() {
    const { value, done } = await this.#lines.next();
    if (!done) return JSON.parse(value);
    throw new LinkError(
      `a measuring program ended early${this.#stderr && `: ${this.#stderr.trim()}`}`,
    );
  }

  /** @param {string} line */
  tell(line) {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Ends its input, so that it prints its last output and ends. */
  finish() {
    this.#child.stdin.end();
  }

  async close() {
    this.finish();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), KILL_AFTER_MS);
    await this.closed;
    clearTimeout(timer);
  }
}

/** Starts a program of traffic.js. @param {LinkEnd} end @param {string[]} args */
export const traffic = (end, ...args) => new Program(end, [process.execPath, TRAFFIC, ...args]);

/**
 * @param {(number | null)[]} rtts
 * @param {PingTool} tool
 * @returns {PingResult}
 */
export function summarize(rtts, tool) {
  const came = rtts.filter((rtt) => rtt !== null);
  const meanMs = mean(came);
  const empty = came.length === 0;
  return {
    tool,
    count: rtts.length,
    received: came.length,
    lossPercent: (100 * (rtts.length - came.length)) / rtts.length,
    minMs: empty ? NaN : Math.min(...came),
    meanMs,
    maxMs: empty ? NaN : Math.max(...came),
    deviationMs: Math.sqrt(mean(came.map((rtt) => (rtt - meanMs) ** 2))),
    rtts,
  };
}

/**
 * @param {string} output of `ping`
 * @param {number} count that were sent
 * @returns {(number | null)[]} round trips in milliseconds, null where none came back
 */
export function parsePing(output, count) {
  const rtts = /** @type {(number | null)[]} */ (Array.from({ length: count }, () => null));
  for (const [, sequence, ms] of output.matchAll(/icmp_seq=(\d+) .*time=([\d.]+) ms/g)) {
    const i = Number(sequence) - 1;
    if (i >= 0 && i < count) rtts[i] ??= Number(ms);
  }
  return rtts;
}

/** @typedef {{ count: number, intervalMs: number, bytes: number }} PingPlan */

/** @param {LinkEnds} ends @param {PingPlan} plan */
async function systemPing({ client, server }, { count, intervalMs, bytes }) {
  const timing = ['-n', '-c', String(count), '-i', String(intervalMs / 1000), '-s', String(bytes)];
  const [file, ...args] = [...client.exec, 'ping', ...timing, server.address];
  const { stdout } = await run(file, args);
  return parsePing(stdout, count);
}

/**
 * @param {Program} echo
 * @param {(port: number) => Program} start
 * @returns {Promise<(number | null)[]>}
 */
async function pingEcho(echo, start) {
  try {
    const { port } = await echo.next();
    const pinging = start(port);
    try {
      return (await pinging.next()).rtts;
    } finally {
      await pinging.close();
    }
  } finally {
    await echo.close();
  }
}

/** @param {LinkEnds} ends @param {PingPlan} plan */
async function ownPing({ client, server }, { count, intervalMs, bytes }) {
  const numbers = { count, 'interval-ms': intervalMs, bytes };
  const words = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const echo = new Program(server, [EMULATOR, 'echo', '--bind', `${server.address}:0`]);
  const start = (/** @type {number} */ port) =>
    new Program(client, [EMULATOR, 'ping', '--to', `${server.address}:${port}`, ...words]);
  return pingEcho(echo, start);
}

/** @param {LinkEnds} ends @param {PingPlan} plan */
async function scriptPing({ client, server }, { count, intervalMs, bytes }) {
  const start = (/** @type {number} */ port) =>
    traffic(client, 'ping', server.address, ...[port, count, intervalMs, bytes].map(String));
  return pingEcho(traffic(server, 'echo', server.address), start);
}

const PINGS = { ping: systemPing, echo: ownPing, script: scriptPing };

/** @returns {Promise<PingTool>} the best there is */
async function choosePing() {
  if ((await run('ping', ['-V'])).code === 0) return 'ping';
  return buildEmulator().then(
    () => 'echo',
    () => 'script',
  );
}

/**
 * Round trips from the client's end to the server's: by `ping` where there is one, else by a UDP
 * echo of the same size.
 * @param {LinkEnds} ends
 * @param {{ count?: number, intervalMs?: number, bytes?: number, tool?: PingTool }} [options] bytes
 *   of data, as `ping -s` counts them
 * @returns {Promise<PingResult>}
 * @throws {LinkError}
 */
export async function pingLink(ends, { count = 20, intervalMs = 200, bytes = 56, tool } = {}) {
  const chosen = tool ?? (await choosePing());
  return summarize(await PINGS[chosen](ends, { count, intervalMs, bytes }), chosen);
}

/** @param {LinkEnd} from @param {LinkEnd} to @param {number} seconds */
async function bulk(from, to, seconds) {
  const sink = traffic(to, 'sink', to.address);
  try {
    const { port } = await sink.next();
    const source = traffic(from, 'source', to.address, String(port), String(seconds), '1');
    await source.closed;
    sink.finish();
    const { bytes, seconds: taken } = await sink.next();
    return { bytes, seconds: taken, bitsPerSecond: taken > 0 ? (bytes * 8) / taken : 0 };
  } finally {
    await sink.close();
  }
}

/**
 * Measures the throughput of one TCP connection, first up, then down.
 * @param {LinkEnds} ends
 * @param {{ seconds?: number }} [options] for each direction
 */
export async function measureBandwidth({ client, server }, { seconds = 5 } = {}) {
  const up = await bulk(client, server, seconds);
  return { up, down: await bulk(server, client, seconds) };
}

/**
 * @typedef {object} ProbeResult what arrived of what the other end sent
 * @property {number} sent        by this end
 * @property {object} sendLateness of this end's sending, behind its plan
 * @property {number} received
 * @property {number} outOfOrder
 * @property {Record<'meanUs' | 'deviationUs' | 'minUs' | 'p50Us' | 'p90Us' | 'p99Us' | 'p999Us' |
 *   'maxUs', number>} delay one way, until the receiving kernel has a packet
 * @property {[stream: number, sequence: number, delayUs: number, waitUs: number][]} [packets] in
 *   order of arrival; waitUs: from then until it was read
 */

/**
 * Sends streams of small datagrams both ways and returns their one-way delays; both ends read the
 * same monotonic clock. The server's end sends all streams at once, like a server that mixes on a
 * clock. So do all servers' ends of the same rate.
 * @param {LinkEnds} ends
 * @param {{ streams?: number, rate?: number, bytes?: number, acks?: number, seconds?: number,
 *   lingerMs?: number, record?: boolean }} [load] streams of `rate` datagrams a second, and `acks`
 *   more of 40 bytes
 * @returns {Promise<{ up: ProbeResult, down: ProbeResult, sent: { up: number, down: number } }>}
 * @throws {LinkError}
 */
export async function probeLink({ client, server }, load = {}) {
  const {
    streams = 10,
    rate = 50,
    bytes = 120,
    acks = 0,
    seconds = 5,
    lingerMs = 500,
    record = false,
  } = load;
  const program = await buildEmulator();
  const options = {
    streams,
    rate,
    bytes,
    acks,
    seconds,
    'linger-ms': lingerMs,
    record: Number(record),
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const start = (/** @type {LinkEnd} */ end, /** @type {string[]} */ ...more) =>
    new Program(end, [program, 'probe', '--bind', `${end.address}:0`, ...more, ...words]);
  const probes = [start(client), start(server, '--together', '1')];
  try {
    const [clientAt, serverAt] = await Promise.all(
      probes.map(async (probe) => (await probe.next()).address),
    );
    probes[0].tell(serverAt);
    probes[1].tell(clientAt);
    const [down, up] = await Promise.all(probes.map((probe) => probe.next()));
    return { up, down, sent: { up: down.sent, down: up.sent } };
  } finally {
    await Promise.all(probes.map((probe) => probe.close()));
  }
}

/**
 * Puts load on a link by programs at its two ends: greedy TCP flows, or a UDP flow of a fixed rate.
 * @param {LinkEnd} from
 * @param {LinkEnd} to
 * @param {LoadKind} kind
 * @param {number} seconds after which it ends on its own
 * @returns {Promise<() => Promise<number>>} ends it; resolves to the received kbit/s,
 *   without headers
 * @throws {import('../../testkit/network-namespace.js').LinkError}
 */
export async function startLoad(from, to, kind, seconds) {
  const sink = traffic(to, 'sink', to.address);
  const { port, udpPort } = await sink.next();
  const [name, at, amount] =
    'flows' in kind ? ['source', port, kind.flows] : ['flood', udpPort, kind.udpBits];
  const source = traffic(from, name, to.address, ...[at, seconds, amount].map(String));
  // A starting program takes processor time: the measurement begins after that.
  await source.next();
  return async () => {
    await source.close();
    sink.finish();
    const { bytes, seconds: taken } = await sink.next();
    await sink.close();
    return taken > 0 ? (bytes * 8) / 1000 / taken : 0;
  };
}
