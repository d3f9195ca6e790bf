/**
 * Jamulus beside which aloud's server is measured: its server, clients on JACK's dummy sound card,
 * and the programs that they need. Debian has all of it: jamulus, jackd2.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isExecutable } from '../../testkit/browsers/chromium.js';
import { residentBytes, threadsMs } from '../participants/processor-time.js';
import { freeUdpPort } from './murmurd.js';

/** The script of a process with Jamulus's server and clients. */
export const JAMULUS = new URL('jamulus-process.js', import.meta.url);

/** Programs, by the names that they may have. */
const PROGRAMS = Object.freeze({
  jackd: ['jackd'],
  connect: ['jack_connect'],
  measure: ['jack_iodelay'],
  jamulus: ['jamulus', 'Jamulus'],
});

export const RATE = 48_000;

/** Time that a program has to start, and to end, in milliseconds. */
export const START_MS = 2000;

/** Samples of a period of the sound card, and of a frame, in a hall. */
const HALL_PERIOD = 128;

/** The name of a JACK server of its own, so that nobody's sound is disturbed. */
const JACK_SERVER = 'aloud-bench';

/** @typedef {Record<keyof typeof PROGRAMS, string>} Paths */

/** @returns {{ paths: Paths, missing: string[] }} missing: names of absent programs */
export function findPrograms() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = Object.entries(PROGRAMS).map(([name, names]) => ({
    name,
    first: names[0],
    path: folders.flatMap((folder) => names.map((own) => join(folder, own))).find(isExecutable),
  }));
  return {
    paths: /** @type {Paths} */ (Object.fromEntries(found.map(({ name, path }) => [name, path]))),
    missing: found.filter(({ path }) => !path).map(({ first }) => first),
  };
}

/**
 * Why there is no Jamulus to measure, and what to do about it; null where there is one.
 * @returns {string | null}
 */
export function lackOfJamulus() {
  const { missing } = findPrograms();
  if (missing.length === 0) return null;
  return (
    `jamulus: there is no ${missing.join(', ')} in PATH; ` +
    'on Debian: apt-get install jamulus jackd2'
  );
}

/** Programs that are started together, and end together, with a home of their own. */
export class Programs {
  /** @type {import('node:child_process').ChildProcess[]} */
  #running = [];
  #home;
  #env;

  /** @param {string} home */
  constructor(home) {
    this.#home = home;
    this.#env = {
      ...process.env,
      HOME: home,
      JACK_DEFAULT_SERVER: JACK_SERVER,
      JACK_NO_AUDIO_RESERVATION: '1',
      QT_QPA_PLATFORM: 'offscreen',
    };
  }

  static async open() {
    return new Programs(await mkdtemp(join(tmpdir(), 'aloud-jamulus-')));
  }

  /** @param {string} program @param {string[]} argv */
  start(program, argv) {
    const child = spawn(program, argv, { env: this.#env, stdio: ['ignore', 'pipe', 'ignore'] });
    this.#running.push(child);
    return child;
  }

  /**
   * Starts JACK with its dummy sound card.
   * @param {string} jackd
   * @param {number} period in samples
   */
  async startJack(jackd, period) {
    const words = `--no-realtime -n ${JACK_SERVER} -d dummy -r ${RATE} -p ${period}`;
    this.start(jackd, words.split(' ')).stdout?.resume();
    await setTimeout(START_MS);
  }

  /**
   * @param {Paths} paths
   * @param {{ small: boolean, people?: number }} options small: frames of 64 samples, not 128
   * @returns {Promise<{ port: number, pid: number }>}
   */
  async startServer({ jamulus }, { small, people }) {
    const port = await freeUdpPort('127.0.0.1');
    const server = this.start(jamulus, [
      ...['--server', '--nogui', '--port', String(port)],
      ...(small ? ['--fastupdate'] : []),
      ...(people === undefined ? [] : ['--numchannels', String(people)]),
    ]);
    server.stdout?.resume();
    await setTimeout(START_MS);
    return { port, pid: Number(server.pid) };
  }

  /**
   * Starts a client, whose ports JACK has under `Jamulus NAME`.
   * @param {Paths} paths
   * @param {{ name: string, port: number, small: boolean }} options port: the server's
   */
  async startClient({ jamulus }, { name, port, small }) {
    const file = join(this.#home, `${name}.ini`);
    // Best quality, and automatic delays of the jitter buffers.
    await writeFile(
      file,
      `<client><enableopussmall>${small ? 1 : 0}</enableopussmall>` +
        '<autojitbuf>1</autojitbuf><audioquality>2</audioquality></client>',
    );
    const own = String(await freeUdpPort('127.0.0.1'));
    this.start(jamulus, [
      ...['--nogui', '--nojackconnect', '--connect', `127.0.0.1:${port}`],
      ...['--clientname', name, '--inifile', file, '--port', own],
    ]).stdout?.resume();
  }

  /** @param {string} program @param {string} from @param {string} to */
  async connect(program, from, to) {
    const child = spawn(program, [from, to], { env: this.#env, stdio: 'ignore' });
    const code = await new Promise((resolve) => void child.once('exit', resolve));
    if (code !== 0)
      throw new Error(`JACK can't connect ${from} with ${to}: one of the programs didn't start.`);
  }

  /** Processor time of all programs that run, in milliseconds. */
  get cpuMs() {
    return this.#running
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .reduce((sum, { pid }) => sum + threadsMs(Number(pid)), 0);
  }

  /**
   * Ends the started programs, all at once. If 50 clients that ignore SIGTERM were ended one by
   * one, that would outlast the time in which this process must end.
   */
  async stop() {
    const left = this.#running
      .splice(0)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = left.map((child) => new Promise((resolve) => void child.once('exit', resolve)));
    for (const child of left) child.kill('SIGTERM');
    await Promise.race([Promise.all(ended), setTimeout(START_MS)]);
    for (const child of left) child.kill('SIGKILL');
    await Promise.all(ended);
  }

  /** Ends the programs, and removes their home. Idempotent. */
  async close() {
    await this.stop();
    await rm(this.#home, { recursive: true, force: true });
  }
}

/** A Jamulus server with real clients, which all send the tones of jack_iodelay. */
export class JamulusHall {
  #programs;
  #pid;

  /** @param {Programs} programs @param {number} pid of the server */
  constructor(programs, pid) {
    this.#programs = programs;
    this.#pid = pid;
  }

  /**
   * @param {{ people: number }} options
   * @throws {Error} where Jamulus or JACK is missing, or doesn't start
   */
  static async start({ people }) {
    const { paths } = findPrograms();
    const lack = lackOfJamulus();
    if (lack) throw new Error(lack);
    const programs = await Programs.open();
    try {
      await programs.startJack(paths.jackd, HALL_PERIOD);
      programs.start(paths.measure, []).stdout?.resume();
      const { port, pid } = await programs.startServer(paths, { small: false, people });
      const names = Array.from({ length: people }, (_, i) => `P${i}`);
      for (const name of names) await programs.startClient(paths, { name, port, small: false });
      await setTimeout(2 * START_MS);
      for (const name of names)
        for (const side of ['left', 'right'])
          await programs.connect(paths.connect, 'jack_delay:out', `Jamulus ${name}:input ${side}`);
      return new JamulusHall(programs, pid);
    } catch (error) {
      await programs.close();
      throw error;
    }
  }

  /** Processor time of all the server's threads, in milliseconds. */
  get cpuMs() {
    return threadsMs(this.#pid);
  }

  /** Processor time of the clients and of JACK, in milliseconds. */
  get clientsCpuMs() {
    return this.#programs.cpuMs - this.cpuMs;
  }

  /** The server's resident memory. */
  get residentBytes() {
    return residentBytes(this.#pid);
  }

  /** Idempotent. */
  close() {
    return this.#programs.close();
  }
}
