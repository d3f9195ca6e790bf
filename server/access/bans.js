/**
 * @import { Entrant } from './grants.js'
 *
 * @typedef {object} Ban
 * @property {string} id
 * @property {string} room
 * @property {'identity' | 'address'} by  what it is held against
 * @property {string} label  the name of the one who is banned, as it was shown
 * @property {number} until  milliseconds since 1970
 */

/** The most bans of one room and of all rooms; the one that was made first gives way. */
const MAX_IN_ROOM = 1000;
const MAX_IN_ALL = 10_000;

/** The people who may not come back to a room, each until a time. Kept in memory: a server that starts anew has none. */
export class Bans {
  #wallNow;
  #next = 1;
  /** The bans by room, in the order in which they were made. @type {Map<string, (Ban & { keys: string[] })[]>} */
  #byRoom = new Map();

  /** @param {() => number} wallNow  milliseconds since 1970 */
  constructor(wallNow) {
    this.#wallNow = wallNow;
  }

  /**
   * @param {string} room
   * @param {Entrant} entrant
   * @param {{ by: 'identity' | 'address', seconds: number, label: string }} options
   * @returns {string | null} the ban's id; null where there is no identity to hold it against
   */
  add(room, entrant, { by, seconds, label }) {
    const keys = by === 'identity' ? identityKeys(entrant) : [`place ${entrant.place}`];
    if (keys.length === 0) return null;
    this.#tidy();
    const bans = this.#byRoom.get(room) ?? [];
    this.#byRoom.set(room, bans);
    const id = String(this.#next++);
    bans.push({ id, room, by, label, until: this.#wallNow() + 1000 * seconds, keys });
    if (bans.length > MAX_IN_ROOM) bans.shift();
    this.#makeRoom();
    return id;
  }

  /**
   * Whether somebody may not come in. A moderator's token is stopped by its own identity alone, since whole households
   * and companies share an address.
   * @param {string} room
   * @param {Entrant} entrant
   */
  has(room, entrant) {
    const bans = this.#byRoom.get(room);
    if (!bans) return false;
    const keys = identityKeys(entrant);
    if (entrant.grant?.role !== 'moderator') keys.push(`place ${entrant.place}`);
    const now = this.#wallNow();
    return bans.some((ban) => ban.until > now && ban.keys.some((key) => keys.includes(key)));
  }

  /**
   * @param {string} room
   * @returns {Ban[]} those that still hold
   */
  list(room) {
    const now = this.#wallNow();
    const bans = (this.#byRoom.get(room) ?? []).filter(({ until }) => until > now);
    return bans.map(({ id, by, label, until }) => ({ id, room, by, label, until }));
  }

  /**
   * Lifts a ban.
   * @param {string} room
   * @param {string} id
   * @returns {boolean} false when there is none
   */
  remove(room, id) {
    const bans = this.#byRoom.get(room) ?? [];
    const at = bans.findIndex((ban) => ban.id === id);
    if (at < 0) return false;
    bans.splice(at, 1);
    return true;
  }

  /** @param {string} room  whose bans are of no use any more */
  forget(room) {
    this.#byRoom.delete(room);
  }

  /** Forgets the bans whose time is over. */
  #tidy() {
    const now = this.#wallNow();
    for (const [room, bans] of this.#byRoom) {
      const left = bans.filter(({ until }) => until > now);
      if (left.length === 0) this.#byRoom.delete(room);
      else if (left.length < bans.length) this.#byRoom.set(room, left);
    }
  }

  #makeRoom() {
    let count = 0;
    for (const bans of this.#byRoom.values()) count += bans.length;
    for (const [room, bans] of this.#byRoom) {
      if (count <= MAX_IN_ALL) return;
      bans.shift();
      count -= 1;
      if (bans.length === 0) this.#byRoom.delete(room);
    }
  }
}

/**
 * What tells one identity from others: the subject, and the token itself where it has an id.
 * @param {Entrant} entrant
 * @returns {string[]}
 */
function identityKeys({ identity }) {
  if (identity === null) return [];
  const { issuer, subject, tokenId } = identity;
  const keys = [`subject ${issuer} ${subject}`];
  if (tokenId !== null) keys.push(`token ${issuer} ${tokenId}`);
  return keys;
}
