/**
 * @import { Protocol } from './protocol.js'
 * @import { Pair } from './pair.js'
 * @import { RunOptions } from './run.js'
 */

import { planTurns } from './protocol.js';
import { Run } from './run.js';

/** Interval of reports, in milliseconds. */
const TELL_MS = 250;

/** Time to wait for the last answers, in milliseconds. */
const LAST_ANSWERS_MS = 2100;

/** Measures round trips with their sound; the protocols take turns. */
export class RoundTripRun extends Run {
  #protocols;
  #durationMs;

  /** @param {RunOptions} options @param {{ protocols: Protocol[], durationMs: number }} settings */
  constructor(options, { protocols, durationMs }) {
    super(options);
    this.#protocols = protocols;
    this.#durationMs = durationMs;
  }

  /** @returns {Promise<void>} settled when the run is over or was stopped */
  async run() {
    /** @type {Map<Protocol, Pair>} */
    const pairs = new Map();
    for (const protocol of this.#protocols) {
      const pair = await this.open(protocol, {
        onWindow: (window) => this.#heard(protocol, window),
      });
      if (this.stopped) return;
      if (!pair) continue;
      // The room's delay may adapt, but the computed and the heard latency need the same delay.
      pair.delay(pair.welcome.serverDelayMs);
      pairs.set(protocol, pair);
    }
    if (pairs.size === 0) return;
    const turns = planTurns([...pairs.keys()], this.#durationMs);
    this.begin();
    for (const [index, { protocol, ms }] of turns.entries()) {
      const turn = { protocol, turn: index + 1, turns: turns.length };
      const isGoingOn = await this.#turn(/** @type {Pair} */ (pairs.get(protocol)), ms, (now) => {
        const done = Math.min(1, now / this.#durationMs);
        this.tell({ type: 'progress', done, ...turn });
      });
      if (!isGoingOn) return;
    }
    await this.#lastAnswers();
  }

  /**
   * @param {Pair} pair
   * @param {number} ms
   * @param {(now: number) => void} onProgress
   * @returns {Promise<boolean>} false when the run was stopped
   */
  async #turn(pair, ms, onProgress) {
    if (!this.pairs.includes(pair)) return this.#hasPairs;
    const startMs = this.elapsedMs;
    pair.resume();
    for (let left = ms; left > 0; left = startMs + ms - this.elapsedMs) {
      onProgress(this.elapsedMs);
      if (!(await this.wait(Math.min(left, TELL_MS)))) return false;
      this.#reportAnswers();
      if (!this.pairs.includes(pair)) return this.#hasPairs;
    }
    pair.pause();
    onProgress(this.elapsedMs);
    this.tell({ type: 'turn', protocol: pair.protocol, startMs, endMs: this.elapsedMs });
    return true;
  }

  /** True while a pair is left to measure. */
  get #hasPairs() {
    return this.pairs.length > 0 && !this.stopped;
  }

  async #lastAnswers() {
    const untilMs = this.elapsedMs + LAST_ANSWERS_MS;
    const waiting = () =>
      this.pairs.some((pair) => pair.clients.some(([, client]) => client.outstanding > 0));
    while (waiting() && this.elapsedMs < untilMs && (await this.wait(TELL_MS)))
      this.#reportAnswers();
    this.#reportAnswers();
  }

  #reportAnswers() {
    for (const { protocol, clients } of this.pairs) {
      for (const [name, client] of clients) {
        const answers = client.takeAnswers();
        for (const answer of answers) answer.sentMs = this.since(answer.sentMs);
        if (answers.length > 0) this.tell({ type: 'answers', protocol, client: name, answers });
      }
    }
    this.tell({ type: 'lateness', latenessMs: this.pacer.takeLateness() });
  }

  /** @param {Protocol} protocol @param {import('./listener.js').SoundWindow} window */
  #heard(protocol, window) {
    window.startMs = this.since(window.startMs);
    for (let i = 0; i < window.arrivalsMs.length; i++)
      window.arrivalsMs[i] = this.since(window.arrivalsMs[i]);
    this.tell({ type: 'window', protocol, window });
  }
}
