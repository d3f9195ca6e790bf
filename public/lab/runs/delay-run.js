/**
 * @import { Protocol } from './protocol.js'
 * @import { ClientName, Pair } from './pair.js'
 * @import { RunOptions } from './run.js'
 */

import { Run } from './run.js';

/** Time after the first packet without counting, in milliseconds. */
const SETTLE_MS = 800;

/**
 * B's frames end half a frame after A's: people's frames don't end at the same moment, and this
 * treats both alike.
 */
const PHASE = 0.5;

/** Interval of requests for the server's counts while the delay stays, in milliseconds. */
const ASK_MS = 500;

/** Time to wait for the last counts, in milliseconds. */
const LAST_COUNTS_MS = 400;

/**
 * Measures the audio that two clients receive from each other at a server-side delay, by the
 * server's counts.
 */
class DelayRun extends Run {
  /**
   * Opens a pair, and waits until both clients hear each other.
   * @param {Protocol} protocol
   * @param {number} serverDelayMs
   * @returns {Promise<Pair | null>} null when it failed or the run was stopped
   */
  async settle(protocol, serverDelayMs) {
    /** @type {Set<ClientName>} */
    const settled = new Set();
    const pair = await this.open(
      protocol,
      {
        onControl: (client, message) => {
          if (message.type !== 'delayed') return;
          // The first span began before the other client joined.
          if (settled.has(client)) this.#count(protocol, client, message.before);
          settled.add(client);
        },
      },
      { serverDelayMs, phase: PHASE },
    );
    if (pair === null) return null;
    pair.resume();
    if (!(await this.wait(SETTLE_MS))) return null;
    pair.delay(serverDelayMs);
    return pair;
  }

  /**
   * @param {Protocol} protocol
   * @param {ClientName} client
   * @param {{ serverDelayMs: number, sentSamples: number, heardSamples: number }} before
   */
  #count(protocol, client, { serverDelayMs, sentSamples, heardSamples }) {
    if (!(sentSamples > 0)) return;
    this.tell({
      type: 'heard',
      protocol,
      client,
      serverDelayMs,
      sentSamples,
      heardSamples,
      atMs: this.elapsedMs,
    });
  }
}

/** Measures one protocol while a person changes the delay. */
export class LiveRun extends DelayRun {
  #protocol;
  #serverDelayMs;
  /** @type {Pair | null} */
  #pair = null;

  /** @param {RunOptions} options @param {{ protocol: Protocol, serverDelayMs: number }} settings */
  constructor(options, { protocol, serverDelayMs }) {
    super(options);
    this.#protocol = protocol;
    this.#serverDelayMs = serverDelayMs;
  }

  /** @returns {Promise<void>} settled when the run was stopped or failed */
  async run() {
    this.#pair = await this.settle(this.#protocol, this.#serverDelayMs);
    while (this.pairs.length > 0 && (await this.wait(ASK_MS)))
      this.#pair?.delay(this.#serverDelayMs);
  }

  /** @param {number} serverDelayMs */
  setDelay(serverDelayMs) {
    this.#serverDelayMs = serverDelayMs;
    this.#pair?.delay(serverDelayMs);
  }
}

/** Measures a list of delays, one protocol after the other. */
export class SweepRun extends DelayRun {
  #protocols;
  #delaysMs;
  #dwellMs;

  /**
   * @param {RunOptions} options
   * @param {{ protocols: Protocol[], delaysMs: number[], dwellMs: number }} settings
   */
  constructor(options, { protocols, delaysMs, dwellMs }) {
    super(options);
    this.#protocols = protocols;
    this.#delaysMs = delaysMs;
    this.#dwellMs = dwellMs;
  }

  /** @returns {Promise<void>} settled when the run is over or was stopped */
  async run() {
    for (const [index, protocol] of this.#protocols.entries()) {
      await this.#sweep(protocol, index);
      if (this.stopped) return;
    }
  }

  /** @param {Protocol} protocol @param {number} index of the protocol */
  async #sweep(protocol, index) {
    const turns = this.#protocols.length;
    const pair = await this.settle(protocol, this.#delaysMs[0]);
    if (pair === null) return;
    for (const [step, serverDelayMs] of this.#delaysMs.entries()) {
      if (step > 0) pair.delay(serverDelayMs);
      const done = (index + step / this.#delaysMs.length) / turns;
      this.tell({ type: 'progress', done, protocol, turn: index + 1, turns });
      if (!(await this.wait(this.#dwellMs)) || !this.pairs.includes(pair)) return;
    }
    pair.delay(this.#delaysMs[this.#delaysMs.length - 1]);
    await this.wait(LAST_COUNTS_MS);
    this.release(pair);
  }
}
