/**
 * Processes of a cluster on one machine: NATS servers and nodes of aloud, for `local-cluster.js`,
 * tests and benchmarks.
 *
 * @import { ChildProcess } from 'node:child_process'
 * @typedef {object} NodeProcess
 * @property {string} url
 * @property {number} number
 * @property {ChildProcess} child
 * @property {() => string} output output so far
 */

import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../server/main.js', import.meta.url));

/** Place of the program in Debian's package, often outside the path. */
const DEBIAN = '/usr/sbin';

/** Time for a process to start, in milliseconds. */
const START_MS = 50_000;

/** Most output kept of a process, in characters. */
const MAX_OUTPUT = 100_000;

export const NATS_MISSING =
  "There is no nats-server here: install Debian's package nats-server (apt-get install " +
  'nats-server), or give the path of one with --nats PATH.';

/**
 * @param {string} [path] of the program, if known
 * @returns {string | null} null if it is missing
 */
export function findNats(path) {
  const places =
    path === undefined
      ? [...(process.env.PATH ?? '').split(delimiter), DEBIAN].map((folder) =>
          join(folder, 'nats-server'),
        )
      : [path];
  for (const place of places) {
    try {
      accessSync(place, constants.X_OK);
      return place;
    } catch {
      // The next place.
    }
  }
  return null;
}

/** Ports below the range that systems assign (on Linux from 32768 on). */
const OWN_PORTS = Object.freeze({ first: 20_000, count: 10_000 });

/** Place of the next search, apart from that of other processes. */
let nextPort = process.pid * 101;

/**
 * Finds a TCP port of this machine that was free a moment ago, and that the system assigns to
 * nobody until it is used.
 * @returns {Promise<number>}
 */
export function freePort() {
  const port = OWN_PORTS.first + (nextPort++ % OWN_PORTS.count);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(freePort()));
    server.listen(port, '127.0.0.1', () => void server.close(() => resolve(port)));
  });
}

/**
 * Starts one NATS server, alone or with routes to others.
 * @param {string} program
 * @param {{ port: number, routePort?: number, routes?: number[], advertise?: number }} options
 *   advertise: the port at which others reach routePort
 * @returns {Promise<ChildProcess>}
 */
export async function startNats(program, { port, routePort, routes = [], advertise }) {
  const args = ['-a', '127.0.0.1', '-p', String(port)];
  if (routePort !== undefined) {
    args.push('--cluster_name', 'aloud', '--cluster', `nats://127.0.0.1:${routePort}`);
    if (routes.length > 0)
      args.push('--routes', routes.map((to) => `nats://127.0.0.1:${to}`).join(','));
    if (advertise !== undefined) args.push('--cluster_advertise', `127.0.0.1:${advertise}`);
    // Clients keep to the servers given to them.
    args.push('--no_advertise');
  }
  return spawnNats(program, args);
}

/** @param {string} program @param {string[]} args */
async function spawnNats(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await saysSo(child, /Server is ready/, 'nats-server');
  return child;
}

/** Restarts a NATS server that has ended. @param {ChildProcess} ended */
export const restartNats = ({ spawnargs: [program, ...args] }) => spawnNats(program, args);

/**
 * Starts NATS servers that know each other.
 * @param {string} program
 * @param {number} count
 * @returns {Promise<{ url: string, children: ChildProcess[] }>} url: for --cluster
 */
export async function startNatsCluster(program, count) {
  const ports = await Promise.all(Array.from({ length: 2 * count }, freePort));
  const [own, routes] = [ports.slice(0, count), ports.slice(count)];
  const children = await Promise.all(
    own.map((port, i) =>
      startNats(
        program,
        count === 1
          ? { port }
          : { port, routePort: routes[i], routes: routes.filter((to) => to !== routes[i]) },
      ),
    ),
  );
  return { url: own.map((port) => `nats://127.0.0.1:${port}`).join(','), children };
}

/**
 * Starts a node of aloud.
 * @param {number} number
 * @param {{ nats: string, key: string, port?: number, h3Port?: number, argv?: string[], main?:
 *   string }} options main: path of the server, perhaps of another release
 * @returns {Promise<NodeProcess>}
 */
export async function startNode(number, { nats, key, port, h3Port = 0, argv = [], main = MAIN }) {
  const taken = port ?? (await freePort());
  const url = `http://localhost:${taken}`;
  const args = [
    '--port',
    String(taken),
    '--h3-port',
    String(h3Port),
    '--cluster',
    nats,
    '--cluster-key',
    key,
    '--advertise-url',
    url,
    // Another release may spell it otherwise.
    ...(main === MAIN ? ['--recording-limit', '0MB'] : []),
    ...argv,
  ];
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  const output = await saysSo(child, /aloud is at/, `node ${number}`);
  return { url, number, child, output };
}

/**
 * Environment of this process, without the tests' variables: the server refuses unknown options.
 */
const environment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('ALOUD_TEST_')),
  );

/**
 * Waits for words in the output of a process.
 * @param {ChildProcess} child
 * @param {RegExp} words
 * @param {string} name
 * @returns {Promise<() => string>} output so far
 */
function saysSo(child, words, name) {
  let output = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} did not start within ${START_MS / 1000} s: ${output}`));
    }, START_MS);
    const heard = (/** @type {Buffer} */ bytes) => {
      output = (output + bytes).slice(-MAX_OUTPUT);
      if (!words.test(output)) return;
      clearTimeout(timer);
      resolve(() => output);
    };
    child.stdout?.on('data', heard);
    child.stderr?.on('data', heard);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`${name} could not be started: ${error.message}`));
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${name} ended with ${code}: ${output}`));
    });
  });
}

/**
 * Ends processes, and waits for their exit.
 * @param {ChildProcess[]} children
 * @param {NodeJS.Signals} [signal]
 */
export async function endAll(children, signal = 'SIGKILL') {
  await Promise.all(children.map((child) => end(child, signal)));
}

/** @param {ChildProcess} child @param {NodeJS.Signals} signal */
function end(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill(signal);
  });
}
