/**
 * The link emulator as a process: built when it is first wanted, started between two namespaces,
 * told what to do a line at a time.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toWords } from './settings.js';
import { LinkError, run } from '../../testkit/network-namespace.js';

/** @typedef {import('./settings.js').LinkParameters} LinkParameters */
/** @typedef {import('./settings.js').LinkStep} LinkStep */

/**
 * @typedef {{ packets: number, bytes: number }} PacketCount
 *
 * @typedef {object} DirectionStats what became of one direction's packets: each that arrived was
 *   delivered, lost, dropped or failed, or is held
 * @property {PacketCount} arrived
 * @property {PacketCount} delivered
 * @property {PacketCount} lostRandom
 * @property {PacketCount} lostBurst
 * @property {PacketCount} droppedQueue by the queue's limit
 * @property {PacketCount} droppedFull  by the emulator's own bound, 32 768 packets
 * @property {PacketCount} failed       not taken by the receiving namespace
 * @property {PacketCount} reordered    delivered after one that had been sent later (RFC 4737)
 * @property {PacketCount} ignored      not IPv4
 * @property {number} held
 * @property {number} queued
 * @property {number} maxQueue
 * @property {number} stepsLeft
 * @property {{ count: number, p50Us: number, p90Us: number, p99Us: number, p999Us: number, maxUs:
 *   number }} lateness by how much packets left later than planned, to 1.6 %
 *
 * @typedef {{ fromMs: number, everyMs: number }} Slots of time, from a time of the machine's
 *   monotonic clock on: packets of two links that come in the same slot, in the same order, have
 *   the same fates, whatever came before
 *
 * @typedef {object} LinkStats
 * @property {number} ageSeconds  since the link began
 * @property {number} seconds     since the counting began
 * @property {number} cpuMs       processor time in these seconds
 * @property {'realtime' | 'nice' | 'ordinary'} priority
 * @property {DirectionStats} up
 * @property {DirectionStats} down
 */

const CRATE = fileURLToPath(new URL('./', import.meta.url));
const TARGET = join(CRATE, 'target');
const STAMP = join(TARGET, 'aloud.stamp');
const CLOSE_MS = 2000;

/** The program, once it is built. */
export const EMULATOR = join(TARGET, 'release', 'aloud-link');

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  const sources = readdirSync(join(CRATE, 'src'))
    .sort()
    .map((name) => join('src', name));
  for (const name of ['Cargo.toml', 'Cargo.lock', ...sources]) {
    hash.update(`\0${name}\0`).update(readFileSync(join(CRATE, name)));
  }
  return hash.digest('hex');
}

/** @param {string} stamp */
const isBuilt = (stamp) =>
  existsSync(EMULATOR) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp;

/**
 * Builds the emulator, unless it has been built from these very sources.
 * @param {{ say?: (line: string) => void, cargo?: string }} [options] say: where to tell that it
 *   takes a while
 * @returns {Promise<string>} the program
 * @throws {LinkError} with the missing requirement
 */
export async function buildEmulator({ say = () => {}, cargo = 'cargo' } = {}) {
  const stamp = fingerprint();
  if (isBuilt(stamp)) return EMULATOR;
  say('building the link emulator: a few seconds');
  const args = ['build', '--release', '--locked', '--manifest-path', join(CRATE, 'Cargo.toml')];
  const { code, stderr } = await run(cargo, [...args, '--target-dir', TARGET]);
  if (code === null)
    throw new LinkError(
      'the link emulator needs cargo to be built (https://rustup.rs installs it)',
    );
  if (code !== 0) {
    const [reason = 'cargo failed'] = stderr.match(/^error.*$/m) ?? [];
    throw new LinkError(`the link emulator can't be built: cargo says "${reason}"`);
  }
  writeFileSync(STAMP, stamp);
  return EMULATOR;
}

/** @throws {LinkError} where there are no TUN devices */
export function checkTun() {
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
  } catch {
    if (process.geteuid?.() !== 0) throw new LinkError('network namespaces need root');
    throw new LinkError("there is no /dev/net/tun to make the emulator's devices with");
  }
}

/** A running emulator. */
export class Emulator {
  #child;
  /** @type {{ resolve: (answer: any) => void, reject: (error: Error) => void }[]} */
  #asked = [];
  #errors = '';
  #ended = false;
  /** @type {Promise<LinkStats | null> | null} */
  #closing = null;

  /** @param {string[]} args of the program */
  constructor(args) {
    // Its own process group, so that Ctrl-C in a terminal leaves it time for its last output.
    this.#child = spawn(EMULATOR, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#errors = (this.#errors + text).slice(-2000);
    });
    this.#child.stdin.on('error', () => {});
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line));
    this.ended = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(this.#end(error.message)));
      this.#child.on('close', () => resolve(this.#end(this.#errors.trim())));
    });
  }

  /**
   * @param {{ client: string, server: string, device: string, seed: number, parameters:
   *   LinkParameters }} link
   * @returns {Promise<Emulator>} with its devices made, but not yet up
   * @throws {LinkError}
   */
  static async start({ client, server, device, seed, parameters }) {
    const args = [
      'link',
      '--client',
      client,
      '--server',
      server,
      '--device',
      device,
      '--seed',
      String(seed),
    ];
    const emulator = new Emulator([...args, ...toWords(parameters)]);
    await emulator.#answer();
    return emulator;
  }

  /** @returns {Promise<LinkStats>} */
  stats() {
    return this.#ask('stats');
  }

  /** Begins the random numbers again. @param {number} seed @param {Slots} [slots] */
  async seed(seed, slots) {
    await this.#ask(slots ? `seed ${seed} ${slots.fromMs} ${slots.everyMs}` : `seed ${seed}`);
  }

  /** Takes back all changes, and those to come. */
  async restore() {
    await this.#ask('restore');
  }

  /** Begins to count again. */
  async reset() {
    await this.#ask('reset');
  }

  /** @param {LinkParameters} changes */
  async set(changes) {
    await this.#ask(`set ${toWords(changes).join(' ')}`);
  }

  /** @param {LinkStep[]} steps from now on, replacing pending ones */
  async steps(steps) {
    const texts = steps.map((step) => `${step.atMs} ${toWords(step).join(' ')}`);
    await this.#ask(`steps ${texts.join(';')}`);
  }

  /** @returns {Promise<LinkStats | null>} the last count; null when it died before */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    const last = this.#answer().catch(() => null);
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_MS);
    await this.ended;
    clearTimeout(timer);
    return last;
  }

  /** @param {string} line @returns {Promise<any>} */
  #ask(line) {
    const answer = this.#answer();
    if (!this.#ended) this.#child.stdin.write(`${line}\n`);
    return answer;
  }

  /** @returns {Promise<any>} */
  #answer() {
    if (this.#ended) return Promise.reject(this.#death());
    return new Promise((resolve, reject) => void this.#asked.push({ resolve, reject }));
  }

  /** @param {string} line */
  #hear(line) {
    const answer = JSON.parse(line);
    const asked = this.#asked.shift();
    if (answer.error) asked?.reject(new LinkError(answer.error));
    else asked?.resolve(answer);
  }

  #death() {
    return new LinkError(
      `the link emulator has ended${this.#errors && `: ${this.#errors.trim()}`}`,
    );
  }

  /** @param {string} reason */
  #end(reason) {
    this.#ended = true;
    this.#errors = reason;
    for (const { reject } of this.#asked.splice(0)) reject(this.#death());
  }
}
