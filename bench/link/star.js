/**
 * A star: participants in their own network namespaces, each connected to one hub, which routes, by
 * an emulated link, a leg. A packet between participants crosses the sender's leg up and the
 * receiver's leg down, with or without a forwarding program in the hub.
 */

import { ip, LinkError, run } from '../../testkit/network-namespace.js';

/** @typedef {import('./link.js').Link} Link */
/** @typedef {import('./measure.js').LinkEnd} LinkEnd */

/** The addresses of all legs: placeOf() in link.js has them. */
const LEGS = '198.18.0.0/16';

/**
 * The congestion control of all TCP, whatever the machine's own is: Linux's default, CUBIC (RFC
 * 9438).
 */
const TCP = Object.freeze(['congctl', 'cubic']);

/** Legs of the same seed would lose their packets together. */
const SEED_STEP = 1000;

/** More than the seeds of all legs in all repetitions, and the number of seeds of runs. */
const RUN_STEP = 1_000_000;
const RUN_SEEDS = 2 ** 32;

/**
 * Seed of a repetition's legs. Runs of different seeds have none in common. Otherwise a second run,
 * whose seed is the next one, would lose what the first has lost in its next repetition.
 * @param {number} seed        of the run, a whole number below 2^32; legs of 1 begin at 1
 * @param {number} repetition  from 0, fewer than a thousand
 */
export const seedOfRepetition = (seed, repetition) =>
  RUN_STEP * ((seed + RUN_SEEDS - 1) % RUN_SEEDS) + 1 + repetition;

export class Star {
  /** @type {readonly Link[]} */
  legs;

  /** @param {readonly Link[]} legs the first, and its branches */
  constructor(legs) {
    this.legs = legs;
  }

  /**
   * The words before a program's that run it in the hub. Its address there is that of each leg's
   * server.
   */
  get hub() {
    return this.legs[0].server.exec;
  }

  /** @param {object} changes of every leg, as parseLink reads them */
  async set(changes) {
    await Promise.all(this.legs.map((leg) => leg.set(changes)));
  }

  /** @param {unknown} steps of every leg, as parseSteps reads them; they begin now */
  async steps(steps) {
    await Promise.all(this.legs.map((leg) => leg.steps(steps)));
  }

  /** Takes back what set() and steps() changed. */
  async clear() {
    await Promise.all(this.legs.map((leg) => leg.restore()));
  }

  /**
   * Begins the random numbers of legs again. Legs at the same place of different lists have the
   * same fates.
   * @param {readonly (readonly Link[])[]} lists  of legs, such as the pairs of several ways
   * @param {number} seed
   * @param {(list: number, place: number) => import('./emulator.js').Slots | undefined} [slotsOf]
   *   of each leg
   */
  async seedAnew(lists, seed, slotsOf) {
    await Promise.all(
      lists.flatMap((list, i) =>
        list.map((leg, place) => leg.seedAnew(seed + place * SEED_STEP, slotsOf?.(i, place))),
      ),
    );
  }
}

/**
 * Makes a star of a link: its server's end becomes the hub, its client's end the first participant.
 * Branches that it has already are legs.
 * @param {Link} link      which is emulated; closing it closes all legs
 * @param {number} count   of participants
 * @returns {Promise<Star>}
 * @throws {LinkError}
 */
export async function starOf(link, count) {
  if (!link.isEmulated) throw new LinkError(link.reason ?? 'loopback has no legs');
  const { profile, parameters } = link;
  const legs = [link, ...link.branches];
  while (legs.length < count) legs.push(await link.branch({ profile, parameters }));
  await turnOn(link.names.server, 'ip_forward');
  // A connection must not begin with the window and the round trip of one before it, on another
  // kind of leg.
  for (const name of [link.names.server, ...legs.map(({ names }) => names.client)])
    await turnOn(name, 'tcp_no_metrics_save');
  for (const leg of legs) await layRoutes(leg);
  return new Star(legs.slice(0, count));
}

/** @param {string} name a namespace @param {string} setting of IPv4 */
async function turnOn(name, setting) {
  const { code, stderr } = await run('ip', [
    'netns',
    'exec',
    name,
    'sh',
    '-c',
    `echo 1 > /proc/sys/net/ipv4/${setting}`,
  ]);
  if (code !== 0) throw new LinkError(`${setting} can't be turned on: ${stderr.trim()}`);
}

/** @param {Link} leg */
async function layRoutes({ names, device, client, server }) {
  const route = (/** @type {string} */ name, /** @type {string[]} */ ...to) =>
    ip('-n', name, 'route', 'replace', ...to, 'dev', device, ...TCP);
  await route(names.client, LEGS);
  // Sets the controller of the routes that came with the addresses, too.
  await route(
    names.client,
    server.address,
    'proto',
    'kernel',
    'scope',
    'link',
    'src',
    client.address,
  );
  await route(
    names.server,
    client.address,
    'proto',
    'kernel',
    'scope',
    'link',
    'src',
    server.address,
  );
}
