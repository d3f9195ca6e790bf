/**
 * @import { ServerMessage } from '../../../public/shared/messages/server-messages.js'
 * @import { PersonState } from '../../state/portable-state.js'
 * @import { RoomEvents } from '../room-config.js'
 * @import { Member } from './member.js'
 * @import { PlacesOptions } from './places.js'
 */

import { prepareControl } from '../../session/session.js';
import { Announcements, Audience } from './audience.js';
import { Places } from './places.js';

/** Most people in one message. */
const PEOPLE_PAGE = 100;

/** Shortest time between two messages with the number of listeners, in milliseconds. */
const COUNT_EVERY_MS = 2000;

/**
 * Smallest change of the server-side delay that the audience receives, in milliseconds: playback
 * doesn't depend on it.
 */
const DELAY_CHANGE_MS = 10;

/**
 * Most places of the audience in the portable state, besides raised hands and places that a
 * moderator has acted on.
 */
const MOST_LIGHT_KEPT = 1000;

/** Number of places in all rooms of a kind, kept up to date as people come and go. */
export class Census {
  present = 0;
  /** Places whose holder's connection was lost. */
  away = 0;
  /** Rooms with present people. */
  rooms = 0;
}

/**
 * The members of a room: people, who are announced to everybody, and light members, who only listen
 * and are the audience. A member whose connection was lost is away, and keeps the place for a time.
 */
export class People {
  /** @type {Map<string, Member>} */
  #present = new Map();
  /**
   * Members who aren't light, present or away, in the order in which they came.
   * @type {Map<string, Member>}
   */
  #people = new Map();
  /** Absent members, with the timers that free their places. @type {Map<Member, unknown>} */
  #away = new Map();
  #clock;
  #awayMs;
  #events;
  #census;
  #ticking = 0;
  #relayed = 0;
  /** Number of listeners and delay of the audience's last messages. */
  #told = { count: 0, countMs: -Infinity, delayMs: NaN };

  /**
   * @param {PlacesOptions & { awayMs: number, events: RoomEvents, census?: Census }} options
   *   awayMs: time for which a place is kept for its holder; census: of all rooms
   */
  constructor({ awayMs, events, census = new Census(), ...places }) {
    const { clock } = places;
    this.#clock = clock;
    this.#awayMs = awayMs;
    this.#events = events;
    this.#census = census;
    /** Places of the members, present or away. */
    this.places = new Places(places);
    /** Present members who only listen. */
    this.audience = new Audience(clock);
    /** Announcements of newcomers, changes and departures. */
    this.announcements = new Announcements(clock, (message, except) => this.tell(message, except));
  }

  /**
   * People who are in the room, by id, as they come and go; without the audience.
   * @returns {ReadonlyMap<string, Member>}
   */
  get present() {
    return this.#present;
  }

  /** Number of present members, including the audience. */
  get here() {
    return this.#present.size + this.audience.size;
  }

  /** Number of listeners whose sessions are at other nodes. */
  get relayed() {
    return this.#relayed;
  }

  /** Number of present members whose delivery is `tick`. */
  get ticking() {
    return this.#ticking;
  }

  /** Number of absent members, whose places are kept. */
  get away() {
    return this.#away.size;
  }

  /** Number of places, of members present or away. */
  get size() {
    return this.here + this.#away.size;
  }

  /**
   * Present shared sounds.
   * @param {string} [owner]  of this member alone
   * @returns {Member[]}
   */
  shared(owner) {
    return [...this.#present.values()].filter(({ grant }) =>
      owner === undefined ? grant.owner !== undefined : grant.owner === owner,
    );
  }

  /** Networks of the present people. */
  get networks() {
    return [...this.#present.values()].map(({ network }) => network);
  }

  /** @param {string} id @returns {Member | null} the member, present or away */
  find(id) {
    return this.places.holderOf(id);
  }

  /** @param {Member} member @returns {boolean} true when they are present, by this session */
  isHere(member) {
    return this.#present.get(member.id) === member || this.audience.has(member);
  }

  /** All people, present or away, in the order of coming. */
  get everybody() {
    return [...this.#people.values()];
  }

  /**
   * A page of the list of people, in the order of coming; without newcomers who wait to be
   * announced.
   * @param {string} [after]  last id of the page before
   */
  page(after = '0') {
    const isBehind = (/** @type {Member} */ { id }) =>
      Number(id) > Number(after) && this.announcements.isKnown(id);
    const behind = this.everybody.filter(isBehind).sort((a, b) => Number(a.id) - Number(b.id));
    const page = behind.slice(0, PEOPLE_PAGE);
    return {
      people: page.map((person) => person.describe()),
      ...(behind.length > page.length && { next: page[page.length - 1].id }),
    };
  }

  /**
   * A page of the audience, of names that contain a text.
   * @param {{ after?: string, find?: string, most: number }} query  see Audience.page
   */
  listeners(query) {
    const { members, next } = this.audience.page(query);
    const people = members.map((member) => member.describe());
    return { count: this.audience.size, people, ...(next !== null && { next }) };
  }

  /** All present members: people and audience. @returns {Generator<Member>} */
  *membersHere() {
    yield* this.#present.values();
    yield* this.audience.members();
  }

  /**
   * Gives a newcomer a place, or a member who returns theirs.
   * @param {Member} member
   * @param {string} [token]  of the place that they come back to, or had on another node
   */
  enter(member, token) {
    const { id, isLight } = member;
    const holder = this.find(id);
    if (holder) {
      this.takeOut(holder);
      this.#returned(holder);
    }
    this.places.give(member, token);
    if (isLight) this.#people.delete(id);
    this.#insert(member);
  }

  /** Places as plain data. @returns {PersonState[]} */
  state() {
    const people = [];
    let light = 0;
    for (const { holder, key } of this.places.all) {
      // A program that sends a stream comes back as a new participant.
      if (holder.grant.isStream) continue;
      // Serialising a large audience's places would take longer than a frame lasts.
      const isTold =
        !holder.isLight ||
        holder.hand > 0 ||
        holder.standing.silenced ||
        holder.standing.lowered ||
        ++light <= MOST_LIGHT_KEPT;
      if (isTold) people.push({ ...holder.state(), key });
    }
    return people;
  }

  /**
   * Takes over places whose holders may come back.
   * @param {readonly PersonState[]} people
   * @param {(person: PersonState) => Member} memberOf
   */
  restore(people, memberOf) {
    for (const person of people) {
      const member = memberOf(person);
      this.places.restore(member, person.key);
      if (!member.isLight) this.#people.set(member.id, member);
      this.wait(member);
    }
  }

  /**
   * Counts a member; sessions at other nodes count there.
   * @param {Member} member
   * @param {1 | -1} by
   */
  #count({ session }, by) {
    if (session.transport.isRelay) this.#relayed += by;
    else this.#census.present += by;
  }

  /** @param {Member} member */
  #insert(member) {
    this.#count(member, 1);
    if (this.here === 0) this.#census.rooms += 1;
    if (member.delivery === 'tick') this.#ticking += 1;
    if (member.isLight) return this.audience.enter(member);
    this.#people.set(member.id, member);
    this.#present.set(member.id, member);
  }

  /**
   * @param {Member} member
   * @returns {boolean} false when they, or this session, were out already
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
   * Makes a present member light, or one of the people.
   * @param {Member} member
   * @param {() => void} change  makes the change itself
   */
  recast(member, change) {
    if (!this.takeOut(member)) return;
    change();
    if (member.isLight) this.#people.delete(member.id);
    this.#insert(member);
  }

  /** Keeps the place of a removed member. @param {Member} member */
  wait(member) {
    if (!this.find(member.id)) return;
    member.away = true;
    this.#census.away += 1;
    const timer = this.#clock.setTimeout(() => {
      this.free(member);
      this.#events.emit('freed', member);
    }, this.#awayMs);
    this.#away.set(member, timer);
  }

  /** Frees a member's place. @param {{ id: string }} member */
  free({ id }) {
    const holder = this.find(id);
    if (holder) this.#returned(holder);
    this.places.free(id);
    this.#people.delete(id);
  }

  /** Ends the wait for a member, if there is one. @param {Member} member */
  #returned(member) {
    this.#clock.clearTimeout(this.#away.get(member));
    if (this.#away.delete(member)) this.#census.away -= 1;
  }

  /**
   * Sends a message to everybody present, serialised once.
   * @param {ServerMessage} message
   * @param {Member} [except]
   */
  tell(message, except) {
    this.#events.emit('changed');
    const prepared = prepareControl(message);
    for (const member of this.#present.values()) if (member !== except) member.tell(prepared);
    this.audience.tell(prepared);
  }

  /**
   * Sends a message to the present people of a group.
   * @param {ServerMessage} message
   * @param {number} group
   */
  tellGroup(message, group) {
    const prepared = prepareControl(message);
    for (const member of this.#present.values()) if (member.group === group) member.tell(prepared);
  }

  /** Sends a message to the present moderators. @param {ServerMessage} message */
  tellModerators(message) {
    for (const member of this.#present.values())
      if (member.standing.role === 'moderator') member.tell(message);
  }

  /**
   * Announces a changed member to everybody; a light one to that member alone.
   * @param {Member} member
   * @param {Member} [except]
   */
  changed(member, except) {
    // If this node dies, the next one restores hand and role from the token.
    this.places.renew(member, this.#clock.now());
    if (!member.isLight) this.announcements.changed(member, except);
    else if (member !== except && !member.away)
      member.tell({ type: 'changed', person: member.describe() });
  }

  /**
   * Ends a second: makes the next batch of announcements, with the number of listeners.
   * @param {number} nowMs
   * @param {number} delayMs  server-side delay of the audience
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
   * Announces a member who joined, returned, or changed role.
   * @param {Member} member
   * @param {boolean} wasKnown  to the others
   */
  announce(member, wasKnown) {
    if (member.isLight) return void (wasKnown && this.announcements.left(member.id));
    if (wasKnown) this.announcements.changed(member, member);
    else this.announcements.came(member);
  }

  /** Takes everybody out, and frees all places. Idempotent. */
  clear() {
    for (const member of [...this.membersHere()]) this.takeOut(member);
    this.audience.clear();
    this.announcements.clear();
    for (const { holder } of [...this.places.all]) this.free(holder);
  }
}
