/**
 * A sender and a receiver at two ends of an emulated link, on which the scenarios of Nys 2024
 * estimate throughput.
 * @import { Lab } from '../scenarios/lab.js'
 */

import { Option } from 'commander';
import { Child } from '../../testkit/participants/child.js';
import { CONGESTION_CONTROLLERS } from '../plugin/controllers.js';

/** The link: one way's delay, and the longest wait in its queue, in milliseconds. */
export const LINK = Object.freeze({ delayMs: 10, queueMs: 100 });

/** The paper's rates of the link, in Mbit/s; its order and times aren't all in its text. */
export const TRAJECTORY = Object.freeze([5, 2.5, 7.5, 20, 5, 1, 7.5]);

/** The option that chooses the sender's congestion controller. */
export const controllerOption = () =>
  new Option('--controller <name>', "the sender's congestion controller")
    .choices([...CONGESTION_CONTROLLERS])
    .default('cubic');

/** @typedef {{ sender: Child, receiver: Child, connect: () => Promise<void> }} Ends */

/**
 * Opens both ends, measures, and closes them.
 * @param {Lab} lab
 * @param {{ lookMs?: number, notes?: boolean }} options the interval of looks at the server's
 *   figures, in milliseconds; whether the receiver notes what came
 * @param {(ends: Ends) => Promise<void>} measure
 * @throws {Error} on loopback, which has no rate
 */
export async function betweenEnds({ link, options }, { lookMs, notes }, measure) {
  if (!link.isEmulated) throw new Error('loopback has no rate: choose a link with --link');
  const end = (/** @type {string} */ name, /** @type {string[]} */ exec) =>
    new Child(new URL(`${name}-process.js`, import.meta.url), exec);
  const sender = end('sender', link.server.exec);
  const receiver = end('receiver', link.client.exec);
  try {
    const { address: host } = link.server;
    const { controller } = /** @type {any} */ (options);
    const { port, hash } = await sender.call('open', { host, controller, lookMs });
    const url = `https://${host}:${port}/`;
    const connect = () => receiver.call('connect', { url, hash, notes });
    await measure({ sender, receiver, connect });
  } finally {
    await sender.close();
    await receiver.close();
  }
}
