/**
 * The settings of one direction of a link, with their limits; 0 turns an impairment off.
 *
 * @typedef {'none' | 'uniform' | 'normal' | 'lognormal' | 'pareto' | 'table'} JitterDistribution
 *
 * @typedef {object} LinkSettings
 * @property {number} delayMs             the base delay, one way
 * @property {JitterDistribution} jitter added delay: `uniform` ±jitterMs, `normal` with
 *   jitterMs as standard deviation; `lognormal` and `pareto` (type II) only add, jitterMs on
 *   average; `table`
 * @property {number} jitterMs
 * @property {number} jitterShape lognormal: the logarithm's deviation (1); pareto: the tail index
 *   (3)
 * @property {number} jitterCapMs         upper limit of the added delay
 * @property {number} jitterHoldMs time for which one draw holds; 0 draws again for each packet
 * @property {number[]} jitterTable       even quantiles of the added delay, in milliseconds, rising
 * @property {number} stallsPerSecond stalls of the link; a packet that arrives in one leaves at
 *   its end
 * @property {number} stallMinMs          a stall lasts evenly between this
 * @property {number} stallMaxMs          and this
 * @property {number} lossPercent         independent losses
 * @property {number} burstEnter          Gilbert–Elliott's p, from good to bad, for each packet
 * @property {number} burstLeave          r, from bad to good
 * @property {number} goodLossPercent     loss in the good state
 * @property {number} badLossPercent      loss in the bad state
 * @property {number} rateBits            bits of IP packets a second
 * @property {number} burstBytes the token bucket's depth; 0: each packet takes its time on the line
 * @property {number} queuePackets        packets that may wait for the rate, drop-tail
 * @property {number} queueMs             the longest wait for the rate, drop-tail
 * @property {boolean} reorder            true if jitter may reorder packets
 * @property {number} reorderPercent packets held back by reorderMs, so that others
 *   overtake
 * @property {number} reorderMs
 */

/**
 * @typedef {{ up: Partial<LinkSettings>, down: Partial<LinkSettings> }} LinkParameters for the two
 *   directions: up is from the client to the server
 */

/** @typedef {{ atMs: number } & LinkParameters} LinkStep changes at a time after the steps began */

/** Longest delay of any kind. */
const MAX_MS = 60_000;

/**
 * The numbers' largest values; the smallest is 0. The emulator has the same limits and the
 * defaults.
 */
const LIMITS = /** @type {Record<string, number>} */ ({
  delayMs: MAX_MS,
  jitterMs: MAX_MS,
  jitterShape: 100,
  jitterCapMs: MAX_MS,
  jitterHoldMs: MAX_MS,
  stallsPerSecond: 100,
  stallMinMs: MAX_MS,
  stallMaxMs: MAX_MS,
  lossPercent: 100,
  burstEnter: 1,
  burstLeave: 1,
  goodLossPercent: 100,
  badLossPercent: 100,
  rateBits: 1e11,
  burstBytes: 1e9,
  queuePackets: 30_000,
  queueMs: MAX_MS,
  reorderPercent: 100,
  reorderMs: MAX_MS,
});

const DISTRIBUTIONS = ['none', 'uniform', 'normal', 'lognormal', 'pareto', 'table'];

const MAX_TABLE = 4096;
const MAX_STEPS = 10_000;
const MAX_STEP_MS = 1e9;

/** @param {unknown} value @param {string} what @returns {Record<string, unknown>} */
function object(value, what) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return /** @type {Record<string, unknown>} */ (value);
  }
  throw new TypeError(`${what} must be an object`);
}

/** @param {unknown} value @param {number} max */
const isWithin = (value, max) => typeof value === 'number' && value >= 0 && value <= max;

/** @param {unknown} value */
function isTable(value) {
  if (!Array.isArray(value) || value.length < 2 || value.length > MAX_TABLE) return false;
  return value.every((item, i) => isWithin(item, MAX_MS) && (i === 0 || item >= value[i - 1]));
}

/** @param {string} name @param {unknown} value */
function checkSetting(name, value) {
  if (Object.hasOwn(LIMITS, name)) {
    if (isWithin(value, LIMITS[name])) return;
    throw new RangeError(`${name} must be a number from 0 to ${LIMITS[name]}`);
  }
  if (name === 'jitter') {
    if (DISTRIBUTIONS.includes(/** @type {string} */ (value))) return;
    throw new RangeError(`jitter must be one of ${DISTRIBUTIONS.join(', ')}`);
  }
  if (name === 'reorder') {
    if (typeof value === 'boolean') return;
    throw new TypeError('reorder must be true or false');
  }
  if (name !== 'jitterTable') throw new RangeError(`a link has no setting ${name}`);
  if (!isTable(value))
    throw new RangeError(`jitterTable must be a rising list of 2 to ${MAX_TABLE} milliseconds`);
}

/** @param {unknown} value @param {string} what @returns {Partial<LinkSettings>} */
function checkDirection(value, what) {
  const settings = object(value, what);
  for (const [name, setting] of Object.entries(settings)) checkSetting(name, setting);
  return { ...settings };
}

/**
 * @param {unknown} value settings for both directions, and under `up` and `down` for one of them,
 *   which come before those for both
 * @returns {LinkParameters}
 * @throws {TypeError | RangeError} with the reason
 */
export function parseLink(value) {
  const { up = {}, down = {}, ...both } = object(value, 'the link');
  const shared = checkDirection(both, 'the link');
  return {
    up: { ...shared, ...checkDirection(up, 'up') },
    down: { ...shared, ...checkDirection(down, 'down') },
  };
}

/**
 * @param {unknown} value a list of `{ atMs, changes }`, where changes are like a link's parameters
 * @returns {LinkStep[]} in order of time
 * @throws {TypeError | RangeError} with the reason
 */
export function parseSteps(value) {
  if (!Array.isArray(value)) throw new TypeError('steps must be a list of { atMs, changes }');
  if (value.length > MAX_STEPS) throw new RangeError(`there may be ${MAX_STEPS} steps at most`);
  const steps = value.map((item, i) => {
    const { atMs, changes, ...rest } = object(item, `step ${i + 1}`);
    if (!isWithin(atMs, MAX_STEP_MS))
      throw new RangeError(`step ${i + 1}: atMs must be milliseconds from 0 on`);
    const [unknown] = Object.keys(rest);
    if (unknown)
      throw new RangeError(`step ${i + 1}: there is no ${unknown}, only atMs and changes`);
    return { atMs: Number(atMs), ...parseLink(changes) };
  });
  return steps.sort((a, b) => a.atMs - b.atMs);
}

/** @param {unknown} value */
const wordOf = (value) => (typeof value === 'boolean' ? Number(value) : String(value));

/**
 * @param {LinkParameters} parameters
 * @returns {string[]} as the emulator reads them, such as `up.delayMs=20`
 */
export function toWords({ up, down }) {
  const words = (/** @type {string} */ side, /** @type {Partial<LinkSettings>} */ settings) =>
    Object.entries(settings).map(([name, value]) => `${side}.${name}=${wordOf(value)}`);
  return [...words('up', up), ...words('down', down)];
}
