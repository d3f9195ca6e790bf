import { availableParallelism } from 'node:os';

/** @import { EndpointSettings } from './binding.js' */

/**
 * Congestion controllers: quinn's with room for live sound, the same without it, no controller, and
 * Copa. All but the first three are for measuring.
 */
export const CONGESTION_CONTROLLERS = Object.freeze(
  /** @type {const} */ ([
    'cubic',
    'newreno',
    'bbr',
    'cubic-bare',
    'newreno-bare',
    'bbr-bare',
    'none',
    'copa',
  ]),
);

/**
 * Those of the second build, which has noq in quinn's place, for measuring: BBRv3 with room for
 * live sound, and bare.
 */
export const NOQ_CONTROLLERS = Object.freeze(/** @type {const} */ (['bbr3', 'bbr3-bare']));

/** All of them. */
export const ALL_CONTROLLERS = Object.freeze([...CONGESTION_CONTROLLERS, ...NOQ_CONTROLLERS]);

/** @typedef {typeof ALL_CONTROLLERS[number]} CongestionController */

/** The longest delay of a timer, in milliseconds. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An endpoint's default options. @type {Readonly<EndpointSettings>} */
export const DEFAULTS = Object.freeze({
  // JavaScript needs a core too, and two threads on one core mostly wake each other.
  ioThreads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  congestionController: 'cubic',
  idleTimeoutMs: 15_000,
  keepAliveMs: 5_000,
  handshakeTimeoutMs: 10_000,
  maxConnections: 1_100,
  receiveQueue: 64,
  // Some 400 ms of speech: what waits longer is too late (`npm run bench -- call --link thin`).
  sendQueueBytes: 4 * 1024,
  maxStreams: 16,
  streamBufferBytes: 64 * 1024,
});

/**
 * @param {EndpointSettings} settings
 * @throws {RangeError}
 */
export function checkSettings({ congestionController, ...numbers }) {
  if (!ALL_CONTROLLERS.includes(congestionController)) {
    throw new RangeError(
      `congestionController ${congestionController}: allowed are ${ALL_CONTROLLERS.join(', ')}`,
    );
  }
  for (const [name, value] of Object.entries(numbers)) {
    const least = name === 'keepAliveMs' ? 0 : 1;
    if (!Number.isInteger(value) || value < least || value > LONGEST_TIMER_MS) {
      throw new RangeError(`${name} ${value}: must be a whole number, ${least} or more`);
    }
  }
}
