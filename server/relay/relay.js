/**
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { NodeAddress, RelayAnswer, RelayDown, RelayLink } from '../bus/messages.js'
 * @import { Log } from '../log.js'
 * @import { Session } from '../session/session.js'
 * @import { Traffic } from '../source/receiver-stats.js'
 * @import { RateCounts } from '../broadcast/layers.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { Wire } from './home.js'
 *
 * @typedef {object} RelayNode  this node, as its relays share it
 * @property {Wire} wire
 * @property {string} id
 * @property {number} sampleRate  of all rooms of the cluster, in Hz
 * @property {() => { traffic: Traffic, rates: RateCounts }} totals  its counters
 * @property {Clock} clock
 * @property {Pick<Log, 'error'>} log
 */

import { errors } from '../../public/shared/errors.js';
import { ALIVE_MS } from '../bus/bus.js';
import { CLUSTER_VERSION, clockAnswer, MAX_RELAY_IDS } from '../bus/messages.js';
import { stackOf } from '../log.js';
import { guardedClock, repeat } from '../timers.js';
import { prepareControl } from '../session/session.js';
import { HomeClock } from './home-clock.js';
import { MixMessage, readMix, RelayOutbox } from './messages.js';
import { AGAIN_MS, GIVE_UP_MS, InOrder, SentMessages } from './reliable-link.js';
import { RelayedMix } from './relayed-mix.js';
import { RelayedListener } from './relayed-listener.js';

/**
 * Interval between requests for the owner's clock, in milliseconds; the first few follow quickly.
 */
const CLOCK_MS = 400;
const FIRST_CLOCKS = 4;
const FIRST_CLOCK_MS = 50;

/** Timeout for the owner's answer, in milliseconds. */
const ANSWER_MS = 300;

/** Interval between checks that the owner still sends, in milliseconds. */
const LOOK_MS = 100;

/** Time between two checks from which this process has stood still, in milliseconds. */
const STALL_MS = 500;

/** Number of rounds, one a second, in which all sessions are reported to the owner as present. */
const TURNS = 5;

/** Receives every parsed message; nothing of it is kept after the call. */
const mix = new MixMessage();

/**
 * Relays a room of another node to listeners here. The owner's mix goes to all of them, grouped as
 * there, and messages between them and the room pass through. A relay has no sound or state of its
 * own. When one of its timers throws, it ends, and its listeners connect again.
 */
export class Relay {
  #home;
  #wire;
  #clock;
  #log;
  #onEnd;
  #homeClock;
  #mix;
  #traffic;
  /** By number. @type {Map<number, RelayedListener>} */
  #listeners = new Map();
  #outbox;
  /** Number of its link to the owner. */
  #stream;
  #sent;
  #received;
  #nextId;
  /** Time of the last message from the owner, on the monotonic clock. */
  #heardMs;
  /** Time of the last check, likewise. */
  #lookedMs;
  #turn = 0;
  #closed = false;
  /** @type {(() => void)[]} */
  #stops = [];

  /**
   * @param {RelayNode} node
   * @param {object} options
   * @param {string} options.room
   * @param {NodeAddress} options.home  owner of the room
   * @param {number} options.epoch  of the room at the owner
   * @param {() => number} options.nextId  returns an unused number, above all before it
   * @param {(relay: Relay) => void} options.onEnd  called when the last listener has left
   */
  constructor(node, { room, home, epoch, nextId, onEnd }) {
    const { id, wire, sampleRate, totals } = node;
    const clock = guardedClock(node.clock, (error) => this.#fail(error));
    this.room = room;
    this.#home = home;
    this.epoch = epoch;
    this.#wire = wire;
    this.#nextId = nextId;
    this.#clock = clock;
    this.#log = node.log;
    this.#onEnd = onEnd;
    this.#homeClock = new HomeClock(sampleRate);
    this.#heardMs = this.#lookedMs = clock.now();
    const { traffic, rates } = totals();
    this.#traffic = traffic;
    this.#mix = new RelayedMix({
      counts: rates,
      clock,
      want: (wanted) => this.#outbox.add({ type: 'rates', wanted }),
    });
    const { bus, subjects } = wire;
    const up = subjects.relayUp(home.id);
    this.#stream = nextId();
    this.#sent = new SentMessages(clock, (message) => bus.publish(up, message));
    this.#received = new InOrder(clock, (/** @type {RelayAnswer[]} */ answers) =>
      this.#obey(answers),
    );
    const about = { version: CLUSTER_VERSION, from: id, room, epoch, stream: this.#stream };
    this.#outbox = new RelayOutbox((/** @type {RelayLink[]} */ links) =>
      this.#sent.send({ ...about, links }),
    );
    this.#stops.push(bus.subscribeBytes(subjects.mix(room), (bytes) => this.#mixed(bytes)));
    this.#stops.push(repeat(clock, LOOK_MS, () => this.#look()));
    this.#stops.push(repeat(clock, 1000, () => this.#report()));
    this.#stops.push(bus.onChanged(() => this.#changed()));
    this.#askClock(FIRST_CLOCKS);
  }

  get size() {
    return this.#listeners.size;
  }

  /** Dropped messages of the mix. */
  dropped = 0;

  /**
   * True when this relays the room of that node and epoch.
   * @param {string} node
   * @param {number} epoch
   */
  isOf(node, epoch) {
    return this.#home.id === node && this.epoch === epoch && !this.#closed;
  }

  /**
   * Asks the owner to admit a listener.
   * @param {Session} session
   * @param {{ nearness?: unknown }} message  the request to join
   */
  take(session, message) {
    const id = this.#nextId();
    const listener = new RelayedListener({
      session,
      nearness: message.nearness,
      clock: this.#clock,
      clockAt: (arrivalMs) => this.#homeClock.at(arrivalMs),
      pass: (control) =>
        this.#outbox.add({ type: 'control', id, message: control }, JSON.stringify(control).length),
      fill: (light, ms, frameMs) => this.#mix.fill(light, ms, frameMs),
      changed: (light) => this.#mix.changed(light),
      dropped: (reason) => this.#traffic.drop(reason, 1),
      closed: (code) => this.#gone(id, code),
    });
    this.#listeners.set(id, listener);
    session.handler = listener;
    this.#outbox.add({ type: 'link', id, peer: session.peer, message }, 5000);
  }

  /** @param {number} id @param {number} code */
  #gone(id, code) {
    const listener = this.#listeners.get(id);
    if (!listener) return;
    this.#forget(id, listener);
    this.#outbox.add({ type: 'closed', id, code });
  }

  /** @param {number} id @param {RelayedListener} listener */
  #forget(id, listener) {
    this.#listeners.delete(id);
    if (listener.light) this.#mix.remove(listener.light);
    if (this.#listeners.size === 0) this.close();
  }

  /** Takes a message of the owner. @param {RelayDown} told */
  answered({ stream, number, again, answers }) {
    // One for an earlier relay of this node.
    if (stream !== undefined && stream !== this.#stream) return;
    this.#heardMs = this.#clock.now();
    if (again) this.#sent.again();
    else if (number === undefined) this.#obey(answers);
    else this.#received.take(number, answers);
  }

  /** Carries out the owner's instructions. @param {RelayAnswer[]} answers */
  #obey(answers) {
    for (const answer of answers) {
      if (answer.type === 'tell') this.#tell(answer);
      else this.#end(answer);
    }
  }

  /** @param {RelayAnswer & { type: 'tell' }} answer */
  #tell({ ids, message }) {
    if (message.type === 'welcome') return this.#welcome(ids, message);
    if (message.type === 'stride' && message.atRelay !== undefined)
      return this.#resupply(ids, message);
    const prepared = prepareControl(message);
    for (const id of ids) this.#listeners.get(id)?.session.sendControl(prepared);
  }

  /** @param {number[]} ids @param {{ atRelay?: unknown, [name: string]: unknown }} message */
  #welcome(ids, { atRelay, ...message }) {
    for (const id of ids) {
      const listener = this.#listeners.get(id);
      if (!listener) continue;
      const isNew = listener.welcome({ ...message, atRelay });
      const light = /** @type {LightListener} */ (listener.light);
      listener.session.sendControl(prepareControl({ ...message, stride: light.announcedStride }));
      if (isNew) this.#mix.add(light, listener.ladder);
    }
  }

  /**
   * Switches to or from a broadcast.
   * @param {number[]} ids
   * @param {Record<string, unknown>} message
   */
  #resupply(ids, message) {
    for (const id of ids) {
      const listener = this.#listeners.get(id);
      if (!listener?.light) continue;
      this.#mix.remove(listener.light);
      listener.resupply(message);
      this.#mix.add(listener.light, listener.ladder);
      listener.session.sendControl({ type: 'stride', stride: listener.light.announcedStride });
    }
  }

  /** @param {RelayAnswer & { type: 'close' }} answer */
  #end({ id, code, reason }) {
    const listener = this.#listeners.get(id);
    if (!listener) return;
    this.#forget(id, listener);
    listener.session.close(code, reason);
  }

  /** @param {Uint8Array} bytes */
  #mixed(bytes) {
    if (!readMix(bytes, mix)) return void (this.dropped += 1);
    // The room may just have moved to another owner.
    if (mix.epoch !== this.epoch) return;
    if (!this.#mix.take(bytes, mix)) return void (this.dropped += 1);
    this.#heardMs = this.#clock.now();
  }

  /** Recovers packets and messages that may have been lost with a connection. */
  #changed() {
    this.#mix.await();
    for (const ms of AGAIN_MS) this.#clock.setTimeout(() => this.#askAgain(), ms);
    this.#clock.setTimeout(() => this.#mix.giveUp(), GIVE_UP_MS);
  }

  #askAgain() {
    if (this.#closed) return;
    this.#sent.again();
    this.#outbox.add({ type: 'again' });
    this.#outbox.flush();
  }

  /** @param {number} quick  number of further requests at the short interval */
  #askClock(quick = 0) {
    if (this.#closed) return;
    const { bus, subjects, reader } = this.#wire;
    const sentMs = this.#clock.now();
    bus
      .request(
        subjects.clock(this.#home.id),
        { version: CLUSTER_VERSION, room: this.room },
        ANSWER_MS,
      )
      .then((answer) => {
        const told = typeof answer === 'symbol' ? null : reader.read(clockAnswer, answer);
        if (told === null || told.epoch !== this.epoch || this.#closed) return;
        const nowMs = this.#clock.now();
        this.#heardMs = nowMs;
        this.#homeClock.observe(sentMs, nowMs, told.clock);
      })
      .catch((error) => this.#fail(error));
    const timer = this.#clock.setTimeout(
      () => this.#askClock(quick - 1),
      quick > 0 ? FIRST_CLOCK_MS : CLOCK_MS,
    );
    this.#stopClock = () => this.#clock.clearTimeout(timer);
  }

  #stopClock = () => {};

  /** Ends the relay when the owner is silent; its listeners reconnect to the next one. */
  #look() {
    const now = this.#clock.now();
    // Messages of the owner that came during a stall of this process are read only now.
    if (now - this.#lookedMs > STALL_MS) this.#heardMs = now;
    this.#lookedMs = now;
    if (now - this.#heardMs > ALIVE_MS) this.end('room-reopened');
  }

  /** Reports the wanted rates to the owner, and part of the sessions as present, in rotation. */
  #report() {
    this.#turn = (this.#turn + 1) % TURNS;
    this.#mix.tell();
    const ids = [...this.#listeners.keys()].filter((id) => id % TURNS === this.#turn);
    for (let at = 0; at < ids.length; at += MAX_RELAY_IDS)
      this.#outbox.add(
        { type: 'heard', ids: ids.slice(at, at + MAX_RELAY_IDS) },
        16 * MAX_RELAY_IDS,
      );
  }

  /** Sends a message of this node to everybody. @param {ServerMessage} message */
  tell(message) {
    const prepared = prepareControl(message);
    for (const { session } of [...this.#listeners.values()]) session.sendControl(prepared);
  }

  /** Ends the relay because of a fault of the server's own. @param {unknown} error */
  #fail(error) {
    this.#log.error(
      { event: 'relay-failed', room: this.room, error: stackOf(error) },
      'relay of a room ended because a part of it failed',
    );
    this.end('room-reopened');
  }

  /** Ends all sessions, and with them the relay. @param {ErrorCode} code */
  end(code) {
    const { close, message } = errors[code];
    for (const { session } of [...this.#listeners.values()]) session.close(close, message);
    this.close();
  }

  /** Idempotent. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#outbox.flush();
    this.#received.close();
    this.#stopClock();
    for (const stop of this.#stops.splice(0)) stop();
    this.#mix.close();
    this.#onEnd(this);
  }
}
