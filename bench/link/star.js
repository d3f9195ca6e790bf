/**
 * A star: participants in network namespaces of their own, each with an emulated link, a leg, to one hub, which routes.
 * What goes from one participant to another meets the sender's leg up and the receiver's leg down, whether a program in
 * the hub forwards it or nothing does.
 */

import { ip, LinkError, run } from './network-namespace.js';

/** @typedef {import('./link.js').Link} Link */
/** @typedef {import('./measure.js').LinkEnd} LinkEnd */

/** The addresses of all legs: placeOf() in link.js has them. */
const LEGS = '198.18.0.0/16';

/** Legs of the same seed would lose their packets together. */
const SEED_STEP = 1000;

export class Star {
  /** @type {readonly Link[]} */
  legs;

  /** @param {readonly Link[]} legs the first, and its branches */
  constructor(legs) {
    this.legs = legs;
  }

  /** How to run a program in the hub. Its address there is that of each leg's server. */
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
   * Begins the random numbers of legs anew. Legs at the same place of different lists have the same fates.
   * @param {readonly (readonly Link[])[]} lists  of legs, such as the pairs of several ways
   * @param {number} seed
   */
  async seedAnew(lists, seed) {
    await Promise.all(lists.flatMap((list) => list.map((leg, i) => leg.seedAnew(seed + i * SEED_STEP))));
  }
}

/**
 * Makes a star of a link: its server's end becomes the hub, its client's end the first participant. Branches that it has
 * already are legs.
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
  const forward = await run('ip', ['netns', 'exec', link.names.server, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
  if (forward.code !== 0) throw new LinkError(`the hub can't forward: ${forward.stderr.trim()}`);
  for (const { names, device } of legs) await ip('-n', names.client, 'route', 'replace', LEGS, 'dev', device);
  return new Star(legs.slice(0, count));
}
