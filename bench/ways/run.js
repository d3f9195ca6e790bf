/**
 * Runs of a way over a path: a sender at its beginning and a receiver at its end. On several hops,
 * programs between them forward packets, like a server or an SFU.
 * @import { LinkEnd } from '../link/measure.js'
 * @import { Message } from './messages.js'
 *
 * @typedef {{ client: LinkEnd, server: LinkEnd }} Hop a connection goes from the client's end to
 *   the server's
 *
 * @typedef {Pick<Child, 'call' | 'close' | 'pid'>} Place  a process at a place of a path
 *
 * @typedef {object} Task
 * @property {readonly Uint8Array[]} payloads  sent in a loop
 * @property {number} settle   packets before the measured ones
 * @property {number} count    measured packets
 * @property {readonly Message[]} [messages] beside the packets, by ways that carry them; the same
 *   as at connecting
 * @property {number} [startMs] due time of the first packet on the machine's monotonic clock; at
 *   once without it
 *
 * @typedef {object} WayRun
 * @property {number[]} ages of the measured packets, at arrival, in milliseconds; Infinity
 *   if lost
 * @property {number[]} messageAges the same of all messages; empty if the way carries
 *   none
 * @property {number} setupMs       from the beginning of connecting to the first packet's arrival
 * @property {number[]} latenessMs  of sending, against plan
 * @property {number} cpuPercent    the sender's, of a core
 * @property {number[]} estimates of the path's rate by the sender's connection, once a second, in
 *   kbit/s: congestion window by smoothed round trip. Empty if the way reports none
 * @property {number} damaged packets and messages that arrived with changed bytes
 * @property {number} repeated      packets and messages that arrived more than once
 */

import { setTimeout as wait } from 'node:timers/promises';
import { Child } from '../../testkit/participants/child.js';

const END = new URL('end-process.js', import.meta.url);

/** Time from one packet to the next, in milliseconds. */
export const EVERY_MS = 20;

/** Time in which a connection must be made, in milliseconds. */
const CONNECT_MS = 10_000;

/**
 * Time after the last packet in which one may still arrive, and from one look at what has arrived
 * to the next, in milliseconds.
 */
const LAST_MS = 2000;
const LOOK_MS = 100;

/**
 * One run of a way, in processes of its own.
 * @param {{ way: string, hops: readonly Hop[], signal: AbortSignal } & Task} options
 * @returns {Promise<WayRun>}
 * @throws {Error} when there is no connection
 */
export async function runWay({ way, hops, signal, ...task }) {
  const path = new Path(hops, signal);
  try {
    await path.connect(way, task.payloads);
    return await path.carry(task);
  } finally {
    await path.close();
  }
}

/** The processes at the places of a path, which stay for one run after the other. */
export class Path {
  #hops;
  #begin;
  #places;
  #signal;
  #startMs = 0;

  /**
   * @param {readonly Hop[]} hops
   * @param {AbortSignal} signal  its abortion rejects all pending promises
   * @param {(exec: readonly string[]) => Place} [start]  a process at a place
   */
  constructor(hops, signal, start = (exec) => new Child(END, exec)) {
    this.#hops = hops;
    this.#signal = signal;
    const ends = [hops[0].client, ...hops.map(({ server }) => server)];
    this.#begin = (/** @type {number} */ place) => start(ends[place].exec);
    this.#places = ends.map((_, place) => this.#begin(place));
  }

  /** Waits until its processes run. @throws {Error} when one doesn't */
  async ready() {
    await Promise.all(this.#places.map((place) => place.call('hangUp')));
  }

  /** The ids of its processes, from the sender's to the receiver's. */
  get pids() {
    return this.#places.map(({ pid }) => pid);
  }

  /**
   * Connects place to place, the last hop first, once each place has what the way needs.
   * @param {string} way
   * @param {readonly Uint8Array[]} payloads  expected by the receiver
   * @param {readonly Message[]} [messages]   the same
   * @throws {Error} when there is no connection
   */
  async connect(way, payloads, messages = []) {
    await this.#unlessBroken(
      Promise.all(this.#places.map((place) => place.call('prepare', { way }))),
    );
    await this.#unlessBroken(within(CONNECT_MS, this.#connect(way, payloads, messages)));
  }

  /**
   * @param {string} way
   * @param {readonly Uint8Array[]} payloads
   * @param {readonly Message[]} messages
   */
  async #connect(way, payloads, messages) {
    for (let i = this.#hops.length - 1; i >= 0; i--) {
      const { client, server } = this.#hops[i];
      const [sender, receiver] = [this.#places[i], this.#places[i + 1]];
      const isLast = i === this.#hops.length - 1;
      const invitation = await receiver.call('receive', {
        way,
        host: server.address,
        payloads: isLast ? payloads : null,
        messages: isLast ? messages : [],
      });
      const { startMs, offer } = await sender.call('connect', {
        way,
        host: client.address,
        peer: server.address,
        invitation,
      });
      if (offer)
        await sender.call('answered', { answer: await receiver.call('answer', { offer }) });
      await sender.call('connected');
      this.#startMs = startMs;
    }
  }

  /**
   * Sends packets from end to end.
   * @param {Task} task
   * @returns {Promise<WayRun>}
   */
  carry({ payloads, settle, count, messages = [], startMs }) {
    const [sender, ...relays] = this.#places;
    const receiver = /** @type {Place} */ (relays.pop());
    const carried = async () => {
      const {
        latenessMs,
        cpuPercent,
        messages: sent,
        estimates,
      } = await sender.call('send', {
        payloads,
        count: settle + count,
        everyMs: EVERY_MS,
        messages,
        startMs,
      });
      await Promise.all(relays.map((relay) => relay.call('check')));
      const { firstMs, ...arrivals } = await this.#arrivals(receiver, {
        from: settle,
        count,
        messages: sent,
      });
      return {
        ...arrivals,
        setupMs: firstMs - this.#startMs,
        latenessMs: latenessMs.slice(settle),
        cpuPercent,
        estimates,
      };
    };
    return this.#unlessBroken(carried());
  }

  /**
   * Waits until all have come, or none is waited for any more.
   * @param {Place} receiver @param {{ from: number, count: number, messages: number }} which
   */
  async #arrivals(receiver, which) {
    for (const endMs = performance.now() + LAST_MS; ; await wait(LOOK_MS)) {
      const arrivals = await receiver.call('arrivals', which);
      if (
        performance.now() > endMs ||
        [...arrivals.ages, ...arrivals.messageAges].every(Number.isFinite)
      )
        return arrivals;
    }
  }

  /**
   * Ends the connections: the processes are ready for the next, and new ones where one has ended,
   * whose run has failed by that.
   */
  async hangUp() {
    this.#places = await Promise.all(
      this.#places.map(async (place, i) => {
        try {
          await place.call('hangUp');
          return place;
        } catch {
          this.#signal.throwIfAborted();
          await place.close();
          return this.#begin(i);
        }
      }),
    );
  }

  /** Idempotent. */
  async close() {
    await Promise.all(this.#places.map((place) => place.close()));
  }

  /** @template T @param {Promise<T>} promise @returns {Promise<T>} */
  async #unlessBroken(promise) {
    const over = new AbortController();
    try {
      return await Promise.race([promise, broken(this.#signal, over.signal)]);
    } finally {
      promise.catch(() => {});
      over.abort();
    }
  }
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
