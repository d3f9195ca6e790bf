/**
 * One run of a way: a sender at the client's end of a link, a receiver at the server's, and nothing between them.
 * @import { Link } from '../link/link.js'
 *
 * @typedef {object} WayRun
 * @property {number[]} ages        of the packets that count, at arrival, in milliseconds; Infinity where one never came
 * @property {number} setupMs       from the beginning of connecting to the first packet's arrival
 * @property {number[]} latenessMs  of sending, against plan
 * @property {number} cpuPercent    the sender's, of a core
 * @property {number} damaged       packets that arrived with other bytes than were sent
 * @property {number} repeated      packets that arrived more than once
 */

import { setTimeout as wait } from 'node:timers/promises';
import { Child } from '../participants/child.js';

const END = new URL('end-process.js', import.meta.url);

/** Time from one packet to the next, in milliseconds. */
export const EVERY_MS = 20;

/** Time in which a connection must be made, in milliseconds. */
const CONNECT_MS = 10_000;

/** Time after the last packet in which one may still arrive, in milliseconds. */
const LAST_MS = 2000;

/**
 * @param {object} options
 * @param {string} options.way
 * @param {Pick<Link, 'client' | 'server'>} options.link
 * @param {readonly Uint8Array[]} options.payloads  those that go around
 * @param {number} options.settle   packets that are sent before those that count
 * @param {number} options.count    packets that count
 * @param {AbortSignal} options.signal
 * @returns {Promise<WayRun>}
 * @throws {Error} when there is no connection
 */
export async function runWay({ way, link, payloads, settle, count, signal }) {
  const receiver = new Child(END, link.server.exec);
  const sender = new Child(END, link.client.exec);
  const over = new AbortController();
  try {
    return await Promise.race([carried(), broken(signal, over.signal)]);
  } finally {
    over.abort();
    await Promise.all([sender.close(), receiver.close()]);
  }

  async function carried() {
    const startMs = await within(CONNECT_MS, connect({ way, link, payloads, sender, receiver }));
    const { latenessMs, cpuPercent } = await sender.call('send', { payloads, count: settle + count, everyMs: EVERY_MS });
    await wait(LAST_MS);
    const { firstMs, ...arrivals } = await receiver.call('arrivals', { from: settle, count });
    return { ...arrivals, setupMs: firstMs - startMs, latenessMs: latenessMs.slice(settle), cpuPercent };
  }
}

/**
 * @param {{ way: string, link: Pick<Link, 'client' | 'server'>, payloads: readonly Uint8Array[], sender: Child,
 *   receiver: Child }} options
 * @returns {Promise<number>} when the sender began to connect
 */
async function connect({ way, link: { client, server }, payloads, sender, receiver }) {
  const invitation = await receiver.call('receive', { way, host: server.address, payloads });
  const { startMs, offer } = await sender.call('connect', { way, host: client.address, peer: server.address, invitation });
  if (offer) await sender.call('answered', { answer: await receiver.call('answer', { offer }) });
  await sender.call('connected');
  return startMs;
}

/**
 * @template T
 * @param {number} ms
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
async function within(ms, promise) {
  const giveUp = new AbortController();
  const late = wait(ms, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(`no connection within ${ms / 1000} s`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => {});
    giveUp.abort();
  }
}

/**
 * @param {AbortSignal} signal
 * @param {AbortSignal} over  from then on nobody waits for it
 * @returns {Promise<never>} rejected when the signal is aborted
 */
function broken(signal, over) {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over });
  });
}
