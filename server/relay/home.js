/**
 * Owner's side of relayed rooms: the sessions of listeners at other nodes. Such listeners are
 * ordinary members with the same checks and permissions; the mix goes to each relay once.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Bus } from '../bus/bus.js'
 * @import { ClusterMessageReader, RelayAnswer, RelayLink, Subjects } from '../bus/messages.js'
 * @import { Log } from '../log.js'
 * @import { Accept, ControlMessage, Session, SessionOptions } from '../session/session.js'
 *
 * @typedef {{ bus: Bus, subjects: Subjects, reader: ClusterMessageReader }} Wire  see Cluster.wire
 *
 * @typedef {{ from: string, room: string, epoch: number }} RelayOf  a node's relay of a room
 *
 * @typedef {object} Link  to a relay
 * @property {RelayOf} relay
 * @property {number} stream  its number
 * @property {number} sessions
 * @property {SentMessages<object>} sent
 * @property {InOrder<RelayLink[]>} received
 */

import { errors } from '../../public/shared/errors.js';
import { CLUSTER_VERSION, clockRequest, MAX_RELAY_IDS, relayUp } from '../bus/messages.js';
import { stackOf } from '../log.js';
import { BaseSession, prepareControl } from '../session/session.js';
import { guardedClock } from '../timers.js';
import { RelayedTransport } from './relayed-transport.js';
import { RelayOutbox } from './messages.js';
import { AGAIN_MS, InOrder, SentMessages } from './reliable-link.js';

/** Limit of sessions at other nodes: each takes some kilobytes here. */
const MAX_RELAYED = 50_000;

/** Most links, with those of relays without sessions, which are forgotten first. */
const MAX_LINKS = 4096;

/**
 * Maximum size of a session's number in JSON, with its comma, in bytes: enough for a thousand
 * million sessions at a relay.
 */
const ID_BYTES = 10;

export class RelayHome {
  #wire;
  #id;
  #epochOf;
  #clockOf;
  #accept;
  #setRelayed;
  #clock;
  #log;
  /** By relay node and session number there. @type {Map<string, RelayedSession>} */
  #sessions = new Map();
  /** By room. @type {Map<string, RelayedTransport>} */
  #transports = new Map();
  /** By node, room and epoch. @type {Map<string, RelayOutbox<RelayAnswer>>} */
  #outboxes = new Map();
  /** Likewise, the most recently begun one last. @type {Map<string, Link>} */
  #links = new Map();
  /** @type {(() => void)[]} */
  #stops = [];

  /**
   * @param {object} options
   * @param {Wire} options.wire
   * @param {string} options.id  this node's
   * @param {(room: string) => number} options.epochOf  0 for a room that this node doesn't own
   * @param {(room: string) => number | null} options.clockOf current sample clock of a room, or
   *   null for an unknown room
   * @param {Accept} options.accept
   * @param {(room: string, relays: RelayedTransport, rates: ReadonlySet<number>) => void}
   *   options.setRelayed called when the rates that relays want of a broadcast change
   * @param {Clock} options.clock
   * @param {Pick<Log, 'error'>} options.log
   */
  constructor({ wire, id, epochOf, clockOf, accept, setRelayed, clock, log }) {
    this.#wire = wire;
    this.#id = id;
    this.#epochOf = epochOf;
    this.#clockOf = clockOf;
    this.#accept = accept;
    this.#setRelayed = setRelayed;
    this.#clock = guardedClock(clock, (error) => this.#failed(error));
    this.#log = log;
  }

  /** Logs a fault of a timer, which would end the node. @param {unknown} error */
  #failed(error) {
    const subject = this.#wire.subjects.relayUp(this.#id);
    this.#log.error(
      { event: 'cluster-message-failed', subject, error: stackOf(error) },
      'message of the cluster failed',
    );
  }

  start() {
    const { bus, subjects } = this.#wire;
    this.#stops.push(bus.subscribe(subjects.relayUp(this.#id), (message) => this.#heard(message)));
    this.#stops.push(bus.serve(subjects.clock(this.#id), (message) => this.#tellClock(message)));
    this.#stops.push(bus.onChanged(() => this.#changed()));
  }

  /** Recovers packets and messages that may have been lost with a connection. */
  #changed() {
    for (const transport of this.#transports.values()) transport.again();
    for (const ms of AGAIN_MS) this.#clock.setTimeout(() => this.#sendAgain(), ms);
  }

  #sendAgain() {
    if (this.#stops.length === 0) return;
    const { bus, subjects } = this.#wire;
    for (const { relay, stream, sessions, sent } of this.#links.values()) {
      if (sessions === 0) continue;
      sent.again();
      const { from, room, epoch } = relay;
      const asked = { version: CLUSTER_VERSION, room, epoch, stream, again: true, answers: [] };
      bus.publish(subjects.relayDown(from), asked);
    }
  }

  get size() {
    return this.#sessions.size;
  }

  /** @param {unknown} message */
  #tellClock(message) {
    const asked = this.#wire.reader.read(clockRequest, message);
    const clock = asked && this.#clockOf(asked.room);
    return asked === null || clock === null
      ? null
      : { version: CLUSTER_VERSION, epoch: this.#epochOf(asked.room), clock: Math.max(0, clock) };
  }

  /** @param {unknown} message  of a relay */
  #heard(message) {
    const told = this.#wire.reader.read(relayUp, message);
    if (told === null) return;
    const { from, room, epoch, stream, number, links } = told;
    const relay = { from, room, epoch };
    // A node of an earlier release numbers nothing.
    if (stream === undefined || number === undefined) this.#takeAll(relay, links);
    else this.#linkOf(relay, stream)?.received.take(number, links);
  }

  /**
   * @param {RelayOf} relay
   * @param {number} stream
   * @returns {Link | null} null for one that has ended
   */
  #linkOf(relay, stream) {
    const key = keyOf(relay);
    const known = this.#links.get(key);
    if (known && known.stream >= stream) return known.stream === stream ? known : null;
    const { bus, subjects } = this.#wire;
    const down = subjects.relayDown(relay.from);
    /** @type {Link} */
    const link = {
      relay,
      stream,
      sessions: 0,
      sent: new SentMessages(this.#clock, (message) => bus.publish(down, message)),
      received: new InOrder(this.#clock, (/** @type {RelayLink[]} */ links) =>
        this.#takeAll(relay, links),
      ),
    };
    known?.received.finish();
    this.#links.delete(key);
    this.#links.set(key, link);
    if (this.#links.size > MAX_LINKS) this.#forgetOldest(link);
    return link;
  }

  /**
   * Forgets the oldest link without sessions. One with sessions must stay: its relay drops messages
   * whose numbers begin again.
   * @param {Link} kept  that has only begun
   */
  #forgetOldest(kept) {
    for (const [key, link] of this.#links) {
      if (link.sessions > 0 || link === kept) continue;
      link.received.close();
      this.#links.delete(key);
      return;
    }
  }

  /** @param {RelayOf} relay @param {RelayLink[]} links */
  #takeAll(relay, links) {
    for (const link of links) this.#take(relay, link);
  }

  /** @param {RelayOf} relay @param {RelayLink} link */
  #take(relay, link) {
    if (link.type === 'link') return this.#open(relay, link);
    if (link.type === 'heard') return this.#refresh(relay, link.ids);
    if (link.type === 'rates') return this.#want(relay, link.wanted);
    if (link.type === 'again') return this.#repeat(relay);
    const session = this.#sessions.get(`${relay.from} ${link.id}`);
    if (session === undefined) return;
    if (link.type === 'control') session.receiveControl(link.message, this.#clock.now());
    else session.end(link.code, '');
  }

  /** Sends a relay its last packets and messages again. @param {RelayOf} relay */
  #repeat(relay) {
    this.#transports.get(relay.room)?.again();
    this.#links.get(keyOf(relay))?.sent.again();
  }

  /** @param {RelayOf} relay @param {RelayLink & { type: 'link' }} link */
  #open({ from, room, epoch }, { id, peer, message }) {
    const key = `${from} ${id}`;
    if (this.#sessions.has(key)) return;
    const outbox = () => this.#outboxOf(from, room, epoch);
    const refusal =
      epoch === 0 || this.#epochOf(room) !== epoch
        ? 'room-reopened'
        : this.#sessions.size >= MAX_RELAYED
          ? 'server-full'
          : null;
    if (refusal !== null)
      return outbox().add({
        type: 'close',
        id,
        code: errors[refusal].close,
        reason: errors[refusal].message,
      });
    const now = this.#clock.now();
    const transport = this.#transportOf(room, epoch);
    const link = this.#links.get(keyOf({ from, room, epoch }));
    const session = new RelayedSession({
      id,
      outbox,
      transport,
      peer,
      room,
      log: this.#log,
      now,
      onEnd: () => this.#ended(key, { from, room, link }, transport),
    });
    this.#sessions.set(key, session);
    if (link) link.sessions += 1;
    transport.entered(from);
    session.offerTo(this.#accept);
    session.receiveControl(message, now);
  }

  /**
   * @param {string} key
   * @param {{ from: string, room: string, link?: Link }} relay
   * @param {RelayedTransport} transport
   */
  #ended(key, { from, room, link }, transport) {
    this.#sessions.delete(key);
    if (link && --link.sessions === 0) link.sent.clear();
    if (!transport.left(from) || this.#transports.get(room) !== transport) return;
    this.#setRelayed(room, transport, transport.wanted);
    if (transport.count === 0) this.#transports.delete(room);
  }

  /** @param {RelayOf} relay @param {number[]} rates */
  #want({ from, room, epoch }, rates) {
    const transport = this.#transports.get(room);
    // A relay repeats this each second, because the room may have been replaced since.
    if (transport?.epoch === epoch && transport.want(from, rates))
      this.#setRelayed(room, transport, transport.wanted);
  }

  /** @param {string} room @param {number} epoch */
  #transportOf(room, epoch) {
    let transport = this.#transports.get(room);
    if (transport?.epoch !== epoch)
      this.#transports.set(
        room,
        (transport = new RelayedTransport(this.#wire.bus, this.#wire.subjects.mix(room), epoch)),
      );
    return /** @type {RelayedTransport} */ (transport);
  }

  /** @param {string} node @param {string} room @param {number} epoch */
  #outboxOf(node, room, epoch) {
    const key = keyOf({ from: node, room, epoch });
    const outbox = this.#outboxes.get(key);
    if (outbox) return outbox;
    const { bus, subjects } = this.#wire;
    const send = (/** @type {RelayAnswer[]} */ answers) => {
      const told = { version: CLUSTER_VERSION, room, epoch, answers };
      const link = this.#links.get(key);
      if (link) link.sent.send({ ...told, stream: link.stream });
      else bus.publish(subjects.relayDown(node), told);
    };
    // Kept until all is sent: a second outbox could send later messages first.
    const opened = new RelayOutbox(send, () => void this.#outboxes.delete(key));
    this.#outboxes.set(key, opened);
    return opened;
  }

  /**
   * Keeps sessions alive. If one is unknown here, its end was lost, so its relay is notified again.
   * @param {RelayOf} relay @param {number[]} ids
   */
  #refresh({ from, room, epoch }, ids) {
    const now = this.#clock.now();
    const { close, message } = errors['room-reopened'];
    for (const id of ids) {
      const session = this.#sessions.get(`${from} ${id}`);
      if (session) session.heardMs = now;
      else
        this.#outboxOf(from, room, epoch).add({ type: 'close', id, code: close, reason: message });
    }
  }

  /** Idempotent. */
  close() {
    for (const stop of this.#stops.splice(0)) stop();
    for (const { received } of this.#links.values()) received.close();
  }
}

/** @param {RelayOf} relay */
const keyOf = ({ from, room, epoch }) => `${from} ${room} ${epoch}`;

/** @implements {Session} */
class RelayedSession extends BaseSession {
  #id;
  #outbox;

  /**
   * @param {SessionOptions & { now: number, id: number, outbox: () => RelayOutbox<RelayAnswer>,
   *   room: string }} options id: its number at the relay
   */
  constructor({ id, outbox, room, ...options }) {
    // The relay already counts the session.
    super({ ...options, isCounted: false });
    this.room = room;
    this.#id = id;
    this.#outbox = outbox;
  }

  /** Sends nothing: the relay answers requests of single sessions, such as those for the clock. */
  send() {
    return false;
  }

  /** @param {object | ControlMessage} control */
  sendControl(control) {
    if (this.ended) return;
    const { message, line } = prepareControl(control);
    const outbox = this.#outbox();
    const { last } = outbox;
    // A message to many sessions crosses the bus once.
    if (last?.type === 'tell' && last.message === message && last.ids.length < MAX_RELAY_IDS) {
      last.ids.push(this.#id);
      outbox.grew(ID_BYTES);
    } else
      outbox.add(
        {
          type: 'tell',
          ids: [this.#id],
          message: /** @type {Record<string, unknown>} */ (message),
        },
        line.length,
      );
  }

  /**
   * @override
   * @param {number} code
   * @param {string} reason
   */
  close(code, reason) {
    if (this.end(code, reason)) this.#outbox().add({ type: 'close', id: this.#id, code, reason });
  }
}
