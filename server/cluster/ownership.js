/**
 * @import { ChatState } from '../state/portable-state.js'
 * @import { OwnNode } from './beats.js'
 *
 * @typedef {object} Owned  a room of this node
 * @property {number} epoch
 * @property {number} answeredMs time of the last answer to another node's claim, on the monotonic
 *   clock
 * @property {unknown} timer  releases the room if nobody has joined
 * @property {(() => void)[]} stops
 */

import { repeat } from '../timers.js';
import { BEAT_MS } from './beats.js';
import { claim as claimSchema, CLUSTER_VERSION } from '../bus/messages.js';

/** Time for which a newly opened room waits for its first participant, in milliseconds. */
export const HOLD_MS = 10_000;

/** Limit of rooms that are claimed again with one beat, in rotation. */
const CLAIMS_AT_ONCE = 64;

/**
 * Minimum time between two answers to claims of a room, in milliseconds. It prevents a storm when
 * two nodes disagree.
 */
const ANSWER_EVERY_MS = 50;

/** Limit of rooms that wait for their first participant: each costs two subscriptions. */
const MAX_HELD = 10_000;

/** Limit of rooms whose chat is kept until somebody joins: 64 KiB each. */
const MAX_CHATS = 500;

/**
 * Manages the rooms that this node owns. If two nodes own one room, the higher epoch wins, then the
 * lower id; the other node yields. The owner of an encrypted room raises its epoch instead of
 * losing its people to a plain room. Every owner repeats its claims, so that the halves of a split
 * network find each other.
 */
export class Ownership {
  #node;
  #isUsed;
  #audience;
  #isEncrypted;
  #yielded;
  /** @type {Map<string, Owned>} */
  #owned = new Map();
  /** Chat of rooms that nobody has joined yet. @type {Map<string, ChatState>} */
  #chats = new Map();
  /** Rooms to claim again, the next one first. @type {string[]} */
  #turn = [];
  #stopClaims = () => {};

  /**
   * @param {OwnNode} node
   * @param {object} options
   * @param {(room: string) => boolean} options.isUsed  true for an occupied room
   * @param {(room: string) => { relays: boolean, broadcast: boolean }} options.audience see the
   *   message `where`
   * @param {(room: string) => boolean} options.isEncrypted true for a room that this node knows
   *   to be end-to-end encrypted
   * @param {(room: string, to: string) => void} options.yielded a room belongs to another node now
   */
  constructor(node, { isUsed, audience, isEncrypted, yielded }) {
    this.#node = node;
    this.#isUsed = isUsed;
    this.#audience = audience;
    this.#isEncrypted = isEncrypted;
    this.#yielded = yielded;
  }

  start() {
    this.#stopClaims = repeat(this.#node.clock, BEAT_MS, () => this.#claimSome());
  }

  /** Names of the rooms. @returns {string[]} */
  get rooms() {
    return [...this.#owned.keys()];
  }

  get mayOpen() {
    return this.#owned.size < MAX_HELD;
  }

  /** @param {string} room */
  owns(room) {
    return this.#owned.has(room);
  }

  /** @param {string} room @returns {number} 0 if this node doesn't own the room */
  epochOf(room) {
    return this.#owned.get(room)?.epoch ?? 0;
  }

  /**
   * Opens a room, synchronously, so that two concurrent requests get one room. The room is released
   * if nobody joins within 10 s. An open one keeps its epoch once somebody is in it. Until then it
   * rises as needed, or tokens of the replaced room wouldn't hold in it.
   * @param {string} room
   * @param {number} [above]  epoch of the room that this one replaces
   * @param {ChatState} [chat]  recent chat of that room
   */
  open(room, above = 0, chat) {
    const before = this.#owned.get(room);
    if (before && (before.epoch > above || this.#isUsed(room))) return;
    if (chat && this.#chats.size < MAX_CHATS) this.#chats.set(room, chat);
    // The date gives a later room a higher epoch even if nobody knows the previous one.
    const epoch = Math.floor(
      Math.min(Math.max(this.#node.wallNow(), above + 1), Number.MAX_SAFE_INTEGER),
    );
    if (before) {
      before.epoch = epoch;
      return this.#claim(room);
    }
    const { bus, subjects, self } = this.#node;
    const owned = {
      epoch,
      answeredMs: -Infinity,
      timer: /** @type {unknown} */ (null),
      stops: /** @type {(() => void)[]} */ ([]),
    };
    this.#owned.set(room, owned);
    owned.stops.push(
      bus.serve(subjects.where(room), () => ({
        version: CLUSTER_VERSION,
        node: self(),
        epoch: owned.epoch,
        ...this.#audience(room),
      })),
    );
    owned.stops.push(
      bus.subscribe(subjects.claim(room), (message) => this.#claimed(room, message)),
    );
    this.#expire(room, owned);
    this.#claim(room);
  }

  /**
   * Takes, once, the chat that the previous node handed over.
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
    owned.timer = this.#node.clock.setTimeout(() => {
      if (!this.#isUsed(room)) this.release(room);
    }, HOLD_MS);
  }

  /** Gives up an empty room. Idempotent. @param {string} room */
  release(room) {
    const owned = this.#owned.get(room);
    if (!owned) return;
    this.#owned.delete(room);
    this.#chats.delete(room);
    this.#node.clock.clearTimeout(owned.timer);
    for (const stop of owned.stops) stop();
  }

  /** @param {string} room */
  #claim(room) {
    const owned = this.#owned.get(room);
    if (!owned) return;
    const { bus, subjects, self } = this.#node;
    const e2e = this.#isEncrypted(room);
    bus.publish(subjects.claim(room), {
      version: CLUSTER_VERSION,
      node: self().id,
      epoch: owned.epoch,
      ...(e2e && { e2e }),
    });
  }

  #claimSome() {
    if (this.#turn.length === 0) this.#turn = [...this.#owned.keys()];
    for (const room of this.#turn.splice(0, CLAIMS_AT_ONCE)) this.#claim(room);
  }

  /**
   * Resolves another node's claim of a room of this one.
   * @param {string} room
   * @param {unknown} message
   */
  #claimed(room, message) {
    const claim = this.#node.reader.read(claimSchema, message);
    const owned = this.#owned.get(room);
    const own = this.#node.self().id;
    if (claim === null || owned === undefined || claim.node === own) return;
    const isStronger =
      claim.epoch > owned.epoch || (claim.epoch === owned.epoch && claim.node < own);
    if (!isStronger) return this.#answer(room, owned);
    if (
      !claim.e2e &&
      this.#isEncrypted(room) &&
      !this.#node.self().draining &&
      claim.epoch < Number.MAX_SAFE_INTEGER
    ) {
      owned.epoch = claim.epoch + 1;
      return this.#claim(room);
    }
    this.release(room);
    this.#yielded(room, claim.node);
  }

  /**
   * Sends this node's claim to a node with a weaker one.
   * @param {string} room
   * @param {Owned} owned
   */
  #answer(room, owned) {
    const now = this.#node.clock.now();
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
