/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Place as TakenPlace } from '../../access/resume-token.js'
 * @import { Member } from './member.js'
 * @import { Cluster } from '../room-config.js'
 * @import { PersonState, PlaceNote, Settings } from '../../state/portable-state.js'
 *
 * @typedef {object} Place
 * @property {Member} holder
 * @property {string} key  names the place in resume tokens
 * @property {unknown} timer  frees the place while its holder is away
 * @property {TokenBucket} returns  how often another session may take the place up
 * @property {number} toldMs  when its holder was told the token last, on the monotonic clock
 * @property {string} told    what that token says of its holder that may change
 */

import { RENEW_MS, ResumeTokens } from '../../access/resume-token.js';
import { TokenBucket } from '../../token-bucket.js';
import { prepareControl } from '../../transport/session.js';
import { Announcements } from './announcements.js';
import { Audience } from './audience.js';
import { Census } from './census.js';
import { Labels } from './labels.js';
import { PlaceNotes } from './place-notes.js';

/** How many numbers sources have in packets' lists of speakers. */
const SOURCE_NUMBERS = 2 ** 16;

/** The shortest time between two messages about how many listen, in milliseconds. */
const COUNT_EVERY_MS = 2000;

/**
 * The smallest change of the server-side delay that the audience is told, in milliseconds: what is
 * heard doesn't hang on it.
 */
const DELAY_CHANGE_MS = 10;

/** How often one place may be taken up again: a burst, and then a second. */
const RETURNS = Object.freeze({ atOnce: 10, perSecond: 0.2 });

/**
 * The most places of the audience that are kept elsewhere, without those whose hand is up or that
 * moderators have acted on.
 */
const MOST_LIGHT_KEPT = 1000;

/** @type {Readonly<Settings>} */
const NO_SETTINGS = Object.freeze({
  frameMs: undefined,
  channels: undefined,
  mode: undefined,
  e2e: undefined,
  serverDelayMs: undefined,
});

/**
 * Newcomers' ids begin so much above one that was taken over, since others' who are yet to come are
 * near it.
 */
export const ID_GAP = 1000;

/**
 * The members of a room, and the places that wait for those who were lost. Each place has a resume
 * token that its holder alone is told, and with which another session takes the place up again.
 * Members are people, whom everybody is told of, or light ones, who only listen and are the
 * audience.
 */
export class Roster {
  /** @type {Map<string, Member>} */
  #present = new Map();
  /**
   * Those who have a place and aren't light, there or away, in the order in which they came.
   * @type {Map<string, Member>}
   */
  #people = new Map();
  /** @type {Set<Member>} */
  #away = new Set();
  /** By the holder's id. @type {Map<string, Place>} */
  #places = new Map();
  /** @type {Map<string, Place>} */
  #byKey = new Map();
  /** The numbers in packets of all who have a place. @type {Set<number>} */
  #numbers = new Set();
  #labels = new Labels();
  #clock;
  #room;
  #tokens;
  #cluster;
  #awayMs;
  #onFreed;
  #onTold;
  #census;
  #settings;
  #nextId = 1;
  #nextHand = 1;
  /** The sum of both when other nodes were told. */
  #counted = 0;
  #ticking = 0;
  #relayed = 0;
  /** How many listen and the delay that they have, as they were told last. */
  #told = { count: 0, countMs: -Infinity, delayMs: NaN };

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {number} options.awayMs  how long a place waits for its holder
   * @param {(member: Member) => void} options.onFreed told when the holder has been away for that
   *   long
   * @param {() => void} [options.onTold] called when everybody is told something: the room has
   *   changed
   * @param {Census} [options.census]  of all rooms
   * @param {string} [options.room]  its name
   * @param {ResumeTokens} [options.tokens]  signs and reads resume tokens
   * @param {Cluster} [options.cluster]  of which this server is a node
   * @param {() => Settings} [options.settings]  the room's
   */
  constructor({
    clock,
    awayMs,
    onFreed,
    onTold = () => {},
    census = new Census(),
    room = '',
    tokens = new ResumeTokens(),
    cluster,
    settings = () => NO_SETTINGS,
  }) {
    this.#clock = clock;
    this.#room = room;
    this.#tokens = tokens;
    this.#cluster = cluster;
    this.#awayMs = awayMs;
    this.#onFreed = onFreed;
    this.#onTold = onTold;
    this.#census = census;
    this.#settings = settings;
    /** What older tokens of the places don't say. */
    this.notes = new PlaceNotes({
      now: () => tokens.now(),
      keptMs: tokens.freshMs,
      epoch: () => this.#epoch,
    });
    this.notes.take(cluster?.placesOf(room) ?? []);
    /** Those who are there and only listen. */
    this.audience = new Audience(clock);
    /** Who has come, changed and gone. */
    this.announcements = new Announcements(clock, (message, except) => this.tell(message, except));
  }

  /**
   * The people who are in the room, by id, as they come and go; without the audience.
   * @returns {ReadonlyMap<string, Member>}
   */
  get present() {
    return this.#present;
  }

  /** How many are there, the audience among them. */
  get here() {
    return this.#present.size + this.audience.size;
  }

  /** How many of the audience have their sessions at other nodes. */
  get relayed() {
    return this.#relayed;
  }

  /** How many of them have the delivery `tick`. */
  get ticking() {
    return this.#ticking;
  }

  /** How many have a place that waits for them. */
  get waiting() {
    return this.#away.size;
  }

  /** How many have a place, away or not. */
  get size() {
    return this.here + this.#away.size;
  }

  /** @param {string} id @returns {Member | null} who has a place, there or away */
  find(id) {
    return this.#places.get(id)?.holder ?? null;
  }

  /** @param {Member} member @returns {boolean} whether they are there, by this session */
  isHere(member) {
    return this.#present.get(member.id) === member || this.audience.has(member);
  }

  /** All who have a place and are people, in the order in which they came. */
  get everybody() {
    return [...this.#people.values()];
  }

  /**
   * Some of those who only listen, and whose names have a text in them.
   * @param {{ after?: string, find?: string, most: number }} wish  see Audience.page
   */
  listeners(wish) {
    const { members, next } = this.audience.page(wish);
    const people = members.map((member) => member.describe());
    return { count: this.audience.size, people, ...(next !== null && { next }) };
  }

  /** All who are there: people and audience. @returns {Generator<Member>} */
  *membersHere() {
    yield* this.#present.values();
    yield* this.audience.members();
  }

  /** All who have a place, there or away. @param {Member} [except] @returns {Generator<Member>} */
  *holders(except) {
    for (const { holder } of this.#places.values()) if (holder !== except) yield holder;
  }

  /**
   * The id of somebody who had a place in this room on another node: the same, unless somebody has
   * it.
   * @param {string} id
   */
  takenId(id) {
    this.#nextId = Math.max(this.#nextId, Number(id) + ID_GAP);
    const number = Number(id) % SOURCE_NUMBERS;
    for (const other of this.#places.keys())
      if (Number(other) % SOURCE_NUMBERS === number) return this.nextId();
    return id;
  }

  /**
   * The place of a hand that was raised on another node: those that go up here come after it.
   * @param {number} hand
   */
  takenHand(hand) {
    this.#nextHand = Math.max(this.#nextHand, hand + 1);
  }

  /** An id that nobody has had, with a number in packets that nobody has. */
  nextId() {
    const tries = this.#numbers.size < SOURCE_NUMBERS ? SOURCE_NUMBERS : 0;
    for (let i = 0; i < tries && this.#numbers.has(this.#nextId % SOURCE_NUMBERS); i++)
      this.#nextId += 1;
    return String(this.#nextId++);
  }

  /** @param {string} name @returns {string} see Labels */
  labelFor(name) {
    return this.#labels.labelFor(name);
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
    return this.holder(token)
      ? null
      : this.notes.amend(this.#tokens.readTaken(token, this.#room, this.#epoch));
  }

  /**
   * @param {string | undefined} token
   * @returns {boolean} whether the place may be taken up again now; asks its limit
   */
  mayReturn(token) {
    const place = this.#placeOf(token);
    return place !== undefined && place.returns.take(this.#clock.now()) === 0;
  }

  /**
   * @param {Member} member  who comes in, or back to the place
   * @param {string} [token]  of the place that they come back to, or had on another node
   */
  enter(member, token) {
    const { id, isLight } = member;
    const nowMs = this.#clock.now();
    const before = this.#placeOf(token);
    const key = before?.key ?? this.taken(token)?.key ?? this.#tokens.newKey();
    const returns = before?.returns ?? new TokenBucket({ ...RETURNS, nowMs });
    const holder = this.find(id);
    if (holder) {
      this.takeOut(holder);
      this.#release(id);
    }
    this.#put(member, key, returns);
    if (isLight) this.#people.delete(id);
    this.#putIn(member);
  }

  /**
   * The token of a member's place, to be signed once they are what they are to be.
   * @param {Member} member
   * @param {string} [shown]  the token that they came back with
   */
  tokenOf(member, shown) {
    const place = /** @type {Place} */ (this.#places.get(member.id));
    return shown !== undefined && !this.#tokens.takesOver ? shown : this.#sign(place);
  }

  /** @param {Place} place */
  #sign(place) {
    const { key, holder } = place;
    const { id, name, label, grant, role, muted, silenced, hand } = holder;
    place.told = mayChange(holder);
    return this.#tokens.sign({
      room: this.#room,
      key,
      id,
      name,
      label,
      grant,
      role,
      muted,
      silenced,
      hand,
      epoch: this.#epoch,
      settings: this.#settings(),
    });
  }

  /** @param {string} key  of a place @returns {Member | null} its holder */
  atPlace(key) {
    return this.#byKey.get(key)?.holder ?? null;
  }

  /**
   * A moderator has decided something of a member's place.
   * @param {Member} member
   * @param {Partial<PlaceNote>} what
   */
  decide({ id }, what) {
    const key = this.#places.get(id)?.key;
    if (key !== undefined) this.notes.decide(key, what);
  }

  /** The room's epoch; 0 without a cluster. */
  get #epoch() {
    return this.#cluster?.epochOf(this.#room) ?? 0;
  }

  /**
   * Tells a member a newer token from time to time where other nodes take places over, with the
   * nodes that there are now.
   * @param {Member} member
   * @param {number} now  on the monotonic clock
   */
  renew(member, now) {
    if (!this.#tokens.takesOver) return;
    const place = this.#places.get(member.id);
    if (!place || (place.told === mayChange(member) && now - place.toldMs < RENEW_MS)) return;
    place.toldMs = now;
    member.tell({ type: 'resume', resume: this.#sign(place), nodes: this.#cluster?.nodes() ?? [] });
  }

  /** @param {Member} member @param {string} key @param {TokenBucket} returns */
  #put(member, key, returns) {
    const { id, name, label } = member;
    const place = {
      holder: member,
      key,
      returns,
      timer: null,
      toldMs: this.#clock.now(),
      told: mayChange(member),
    };
    this.#places.set(id, place);
    this.#byKey.set(key, place);
    this.#numbers.add(Number(id) % SOURCE_NUMBERS);
    this.#labels.take(name, label);
    return place;
  }

  /** The next newcomer's id, and the place of the next hand. */
  get counters() {
    return { nextId: this.#nextId, nextHand: this.#nextHand };
  }

  /**
   * Ids and hands go on from those of another thread or node.
   * @param {{ nextId: number, nextHand: number }} counters
   */
  goOnFrom({ nextId, nextHand }) {
    this.#nextId = Math.max(this.#nextId, nextId);
    this.#nextHand = Math.max(this.#nextHand, nextHand);
  }

  /**
   * @returns {boolean} whether other nodes are to hear something of the places that they weren't
   *   told
   */
  takeNews() {
    const before = this.#counted;
    this.#counted = this.#nextId + this.#nextHand;
    return this.notes.takeChange() || this.#counted !== before;
  }

  /** The places as they are kept elsewhere. @returns {PersonState[]} */
  state() {
    const people = [];
    let light = 0;
    for (const { holder, key } of this.#places.values()) {
      // A large audience's places would take longer to tell than a frame lasts.
      const isTold =
        !holder.isLight ||
        holder.hand > 0 ||
        holder.silenced ||
        holder.lowered ||
        ++light <= MOST_LIGHT_KEPT;
      if (isTold) people.push({ ...holder.state(), key });
    }
    return people;
  }

  /**
   * Takes over places whose holders are to come back.
   * @param {readonly PersonState[]} people
   * @param {(person: PersonState) => Member} memberOf
   */
  restore(people, memberOf) {
    for (const person of people) {
      const member = memberOf(person);
      this.#put(member, person.key, new TokenBucket({ ...RETURNS, nowMs: this.#clock.now() }));
      if (!member.isLight) this.#people.set(member.id, member);
      this.wait(member);
    }
  }

  /**
   * Those whose sessions are at other nodes count there.
   * @param {Member} member
   * @param {1 | -1} by
   */
  #count({ session }, by) {
    if (session.transport.isRelay) this.#relayed += by;
    else this.#census.present += by;
  }

  /** @param {Member} member  who is there from now on */
  #putIn(member) {
    this.#count(member, 1);
    if (this.here === 0) this.#census.rooms += 1;
    if (member.delivery === 'tick') this.#ticking += 1;
    if (member.isLight) return this.audience.enter(member);
    this.#people.set(member.id, member);
    this.#present.set(member.id, member);
  }

  /**
   * @param {Member} member
   * @returns {boolean} false when they were out, or their place another session's, already
   */
  takeOut(member) {
    const wasHere =
      this.#present.get(member.id) === member
        ? this.#present.delete(member.id)
        : this.audience.leave(member);
    if (!wasHere) return false;
    this.#count(member, -1);
    if (this.here === 0) this.#census.rooms -= 1;
    if (member.delivery === 'tick') this.#ticking -= 1;
    return true;
  }

  /**
   * Somebody becomes light, or one of the people.
   * @param {Member} member  who is there
   * @param {() => void} change  makes them that
   */
  recast(member, change) {
    if (!this.takeOut(member)) return;
    change();
    if (member.isLight) this.#people.delete(member.id);
    this.#putIn(member);
  }

  /** @param {Member} member  who was taken out, and is away from now on: the place waits */
  wait(member) {
    const place = this.#places.get(member.id);
    if (!place) return;
    member.wait();
    this.#away.add(member);
    this.#census.away += 1;
    place.timer = this.#clock.setTimeout(() => {
      this.free(member);
      this.#onFreed(member);
    }, this.#awayMs);
  }

  /** @param {{ id: string }} member  whose place is nobody's from now on */
  free({ id }) {
    const key = this.#places.get(id)?.key;
    if (key !== undefined) this.notes.out(key);
    this.#release(id);
    this.#people.delete(id);
  }

  /** @param {string} id  of a member who is out */
  #release(id) {
    const place = this.#places.get(id);
    if (!place) return;
    const { holder, key, timer } = place;
    this.#clock.clearTimeout(timer);
    if (this.#away.delete(holder)) this.#census.away -= 1;
    this.#places.delete(id);
    this.#byKey.delete(key);
    this.#numbers.delete(Number(id) % SOURCE_NUMBERS);
    this.#labels.free(holder.name, holder.label);
  }

  /** The place of the next hand in the order in which hands go up. */
  nextHand() {
    return this.#nextHand++;
  }

  /** Something of the room has changed that its people aren't told. */
  noteChange() {
    this.#onTold();
  }

  /**
   * Tells everybody who is there. The message is serialised once.
   * @param {object} message
   * @param {Member} [except]
   */
  tell(message, except) {
    this.#onTold();
    const prepared = prepareControl(message);
    for (const member of this.#present.values()) if (member !== except) member.tell(prepared);
    this.audience.tell(prepared);
  }

  /**
   * Tells everybody what others are told of somebody; of a light one that one alone.
   * @param {Member} member
   * @param {Member} [except]
   */
  changed(member, except) {
    // On another node a hand is up, or a role had, as the token says.
    this.renew(member, this.#clock.now());
    if (!member.isLight) this.announcements.changed(member, except);
    else if (member !== except && !member.away)
      member.tell({ type: 'changed', person: member.describe() });
  }

  /**
   * A second has passed: those of whom others wait to be told make the next batch, with how many
   * listen.
   * @param {number} nowMs
   * @param {number} delayMs  the server-side delay of the audience
   */
  endRound(nowMs, delayMs) {
    const batch = this.announcements.turn();
    const told = this.#told;
    const { size } = this.audience;
    if (size !== told.count && nowMs - told.countMs >= COUNT_EVERY_MS) {
      this.announcements.add({ type: 'listeners', count: size });
      Object.assign(told, { count: size, countMs: nowMs });
    }
    for (const message of batch) this.audience.tell(message);
    if (Math.abs(delayMs - told.delayMs) < DELAY_CHANGE_MS) return;
    this.audience.tell({ type: 'delay', serverDelayMs: delayMs });
    told.delayMs = delayMs;
  }

  /**
   * Tells the others of somebody who has come, or come back, or whose role is another.
   * @param {Member} member
   * @param {boolean} wasKnown  whether they knew of them
   */
  announce(member, wasKnown) {
    if (member.isLight) return void (wasKnown && this.announcements.left(member.id));
    if (wasKnown) this.announcements.changed(member, member);
    else this.announcements.came(member);
  }

  /** Nobody is in any more, and no place waits. Idempotent. */
  clear() {
    for (const member of [...this.membersHere()]) this.takeOut(member);
    this.audience.clear();
    this.announcements.clear();
    for (const id of [...this.#places.keys()]) this.free({ id });
  }
}

/** What a token says of its holder that may change. @param {Member} member */
const mayChange = ({ role, muted, silenced, hand }) => `${role} ${muted} ${silenced} ${hand}`;
