/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Member } from './member.js'
 * @import { PersonState, RoomState } from './room-state.js'
 *
 * @typedef {object} Place
 * @property {Member} holder
 * @property {string} digest  of its resume token
 * @property {string} skeleton  of its label: see skeleton()
 * @property {unknown} timer  frees the place while its holder is away
 * @property {TokenBucket} returns  how often another session may take the place up
 */

import { createHash, randomBytes } from 'node:crypto';
import { skeleton } from '../names/skeleton.js';
import { TokenBucket } from '../token-bucket.js';
import { prepareControl } from '../transport/session.js';

/** The length of a resume token: 128 bits of chance can't be guessed. */
const TOKEN_BYTES = 16;

/** How many numbers sources have in packets' lists of speakers. */
const SOURCE_NUMBERS = 2 ** 16;

/** How many newcomers are told to everybody at once: a burst, and then a second. The rest is told one by one. */
const TOLD = Object.freeze({ atOnce: 50, perSecond: 20 });

/** How often one place may be taken up again: a burst, and then a second. */
const RETURNS = Object.freeze({ atOnce: 10, perSecond: 0.2 });

/**
 * The members of a room, and the places that wait for those who were lost. Each place has a resume token that its holder
 * alone is told, and with which another session takes the place up again.
 */
export class Roster {
  /** @type {Map<string, Member>} */
  #present = new Map();
  /** @type {Set<Member>} */
  #away = new Set();
  /** By the holder's id. @type {Map<string, Place>} */
  #places = new Map();
  /** @type {Map<string, Place>} */
  #byDigest = new Map();
  #clock;
  #awayMs;
  #onFreed;
  #onTold;
  #nextId = 1;
  #nextHand = 1;
  #tells;
  /** Newcomers of whom the others don't know yet, by id. @type {Map<string, Member>} */
  #untold = new Map();

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {number} options.awayMs  how long a place waits for its holder
   * @param {(member: Member) => void} options.onFreed  told when the holder has been away for that long
   * @param {() => void} [options.onTold]  called when everybody is told something: the room has changed
   */
  constructor({ clock, awayMs, onFreed, onTold = () => {} }) {
    this.#clock = clock;
    this.#awayMs = awayMs;
    this.#onFreed = onFreed;
    this.#onTold = onTold;
    this.#tells = new TokenBucket({ ...TOLD, nowMs: clock.now() });
  }

  /** Those who are in the room, by id, as they come and go. @returns {ReadonlyMap<string, Member>} */
  get present() {
    return this.#present;
  }

  /** How many have a place that waits for them. */
  get waiting() {
    return this.#away.size;
  }

  /** How many have a place, away or not. */
  get size() {
    return this.#present.size + this.#away.size;
  }

  /** @param {string} id @returns {Member | null} who has a place, there or away */
  find(id) {
    return this.#places.get(id)?.holder ?? null;
  }

  /** All of whom everybody knows, and one more, in the order in which they came. @param {Member} member */
  knownTo(member) {
    return this.everybody.filter((person) => person === member || !this.#untold.has(person.id));
  }

  /** All who have a place, in the order in which they came. */
  get everybody() {
    return [...this.#present.values(), ...this.#away].sort((a, b) => Number(a.id) - Number(b.id));
  }

  /** An id that nobody has had, with a number in packets that nobody has. */
  nextId() {
    const taken = new Set([...this.#places.keys()].map((id) => Number(id) % SOURCE_NUMBERS));
    while (taken.has(this.#nextId % SOURCE_NUMBERS)) this.#nextId += 1;
    return String(this.#nextId++);
  }

  /**
   * The name that a person is shown with: their own, or where somebody has one that looks like it, with a number.
   * @param {string} name
   * @returns {string} "Ada", "Ada (2)", "Ada (3)"
   */
  labelFor(name) {
    const taken = new Set();
    for (const place of this.#places.values()) taken.add(place.skeleton);
    let label = name;
    for (let number = 2; taken.has(skeleton(label)); number++) label = `${name} (${number})`;
    return label;
  }

  /**
   * @param {string | undefined} token
   * @returns {Member | null} whose place it is; null when it is nobody's any more
   */
  holder(token) {
    return token === undefined ? null : (this.#byDigest.get(digestOf(token))?.holder ?? null);
  }

  /** @param {string | undefined} token @returns {boolean} whether the place may be taken up again now; asks its limit */
  mayReturn(token) {
    const place = this.#byDigest.get(digestOf(token ?? ''));
    return place !== undefined && place.returns.take(this.#clock.now()) === 0;
  }

  /**
   * @param {Member} member  who comes in, or back to the place
   * @param {string} [token]  of the place that they come back to
   * @returns {string} the place's token
   */
  enter(member, token = randomBytes(TOKEN_BYTES).toString('base64url')) {
    const digest = digestOf(token);
    const returns = this.#byDigest.get(digest)?.returns ?? new TokenBucket({ ...RETURNS, nowMs: this.#clock.now() });
    this.free(member);
    this.#put(member, digest, returns);
    this.#present.set(member.id, member);
    return token;
  }

  /** @param {Member} member @param {string} digest @param {TokenBucket} returns */
  #put(member, digest, returns) {
    const place = { holder: member, digest, skeleton: skeleton(member.label), returns, timer: null };
    this.#places.set(member.id, place);
    this.#byDigest.set(digest, place);
  }

  /** The places as they are kept elsewhere. @returns {Pick<RoomState, 'people' | 'nextId' | 'nextHand'>} */
  state() {
    const people = this.everybody.map((member) => ({ ...member.state(), digest: this.#places.get(member.id)?.digest ?? '' }));
    return { people, nextId: this.#nextId, nextHand: this.#nextHand };
  }

  /**
   * Takes over places whose holders are to come back.
   * @param {Pick<RoomState, 'people' | 'nextId' | 'nextHand'>} state
   * @param {(person: PersonState) => Member} memberOf
   */
  restore({ people, nextId, nextHand }, memberOf) {
    this.#nextId = nextId;
    this.#nextHand = nextHand;
    for (const person of people) {
      const member = memberOf(person);
      this.#put(member, person.digest, new TokenBucket({ ...RETURNS, nowMs: this.#clock.now() }));
      this.wait(member);
    }
  }

  /**
   * @param {Member} member
   * @returns {boolean} false when they were out, or their place another session's, already
   */
  takeOut(member) {
    return this.#present.get(member.id) === member && this.#present.delete(member.id);
  }

  /** @param {Member} member  who was taken out, and is away from now on: the place waits */
  wait(member) {
    const place = this.#places.get(member.id);
    if (!place) return;
    member.wait();
    this.#away.add(member);
    place.timer = this.#clock.setTimeout(() => {
      this.free(member);
      this.#onFreed(member);
    }, this.#awayMs);
  }

  /** @param {{ id: string }} member  whose place is nobody's from now on */
  free({ id }) {
    const place = this.#places.get(id);
    if (!place) return;
    this.#clock.clearTimeout(place.timer);
    this.#away.delete(place.holder);
    this.#places.delete(id);
    this.#byDigest.delete(place.digest);
  }

  /** The place of the next hand in the order in which hands go up. */
  nextHand() {
    return this.#nextHand++;
  }

  /** Something of the room has changed that isn't told. */
  noteChange() {
    this.#onTold();
  }

  /**
   * Tells everybody. The message is serialised once.
   * @param {object} message
   * @param {Member} [except]
   */
  tell(message, except) {
    this.#onTold();
    const prepared = prepareControl(message);
    for (const member of this.#present.values()) if (member !== except) member.tell(prepared);
  }

  /**
   * Tells everybody what others are told of somebody, unless they don't know of them yet.
   * @param {Member} member
   * @param {Member} [except]
   */
  changed(member, except) {
    if (this.#untold.has(member.id)) this.#untold.set(member.id, member);
    else this.tell({ type: 'changed', person: member.describe() }, except);
  }

  /** Tells everybody else of a newcomer: at once, or with tellNext() where many come. @param {Member} member */
  came(member) {
    if (this.#untold.size === 0 && this.#tells.take(this.#clock.now()) === 0) this.#tellOf(member);
    else this.#untold.set(member.id, member);
  }

  /** Tells everybody that somebody's place is free, unless they never knew of them. @param {Member} member */
  left(member) {
    if (!this.#untold.delete(member.id)) this.tell({ type: 'left', id: member.id });
  }

  /** Tells of one newcomer who is still there, if any may be told now. To be called often: many at once hold up the mix. */
  tellNext() {
    const [first] = this.#untold;
    if (!first || this.#tells.take(this.#clock.now()) > 0) return;
    this.#untold.delete(first[0]);
    this.#tellOf(first[1]);
  }

  /** @param {Member} member */
  #tellOf(member) {
    this.tell({ type: 'joined', person: member.describe() }, member);
  }

  /** Nobody is in any more, and no place waits. Idempotent. */
  clear() {
    this.#present.clear();
    this.#untold.clear();
    for (const id of [...this.#places.keys()]) this.free({ id });
  }
}

/** @param {string} token */
const digestOf = (token) => createHash('sha256').update(token).digest('base64');
