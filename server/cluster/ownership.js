/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Bus } from './bus.js'
 * @import { ChatState } from '../state/portable-state.js'
 * @import { MessageReader, NodeAddress, Subjects } from './messages.js'
 *
 * @typedef {object} Owned  a room that is this node's
 * @property {number} epoch
 * @property {number} answeredMs when another node's claim was answered last, on the monotonic clock
 * @property {unknown} timer  lets go of the room where nobody has come
 * @property {(() => void)[]} stops
 */

import { repeat } from '../timers.js';
import { BEAT_MS } from './beats.js';
import { claim as claimSchema, CLUSTER_VERSION } from './messages.js';

/** How long a room that was opened for somebody waits for them, in milliseconds. */
export const HOLD_MS = 10_000;

/** The most rooms that are claimed again with one beat: all of them by turns. */
const CLAIMS_AT_ONCE = 64;

/**
 * The shortest time between two answers to others' claims of a room, in milliseconds: two that
 * disagree don't shout.
 */
const ANSWER_EVERY_MS = 50;

/** The most rooms that may wait for somebody: each costs two subscriptions. */
const MAX_HELD = 10_000;

/** The most rooms whose chat is kept until somebody comes: 64 KiB each. */
const MAX_CHATS = 500;

/**
 * The rooms that are this node's. Of two nodes that have one room the one with the higher epoch
 * keeps it, of the same the one whose id comes first; the other gives it up. The owner of an
 * encrypted room raises its epoch rather than lose its people to a plain room. Each claims its
 * rooms again and again, so that two halves of a network that was cut find each other.
 */
export class Ownership {
  #bus;
  #clock;
  #wallNow;
  #subjects;
  #reader;
  #self;
  #isUsed;
  #audience;
  #isEncrypted;
  #yielded;
  /** @type {Map<string, Owned>} */
  #owned = new Map();
  /** What was said in rooms that nobody has come to yet. @type {Map<string, ChatState>} */
  #chats = new Map();
  /** Rooms to be claimed again, the next first. @type {string[]} */
  #turn = [];
  #stopClaims = () => {};

  /**
   * @param {object} options
   * @param {Bus} options.bus
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Subjects} options.subjects
   * @param {MessageReader} options.reader
   * @param {() => NodeAddress & { draining: boolean }} options.self
   * @param {(room: string) => boolean} options.isUsed  whether there is anybody in a room
   * @param {(room: string) => { relays: boolean, broadcast: boolean }} [options.audience] see the
   *   message `where`
   * @param {(room: string) => boolean} [options.isEncrypted] whether a room is end-to-end
   *   encrypted, as far as this node knows
   * @param {(room: string, to: string) => void} options.yielded a room is another node's from now
   *   on
   */
  constructor({
    bus,
    clock,
    wallNow,
    subjects,
    reader,
    self,
    isUsed,
    audience = () => ({ relays: false, broadcast: false }),
    isEncrypted = () => false,
    yielded,
  }) {
    this.#bus = bus;
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#subjects = subjects;
    this.#reader = reader;
    this.#self = self;
    this.#isUsed = isUsed;
    this.#audience = audience;
    this.#isEncrypted = isEncrypted;
    this.#yielded = yielded;
  }

  start() {
    this.#stopClaims = repeat(this.#clock, BEAT_MS, () => this.#claimSome());
  }

  /** The rooms, by name. @returns {string[]} */
  get rooms() {
    return [...this.#owned.keys()];
  }

  /** Whether one more room may be opened. */
  get mayOpen() {
    return this.#owned.size < MAX_HELD;
  }

  /** @param {string} room */
  owns(room) {
    return this.#owned.has(room);
  }

  /** @param {string} room @returns {number} 0 where the room isn't this node's */
  epochOf(room) {
    return this.#owned.get(room)?.epoch ?? 0;
  }

  /**
   * Opens a room, in one turn of the event loop, so that two who ask at once get one room. Where it
   * is this node's already it stays as it is. It is let go where nobody comes within 10 s.
   * @param {string} room
   * @param {number} [above]  the epoch of the room that this one takes the place of
   * @param {ChatState} [chat]  what was said in that lately
   */
  open(room, above = 0, chat) {
    if (this.#owned.has(room)) return;
    // The date makes a later room's epoch higher, also where nobody knows of the one before.
    const epoch = Math.min(Math.max(this.#wallNow(), above + 1), Number.MAX_SAFE_INTEGER);
    const { where, claim } = this.#subjects;
    const owned = {
      epoch: Math.floor(epoch),
      answeredMs: -Infinity,
      timer: /** @type {unknown} */ (null),
      stops: /** @type {(() => void)[]} */ ([]),
    };
    this.#owned.set(room, owned);
    if (chat && this.#chats.size < MAX_CHATS) this.#chats.set(room, chat);
    owned.stops.push(
      this.#bus.serve(where(room), () => ({
        version: CLUSTER_VERSION,
        node: this.#self(),
        epoch: owned.epoch,
        ...this.#audience(room),
      })),
    );
    owned.stops.push(this.#bus.subscribe(claim(room), (message) => this.#claimed(room, message)));
    this.#expire(room, owned);
    this.#claim(room);
  }

  /**
   * What was said in a room on the node before: once.
   * @param {string} room
   * @returns {ChatState | null}
   */
  takeChat(room) {
    const chat = this.#chats.get(room) ?? null;
    this.#chats.delete(room);
    return chat;
  }

  /** @param {string} room @param {Owned} owned */
  #expire(room, owned) {
    owned.timer = this.#clock.setTimeout(() => {
      if (!this.#isUsed(room)) this.release(room);
    }, HOLD_MS);
  }

  /** Nobody is in the room any more. Idempotent. @param {string} room */
  release(room) {
    const owned = this.#owned.get(room);
    if (!owned) return;
    this.#owned.delete(room);
    this.#chats.delete(room);
    this.#clock.clearTimeout(owned.timer);
    for (const stop of owned.stops) stop();
  }

  /** @param {string} room */
  #claim(room) {
    const owned = this.#owned.get(room);
    if (!owned) return;
    const e2e = this.#isEncrypted(room);
    this.#bus.publish(this.#subjects.claim(room), {
      version: CLUSTER_VERSION,
      node: this.#self().id,
      epoch: owned.epoch,
      ...(e2e && { e2e }),
    });
  }

  #claimSome() {
    if (this.#turn.length === 0) this.#turn = [...this.#owned.keys()];
    for (const room of this.#turn.splice(0, CLAIMS_AT_ONCE)) this.#claim(room);
  }

  /**
   * Another node says that a room of this one's is its own.
   * @param {string} room
   * @param {unknown} message
   */
  #claimed(room, message) {
    const claim = this.#reader.read(claimSchema, message);
    const owned = this.#owned.get(room);
    const own = this.#self().id;
    if (claim === null || owned === undefined || claim.node === own) return;
    const isStronger =
      claim.epoch > owned.epoch || (claim.epoch === owned.epoch && claim.node < own);
    if (!isStronger) return this.#answer(room, owned);
    if (
      !claim.e2e &&
      this.#isEncrypted(room) &&
      !this.#self().draining &&
      claim.epoch < Number.MAX_SAFE_INTEGER
    ) {
      owned.epoch = claim.epoch + 1;
      return this.#claim(room);
    }
    this.release(room);
    this.#yielded(room, claim.node);
  }

  /**
   * Tells one with the weaker claim of this node's.
   * @param {string} room
   * @param {Owned} owned
   */
  #answer(room, owned) {
    const now = this.#clock.now();
    if (now - owned.answeredMs < ANSWER_EVERY_MS) return;
    owned.answeredMs = now;
    this.#claim(room);
  }

  /** Idempotent. */
  close() {
    this.#stopClaims();
    for (const room of [...this.#owned.keys()]) this.release(room);
  }
}
