/**
 * A link between two network namespaces, a client's and a server's, with the delay, jitter, loss and rate
 * that are asked for. `node bench/link/link.js --help` is its command.
 */

import { randomInt } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildEmulator, checkTun, Emulator } from './emulator.js';
import { measureBandwidth, pingLink } from './measure.js';
import { Netem } from './netem.js';
import { linkProfile } from './profiles.js';
import { parseLink, parseSteps } from './settings.js';
import { execIn, ip, LinkError, makeNamespaces, removeNamespace } from './network-namespace.js';

export { LinkError };

/** @typedef {import('./settings.js').LinkParameters} LinkParameters */
/** @typedef {import('./measure.js').LinkEnd} LinkEnd */
/** @typedef {import('./emulator.js').LinkStats} LinkStats */
/** @typedef {import('./netem.js').NetemStats} NetemStats */
/** @typedef {'auto' | 'emulator' | 'netem' | 'none'} ShaperName */
/** @typedef {{ client: string, server: string }} Namespaces */

const DEVICE = 'aloud0';
const MTU = 1500;

/** Of the range for benchmarks (RFC 2544), inside namespaces of our own. */
const ADDRESSES = Object.freeze({ client: '198.18.0.1', server: '198.18.0.2' });

const LOOPBACK = Object.freeze({ exec: [], address: '127.0.0.1' });

const SHAPERS = ['auto', 'emulator', 'netem', 'none'];

/**
 * @typedef {object} LinkOptions
 * @property {string} [profile]     of link-profiles.js; `loopback` unless there are parameters
 * @property {object} [parameters]  settings on top of the profile's, as parseLink reads them
 * @property {unknown} [steps]      changes over time, as parseSteps reads them; they begin when it is open
 * @property {number} [seed]        of the emulator's decisions; by chance when not given
 * @property {ShaperName} [shaper]  `auto`: the emulator, else netem
 * @property {(line: string) => void} [say] told when something takes a while
 */

/** @param {Namespaces} names */
async function raiseDevices(names) {
  for (const side of /** @type {const} */ (['client', 'server'])) {
    const peer = ADDRESSES[side === 'client' ? 'server' : 'client'];
    const inside = ['-n', names[side]];
    await ip(...inside, 'link', 'set', DEVICE, 'addrgenmode', 'none');
    await ip(...inside, 'addr', 'add', ADDRESSES[side], 'peer', peer, 'dev', DEVICE);
    await ip(...inside, 'link', 'set', DEVICE, 'mtu', String(MTU), 'txqueuelen', '2000', 'up');
  }
}

/** @param {Namespaces} names @param {number} seed @param {LinkParameters} parameters */
async function startEmulator(names, seed, parameters) {
  const emulator = await Emulator.start({ ...names, device: DEVICE, seed, parameters });
  try {
    await raiseDevices(names);
    await emulator.reset();
    return emulator;
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

/** @param {Namespaces} names @param {LinkParameters} parameters */
async function startNetem(names, parameters) {
  const ends = [DEVICE, 'netns', names.client, 'type', 'veth', 'peer', 'name', DEVICE, 'netns', names.server];
  await ip('link', 'add', ...ends);
  for (const name of [names.client, names.server]) {
    // Or TCP hands over packets of 64 KiB, each of which netem would lose or delay as one.
    await ip('-n', name, 'link', 'set', DEVICE, 'gso_max_segs', '1');
  }
  await raiseDevices(names);
  return Netem.start({ ...names, device: DEVICE, parameters });
}

/** A link, or where there is none, loopback with the reason. */
export class Link {
  #shaper;
  #names;
  #say;
  /** @type {Promise<LinkStats | null> | null} */
  #closing = null;

  /**
   * @param {{ kind: 'emulator' | 'netem' | 'none', names?: Namespaces, shaper?: Emulator | Netem,
   *   reason?: string, profile: string, parameters: LinkParameters, seed: number,
   *   say?: (line: string) => void }} link
   */
  constructor({ kind, names, shaper, reason, profile, parameters, seed, say = () => {} }) {
    this.#names = names;
    this.#shaper = shaper;
    this.#say = say;
    /** What shapes it; `none` is loopback. */
    this.kind = kind;
    /** False where a link was asked for and there is none. */
    this.available = reason === undefined;
    /** Why there is none, in one sentence. */
    this.reason = reason;
    this.profile = profile;
    this.parameters = parameters;
    this.seed = seed;
    /** @type {LinkEnd} */
    this.client = names ? { exec: execIn(names.client), address: ADDRESSES.client } : { ...LOOPBACK, exec: [] };
    /** @type {LinkEnd} */
    this.server = names ? { exec: execIn(names.server), address: ADDRESSES.server } : { ...LOOPBACK, exec: [] };
    /** Where the shaper does otherwise than asked, in words. @type {string[]} */
    this.differences = shaper instanceof Netem ? shaper.differences : [];
  }

  /** @returns {Emulator | Netem} */
  #shaping() {
    if (this.#shaper) return this.#shaper;
    throw new LinkError('loopback can\'t be shaped');
  }

  /** @returns {Promise<LinkStats | { up: NetemStats, down: NetemStats } | null>} null on loopback */
  async stats() {
    return this.#shaper ? this.#shaper.stats() : null;
  }

  /** Begins to count anew. */
  async reset() {
    await this.#shaper?.reset();
  }

  /**
   * @param {object} changes as parseLink reads them
   * @throws {TypeError | RangeError | LinkError}
   */
  async set(changes) {
    await this.#shaping().set(parseLink(changes));
  }

  /**
   * @param {unknown} steps as parseSteps reads them; from now on, instead of those that were to come
   * @throws {TypeError | RangeError | LinkError}
   */
  async steps(steps) {
    await this.#shaping().steps(parseSteps(steps));
  }

  /** @param {Parameters<typeof pingLink>[1]} [options] */
  ping(options) {
    return pingLink(this, options);
  }

  /** @param {Parameters<typeof measureBandwidth>[1]} [options] */
  bandwidth(options) {
    return measureBandwidth(this, options);
  }

  /**
   * Ends all that runs at its ends, and removes it.
   * @returns {Promise<LinkStats | null>} the emulator's last count
   */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    const last = await this.#shaper?.close();
    if (this.#names) await Promise.all(Object.values(this.#names).map(removeNamespace));
    if (this.kind === 'emulator' && !last) this.#say('the link emulator ended before its time');
    return last ?? null;
  }
}

/**
 * @param {'emulator' | 'netem'} kind
 * @param {{ profile: string, parameters: LinkParameters, seed: number, say: (line: string) => void }} link
 * @throws {LinkError}
 */
async function openShaped(kind, link) {
  if (kind === 'emulator') checkTun();
  const names = await makeNamespaces();
  try {
    if (kind === 'emulator') await buildEmulator({ say: link.say });
    const shaper = kind === 'emulator'
      ? await startEmulator(names, link.seed, link.parameters)
      : await startNetem(names, link.parameters);
    return new Link({ ...link, kind, names, shaper });
  } catch (error) {
    await Promise.all(Object.values(names).map(removeNamespace));
    throw error;
  }
}

/** @param {ShaperName} shaper @param {Parameters<typeof openShaped>[1]} link */
async function openFirst(shaper, link) {
  if (shaper === 'netem') return openShaped('netem', link);
  try {
    return await openShaped('emulator', link);
  } catch (error) {
    if (shaper !== 'auto' || !(error instanceof LinkError)) throw error;
    // The emulator's reason is the one worth telling.
    return openShaped('netem', link).catch(() => Promise.reject(error));
  }
}

/** @param {LinkOptions} options */
function readOptions({ profile, parameters = {}, steps = [], seed = randomInt(2 ** 32), shaper = 'auto' }) {
  if (!SHAPERS.includes(shaper)) throw new RangeError(`the shaper is one of ${SHAPERS.join(', ')}`);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError('the seed must be an integer from 0 on');
  const given = parseLink(parameters);
  const anyGiven = Object.keys(parameters).length > 0;
  const name = profile ?? (anyGiven ? 'custom' : 'loopback');
  const base = profile === undefined ? null : linkProfile(profile).settings;
  const { up, down } = parseLink(base ?? {});
  const changes = parseSteps(steps);
  return {
    profile: name,
    parameters: { up: { ...up, ...given.up }, down: { ...down, ...given.down } },
    isLoopback: shaper === 'none' || (base === null && !anyGiven && changes.length === 0),
    steps: changes,
    seed,
    shaper,
  };
}

/**
 * Opens a link. Where there can be none, the answer is loopback, with `available` false and the reason;
 * what is wrong in the options is thrown.
 * @param {LinkOptions} [options]
 * @returns {Promise<Link>}
 * @throws {TypeError | RangeError} which says what is wrong
 */
export async function openLink(options = {}) {
  const { isLoopback, steps, shaper, ...rest } = readOptions(options);
  const { say = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`) } = options;
  if (isLoopback) return new Link({ ...rest, kind: 'none' });
  try {
    const link = await openFirst(shaper, { ...rest, say });
    if (steps.length > 0) await link.steps(steps.map(({ atMs, up, down }) => ({ atMs, changes: { up, down } })));
    return link;
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return new Link({ ...rest, kind: 'none', reason: error.message });
  }
}

// Not awaited: the command imports this module, which has to be ready by then.
if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  import('./command.js').then(({ main }) => main(process.argv.slice(2)));
}
