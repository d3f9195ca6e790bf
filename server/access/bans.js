/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { KnownState } from '../state/portable-state.js'
 * @import { BanFields } from '../../public/shared/messages/fields.js'
 *
 * @typedef {object} Ban
 * @property {string} id
 * @property {string} room
 * @property {string} name       of the banned person
 * @property {string | null} identity  the `sub` of their token
 * @property {string | null} tokenId   the `jti` of their token
 * @property {string | null} network   for a person without a token: see networkOf
 * @property {number} endMs      on the monotonic clock
 * @property {number} order      in which they came to this thread
 *
 * @typedef {{ identity: string | null, tokenId: string | null, network: string | null }} Whom
 *
 * @typedef {{ type: 'ban', ban: Omit<Ban, 'endMs' | 'order'> & { leftMs: number } } | { type:
 *   'unban', room: string, id: string }} BanChange plain data; leftMs: until the ban's end
 */

import { randomInt } from 'node:crypto';
import { MAX_BAN_SECONDS } from '../../public/shared/limits.js';

/**
 * Most bans of one room, and of all rooms. One more ends the oldest ban of that room, or of the
 * room with most bans.
 */
const MAX_OF_ROOM = 200;
const MAX_OF_ALL = 10_000;

/** Most lifted bans that are remembered; beyond it the one that was lifted first is forgotten. */
const MAX_LIFTED = 1000;

/** Makes an id that no other node of a cluster makes. */
export const newBanId = () => String(randomInt(1, 2 ** 47));

/** Longest ban, in milliseconds. */
export const MAX_BAN_MS = MAX_BAN_SECONDS * 1000;

/**
 * Bans of people from rooms, each with its end. They outlast their room, so that an empty room
 * forgives nobody.
 */
export class Bans {
  #clock;
  /**
   * By room, and of a room by id, the oldest first. No room is empty.
   * @type {Map<string, Map<string, Ban>>}
   */
  #rooms = new Map();
  #count = 0;
  /**
   * Lifted bans, by room and id, until their ends. Another node may have missed that, and tell them
   * again.
   * @type {Map<string, { room: string, id: string, endMs: number }>}
   */
  #lifted = new Map();
  #next = 1;
  #order = 0;
  #tell;
  #newId;
  /**
   * Earliest end of any ban, or a time before it; until then no search for ended bans is needed.
   */
  #nextEndMs = Infinity;

  /**
   * @param {Clock} clock
   * @param {(change: BanChange) => void} [tell] receives each local change, for other threads' bans
   * @param {() => string} [newId]  by default they are counted
   */
  constructor(clock, tell = () => {}, newId = undefined) {
    this.#clock = clock;
    this.#tell = tell;
    this.#newId = newId ?? (() => String(this.#next));
  }

  /** Applies a change from other bans of the same server. @param {BanChange} change */
  heard(change) {
    if (change.type === 'unban') return this.#lift(change.room, change.id);
    const { leftMs, ...ban } = change.ban;
    if (this.#of(ban.room).has(ban.id) || this.#isLifted(ban.room, ban.id)) return;
    this.#keep({ ...ban, endMs: this.#clock.now() + Math.min(leftMs, MAX_BAN_MS) });
  }

  /** All bans, and all lifted ones, for other threads' bans. @returns {BanChange[]} */
  all() {
    this.#forgetEnded();
    const bans = [...this.#rooms.values()].flatMap((own) => [...own.values()]);
    return [
      ...bans.map((ban) => this.#told(ban)),
      ...[...this.#lifted.values()].map(({ room, id }) => ({
        type: /** @type {const} */ ('unban'),
        room,
        id,
      })),
    ];
  }

  /** @param {Omit<Ban, 'order'> & { order?: number }} ban @returns {BanChange} */
  #told({ endMs, order: _order, ...ban }) {
    return { type: 'ban', ban: { ...ban, leftMs: endMs - this.#clock.now() } };
  }

  /**
   * Bans a person by their token, or without one by their network.
   * @param {string} room
   * @param {string} name
   * @param {Whom} whom
   * @param {number} banMs
   * @param {string} [known]  the ban's id at another node
   * @returns {boolean} false without a token or network to recognize them by, or for one that was
   *   lifted here
   */
  add(room, name, { identity, tokenId, network }, banMs, known) {
    if (identity === null && network === null) return false;
    this.#forgetEnded();
    if (known !== undefined && this.#isLifted(room, known)) return false;
    const isFree = known !== undefined && !this.#of(room).has(known);
    const endMs = this.#clock.now() + Math.min(banMs, MAX_BAN_MS);
    // A network may be a whole school, so a person with a token is banned alone.
    const ban = {
      id: isFree ? known : this.#newId(),
      room,
      name,
      identity,
      tokenId,
      network: identity === null ? network : null,
      endMs,
    };
    this.#keep(ban);
    this.#tell(this.#told(ban));
    return true;
  }

  /** @param {Omit<Ban, 'order'>} added */
  #keep(added) {
    this.#forgetEnded();
    const ban = { ...added, order: this.#order++ };
    const own = this.#of(ban.room);
    this.#rooms.set(ban.room, own);
    this.#count += own.has(ban.id) ? 0 : 1;
    own.set(ban.id, ban);
    this.#next = Math.max(this.#next, Number(ban.id) + 1);
    this.#nextEndMs = Math.min(this.#nextEndMs, ban.endMs);
    if (own.size > MAX_OF_ROOM) this.#endOldest(own);
    // The fullest room loses a ban, so filling rooms with bans costs only those rooms.
    if (this.#count > MAX_OF_ALL) this.#endOldest(this.#fullest());
  }

  /**
   * @param {string} room
   * @param {Whom} whom
   */
  has(room, { identity, tokenId, network }) {
    this.#forgetEnded();
    for (const ban of this.#of(room).values()) {
      if (ban.identity !== null && ban.identity === identity) return true;
      if (ban.tokenId !== null && ban.tokenId === tokenId) return true;
      if (ban.network !== null && ban.network === network) return true;
    }
    return false;
  }

  /**
   * Newest bans of a room as time left, because another node has another clock.
   * @param {string} room
   * @param {number} most
   * @returns {KnownState['bans']}
   */
  export(room, most) {
    this.#forgetEnded();
    const now = this.#clock.now();
    return [...this.#of(room).values()]
      .slice(-most)
      .map(({ id, name, identity, tokenId, network, endMs }) => ({
        id,
        name,
        identity,
        tokenId,
        network,
        leftMs: endMs - now,
      }));
  }

  /** Bans of a room as moderators see them. @param {string} room */
  list(room) {
    this.#forgetEnded();
    return [...this.#of(room).values()].map((ban) => this.#describe(ban));
  }

  /** Newest bans of all rooms, the newest first. @param {number} most */
  listAll(most) {
    this.#forgetEnded();
    const all = [...this.#rooms.values()].flatMap((bans) => [...bans.values()]);
    const last = all.toSorted((a, b) => b.order - a.order).slice(0, most);
    return last.map((ban) => ({ room: ban.room, ...this.#describe(ban) }));
  }

  /** @param {Ban} ban @returns {BanFields} */
  #describe({ id, name, identity, network, endMs }) {
    const seconds = Math.ceil((endMs - this.#clock.now()) / 1000);
    return { id, name, by: identity === null ? 'network' : 'identity', identity, network, seconds };
  }

  /** @param {string} room @param {string} id @returns {boolean} false without such a ban */
  remove(room, id) {
    if (!this.#of(room).has(id)) return false;
    this.#lift(room, id);
    this.#tell({ type: 'unban', room, id });
    return true;
  }

  /** Ends a ban, known here or not yet. @param {string} room @param {string} id */
  #lift(room, id) {
    const endMs = this.#of(room).get(id)?.endMs ?? this.#clock.now() + MAX_BAN_MS;
    const key = `${room} ${id}`;
    if (!this.#lifted.has(key)) this.#lifted.set(key, { room, id, endMs });
    const [oldest] = this.#lifted.keys();
    if (this.#lifted.size > MAX_LIFTED) this.#lifted.delete(oldest);
    this.#next = Math.max(this.#next, Number(id) + 1);
    this.#take(room, id);
  }

  /** @param {string} room @param {string} id */
  #isLifted(room, id) {
    const key = `${room} ${id}`;
    const lifted = this.#lifted.get(key);
    if (lifted === undefined || lifted.endMs > this.#clock.now()) return lifted !== undefined;
    this.#lifted.delete(key);
    return false;
  }

  /** @param {string} room @param {string} id @returns {boolean} false without such a ban */
  #take(room, id) {
    const own = this.#of(room);
    if (!own.delete(id)) return false;
    this.#count -= 1;
    if (own.size === 0) this.#rooms.delete(room);
    return true;
  }

  /** @param {string} room @returns {Map<string, Ban>} its bans; a new map if it has none */
  #of(room) {
    return this.#rooms.get(room) ?? new Map();
  }

  /** Bans of the room with most. */
  #fullest() {
    let most = new Map();
    for (const bans of this.#rooms.values()) if (bans.size > most.size) most = bans;
    return most;
  }

  /** @param {Map<string, Ban>} bans  of a room */
  #endOldest(bans) {
    const [oldest] = bans.values();
    this.#take(oldest.room, oldest.id);
  }

  /**
   * Forgets the bans that have ended. All rooms are checked once per end, so that a join checks
   * only its own.
   */
  #forgetEnded() {
    const now = this.#clock.now();
    if (now < this.#nextEndMs) return;
    this.#nextEndMs = Infinity;
    for (const bans of this.#rooms.values()) {
      for (const { id, room, endMs } of bans.values()) {
        if (endMs <= now) this.#take(room, id);
        else this.#nextEndMs = Math.min(this.#nextEndMs, endMs);
      }
    }
  }
}
