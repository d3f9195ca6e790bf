/**
 * @import { ServerMessage } from '../../../public/shared/messages/server-messages.js'
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Place as TakenPlace } from '../../access/resume-token.js'
 * @import { PersonState, PlaceNote } from '../../state/portable-state.js'
 * @import { Cluster } from '../room-config.js'
 * @import { RoomEvents } from '../room.js'
 * @import { RoomSettings } from '../sound/mode.js'
 * @import { Member } from './member.js'
 *
 * @typedef {object} Place
 * @property {Member} holder
 * @property {string} key  names the place in resume tokens
 * @property {unknown} timer  frees the place while its holder is away
 * @property {TokenBucket} returns  limits sessions that take the place up again
 * @property {number} toldMs  time of the holder's last token, on the monotonic clock
 * @property {string} told  that token's changeable fields
 */

import { RENEW_MS, ResumeTokens } from '../../access/resume-token.js';
import { TokenBucket } from '../../token-bucket.js';
import { prepareControl } from '../../transport/session.js';
import { Announcements, Audience } from './audience.js';
import { Labels } from './labels.js';
import { PlaceNotes } from './place-notes.js';

/** Source numbers that packets' lists of speakers have room for. */
const SOURCE_NUMBERS = 2 ** 16;

/** Shortest time between two messages with the number of listeners, in milliseconds. */
const COUNT_EVERY_MS = 2000;

/**
 * Smallest change of the server-side delay that the audience receives, in milliseconds: playback
 * doesn't depend on it.
 */
const DELAY_CHANGE_MS = 10;

/** Limit of returns to one place: a burst, and then a second. */
const RETURNS = Object.freeze({ atOnce: 10, perSecond: 0.2 });

/**
 * Most places of the audience in the portable state, besides raised hands and places that a
 * moderator has acted on.
 */
const MOST_LIGHT_KEPT = 1000;

/**
 * Gap between the ids of newcomers and the highest id from another node: people who are still to
 * come from there have ids near it.
 */
export const ID_GAP = 1000;

/** Number of places in all rooms of a kind, kept up to date as people come and go. */
export class Census {
  present = 0;
  /** Places whose holder's connection was lost. */
  away = 0;
  /** Rooms with present people. */
  rooms = 0;
}

/**
 * The members of a room, and the places that are kept for members whose connection was lost. Each
 * place has a resume token, known to its holder alone, with which another session takes it up
 * again. Members are people, who are announced to everybody, or light: these only listen, and are
 * the audience.
 */
export class People {
  /** @type {Map<string, Member>} */
  #present = new Map();
  /**
   * Members who aren't light, present or away, in the order in which they came.
   * @type {Map<string, Member>}
   */
  #people = new Map();
  /** @type {Set<Member>} */
  #away = new Set();
  /** By the holder's id. @type {Map<string, Place>} */
  #places = new Map();
  /** @type {Map<string, Place>} */
  #byKey = new Map();
  /** Source numbers of all places. @type {Set<number>} */
  #numbers = new Set();
  #labels = new Labels();
  #clock;
  #room;
  #tokens;
  #cluster;
  #awayMs;
  #events;
  #census;
  #settings;
  #nextId = 1;
  #nextHand = 1;
  /** Sum of both at the last news to other nodes. */
  #counted = 0;
  #ticking = 0;
  #relayed = 0;
  /** Number of listeners and delay of the audience's last messages. */
  #told = { count: 0, countMs: -Infinity, delayMs: NaN };

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {number} options.awayMs  time for which a place is kept for its holder
   * @param {RoomEvents} options.events
   * @param {Pick<RoomSettings, 'state'>} options.settings  for tokens
   * @param {Census} [options.census]  of all rooms
   * @param {string} [options.room]  its name
   * @param {ResumeTokens} [options.tokens]  signs and reads resume tokens
   * @param {Cluster} [options.cluster]  of which this server is a node
   */
  constructor({
    clock,
    awayMs,
    events,
    settings,
    census = new Census(),
    room = '',
    tokens = new ResumeTokens(),
    cluster,
  }) {
    this.#clock = clock;
    this.#room = room;
    this.#tokens = tokens;
    this.#cluster = cluster;
    this.#awayMs = awayMs;
    this.#events = events;
    this.#census = census;
    this.#settings = settings;
    /** Decisions and departures that older tokens of the places don't have. */
    this.notes = new PlaceNotes({
      now: () => tokens.now(),
      keptMs: tokens.freshMs,
      epoch: () => this.#epoch,
    });
    this.notes.take(cluster?.placesOf(room) ?? []);
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

  /** Networks of the present people. */
  get networks() {
    return [...this.#present.values()].map(({ network }) => network);
  }

  /** @param {string} id @returns {Member | null} the member, present or away */
  find(id) {
    return this.#places.get(id)?.holder ?? null;
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
   * A page of the audience, of names that contain a text.
   * @param {{ after?: string, find?: string, most: number }} wish  see Audience.page
   */
  listeners(wish) {
    const { members, next } = this.audience.page(wish);
    const people = members.map((member) => member.describe());
    return { count: this.audience.size, people, ...(next !== null && { next }) };
  }

  /** All present members: people and audience. @returns {Generator<Member>} */
  *membersHere() {
    yield* this.#present.values();
    yield* this.audience.members();
  }

  /** All members, present or away. @param {Member} [except] @returns {Generator<Member>} */
  *holders(except) {
    for (const { holder } of this.#places.values()) if (holder !== except) yield holder;
  }

  /**
   * Id for a member from another node: the same, unless it is taken here.
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
   * Takes over a raised hand from another node: hands that go up here come after it.
   * @param {number} hand
   */
  takenHand(hand) {
    this.#nextHand = Math.max(this.#nextHand, hand + 1);
  }

  /** Makes an id that nobody has had, with a source number that nobody has. */
  nextId() {
    const tries = this.#numbers.size < SOURCE_NUMBERS ? SOURCE_NUMBERS : 0;
    for (let i = 0; i < tries && this.#numbers.has(this.#nextId % SOURCE_NUMBERS); i++)
      this.#nextId += 1;
    return String(this.#nextId++);
  }

  /** @param {string} name @returns {string} see Labels.labelFor */
  labelFor(name) {
    return this.#labels.labelFor(name);
  }

  /**
   * @param {string | undefined} token
   * @returns {Member | null} the holder of its place; null when the place is free
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
   * Place of a person in this room on another node.
   * @param {string | undefined} token
   * @returns {TakenPlace | null} null when they have one here, or none
   */
  taken(token) {
    return this.holder(token)
      ? null
      : this.notes.amend(this.#tokens.readTaken(token, this.#room, this.#epoch));
  }

  /**
   * @param {string | undefined} token
   * @returns {boolean} true when the place may be taken up again now; counts against its limit
   */
  mayReturn(token) {
    const place = this.#placeOf(token);
    return place !== undefined && place.returns.take(this.#clock.now()) === 0;
  }

  /**
   * Gives a newcomer a place, or a member who returns theirs.
   * @param {Member} member
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
   * Token of a member's place. Ask once their role and mutes are settled: it contains them.
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
      settings: this.#settings.state(),
    });
  }

  /** @param {string} key  of a place @returns {Member | null} the place's holder */
  atPlace(key) {
    return this.#byKey.get(key)?.holder ?? null;
  }

  /**
   * Notes a moderator's decision on a member's place.
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
   * Sends a member a newer token from time to time in a cluster, with its present nodes.
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

  /** The next newcomer's id, and the order of the next hand. */
  get counters() {
    return { nextId: this.#nextId, nextHand: this.#nextHand };
  }

  /**
   * Continues the ids and hands of another thread or node.
   * @param {{ nextId: number, nextHand: number }} counters
   */
  goOnFrom({ nextId, nextHand }) {
    this.#nextId = Math.max(this.#nextId, nextId);
    this.#nextHand = Math.max(this.#nextHand, nextHand);
  }

  /** @returns {boolean} true when there is news of the places for other nodes */
  takeNews() {
    const before = this.#counted;
    this.#counted = this.#nextId + this.#nextHand;
    return this.notes.takeChange() || this.#counted !== before;
  }

  /** Places as plain data. @returns {PersonState[]} */
  state() {
    const people = [];
    let light = 0;
    for (const { holder, key } of this.#places.values()) {
      // Serialising a large audience's places would take longer than a frame lasts.
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
   * Takes over places whose holders may come back.
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
   * Counts a member; sessions at other nodes count there.
   * @param {Member} member
   * @param {1 | -1} by
   */
  #count({ session }, by) {
    if (session.transport.isRelay) this.#relayed += by;
    else this.#census.present += by;
  }

  /** @param {Member} member */
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
    this.#putIn(member);
  }

  /** Keeps the place of a removed member. @param {Member} member */
  wait(member) {
    const place = this.#places.get(member.id);
    if (!place) return;
    member.away = true;
    this.#away.add(member);
    this.#census.away += 1;
    place.timer = this.#clock.setTimeout(() => {
      this.free(member);
      this.#events.emit('freed', member);
    }, this.#awayMs);
  }

  /** Frees a member's place. @param {{ id: string }} member */
  free({ id }) {
    const key = this.#places.get(id)?.key;
    if (key !== undefined) this.notes.out(key);
    this.#release(id);
    this.#people.delete(id);
  }

  /** @param {string} id */
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

  /** Takes the order of the next hand. */
  nextHand() {
    return this.#nextHand++;
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

  /** Sends a message to the present moderators. @param {ServerMessage} message */
  tellModerators(message) {
    for (const member of this.#present.values())
      if (member.role === 'moderator') member.tell(message);
  }

  /**
   * Announces a changed member to everybody; a light one to that member alone.
   * @param {Member} member
   * @param {Member} [except]
   */
  changed(member, except) {
    // If this node dies, the next one restores hand and role from the token.
    this.renew(member, this.#clock.now());
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
    for (const id of [...this.#places.keys()]) this.free({ id });
  }
}

/** Fields of a token that may change. @param {Member} member */
const mayChange = ({ role, muted, silenced, hand }) => `${role} ${muted} ${silenced} ${hand}`;
