/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { Scope } from '../connection/choose.js'
 * @import { NodeAddress } from '../connection/nodes.js'
 * @import { ClientStats } from './client-stats.js'
 * @import { ClientEvents, JoinOptions, Joined, Output } from './types.js'
 */

import { systemClock } from '../../shared/clock.js';
import { configOf } from '../connection/nodes.js';
import { Backoff, DEAD_AMONG_NODES_MS, DEAD_MS, Liveness } from '../connection/reconnecting.js';
import { Client } from './client.js';
import { Gathering } from './gathering.js';
import { Handover } from './handover.js';

/**
 * @typedef {object} ReconnectingState
 * @property {'joining' | 'joined' | 'reconnecting' | 'ended'} state
 * @property {number} [since]    'reconnecting': since when, in milliseconds since 1970
 * @property {number} [nextTry] 'reconnecting': when it is tried next; in the past while it is being
 *   tried
 * @property {string} [code]     'ended': why; 'left' after leave()
 * @property {string} [message]  'ended': a sentence
 *
 * @typedef {ClientEvents & { state: (state: ReconnectingState) => void }} ReconnectingEvents
 *   `joined` comes again whenever the call has come back, `ended` only once it is over
 */

/** The codes of ends that another try doesn't mend. */
const FINAL = new Set([
  'bad-request',
  'room-name',
  'user-name',
  'protocol-version',
  'resumed-elsewhere',
  'token-missing',
  'token-invalid',
  'token-expired',
  'token-early',
  'token-endless',
  'token-foreign',
  'token-room',
  'banned',
  'removed',
  'room-locked',
  'password-missing',
  'password-wrong',
  'password-flood',
  'lobby-full',
  'turned-away',
  'room-ended',
  'forward-only',
  'e2e-only',
  'e2e-not-here',
]);

/** The events that the call tells by itself; all others are passed on. */
const OWN_EVENTS = new Set(['joined', 'ended', 'state', 'control']);

/**
 * A call that reconnects by itself: where its connection is lost, or nothing comes any more,
 * another Client takes up its place in the room. Sound goes in and out as with a Client; meanwhile
 * it is silence.
 */
export class ReconnectingClient {
  #codec;
  #clock;
  #scope;
  #primitives;
  #on;
  #declick = new Declick();
  /** The channels of the room's sound; 1 before that is known. */
  #channels = 1;
  /** @type {JoinOptions | null} */
  #wish = null;
  /** @type {Client | null} the one that is heard */
  #client = null;
  /** @type {Client | null} one that is joining */
  #attempt = null;
  /** While the client before is still heard. @type {Handover | null} */
  #handover = null;
  #token = '';
  /**
   * The origins of the cluster's nodes, the one that the call is at last; none without a cluster.
   * @type {string[]}
   */
  #nodes = [];
  #random;
  #muted = false;
  /** @type {ReconnectingState['state']} */
  #state = 'joining';
  #backoff;
  #liveness;
  #gathering;
  /** The client that was welcome last. @type {Client | null} */
  #welcomed = null;

  /** For the statistics. @type {Output} */
  #output = { waitMs: 0, gaps: 0, gapMs: 0 };

  /**
   * @param {object} options
   * @param {Codec | Promise<Codec>} options.codec
   * @param {Clock} [options.clock]
   * @param {Scope} [options.scope]
   * @param {Partial<ReconnectingEvents>} [options.on]
   * @param {() => Promise<import('../../shared/stream/sframe.js').Primitives>} [options.primitives]
   *   as Client has them
   * @param {() => number} [options.random]   0 to 1
   * @param {() => number} [options.wallNow] milliseconds since 1970; goes on while the computer
   *   sleeps
   */
  constructor({
    codec,
    clock = systemClock,
    scope = {},
    on = {},
    primitives,
    random = Math.random,
    wallNow = Date.now,
  }) {
    this.#primitives = primitives;
    this.#codec = codec;
    this.#clock = clock;
    this.#scope = scope;
    this.#on = on;
    this.#random = random;
    this.#backoff = new Backoff({
      clock,
      wallNow,
      random,
      notified: (when) => this.#become({ state: 'reconnecting', ...when }),
      run: () => this.#try(),
    });
    this.#gathering = new Gathering({ clock, tell: (told) => on.people?.(told) });
    this.#liveness = new Liveness({
      clock,
      wallNow,
      look: () => this.#look(),
      slept: () => this.wake(),
    });
  }

  /** @returns {ReconnectingState['state']} */
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
      this.#over(
        /** @type {any} */ (error).code ?? 'internal',
        /** @type {Error} */ (error).message,
      );
      throw error;
    }
  }

  #newClient() {
    /** @type {Record<string, any>} */
    const on = {
      joined: (/** @type {Joined} */ joined) => this.#adopt(client, joined),
      ended: (/** @type {{ code: string, message: string }} */ end) => this.#lost(client, end),
      control: (/** @type {Record<string, any>} */ message) => this.#heard(client, message),
    };
    for (const [name, tell] of Object.entries(this.#on)) {
      if (OWN_EVENTS.has(name)) continue;
      on[name] = (/** @type {any} */ detail) => {
        const isHeard =
          client === this.#client ||
          client === this.#attempt ||
          (name === 'sound' && client === this.#handover?.from);
        if (isHeard && name !== 'people') tell(detail);
        // The list of the next node is newer from its welcome on.
        else if (isHeard && (client === this.#welcomed || this.#attempt !== this.#welcomed))
          this.#gathering.people(detail);
      };
    }
    const client = new Client({
      codec: this.#codec,
      clock: this.#clock,
      scope: this.#scope,
      on,
      output: this.#output,
      primitives: this.#primitives,
    });
    return client;
  }

  /**
   * @param {Client} client
   * @param {Record<string, any>} message  of the server
   */
  #heard(client, message) {
    if (client !== this.#client && client !== this.#attempt) return;
    if (message.type === 'welcome') {
      this.#welcomed = client;
      this.#gathering.welcome(message.gatherMs);
    }
    // Whom a moderator has muted comes back muted.
    if (message.type === 'moderated' && message.muted === true) this.#muted = true;
    if (this.#wish && message.type === 'stage')
      Object.assign(this.#wish, { stage: message.key, listen: undefined });
    if (this.#wish && message.type === 'moderated' && message.role === 'listener')
      Object.assign(this.#wish, { stage: undefined, listen: true });
    if (message.type === 'moved' && client === this.#client)
      return this.#moved(client, message.node);
    this.#on.control?.(message);
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
    this.#heardAlone();
    // One whose connection is well is heard until this one is.
    if (this.#state === 'joined' && before?.playout && isSame(before.format, joined.format)) {
      this.#handover = new Handover(before, client, {
        clock: this.#clock,
        onOver: () => this.#heardAlone(),
      });
    } else {
      before?.abandon();
      this.#declick.jump();
    }
    this.#channels = joined.format.channels;
    this.#follow(client);
    this.#on.joined?.(joined);
    this.#joined();
  }

  /** The client before isn't heard any more. Idempotent. */
  #heardAlone() {
    if (!this.#handover) return;
    this.#handover.close();
    this.#handover = null;
    this.#declick.jump();
  }

  /** Takes over what the call needs to come back by. @param {Client} client */
  #follow(client) {
    this.#token = client.resume;
    this.#nodes = client.nodes;
    this.#liveness.deadMs = this.#nodes.length > 1 ? DEAD_AMONG_NODES_MS : DEAD_MS;
  }

  /**
   * The room is another node's from now on: the call goes there, and is heard here until it is
   * there.
   * @param {Client} client
   * @param {NodeAddress | null} node
   */
  #moved(client, node) {
    this.#follow(client);
    if (this.#attempt || this.#backoff.waiting || this.#state === 'ended') return;
    this.#try(typeof node?.url === 'string' ? node : null);
  }

  #joined() {
    this.#backoff.end();
    this.#become({ state: 'joined' });
    this.#liveness.start();
  }

  /** @param {ReconnectingState} state */
  #become(state) {
    this.#state = state.state;
    this.#on.state?.(state);
  }

  /**
   * @param {Client} client whose connection has ended
   * @param {{ code: string, message: string }} end
   */
  #lost(client, { code, message }) {
    if (client === this.#client || client === this.#handover?.from) this.#heardAlone();
    if (client !== this.#client) return;
    this.#follow(client);
    this.#client = null;
    this.#declick.jump();
    // The place may have gone over to the attempt of this very call.
    if (this.#attempt) return;
    if (FINAL.has(code)) this.#over(code, message);
    else if (!this.#backoff.waiting) this.#backoff.later(code === 'room-reopened');
  }

  /** @param {NodeAddress | null} [node]  that has the room, where it is known */
  #try(node = null) {
    const attempt = this.#newClient();
    this.#attempt = attempt;
    const wish = /** @type {JoinOptions} */ (this.#wish);
    // The server's address and its certificate's hash may have changed.
    const options = {
      ...wish,
      config: undefined,
      muted: this.#muted,
      resume: this.#client?.resume ?? this.#token,
      ...this.#place(node),
    };
    attempt.join(options).catch((error) => this.#failed(attempt, error));
  }

  /**
   * Where the call is tried: at the node that has the room, or any node that knows which one that
   * is. The one that it was at is asked last, since it may be gone.
   * @param {NodeAddress | null} node
   * @returns {Partial<JoinOptions>}
   */
  #place(node) {
    if (node) return { origin: node.url, config: configOf(node) };
    const { origin } = /** @type {JoinOptions} */ (this.#wish);
    const nodes = this.#client?.nodes ?? this.#nodes;
    if (nodes.length === 0) return {};
    const [last, ...others] = [...nodes].reverse();
    const first = Math.floor(this.#random() * others.length);
    // So that a node that is gone doesn't send all its people to the same one at first.
    const turned = [...others.slice(first), ...others.slice(0, first)];
    return { nodes: [...new Set([...turned, last, origin])] };
  }

  /**
   * @param {Client} attempt
   * @param {{ code?: string, message: string }} error
   */
  #failed(attempt, { code = 'internal', message }) {
    if (attempt !== this.#attempt) return;
    this.#attempt = null;
    if (FINAL.has(code)) this.#over(code, message);
    else if (this.#client && !this.#liveness.isDead(this.#client.heardMs)) this.#joined();
    else this.#backoff.later();
  }

  #look() {
    if (!this.#client || this.#attempt) return;
    const isDead = this.#liveness.isDead(this.#client.heardMs);
    if (isDead && !this.#backoff.waiting) {
      this.#backoff.now();
    } else if (!isDead && this.#state === 'reconnecting') {
      // It has come back before another had to take its place.
      this.#joined();
    }
  }

  /** Tries now what can be tried: the network, the computer or the page may have come back. */
  wake() {
    if (this.#state !== 'joined' && this.#state !== 'reconnecting') return;
    this.#liveness.woke();
    if (this.#state === 'joined') return;
    this.#backoff.hurry();
    // One that hasn't got as far as asking to join may wait for a network that is gone.
    if (this.#attempt?.hasAsked) return;
    this.#attempt?.close();
    this.#backoff.now();
  }

  /**
   * @param {string} code
   * @param {string} message
   */
  #over(code, message) {
    this.#gathering.close();
    if (this.#state === 'ended') return;
    const wasJoined = this.#state !== 'joining';
    this.#backoff.end();
    this.#liveness.stop();
    this.#heardAlone();
    this.#become({ state: 'ended', code, message });
    this.#declick.jump();
    if (wasJoined && code !== 'left') this.#on.ended?.({ code, message });
  }

  /** Where captured sound goes: while the client's clock isn't known yet, to the one before. */
  get #uplink() {
    return this.#client?.uplink ?? this.#handover?.from.uplink ?? null;
  }

  /**
   * Takes captured sound, or drops it while there is no connection.
   * @param {Float32Array} samples as Uplink.capture has them
   * @param {number} [count] of them
   * @param {number} [rate] in Hz; the room's by default
   */
  capture(samples, count = samples.length / this.#channels, rate) {
    this.#uplink?.capture(samples, count, this.#clock.now(), rate);
  }

  /** Captured sound is another device's from here on, or comes after a gap. */
  captureAnew() {
    this.#uplink?.captureAnew();
  }

  /**
   * Whether captured sound goes anywhere: not while there is no connection, or its clock isn't
   * known.
   */
  get speaks() {
    return this.#uplink !== null;
  }

  /** The captured samples that complete the next frame; any number while there is no connection. */
  get samplesToFrame() {
    return this.#uplink?.missing ?? 960;
  }

  /**
   * Notes how the output takes what pull() gives.
   * @param {number} waitMs  the wait for the sound card of a piece that is pulled just in time
   * @param {number} gaps    times when the sound card found nothing
   * @param {number} gapMs   the length of those gaps in all
   */
  observeOutput(waitMs, gaps, gapMs) {
    this.#output.waitMs = waitMs;
    this.#output.gaps = gaps;
    this.#output.gapMs = gapMs;
  }

  /** Whether the next piece of sound has come, so that pull() would make up nothing. */
  get ready() {
    return (this.#handover?.from ?? this.#client)?.playout?.ready ?? false;
  }

  /**
   * As Playout.look has it.
   * @param {number} waitMs
   * @param {number} aheadMs
   */
  look(waitMs, aheadMs) {
    if (this.#handover) this.#handover.look(waitMs, aheadMs);
    else this.#client?.playout?.look(this.#clock.now(), waitMs, aheadMs);
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
    const count = this.#handover
      ? this.#handover.pull(out, waitMs, aheadMs)
      : playout
        ? playout.pull(out, this.#clock.now(), waitMs, aheadMs)
        : out.fill(0).length / this.#channels;
    this.#declick.smooth(out, count, this.#channels);
    return count;
  }

  /** @param {Float32Array} out filled with sound, or silence */
  render(out) {
    if (this.#handover) this.#handover.render(out);
    else if (this.#client) this.#client.render(out);
    else out.fill(0);
    this.#declick.smooth(out, out.length / this.#channels, this.#channels);
  }

  /** @param {boolean} muted whether this participant isn't heard; kept when the call comes back */
  mute(muted) {
    this.#muted = muted;
    for (const client of [this.#client, this.#attempt, this.#handover?.from]) client?.mute(muted);
  }

  /**
   * @param {boolean} suppresses whether silence is left out, where the server allows it; kept as
   *   well
   */
  suppressSilence(suppresses) {
    if (this.#wish) this.#wish.silenceSuppression = suppresses;
    this.#client?.suppressSilence(suppresses);
    this.#attempt?.suppressSilence(suppresses);
  }

  /**
   * @param {import('../../shared/nearness.js').Nearness} nearness as Client has it; kept as well
   */
  setNearness(nearness) {
    if (this.#wish) this.#wish.nearness = nearness;
    this.#client?.setNearness(nearness);
    this.#attempt?.setNearness(nearness);
  }

  /** @param {object} message a control message; lost while there is no connection */
  sendControl(message) {
    this.#client?.sendControl(message);
  }

  /** @returns {ClientStats | null} null while there is no connection */
  stats() {
    return this.#client?.stats() ?? null;
  }

  /**
   * Leaves the room. Idempotent.
   * @param {boolean} [keepsPlace] whether the place is kept for a while, for another client to take
   *   it up
   */
  leave(keepsPlace = false) {
    this.#over('left', '');
    for (const client of [this.#client, this.#attempt]) {
      if (keepsPlace) client?.abandon();
      else client?.leave();
    }
    this.#client = null;
    this.#attempt = null;
  }
}

/** @param {Client['format']} one @param {Client['format']} other */
const isSame = (one, other) =>
  one?.sampleRate === other?.sampleRate &&
  one?.channels === other?.channels &&
  one?.frameSamples === other?.frameSamples;

/** Length of the fade over a jump, in samples: 5 ms at 48 kHz. */
const RAMP_SAMPLES = 240;

/** Fades the step away where sound changes from one source to another, or to silence. */
export class Declick {
  /** The last sample, and the step away from it, of each of two channels. */
  #last = new Float32Array(2);
  #step = new Float32Array(2);
  #left = 0;
  #jumps = false;

  /** The samples that come next are of another source. */
  jump() {
    this.#jumps = true;
  }

  /**
   * @param {Float32Array} samples the next ones, interleaved where it is stereo; changed in place
   * @param {number} count of them, those of both channels at once
   * @param {number} [channels]
   */
  smooth(samples, count, channels = 1) {
    if (count === 0) return;
    if (this.#jumps) {
      this.#jumps = false;
      for (let c = 0; c < channels; c++) this.#step[c] = this.#last[c] - samples[c];
      this.#left = RAMP_SAMPLES;
    }
    for (let i = 0; i < count && this.#left > 0; i++) {
      for (let c = 0; c < channels; c++)
        samples[i * channels + c] += (this.#step[c] * this.#left) / RAMP_SAMPLES;
      this.#left -= 1;
    }
    for (let c = 0; c < channels; c++) this.#last[c] = samples[(count - 1) * channels + c];
  }
}
