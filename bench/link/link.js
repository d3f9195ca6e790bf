/**
 * A link between two network namespaces, a client's and a server's, with a given delay, jitter,
 * loss and rate. `node bench/link/command.js --help` is its command.
 */

import { randomInt } from 'node:crypto';
import { buildEmulator, checkTun, Emulator } from './emulator.js';
import { measureBandwidth, pingLink } from './measure.js';
import { linkProfile } from './profiles.js';
import { parseLink, parseSteps } from './settings.js';
import {
  execIn,
  ip,
  LinkError,
  makeNamespaces,
  removeNamespace,
} from '../../testkit/network-namespace.js';

export { LinkError };

/** @typedef {import('./settings.js').LinkParameters} LinkParameters */
/** @typedef {import('./measure.js').LinkEnd} LinkEnd */
/** @typedef {import('./emulator.js').LinkStats} LinkStats */
/** @typedef {{ client: string, server: string }} Namespaces */

const MTU = 1500;

/**
 * The device at a link's two ends, and their addresses, of the range for benchmarks (RFC 2544):
 * used inside the namespaces only.
 * @param {number} number  of the link among those of one server's end
 */
const placeOf = (number) => ({
  device: `aloud${number}`,
  addresses: { client: `198.18.${number}.1`, server: `198.18.${number}.2` },
});

const LOOPBACK = '127.0.0.1';

/**
 * @typedef {object} LinkOptions
 * @property {string} [profile]     of profiles.js; `loopback` unless there are parameters
 * @property {object} [parameters]  settings on top of the profile's, as parseLink reads them
 * @property {unknown} [steps] changes over time, as parseSteps reads them; they begin when the link
 *   is open
 * @property {number} [seed]        of the emulator's random numbers; random by default
 * @property {(line: string) => void} [say] receives a line before something slow begins
 */

/** @param {Namespaces} names @param {number} number */
async function raiseDevices(names, number) {
  const { device, addresses } = placeOf(number);
  for (const side of /** @type {const} */ (['client', 'server'])) {
    const peer = addresses[side === 'client' ? 'server' : 'client'];
    const inside = ['-n', names[side]];
    await ip(...inside, 'link', 'set', device, 'addrgenmode', 'none');
    await ip(...inside, 'addr', 'add', addresses[side], 'peer', peer, 'dev', device);
    await ip(...inside, 'link', 'set', device, 'mtu', String(MTU), 'txqueuelen', '2000', 'up');
  }
}

/**
 * @param {Namespaces} names
 * @param {number} number
 * @param {number} seed
 * @param {LinkParameters} parameters
 */
async function startEmulator(names, number, seed, parameters) {
  const emulator = await Emulator.start({
    ...names,
    device: placeOf(number).device,
    seed,
    parameters,
  });
  try {
    await raiseDevices(names, number);
    await emulator.reset();
    return emulator;
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

/** An emulated link, or loopback. */
export class Link {
  #emulator;
  #names;
  #number;
  #say;
  /** Links to the same server's end. @type {Link[]} */
  #branches = [];
  /** @type {Promise<LinkStats | null> | null} */
  #closing = null;

  /**
   * @param {{ emulated?: { names: Namespaces, emulator: Emulator }, number?: number, reason?:
   *   string, profile: string, parameters: LinkParameters, seed: number, say?: (line: string) =>
   *   void }} link without `emulated` it is loopback; `number` is that among those of one server's
   *   end
   */
  constructor({ emulated, number = 0, reason, profile, parameters, seed, say = () => {} }) {
    this.#number = number;
    this.#names = emulated?.names;
    this.#emulator = emulated?.emulator;
    this.#say = say;
    /** True when packets go through the emulator; false on loopback. */
    this.isEmulated = emulated !== undefined;
    /** False where a link was asked for and couldn't be opened. */
    this.available = reason === undefined;
    /** Why it couldn't be opened, in one sentence. */
    this.reason = reason;
    this.profile = profile;
    this.parameters = parameters;
    this.seed = seed;
    this.client = this.#end('client');
    this.server = this.#end('server');
  }

  /** @param {'client' | 'server'} side @returns {LinkEnd} */
  #end(side) {
    const names = this.#names;
    const { addresses } = placeOf(this.#number);
    return names
      ? { exec: execIn(names[side]), address: addresses[side] }
      : { exec: [], address: LOOPBACK };
  }

  /** The names of its namespaces. @throws {LinkError} on loopback */
  get names() {
    if (this.#names) return this.#names;
    throw new LinkError('loopback has no namespaces and no branches');
  }

  /** Links to the same server's end. @returns {readonly Link[]} */
  get branches() {
    return this.#branches;
  }

  /** The name of its network device, at both ends. */
  get device() {
    return placeOf(this.#number).device;
  }

  /** @returns {Emulator} */
  #shaping() {
    if (this.#emulator) return this.#emulator;
    throw new LinkError("loopback can't be shaped");
  }

  /** @returns {Promise<LinkStats | null>} null on loopback */
  async stats() {
    return this.#emulator ? this.#emulator.stats() : null;
  }

  /** Sets the counters of stats() to zero. */
  async reset() {
    await this.#emulator?.reset();
  }

  /**
   * @param {object} changes as parseLink reads them
   * @throws {TypeError | RangeError | LinkError}
   */
  async set(changes) {
    await this.#shaping().set(parseLink(changes));
  }

  /** Restores the initial settings after set() and steps(). */
  async restore() {
    await this.#shaping().restore();
  }

  /**
   * Restarts the link's random numbers. From now on the first packet, the second and so on have the
   * same fate as on every link of this seed. With slots this holds within each slot.
   * @param {number} seed
   * @param {import('./emulator.js').Slots} [slots]
   */
  async seedAnew(seed, slots) {
    await this.#shaping().seed(seed, slots);
    this.seed = seed;
  }

  /**
   * Starts a schedule of changes, in place of one that still runs.
   * @param {unknown} steps as parseSteps reads them
   * @throws {TypeError | RangeError | LinkError}
   */
  async steps(steps) {
    await this.#shaping().steps(parseSteps(steps));
  }

  /**
   * Opens a further link, from another client's end to this one's server's end; it is closed with
   * this one.
   * @param {Pick<LinkOptions, 'profile' | 'parameters'>} options
   * @returns {Promise<Link>}
   * @throws {LinkError} on loopback
   */
  async branch(options) {
    const { server } = this.names;
    const {
      isLoopback: _,
      steps: __,
      ...rest
    } = readOptions({ ...options, seed: this.seed + 1 + this.#branches.length });
    const place = { number: this.#branches.length + 1, server };
    const branch = await openEmulated({ ...rest, say: this.#say }, place);
    this.#branches.push(branch);
    return branch;
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
   * Ends all programs at its ends, and removes it. Idempotent.
   * @returns {Promise<LinkStats | null>} the emulator's last count
   */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    for (const branch of this.#branches) await branch.close();
    const last = (await this.#emulator?.close()) ?? null;
    if (this.#names) await Promise.all(ownOf(this.#names, this.#number).map(removeNamespace));
    if (this.isEmulated && !last) this.#say('the link emulator ended before it was told to');
    return last;
  }
}

/**
 * A link's own namespaces: a branch's server's end is another's.
 * @param {Namespaces} names
 * @param {number} number
 */
const ownOf = ({ client, server }, number) => (number === 0 ? [client, server] : [client]);

/**
 * @param {{ profile: string, parameters: LinkParameters, seed: number, say: (line: string) => void
 *   }} link
 * @param {{ number: number, server?: string }} [place] of a branch: the server's namespace that is
 *   there
 * @throws {LinkError}
 */
async function openEmulated(link, { number, server } = { number: 0 }) {
  checkTun();
  const names = await makeNamespaces(server);
  try {
    await buildEmulator({ say: link.say });
    const emulator = await startEmulator(names, number, link.seed, link.parameters);
    return new Link({ ...link, number, emulated: { names, emulator } });
  } catch (error) {
    await Promise.all(ownOf(names, number).map(removeNamespace));
    throw error;
  }
}

/** @param {LinkOptions} options */
function readOptions({ profile, parameters = {}, steps = [], seed = randomInt(2 ** 32) }) {
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError('the seed must be an integer from 0 on');
  const given = parseLink(parameters);
  const anyGiven = Object.keys(parameters).length > 0;
  const base = profile === undefined ? null : linkProfile(profile).settings;
  const { up, down } = parseLink(base ?? {});
  const changes = parseSteps(steps);
  return {
    profile: profile ?? (anyGiven ? 'custom' : 'loopback'),
    parameters: { up: { ...up, ...given.up }, down: { ...down, ...given.down } },
    isLoopback: base === null && !anyGiven && changes.length === 0,
    steps: changes,
    seed,
  };
}

/**
 * Opens a link. Where that isn't possible it resolves to loopback, with `available` false and the
 * reason.
 * @param {LinkOptions} [options]
 * @returns {Promise<Link>}
 * @throws {TypeError | RangeError} for a wrong option, which it names
 */
export async function openLink(options = {}) {
  const { isLoopback, steps, ...rest } = readOptions(options);
  const { say = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`) } = options;
  if (isLoopback) return new Link(rest);
  try {
    const link = await openEmulated({ ...rest, say });
    if (steps.length > 0)
      await link.steps(steps.map(({ atMs, up, down }) => ({ atMs, changes: { up, down } })));
    return link;
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return new Link({ ...rest, reason: error.message });
  }
}
