/**
 * The kernel's own shaper, netem, on a veth pair between the two namespaces. It knows less than the
 * emulator; what it can't do is listed in words.
 */

import { parseLink } from './settings.js';
import { LinkError, run } from './network-namespace.js';

/** @typedef {import('./settings.js').LinkSettings} LinkSettings */
/** @typedef {import('./settings.js').LinkParameters} LinkParameters */
/** @typedef {import('./settings.js').LinkStep} LinkStep */
/** @typedef {(...args: string[]) => Promise<string>} Tc runs the command `tc` */

/** netem counts what is under way among what is queued. */
const LIMIT_PACKETS = 30_000;

/**
 * @typedef {object} NetemStats what the queueing discipline says of one direction
 * @property {{ packets: number, bytes: number }} delivered
 * @property {{ packets: number }} dropped lost and dropped alike
 */

/** @param {string[]} args */
export const tc = async (...args) => {
  const { code, stdout, stderr } = await run('tc', args);
  if (code === null) throw new LinkError('the command tc is not installed (on Debian: apt-get install iproute2)');
  if (code === 0) return stdout;
  if (/qdisc kind is unknown|No such file/i.test(stderr)) throw new LinkError('this kernel has no netem');
  throw new LinkError(`"tc ${args.join(' ')}" says "${stderr.trim().split('\n')[0]}"`);
};

/** @param {number} percent */
const percentWord = (percent) => `${Number(percent.toFixed(6))}%`;

/** @param {Partial<LinkSettings>} settings @param {string[]} differences */
function delayWords({ delayMs = 0, jitter = 'none', jitterMs = 0 }, differences) {
  if (jitter === 'none' || jitterMs === 0) return delayMs > 0 ? ['delay', `${delayMs}ms`] : [];
  if (jitter === 'table' || jitter === 'lognormal') {
    differences.push(`no jitter, for want of ${jitter}`);
    return ['delay', `${delayMs}ms`];
  }
  if (jitter === 'pareto') differences.push('jitter by netem\'s own pareto table, around the delay');
  differences.push('jitter reorders packets');
  const distribution = jitter === 'uniform' ? [] : ['distribution', jitter];
  return ['delay', `${delayMs}ms`, `${jitterMs}ms`, ...distribution];
}

/** @param {Partial<LinkSettings>} settings @param {string[]} differences */
function lossWords(settings, differences) {
  const { lossPercent = 0, burstEnter = 0, burstLeave = 1 } = settings;
  if (burstEnter === 0) return lossPercent > 0 ? ['loss', 'random', percentWord(lossPercent)] : [];
  const { badLossPercent = 100, goodLossPercent = 0 } = settings;
  if (lossPercent > 0) differences.push('random loss in the good state only');
  const good = Math.min(100, goodLossPercent + lossPercent);
  const words = [burstEnter * 100, burstLeave * 100, badLossPercent, good].map(percentWord);
  return ['loss', 'gemodel', ...words];
}

/**
 * @param {Partial<LinkSettings>} settings
 * @returns {{ words: string[], differences: string[] }} netem's arguments, and where it does otherwise
 *   than asked
 */
export function netemWords(settings) {
  /** @type {string[]} */
  const differences = [];
  const words = [...delayWords(settings, differences), ...lossWords(settings, differences)];
  if (settings.rateBits) {
    words.push('rate', `${Math.round(settings.rateBits)}bit`);
    if (settings.queueMs) differences.push('the queue is bounded in packets, not in milliseconds');
  }
  if (settings.stallsPerSecond) differences.push('no stalls');
  if (settings.reorderPercent) differences.push('nothing is held back to be overtaken');
  if (settings.jitterHoldMs) differences.push('jitter is drawn for each packet');
  return { words: ['limit', String(settings.queueMs ? LIMIT_PACKETS : limitOf(settings)), ...words], differences };
}

/** @param {Partial<LinkSettings>} settings */
function limitOf({ rateBits = 0, queuePackets = 0, delayMs = 0 }) {
  if (rateBits === 0 || queuePackets === 0) return LIMIT_PACKETS;
  // Full packets that are under way come on top of those that wait.
  return Math.min(LIMIT_PACKETS, queuePackets + Math.ceil((rateBits * delayMs) / 1000 / 8 / 1500));
}

/** The two queueing disciplines of a link. */
export class Netem {
  #sides;
  #parameters;
  #tc;
  /** @type {NodeJS.Timeout[]} */
  #timers = [];

  /**
   * @param {{ up: string[], down: string[] }} sides what tells `tc` the namespace, and the device
   * @param {LinkParameters} parameters
   * @param {Tc} runTc
   */
  constructor(sides, parameters, runTc) {
    this.#sides = sides;
    this.#parameters = parameters;
    this.#tc = runTc;
  }

  /**
   * @param {{ client: string, server: string, device: string, parameters: LinkParameters, runTc?: Tc }} link
   *   whose devices are there
   * @throws {LinkError}
   */
  static async start({ client, server, device, parameters, runTc = tc }) {
    const sides = { up: [client, device], down: [server, device] };
    const netem = new Netem(sides, parameters, runTc);
    await netem.#apply('add');
    return netem;
  }

  /** @param {'add' | 'change'} verb */
  async #apply(verb) {
    for (const side of /** @type {const} */ (['up', 'down'])) {
      const [namespace, device] = this.#sides[side];
      const { words } = netemWords(this.#parameters[side]);
      await this.#tc('-n', namespace, 'qdisc', verb, 'dev', device, 'root', 'netem', ...words);
    }
  }

  /** What it does otherwise than asked. */
  get differences() {
    const { up, down } = this.#parameters;
    return [...new Set([up, down].flatMap((settings) => netemWords(settings).differences))];
  }

  /** @returns {Promise<{ up: NetemStats, down: NetemStats }>} */
  async stats() {
    const [up, down] = await Promise.all([this.#sides.up, this.#sides.down].map(async ([namespace, device]) => {
      const [first] = JSON.parse(await this.#tc('-n', namespace, '-s', '-j', 'qdisc', 'show', 'dev', device));
      const { packets = 0, bytes = 0, drops = 0 } = first ?? {};
      return { delivered: { packets, bytes }, dropped: { packets: drops } };
    }));
    return { up, down };
  }

  /** @param {LinkParameters} changes */
  async set(changes) {
    const { up, down } = parseLink(changes);
    this.#parameters = { up: { ...this.#parameters.up, ...up }, down: { ...this.#parameters.down, ...down } };
    await this.#apply('change');
  }

  /** @param {LinkStep[]} steps from now on, instead of those that were to come */
  async steps(steps) {
    this.#timers.splice(0).forEach(clearTimeout);
    // A step that netem refuses leaves the link as it was.
    const apply = (/** @type {LinkStep} */ { up, down }) => void this.set({ up, down }).catch(() => {});
    this.#timers = steps.map((step) => setTimeout(apply, step.atMs, step));
  }

  /** netem's counters can't be set back. */
  async reset() {}

  /** The namespaces take the disciplines with them. @returns {Promise<null>} */
  async close() {
    this.#timers.splice(0).forEach(clearTimeout);
    return null;
  }
}
