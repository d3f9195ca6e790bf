/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { Codec } from '../../shared/codec.js'
 * @import { Scope } from '../connection/choose.js'
 * @import { ClientStats } from './client-stats.js'
 * @import { ClientEvents, Joined, JoinOptions, Output } from './client-types.js'
 *
 * @typedef {object} LastingState
 * @property {'joining' | 'joined' | 'reconnecting' | 'ended'} state
 * @property {number} [since]    'reconnecting': since when, in milliseconds since 1970
 * @property {number} [nextTry]  'reconnecting': when it is tried next; in the past while it is being tried
 * @property {string} [code]     'ended': why; 'left' after leave()
 * @property {string} [message]  'ended': a sentence
 *
 * @typedef {ClientEvents & { state: (state: LastingState) => void }} LastingEvents
 *   `joined` comes again whenever the call has come back, `ended` only once it is over
 */

import { systemClock } from '../../shared/clock.js';
import { Client } from './client.js';
import { Declick } from '../playout/declick.js';
import { Pulse } from '../connection/pulse.js';
import { Retries } from '../connection/retries.js';

/** What trying again doesn't mend. */
const FINAL = new Set(['bad-request', 'room-name', 'user-name', 'protocol-version', 'resumed-elsewhere']);

/** What the call tells by itself; all else is passed on. */
const OWN_EVENTS = new Set(['joined', 'ended', 'state']);

/**
 * A call that comes back by itself: where its connection is lost, or nothing comes any more, another
 * Client takes up its place in the room. Sound goes in and out as with a Client, and is silence in
 * the meantime.
 */
export class LastingCall {
  #codec;
  #clock;
  #scope;
  #on;
  #declick = new Declick();
  /** Of the room's sound; mono before it is known. */
  #channels = 1;
  /** @type {JoinOptions | null} */
  #wish = null;
  /** @type {Client | null} the one that is heard */
  #client = null;
  /** @type {Client | null} one that is joining */
  #attempt = null;
  #token = '';
  #muted = false;
  /** @type {LastingState['state']} */
  #state = 'joining';
  #retries;
  #pulse;

  /** Filled by who takes what pull() gives, for the statistics. @type {Output} */
  output = { waitMs: 0, gaps: 0, gapMs: 0 };

  /**
   * @param {object} options
   * @param {Codec | Promise<Codec>} options.codec
   * @param {Clock} [options.clock]
   * @param {Scope} [options.scope]
   * @param {Partial<LastingEvents>} [options.on]
   * @param {() => number} [options.random]   0 to 1
   * @param {() => number} [options.wallNow]  milliseconds since 1970; goes on while the computer sleeps
   */
  constructor({ codec, clock = systemClock, scope = {}, on = {}, random = Math.random, wallNow = Date.now }) {
    this.#codec = codec;
    this.#clock = clock;
    this.#scope = scope;
    this.#on = on;
    this.#retries = new Retries({
      clock,
      wallNow,
      random,
      told: (when) => this.#become({ state: 'reconnecting', ...when }),
      run: () => this.#try(),
    });
    this.#pulse = new Pulse({ clock, wallNow, look: () => this.#look(), slept: () => this.wake() });
  }

  /** @returns {LastingState['state']} */
  get state() {
    return this.#state;
  }

  /** The room's audio format; null while there is no connection. */
  get format() {
    return this.#client?.format ?? null;
  }

  /**
   * Joins. Once only.
   * @param {JoinOptions} options
   * @returns {Promise<Joined>} rejects with a ConnectionError; the call is over then
   */
  async join(options) {
    this.#wish = { ...options };
    this.#muted = options.muted ?? false;
    this.#on.state?.({ state: 'joining' });
    const client = this.#newClient();
    this.#attempt = client;
    try {
      return await client.join({ ...options, muted: this.#muted });
    } catch (error) {
      this.#over(/** @type {any} */ (error).code ?? 'internal', /** @type {Error} */ (error).message);
      throw error;
    }
  }

  #newClient() {
    /** @type {Record<string, any>} */
    const on = {
      joined: (/** @type {Joined} */ joined) => this.#adopt(client, joined),
      ended: (/** @type {{ code: string, message: string }} */ end) => this.#lost(client, end),
    };
    for (const [name, tell] of Object.entries(this.#on)) {
      if (OWN_EVENTS.has(name)) continue;
      on[name] = (/** @type {any} */ detail) => {
        if (client === this.#client || client === this.#attempt) tell(detail);
      };
    }
    const client = new Client({ codec: this.#codec, clock: this.#clock, scope: this.#scope, on });
    return client;
  }

  /**
   * @param {Client} client that has joined
   * @param {Joined} joined
   */
  #adopt(client, joined) {
    if (client !== this.#attempt) return;
    const before = this.#client;
    this.#client = client;
    this.#attempt = null;
    before?.abandon();
    this.#declick.jump();
    this.#channels = joined.format.channels;
    this.#token = joined.resume;
    client.output = this.output;
    this.#on.joined?.(joined);
    this.#joined();
  }

  #joined() {
    this.#retries.end();
    this.#become({ state: 'joined' });
    this.#pulse.start();
  }

  /** @param {LastingState} state */
  #become(state) {
    this.#state = state.state;
    this.#on.state?.(state);
  }

  /**
   * @param {Client} client whose connection has ended
   * @param {{ code: string, message: string }} end
   */
  #lost(client, { code, message }) {
    if (client !== this.#client) return;
    this.#client = null;
    this.#declick.jump();
    // The place may have gone over to the attempt of this very call.
    if (this.#attempt) return;
    if (FINAL.has(code)) this.#over(code, message);
    else if (!this.#retries.waiting) this.#retries.later();
  }

  #try() {
    const attempt = this.#newClient();
    this.#attempt = attempt;
    const wish = /** @type {JoinOptions} */ (this.#wish);
    // Where the server is, and its certificate's hash, may have changed.
    const options = { ...wish, config: undefined, muted: this.#muted, resume: this.#token };
    attempt.join(options).catch((error) => this.#failed(attempt, error));
  }

  /**
   * @param {Client} attempt
   * @param {{ code?: string, message: string }} error
   */
  #failed(attempt, { code = 'internal', message }) {
    if (attempt !== this.#attempt) return;
    this.#attempt = null;
    if (FINAL.has(code)) this.#over(code, message);
    else if (this.#client && !this.#pulse.isDead(this.#client.heardMs)) this.#joined();
    else this.#retries.later();
  }

  #look() {
    if (!this.#client || this.#attempt) return;
    const isDead = this.#pulse.isDead(this.#client.heardMs);
    if (isDead && !this.#retries.waiting) {
      this.#retries.now();
    } else if (!isDead && this.#state === 'reconnecting') {
      // It has come back before another had to take its place.
      this.#joined();
    }
  }

  /** To be called when the network, the computer or the page may have come back: what can be tried is tried now. */
  wake() {
    if (this.#state !== 'joined' && this.#state !== 'reconnecting') return;
    this.#pulse.woke();
    if (this.#state === 'joined') return;
    this.#retries.hurry();
    // One that hasn't got as far as asking to join may wait for a network that is gone.
    if (this.#attempt?.hasAsked) return;
    this.#attempt?.close();
    this.#retries.now();
  }

  /**
   * @param {string} code
   * @param {string} message
   */
  #over(code, message) {
    if (this.#state === 'ended') return;
    const wasJoined = this.#state !== 'joining';
    this.#retries.end();
    this.#pulse.stop();
    this.#become({ state: 'ended', code, message });
    this.#declick.jump();
    if (wasJoined && code !== 'left') this.#on.ended?.({ code, message });
  }

  /**
   * @param {Float32Array} samples as Client.capture has them
   * @param {number} [count] of them
   */
  capture(samples, count = samples.length / this.#channels) {
    this.#client?.capture(samples, count);
  }

  /** What is captured from here on is another device's, or comes after a gap. */
  captureAnew() {
    this.#client?.captureAnew();
  }

  /** How many more samples complete the next frame; a frame while there is no connection. */
  get samplesToFrame() {
    return this.#client?.samplesToFrame ?? 960;
  }

  /** Whether the next piece of sound has come, so that pull() would make up nothing. */
  get ready() {
    return this.#client?.playout?.ready ?? false;
  }

  /**
   * As Playout.look has it.
   * @param {number} waitMs
   * @param {number} aheadMs
   */
  look(waitMs, aheadMs) {
    this.#client?.playout?.look(this.#clock.now(), waitMs, aheadMs);
  }

  /**
   * Gives the next piece of sound, or silence.
   * @param {Float32Array} out as Playout.pull has it
   * @param {number} [waitMs]
   * @param {number} [aheadMs]
   * @returns {number} how many samples it is
   */
  pull(out, waitMs, aheadMs) {
    const playout = this.#client?.playout;
    const count = playout ? playout.pull(out, this.#clock.now(), waitMs, aheadMs) : out.fill(0).length / this.#channels;
    this.#declick.smooth(out, count, this.#channels);
    return count;
  }

  /** @param {Float32Array} out filled with sound, or silence */
  render(out) {
    if (this.#client) this.#client.render(out);
    else out.fill(0);
    this.#declick.smooth(out, out.length / this.#channels, this.#channels);
  }

  /** @param {boolean} muted whether this participant isn't heard; kept when the call comes back */
  mute(muted) {
    this.#muted = muted;
    this.#client?.mute(muted);
    this.#attempt?.mute(muted);
  }

  /** @param {boolean} suppresses whether silence is left out, where the server allows it; kept as well */
  suppressSilence(suppresses) {
    if (this.#wish) this.#wish.silenceSuppression = suppresses;
    this.#client?.suppressSilence(suppresses);
    this.#attempt?.suppressSilence(suppresses);
  }

  /** @param {object} message a control message; lost while there is no connection */
  sendControl(message) {
    this.#client?.sendControl(message);
  }

  /** @returns {ClientStats | null} null while there is no connection */
  stats() {
    return this.#client?.stats() ?? null;
  }

  /** Leaves the room. Idempotent. */
  leave() {
    this.#over('left', '');
    this.#client?.leave();
    this.#attempt?.leave();
    this.#client = null;
    this.#attempt = null;
  }
}
