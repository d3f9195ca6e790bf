/**
 * Mumble's server, murmurd, as a program beside which aloud's server is measured. Debian has it:
 * mumble-server.
 */

import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isExecutable } from '../../testkit/browsers/chromium.js';
import { threadsMs } from '../participants/processor-time.js';

/** The scripts of two processes of the lab: one with murmurd, and one with the clients. */
export const MURMURD = new URL('murmurd-process.js', import.meta.url);
export const MUMBLE = new URL('mumble-process.js', import.meta.url);

/**
 * Timeout for murmurd's start and end, in milliseconds. At its start it makes a key and tries a
 * hash for a second.
 */
const START_MS = 20_000;
const STOP_MS = 3000;

/**
 * Most that a client may send, in b/s with the headers of UDP and IP: far above 48 kb/s of sound.
 */
const BANDWIDTH = 200_000;

/**
 * @returns {string | undefined} the path of murmurd; people whose PATH has no folder for
 *   administrators have it too
 */
function findMurmurd() {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'murmurd'))
    .find(isExecutable);
}

/**
 * Why there is no Mumble to measure, and what to do about it; null where there is one.
 * @returns {string | null}
 */
export const lackOfMurmurd = () =>
  findMurmurd()
    ? null
    : 'mumble: there is no murmurd in PATH or /usr/sbin; on Debian: apt-get install mumble-server';

/** @param {{ folder: string, host: string, port: number, users: number }} options */
const settings = ({ folder, host, port, users }) => `database=${join(folder, 'murmurd.sqlite')}
host=${host}
port=${port}
users=${users}
bandwidth=${BANDWIDTH}
opusthreshold=0
timeout=30
autobanAttempts=0
allowping=true
welcometext=
bonjour=false
ice=""
logfile=
`;

/** murmurd, with its own folder, removed at its end. */
export class Murmurd {
  #child;
  #folder;

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {string} folder
   * @param {number} port of TCP and UDP
   */
  constructor(child, folder, port) {
    this.#child = child;
    this.#folder = folder;
    this.port = port;
  }

  /**
   * Starts it, and waits until it accepts clients.
   * @param {{ host: string, users: number }} options host: an IPv4 address; users: most that it
   *   lets in
   * @throws {Error} where there is none, or it doesn't start
   */
  static async start({ host, users }) {
    const program = findMurmurd();
    if (!program) throw new Error(String(lackOfMurmurd()));
    const folder = await mkdtemp(join(tmpdir(), 'aloud-murmurd-'));
    // Started as root it switches to its own user, who writes the database.
    await chmod(folder, 0o777);
    const port = await freeUdpPort(host);
    const file = join(folder, 'murmurd.ini');
    await writeFile(file, settings({ folder, host, port, users }));
    const child = spawn(program, ['-ini', file, '-fg'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const murmurd = new Murmurd(child, folder, port);
    try {
      await murmurd.#started();
      return murmurd;
    } catch (error) {
      await murmurd.stop();
      throw error;
    }
  }

  /** Waits for the line of its log that says that it listens. */
  #started() {
    let log = '';
    return new Promise((resolve, reject) => {
      const fail = () =>
        reject(new Error(`murmurd didn't start: ${log.trim().split('\n').at(-1)}`));
      const timer = globalThis.setTimeout(fail, START_MS);
      this.#child.once('error', reject);
      this.#child.once('exit', fail);
      this.#child.stderr?.on('data', (bytes) => {
        // Reads on, so that the pipe doesn't fill.
        log = (log + bytes).slice(-10_000);
        if (!log.includes('Server listening on')) return;
        clearTimeout(timer);
        resolve(undefined);
      });
    });
  }

  /** Processor time of all its threads, in milliseconds. */
  get cpuMs() {
    return threadsMs(Number(this.#child.pid));
  }

  /** Ends it, and removes its folder. Idempotent. */
  async stop() {
    if (
      this.#child.pid !== undefined &&
      this.#child.exitCode === null &&
      this.#child.signalCode === null
    ) {
      const ended = new Promise((resolve) => void this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      await Promise.race([ended, setTimeout(STOP_MS, undefined, { ref: false })]);
      this.#child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A UDP port that is free on an address. @param {string} host @returns {Promise<number>} */
export async function freeUdpPort(host) {
  const socket = createSocket('udp4').bind(0, host);
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise((resolve) => void socket.close(() => resolve(undefined)));
  return port;
}
