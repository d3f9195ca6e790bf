/**
 * Measures the cost of handing sessions to worker threads: the main thread or workers echo the
 * datagrams of sessions of the native HTTP/3 engine. The clients are another process of the same
 * machine.
 */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Endpoint, Port } from '@aloud/native';
import { Command } from 'commander';
import { generateCertificate } from '../server/certificate/generate.js';
import { listOf, wholeNumber } from './options.js';
import { quantile } from '../testkit/statistics.js';

const BYTES = 150;
const WARM_UP_MS = 1000;
const SELF = fileURLToPath(import.meta.url);

const wait = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * @typedef {{ url: string, hash: string, sessions: number, rate: number, seconds: number }}
 *   ClientOptions
 */

/**
 * The other process: sends, and times what comes back.
 * @param {ClientOptions} options
 */
async function runClients({ url, hash, sessions: count, rate, seconds }) {
  const endpoint = new Endpoint({ ioThreads: 1, maxConnections: count + 10 });
  const times = /** @type {number[]} */ ([]);
  let isMeasuring = false;
  let sent = 0;
  const sessions = /** @type {import("@aloud/native").NativeSession[]} */ ([]);
  for (let i = 0; i < count; i++) {
    const session = await endpoint.connect(`${url}?worker=${i}`, { certificateHashes: [hash] });
    session.onDatagram = (bytes, arrivalMs) => {
      if (isMeasuring)
        times.push(arrivalMs - new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0));
    };
    sessions.push(session);
  }
  const bytes = new Uint8Array(BYTES);
  const view = new DataView(bytes.buffer);
  const startMs = performance.now();
  let next = 0;
  // Sessions send one after the other, spread over the time between two datagrams of one.
  const timer = setInterval(() => {
    const due = ((performance.now() - startMs) * rate * count) / 1000;
    for (; next < due; next++) {
      view.setFloat64(0, performance.now());
      sessions[next % count].send(bytes);
      if (isMeasuring) sent += 1;
    }
  }, 1);
  await wait(WARM_UP_MS);
  isMeasuring = true;
  process.send?.('measuring');
  await wait(seconds * 1000);
  process.send?.({
    p50: quantile(
      times.toSorted((a, b) => a - b),
      0.5,
    ),
    p99: quantile(
      times.toSorted((a, b) => a - b),
      0.99,
    ),
    back: times.length,
    sent,
  });
  clearInterval(timer);
  await endpoint.close();
  process.disconnect?.();
}

/** A worker thread: echoes datagrams of the sessions handed to it. */
function echo() {
  const port = Port.open(workerData, {
    onSession: (session) => void (session.onDatagram = (bytes) => void session.send(bytes)),
  });
  parentPort?.postMessage(port.number);
  // The thread stays for as long as somebody may say something to it.
  parentPort?.on('message', () => {});
}

/**
 * @param {number} workers
 * @param {{ sessions: number, rate: number, seconds: number }} load
 */
async function measure(workers, load) {
  const certificate = await generateCertificate({ hosts: ['localhost'], now: new Date() });
  const endpoint = new Endpoint({ ioThreads: 1, maxConnections: load.sessions + 10 });
  const threads = Array.from(
    { length: workers },
    () => new Worker(SELF, { workerData: endpoint.share() }),
  );
  const ports = await Promise.all(
    threads.map(
      (thread) =>
        new Promise(
          (/** @type {(port: number) => void} */ resolve) => void thread.once('message', resolve),
        ),
    ),
  );
  const { port } = await endpoint.listen({
    ...certificate,
    onRequest: (request) => {
      const number = Number(new URLSearchParams(request.query).get('worker'));
      if (workers === 0) request.accept();
      else request.acceptOn(ports[number % workers]);
    },
    onSession: (session) => void (session.onDatagram = (bytes) => void session.send(bytes)),
  });
  const child = fork(SELF, [], {
    env: {
      ...process.env,
      HANDOVER_CLIENT: JSON.stringify({
        url: `https://localhost:${port}/`,
        hash: certificate.hash,
        ...load,
      }),
    },
  });
  try {
    await new Promise((resolve) => void child.once('message', resolve));
    const before = process.cpuUsage();
    const figures = await new Promise(
      (/** @type {(figures: any) => void} */ resolve) => void child.once('message', resolve),
    );
    const { user, system } = process.cpuUsage(before);
    return { ...figures, cpuUs: (user + system) / figures.back };
  } finally {
    child.kill();
    await endpoint.close();
    for (const thread of threads) await thread.terminate();
  }
}

/** @param {number[]} values */
const median = (values) =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

async function main() {
  const { sessions, rate, seconds, rounds, workers } = new Command('handover')
    .description(
      'What it costs to hand sessions to worker threads: echoes of datagrams, with clients ' +
        'beside the server.',
    )
    .option('--sessions <n>', 'how many there are', wholeNumber(1, 10_000), 200)
    .option('--rate <n>', 'datagrams a second of each', wholeNumber(1, 1000), 50)
    .option('--seconds <n>', 'of measuring, for each row', wholeNumber(1, 600), 8)
    .option(
      '--rounds <n>',
      "of all rows, of which each row's median counts",
      wholeNumber(1, 100),
      3,
    )
    .option(
      '--workers <list>',
      'rows, separated by commas: 0 for the main thread',
      listOf(['0', '1', '2', '3', '4', '6', '8']),
      ['0', '1', '2'],
    )
    .parse()
    .opts();
  const load = { sessions, rate, seconds };
  const rows = /** @type {string[]} */ (workers).map((count) => ({
    workers: Number(count),
    runs: /** @type {any[]} */ ([]),
  }));
  for (let round = 0; round < rounds; round++)
    for (const row of rows) row.runs.push(await measure(row.workers, load));
  console.log(
    `Echo of ${BYTES}-byte datagrams, ${load.sessions} sessions at ${load.rate}/s, clients ` +
      `beside it; the median of ${rounds} runs of ${seconds} s:`,
  );
  for (const { workers: count, runs } of rows) {
    const of = (/** @type {string} */ field) => median(runs.map((run) => run[field]));
    const back =
      (100 * runs.reduce((sum, run) => sum + run.back, 0)) /
      runs.reduce((sum, run) => sum + run.sent, 0);
    const who = count === 0 ? 'main thread' : `${count} worker${count > 1 ? 's' : ''}`;
    console.log(
      `  ${who.padEnd(12)} p50 ${of('p50').toFixed(2)} ms, p99 ${of('p99').toFixed(1)} ms, ` +
        `${of('cpuUs').toFixed(1)} µs of processor time each, ${back.toFixed(2)} % back`,
    );
  }
  const [first, ...others] = rows.map(({ runs }) => median(runs.map(({ p50 }) => p50)));
  if (rows[0].workers === 0 && others.length > 0)
    console.log(
      `Target: p50 no later than without workers (${first.toFixed(2)} ms): ` +
        `${others.every((p50) => p50 <= first) ? 'met' : 'missed'}`,
    );
}

const asked = process.env.HANDOVER_CLIENT;
if (!isMainThread) echo();
else await (asked ? runClients(JSON.parse(asked)) : main());
