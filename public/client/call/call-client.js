/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { Primitives } from '../../shared/stream/sframe.js'
 * @import { Scope } from '../connection/choose.js'
 * @import { MessageReaders } from '../connection/connection.js'
 * @import { NodeAddress } from '../connection/nodes.js'
 * @import { ClientStats } from './call-stats.js'
 * @import { CallView, ClientOptions, Joined, LiveOptions, Output, RoomView } from './types.js'
 * @import { Address } from './call-session.js'
 * @import { ClientMessage } from '../../shared/messages/client-messages.js'
 * @import { ServerMessage, ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { ServerMessageType } from '../../shared/messages/server-messages.js'
 */

import { systemClock } from '../../shared/clock.js';
import { readMessage } from '../connection/connection.js';
import { configOf, isAddress } from '../connection/nodes.js';
import { Backoff, DEAD_AMONG_NODES_MS, DEAD_MS, Liveness } from '../connection/reconnecting.js';
import { CallSession } from './call-session.js';
import { NO_CALL } from './call-view.js';
import { Changeover, Declick } from './changeover.js';
import { Gathering } from './gathering.js';
import { Store } from './store.js';

/**
 * The states of a call, with the next states of each. `away`: the connection is lost, and the call
 * tries to reconnect.
 * @type {Readonly<Record<CallView['state'], readonly CallView['state'][]>>}
 */
const NEXT = Object.freeze({
  idle: ['connecting', 'ended'],
  connecting: ['joined', 'ended'],
  joined: ['away', 'ended'],
  away: ['away', 'joined', 'ended'],
  ended: [],
});

/** Codes of ends that a retry can't fix. */
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

const isOwn = () => true;

/** Messages for the client alone. @type {MessageReaders<boolean>} */
const OWN_MESSAGES = Object.freeze({
  resume: isOwn,
  moved: isOwn,
  stats: isOwn,
  delay: isOwn,
  stride: isOwn,
  joined: isOwn,
  changed: isOwn,
  left: isOwn,
  people: isOwn,
  listeners: isOwn,
  qualities: isOwn,
  closing: isOwn,
});

/**
 * @typedef {object} CallClientEvents  all are optional
 * @property {(message: ServerMessage) => void} message  any message that the client itself doesn't
 *   need alone
 * @property {(code: string) => void} notice the call goes on, but: 'e2e-key', others have another
 *   key
 * @property {() => void} sound  a packet of sound has come
 * @property {(id: string, pcm: Float32Array) => void} voice  receives each decoded piece of a
 *   person's voice, where voices come separately; valid during the call
 */

/**
 * A participant's call without microphone, speaker or page: the same in a browser's worker and in
 * Node.js. Sound goes in by capture() and comes out by render() or pull(). When the connection is
 * lost or silent, another session resumes the place in the room; until then the call plays silence.
 *
 *     const call = new CallClient({ codec: createLibopusCodec(await createLibopus()) });
 *     await call.join({ origin: 'http://localhost:8080', join: { room: 'tea', name: 'Ada' } });
 *     setInterval(() => { call.capture(nextSamples()); call.render(out); }, 20);
 *     call.leave();
 */
export class CallClient {
  /** The call's present state; views subscribe to it. @type {Store<CallView>} */
  store = new Store(NO_CALL);
  #clock;
  #on;
  #random;
  #reconnects;
  #parts;
  #declick = new Declick();
  /** The channels of the room's sound; 1 before that is known. */
  #channels = 1;
  /** The latest options: shared with the sessions. @type {ClientOptions} */
  #options = { origin: '', join: { room: '', name: '' } };
  /** The session that is heard. @type {CallSession | null} */
  #session = null;
  /** One that is joining. @type {CallSession | null} */
  #attempt = null;
  /** Set while the previous session is still heard. @type {Changeover | null} */
  #changeover = null;
  /** The session with the last welcome: its state of the room is the newest. */
  #newest = /** @type {CallSession | null} */ (null);
  /** The token and the nodes with which a lost session's place is found again. */
  #place = { token: '', nodes: /** @type {string[]} */ ([]) };
  /** Registers the listeners of on() with a session. @type {((session: CallSession) => void)[]} */
  #listeners = [];
  #backoff;
  #liveness;
  #gathering;
  /** For the statistics. @type {Output} */
  #output = { waitMs: 0, gaps: 0, gapMs: 0 };

  /**
   * @param {object} options
   * @param {Codec | Promise<Codec>} options.codec  waited for in join()
   * @param {Clock} [options.clock]
   * @param {Scope} [options.scope] WebTransport, WebSocket, fetch: those of the global object by
   *   default
   * @param {Partial<CallClientEvents>} [options.on]
   * @param {() => Promise<Primitives>} [options.primitives] for end-to-end encryption, asked when a
   *   call has a key
   * @param {boolean} [options.reconnects]  false: the call ends with its connection
   * @param {() => number} [options.random]   0 to 1
   * @param {() => number} [options.wallNow] milliseconds since 1970; goes on while the computer
   *   sleeps
   * @param {Output} [options.output]  as observeOutput() fills it
   * @param {() => number} [options.capturedTo]  of a call that captures each piece of sound before
   *   this one: both then have the same place on the room's clock
   */
  constructor({
    codec,
    clock = systemClock,
    scope = {},
    on = {},
    primitives,
    reconnects = true,
    random = Math.random,
    wallNow = Date.now,
    output,
    capturedTo,
  }) {
    if (output) this.#output = output;
    this.#clock = clock;
    this.#on = on;
    this.#random = random;
    this.#reconnects = reconnects;
    const { voice } = on;
    this.#parts = { codec, clock, scope, primitives, output: this.#output, voice, capturedTo };
    this.#backoff = new Backoff({
      clock,
      wallNow,
      random,
      notified: (away) => this.#setState('away', { away }),
      run: () => this.#try(),
    });
    // A participant returns with the role that a moderator has given.
    this.on('stage', ({ key }) => this.#rejoinAs({ stage: key, listen: undefined }));
    this.on('moderated', (message) => {
      if (message.action === 'role' && message.role === 'listener')
        this.#rejoinAs({ stage: undefined, listen: true });
    });
    this.#gathering = new Gathering({ clock, onChange: (list) => this.store.set(list) });
    this.#liveness = new Liveness({
      clock,
      wallNow,
      check: () => this.#check(),
      slept: () => this.wake(),
    });
  }

  get state() {
    return this.store.value.state;
  }

  /** The room's audio format; null without a connection. */
  get format() {
    return this.#session?.format ?? null;
  }

  /**
   * Calls `run` for each message of a type, before the store has its changes.
   * @template {ServerMessageType} T
   * @param {T} type
   * @param {(message: ServerMessages[T]) => void} run
   */
  on(type, run) {
    this.#listeners.push((session) =>
      session.state.on(type, (message) => this.#isHeard(session) && run(message)),
    );
  }

  /** @param {Partial<ClientOptions['join']>} changes */
  #rejoinAs(changes) {
    Object.assign(this.#options.join, changes);
  }

  /** @param {CallSession} session true for the heard session and the joining one */
  #isHeard(session) {
    return session === this.#session || session === this.#attempt;
  }

  /**
   * @param {CallView['state']} state a possible next one; otherwise nothing happens
   * @param {Partial<CallView>} [details]
   */
  #setState(state, details) {
    if (NEXT[this.state].includes(state)) this.store.set({ away: null, ...details, state });
  }

  /**
   * Joins. Call it once.
   * @param {ClientOptions} options
   * @returns {Promise<Joined>} rejects with a ConnectionError; the call is over then. Rejects with
   *   a TypeError when the call has joined before, or has ended, which changes nothing
   */
  async join(options) {
    if (this.state !== 'idle')
      throw new TypeError(`this call is ${this.state}: make a new one to join again`);
    this.#options = { ...options, join: { ...options.join } };
    this.#setState('connecting');
    this.#attempt = this.#newSession();
    try {
      return await this.#attempt.join(options, options.join.resume);
    } catch (error) {
      const { code = 'internal', message } = /** @type {Error & { code?: string }} */ (error);
      this.#end(code, message);
      throw error;
    }
  }

  #newSession() {
    const isHeard = () => this.#isHeard(session);
    const isNewest = () => session === this.#newest || this.#attempt !== this.#newest;
    /** @param {Partial<CallView>} changes */
    const set = (changes) => void (isHeard() && this.store.set(changes));
    const session = new CallSession(this.#parts, this.#options, {
      message: (message) => {
        if (isHeard() && !readMessage(message, OWN_MESSAGES)) this.#on.message?.(message);
      },
      changed: (changes) => void (isHeard() && isNewest() && this.#show(changes)),
      transport: (transport) => set({ transport }),
      joined: (joined) => this.#adopt(session, joined),
      sound: () => {
        if (isHeard() || session === this.#changeover?.from) this.#on.sound?.();
      },
      speakers: (speakers) => set({ speakers }),
      stats: (stats) => set({ stats }),
      notice: (code) => void (isHeard() && this.#on.notice?.(code)),
      ended: (end) => this.#lost(session, end),
    });
    session.state.on('welcome', ({ gatherMs }) => {
      if (!isHeard()) return;
      this.#newest = session;
      this.#gathering.welcome(gatherMs);
    });
    session.state.on('moved', ({ node }) => session === this.#session && this.#move(session, node));
    for (const listen of this.#listeners) listen(session);
    return session;
  }

  /** @param {Partial<RoomView>} changes */
  #show(changes) {
    const { people, you, listeners, ...others } = changes;
    const list =
      people && you !== undefined && listeners !== undefined
        ? this.#gathering.gathered({ people, you, listeners })
        : {};
    this.store.set({ ...others, ...list });
  }

  /**
   * @param {CallSession} session that has joined
   * @param {Joined} joined
   */
  #adopt(session, joined) {
    if (session !== this.#attempt) return;
    const before = this.#session;
    this.#session = session;
    this.#attempt = null;
    this.#endChangeover();
    // A session with a working connection is heard until this one is.
    if (this.state === 'joined' && before?.playout && isSame(before.format, joined.format)) {
      this.#changeover = new Changeover(before, session, {
        clock: this.#clock,
        onOver: () => this.#endChangeover(),
      });
    } else {
      before?.leave(true);
      this.#declick.jump();
    }
    this.#channels = joined.format.channels;
    this.#keepPlace(session);
    this.store.set({ joined });
    this.#joined();
  }

  /** Ends the previous session. Idempotent. */
  #endChangeover() {
    if (!this.#changeover) return;
    this.#changeover.close();
    this.#changeover = null;
    this.#declick.jump();
  }

  /** @param {CallSession} session */
  #keepPlace({ state: { token = '', nodes } }) {
    this.#place = { token, nodes };
    this.#liveness.deadMs = nodes.length > 1 ? DEAD_AMONG_NODES_MS : DEAD_MS;
  }

  /**
   * Moves the call to the room's new node. The present session is heard until the next one is.
   * @param {CallSession} session
   * @param {NodeAddress | null} node
   */
  #move(session, node) {
    this.#keepPlace(session);
    if (!this.#reconnects || this.#attempt || this.#backoff.waiting || this.state === 'ended')
      return;
    this.#try(isAddress(node) ? node : null);
  }

  #joined() {
    this.#backoff.end();
    this.#setState('joined');
    // A subscriber may have left the call.
    if (this.#reconnects && this.state === 'joined') this.#liveness.start();
  }

  /**
   * @param {CallSession} session its connection has ended
   * @param {{ code: string, message: string }} end
   */
  #lost(session, { code, message }) {
    if (session === this.#session || session === this.#changeover?.from) this.#endChangeover();
    if (session !== this.#session) return;
    this.#keepPlace(session);
    this.#session = null;
    this.#declick.jump();
    this.store.set({ speakers: [] });
    // This very attempt may have taken over the place.
    if (this.#attempt) return;
    if (FINAL.has(code) || !this.#reconnects) this.#end(code, message);
    else if (!this.#backoff.waiting) this.#backoff.later(code === 'room-reopened');
  }

  /** @param {NodeAddress | null} [node]  that has the room, when it is known */
  #try(node = null) {
    const attempt = this.#newSession();
    this.#attempt = attempt;
    const token = this.#session?.state.token ?? this.#place.token;
    attempt.join(this.#address(node), token).catch((error) => this.#failed(attempt, error));
  }

  /**
   * Lists where to reconnect: the node that has the room, or any node, because each knows it. The
   * previous node comes last, because it may be gone.
   * @param {NodeAddress | null} node
   * @returns {Address}
   */
  #address(node) {
    if (node) return { origin: node.url, config: configOf(node) };
    const { origin } = this.#options;
    const nodes = this.#session?.state.nodes ?? this.#place.nodes;
    if (nodes.length === 0) return { origin, nodes: this.#options.nodes };
    const [last, ...others] = [...nodes].reverse();
    const first = Math.floor(this.#random() * others.length);
    // Spreads the people of a lost node over the others.
    const turned = [...others.slice(first), ...others.slice(0, first)];
    return { origin, nodes: [...new Set([...turned, last, origin])] };
  }

  /**
   * @param {CallSession} attempt
   * @param {{ code?: string, message: string }} error
   */
  #failed(attempt, { code = 'internal', message }) {
    if (attempt !== this.#attempt) return;
    this.#attempt = null;
    // Its view of the room is outdated.
    if (this.#session) {
      this.#newest = this.#session;
      this.#show(this.#session.state.view);
    }
    if (FINAL.has(code)) this.#end(code, message);
    else if (this.#session && !this.#liveness.isDead(this.#session.heardMs)) this.#joined();
    else this.#backoff.later();
  }

  #check() {
    if (!this.#session || this.#attempt) return;
    const isDead = this.#liveness.isDead(this.#session.heardMs);
    if (isDead && !this.#backoff.waiting) {
      this.#backoff.now();
    } else if (!isDead && this.state === 'away') {
      // The session recovered before another one replaced it.
      this.#joined();
    }
  }

  /** Retries at once: the network, the computer or the page may be back. */
  wake() {
    if (this.state !== 'joined' && this.state !== 'away') return;
    this.#liveness.noteWake();
    if (this.state === 'joined') return;
    this.#backoff.hurry();
    // An attempt that hasn't asked to join yet may wait for a lost network.
    if (this.#attempt?.hasAsked) return;
    this.#attempt?.close();
    this.#backoff.now();
  }

  /**
   * @param {string} code
   * @param {string} message
   */
  #end(code, message) {
    this.#gathering.close();
    this.#backoff.end();
    this.#liveness.stop();
    this.#endChangeover();
    for (const session of [this.#session, this.#attempt]) session?.close();
    this.#session = this.#attempt = null;
    this.#declick.jump();
    this.#setState('ended', { end: { code, message } });
  }

  /** The receiver of captured sound: the previous session until the new one knows the clock. */
  get #uplink() {
    return this.#session?.uplink ?? this.#changeover?.from.uplink ?? null;
  }

  /**
   * Accepts captured sound, or drops it without a connection.
   * @param {Float32Array} samples as Uplink.capture has them
   * @param {number} [count] samples of both channels at once
   * @param {number} [rate] in Hz; the room's by default
   * @param {number} [burst] samples that the sound card gives at once, if they were counted
   */
  capture(samples, count = samples.length / this.#channels, rate, burst) {
    this.#uplink?.capture(samples, count, this.#clock.now(), rate, burst);
  }

  /** Notes that captured sound continues from another device, or after a gap. */
  restartCapture() {
    this.#uplink?.restartCapture();
  }

  /** True while captured sound is used: connected, with a known clock. */
  get speaks() {
    return this.#uplink !== null;
  }

  /** The next captured sample on the room's clock; NaN while sound has no place there. */
  get capturedTo() {
    return this.#uplink?.capturedTo ?? NaN;
  }

  /** Number of captured samples that complete the next frame; any number without a connection. */
  get samplesToFrame() {
    return this.#uplink?.missing ?? 960;
  }

  /**
   * Records how the output consumes the sound of pull().
   * @param {number} waitMs wait for the sound card of a piece that is pulled just in time
   * @param {number} gaps    times when the sound card found nothing
   * @param {number} gapMs length of those gaps in total
   */
  observeOutput(waitMs, gaps, gapMs) {
    this.#output.waitMs = waitMs;
    this.#output.gaps = gaps;
    this.#output.gapMs = gapMs;
  }

  /** True when the next piece of sound has come, so that pull() conceals nothing. */
  get ready() {
    return (this.#changeover?.from ?? this.#session)?.playout?.ready ?? false;
  }

  /**
   * As Playout.look has it.
   * @param {number} waitMs
   * @param {number} aheadMs
   */
  look(waitMs, aheadMs) {
    if (this.#changeover) this.#changeover.look(waitMs, aheadMs);
    else this.#session?.playout?.look(this.#clock.now(), waitMs, aheadMs);
  }

  /**
   * Returns the next piece of sound, or silence.
   * @param {Float32Array} out as Playout.pull has it
   * @param {number} [waitMs]
   * @param {number} [aheadMs]
   * @returns {number} its samples, of both channels at once
   */
  pull(out, waitMs, aheadMs) {
    const playout = this.#session?.playout;
    const count = this.#changeover
      ? this.#changeover.pull(out, waitMs, aheadMs)
      : playout
        ? playout.pull(out, this.#clock.now(), waitMs, aheadMs)
        : out.fill(0).length / this.#channels;
    this.#declick.smooth(out, count, this.#channels);
    return count;
  }

  /** @param {Float32Array} out filled with sound, or silence */
  render(out) {
    if (this.#changeover) this.#changeover.render(out);
    else if (this.#session) this.#session.render(out);
    else out.fill(0);
    this.#declick.smooth(out, out.length / this.#channels, this.#channels);
  }

  /**
   * Changes options that can change during a call: at once, and for its later sessions.
   * @param {LiveOptions} changes
   */
  change(changes) {
    const { nearness, ...others } = changes;
    Object.assign(this.#options, others);
    if (nearness) this.#options.join.nearness = nearness;
    for (const session of [this.#session, this.#attempt, this.#changeover?.from])
      session?.follow(changes);
  }

  /** @param {ClientMessage} message lost without a connection */
  sendControl(message) {
    this.#session?.sendControl(message);
  }

  /** @returns {ClientStats | null} null without a connection */
  stats() {
    return this.#session?.stats() ?? null;
  }

  /**
   * Leaves the room. Idempotent.
   * @param {boolean} [keepsPlace] true keeps the place for a while, for another client to resume
   */
  leave(keepsPlace = false) {
    const sessions = [this.#session, this.#attempt];
    this.#session = this.#attempt = null;
    this.#end('left', '');
    for (const session of sessions) session?.leave(keepsPlace);
  }
}

/** @param {CallSession['format']} one @param {CallSession['format']} other */
const isSame = (one, other) =>
  one?.sampleRate === other?.sampleRate &&
  one?.channels === other?.channels &&
  one?.frameSamples === other?.frameSamples;
