/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Place as TakenPlace } from '../access/resume-token.js'
 * @import { Member } from './member.js'
 * @import { Cluster } from './room-config.js'
 *
 * @typedef {object} Place
 * @property {Member} holder
 * @property {string} key  names the place in resume tokens
 * @property {string} skeleton  of its label: see skeleton()
 * @property {unknown} timer  frees the place while its holder is away
 * @property {TokenBucket} returns  how often another session may take the place up
 * @property {number} toldMs  when its holder was told the token last, on the monotonic clock
 */

import { RENEW_MS, ResumeTokens } from '../access/resume-token.js';
import { skeleton } from '../names/skeleton.js';
import { TokenBucket } from '../token-bucket.js';
import { prepareControl } from '../transport/session.js';

/** How many numbers sources have in packets' lists of speakers. */
const SOURCE_NUMBERS = 2 ** 16;

/** How many newcomers are told to everybody at once: a burst, and then a second. The rest is told one by one. */
const TOLD = Object.freeze({ atOnce: 50, perSecond: 20 });

/** How often one place may be taken up again: a burst, and then a second. */
const RETURNS = Object.freeze({ atOnce: 10, perSecond: 0.2 });

/** Newcomers' ids begin so much above one that was taken over, since others' who are yet to come are near it. */
const ID_GAP = 1000;

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
  #byKey = new Map();
  #clock;
  #room;
  #tokens;
  #cluster;
  #awayMs;
  #onFreed;
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
   * @param {string} [options.room]  its name
   * @param {ResumeTokens} [options.tokens]  signs and reads resume tokens
   * @param {Cluster} [options.cluster]  of which this server is a node
   */
  constructor({ clock, awayMs, onFreed, room = '', tokens = new ResumeTokens(), cluster }) {
    this.#clock = clock;
    this.#room = room;
    this.#tokens = tokens;
    this.#cluster = cluster;
    this.#awayMs = awayMs;
    this.#onFreed = onFreed;
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

  /**
   * The id of somebody who had a place in this room on another node: the same, unless somebody has it.
   * @param {string} id
   */
  takenId(id) {
    this.#nextId = Math.max(this.#nextId, Number(id) + ID_GAP);
    const number = Number(id) % SOURCE_NUMBERS;
    for (const other of this.#places.keys()) if (Number(other) % SOURCE_NUMBERS === number) return this.nextId();
    return id;
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
    return this.#placeOf(token)?.holder ?? null;
  }

  /** @param {string | undefined} token @returns {Place | undefined} */
  #placeOf(token) {
    const key = this.#tokens.read(token, this.#room)?.key;
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  /**
   * The place that somebody had in this room on another node.
   * @param {string | undefined} token
   * @returns {TakenPlace | null} null where they have one here, or none
   */
  taken(token) {
    return this.holder(token) ? null : this.#tokens.readTaken(token, this.#room, this.#epoch);
  }

  /** @param {string | undefined} token @returns {boolean} whether the place may be taken up again now; asks its limit */
  mayReturn(token) {
    const place = this.#placeOf(token);
    return place !== undefined && place.returns.take(this.#clock.now()) === 0;
  }

  /**
   * @param {Member} member  who comes in, or back to the place
   * @param {string} [token]  of the place that they come back to, or had on another node
   * @returns {string} the place's token
   */
  enter(member, token) {
    const nowMs = this.#clock.now();
    const before = this.#placeOf(token);
    const key = before?.key ?? this.taken(token)?.key ?? this.#tokens.newKey();
    const returns = before?.returns ?? new TokenBucket({ ...RETURNS, nowMs });
    this.free(member);
    const place = { holder: member, key, skeleton: skeleton(member.label), returns, timer: null, toldMs: nowMs };
    this.#places.set(member.id, place);
    this.#byKey.set(key, place);
    this.#present.set(member.id, member);
    return before && token !== undefined && !this.#tokens.takesOver ? token : this.#sign(place);
  }

  /** @param {Place} place */
  #sign({ holder, key }) {
    const { id, name, label, grant, role, muted, silenced } = holder;
    return this.#tokens.sign({ room: this.#room, key, id, name, label, grant, role, muted, silenced, epoch: this.#epoch });
  }

  /** The room's epoch; 0 without a cluster. */
  get #epoch() {
    return this.#cluster?.epochOf(this.#room) ?? 0;
  }

  /**
   * Tells a member a newer token from time to time where other nodes take places over, with the nodes that there are now.
   * @param {Member} member
   * @param {number} now  on the monotonic clock
   */
  renew(member, now) {
    if (!this.#tokens.takesOver) return;
    const place = this.#places.get(member.id);
    if (!place || now - place.toldMs < RENEW_MS) return;
    place.toldMs = now;
    member.tell({ type: 'resume', resume: this.#sign(place), nodes: this.#cluster?.nodes() ?? [] });
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
    this.#byKey.delete(place.key);
  }

  /** The place of the next hand in the order in which hands go up. */
  nextHand() {
    return this.#nextHand++;
  }

  /**
   * Tells everybody. The message is serialised once.
   * @param {object} message
   * @param {Member} [except]
   */
  tell(message, except) {
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
