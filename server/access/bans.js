/**
 * @import { Clock } from '../../public/shared/clock.js'
 *
 * @typedef {object} Ban
 * @property {string} id
 * @property {string} room
 * @property {string} name       what the person was called
 * @property {string | null} identity  the `sub` of their token
 * @property {string | null} tokenId   the `jti` of their token
 * @property {string | null} network   where they came from, for one without a token: see networkOf
 * @property {number} endMs      on the monotonic clock
 *
 * @typedef {{ identity: string | null, tokenId: string | null, network: string | null }} Whom
 */

/** The most bans of one room, and of all: beyond them the oldest end. */
const MAX_OF_ROOM = 200;
const MAX_OF_ALL = 10_000;

/** The longest ban, in milliseconds: 30 days. */
export const MAX_BAN_MS = 30 * 24 * 3600 * 1000;

/** Bans of people from rooms, each with its end. They outlast their room, so that an empty room forgives nobody. */
export class Bans {
  #clock;
  /** By id, the oldest first. @type {Map<string, Ban>} */
  #bans = new Map();
  #next = 1;

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /**
   * Bans somebody: by their token where they have one, and else by their network.
   * @param {string} room
   * @param {string} name
   * @param {Whom} whom
   * @param {number} banMs
   * @returns {boolean} false where there is nothing to know them by again
   */
  add(room, name, { identity, tokenId, network }, banMs) {
    if (identity === null && network === null) return false;
    const id = String(this.#next++);
    const endMs = this.#clock.now() + Math.min(banMs, MAX_BAN_MS);
    // A network may be a whole school: one who has a token is banned alone.
    this.#bans.set(id, { id, room, name, identity, tokenId, network: identity === null ? network : null, endMs });
    const own = this.#of(room);
    if (own.length > MAX_OF_ROOM) this.#bans.delete(own[0].id);
    if (this.#bans.size > MAX_OF_ALL) {
      const [oldest] = this.#bans.keys();
      this.#bans.delete(oldest);
    }
    return true;
  }

  /**
   * @param {string} room
   * @param {Whom} whom
   */
  has(room, { identity, tokenId, network }) {
    if (this.#bans.size === 0) return false;
    return this.#of(room).some(
      (ban) =>
        (ban.identity !== null && ban.identity === identity) ||
        (ban.tokenId !== null && ban.tokenId === tokenId) ||
        (ban.network !== null && ban.network === network),
    );
  }

  /** The bans of a room, as moderators are told of them. @param {string} room */
  list(room) {
    return this.#of(room).map((ban) => this.#describe(ban));
  }

  /** The last bans of all rooms, the newest first. @param {number} most */
  listAll(most) {
    this.#forgetEnded();
    const last = [...this.#bans.values()].slice(-most).reverse();
    return last.map((ban) => ({ room: ban.room, ...this.#describe(ban) }));
  }

  /** @param {Ban} ban */
  #describe({ id, name, identity, network, endMs }) {
    const seconds = Math.ceil((endMs - this.#clock.now()) / 1000);
    return { id, name, by: identity === null ? 'network' : 'identity', identity, network, seconds };
  }

  /** @param {string} room @param {string} id @returns {boolean} whether there was such a ban */
  remove(room, id) {
    return this.#bans.get(id)?.room === room && this.#bans.delete(id);
  }

  /** @param {string} room */
  #of(room) {
    this.#forgetEnded();
    return [...this.#bans.values()].filter((ban) => ban.room === room);
  }

  #forgetEnded() {
    const now = this.#clock.now();
    for (const { id, endMs } of this.#bans.values()) if (endMs <= now) this.#bans.delete(id);
  }
}
