/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Place as TokenPlace } from '../../access/resume-token.js'
 * @import { PlaceNote } from '../../state/portable-state.js'
 * @import { Cluster } from '../room-config.js'
 * @import { RoomSettings } from '../sound/mode.js'
 * @import { Member } from './member.js'
 *
 * @typedef {object} Place
 * @property {Member} holder
 * @property {string} key  names the place in resume tokens
 * @property {TokenBucket} returns  limits sessions that take the place up again
 * @property {number} issuedMs  time of the holder's last token, on the monotonic clock
 * @property {string} signed  that token's changeable fields
 *
 * @typedef {object} PlacesOptions
 * @property {Clock} clock
 * @property {Pick<RoomSettings, 'state'>} settings  for tokens
 * @property {string} [room]  its name
 * @property {ResumeTokens} [tokens]  signs and reads resume tokens
 * @property {Cluster} [cluster]  of which this server is a node
 */

import { RENEW_MS, ResumeTokens } from '../../access/resume-token.js';
import { MAX_TOLD } from '../../state/portable-state.js';
import { TokenBucket } from '../../token-bucket.js';
import { Labels } from './labels.js';

/** Source numbers that packets' lists of speakers have room for. */
const SOURCE_NUMBERS = 2 ** 16;

/** Limit of returns to one place: a burst, and then a second. */
const RETURNS = Object.freeze({ atOnce: 10, perSecond: 0.2 });

/**
 * Gap between the ids of newcomers and the highest id from another node: people who are still to
 * come from there have ids near it.
 */
export const ID_GAP = 1000;

/**
 * Places of a room's members. Each has an id, a label and a resume token. The holder alone knows
 * the token, with which another session takes the place up again, here or on another node.
 */
export class Places {
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
  #settings;
  #nextId = 1;

  /** @param {PlacesOptions} options */
  constructor({ clock, settings, room = '', tokens = new ResumeTokens(), cluster }) {
    this.#clock = clock;
    this.#room = room;
    this.#tokens = tokens;
    this.#cluster = cluster;
    this.#settings = settings;
    /** Decisions and departures that older tokens of the places don't have. */
    this.notes = new PlaceNotes({
      now: () => tokens.now(),
      keptMs: tokens.freshMs,
      epoch: () => this.#epoch,
    });
    this.notes.take(cluster?.placesOf(room) ?? []);
  }

  /** All places. @returns {Iterable<Readonly<Place>>} */
  get all() {
    return this.#places.values();
  }

  /** @param {string} id @returns {Member | null} the member, present or away */
  holderOf(id) {
    return this.#places.get(id)?.holder ?? null;
  }

  /** @param {string} id  a holder's @returns {string | undefined} key of their place */
  keyOf(id) {
    return this.#places.get(id)?.key;
  }

  /** @param {string} key  of a place @returns {Member | null} the place's holder */
  atKey(key) {
    return this.#byKey.get(key)?.holder ?? null;
  }

  /**
   * @param {string | undefined} token
   * @returns {Member | null} the holder of its place; null when the place is free
   */
  holder(token) {
    return this.#placeOf(token)?.holder ?? null;
  }

  /** All members, present or away. @param {Member} [except] @returns {Generator<Member>} */
  *holders(except) {
    for (const { holder } of this.#places.values()) if (holder !== except) yield holder;
  }

  /** @param {string | undefined} token @returns {Place | undefined} */
  #placeOf(token) {
    const key = this.#tokens.read(token, this.#room)?.key;
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  /**
   * Place of a person in this room on another node.
   * @param {string | undefined} token
   * @returns {TokenPlace | null} null when they have one here, or none
   */
  taken(token) {
    return this.holder(token)
      ? null
      : this.notes.amend(this.#tokens.readTaken(token, this.#room, this.#epoch));
  }

  /** The room's epoch; 0 without a cluster. */
  get #epoch() {
    return this.#cluster?.epochOf(this.#room) ?? 0;
  }

  /** Id of the next newcomer, which other nodes continue. */
  get next() {
    return this.#nextId;
  }

  /** Continues the ids of another thread or node. @param {number} nextId */
  goOnFrom(nextId) {
    this.#nextId = Math.max(this.#nextId, nextId);
  }

  /** Makes an id that nobody has had, with a source number that nobody has. */
  nextId() {
    const tries = this.#numbers.size < SOURCE_NUMBERS ? SOURCE_NUMBERS : 0;
    for (let i = 0; i < tries && this.#numbers.has(this.#nextId % SOURCE_NUMBERS); i++)
      this.#nextId += 1;
    return String(this.#nextId++);
  }

  /**
   * Id for a member from another node: the same, unless it is taken here.
   * @param {string} id
   */
  takenId(id) {
    this.goOnFrom(Number(id) + ID_GAP);
    const number = Number(id) % SOURCE_NUMBERS;
    for (const other of this.#places.keys())
      if (Number(other) % SOURCE_NUMBERS === number) return this.nextId();
    return id;
  }

  /** @param {string} name @returns {string} see Labels.labelFor */
  labelFor(name) {
    return this.#labels.labelFor(name);
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
  give(member, token) {
    const before = this.#placeOf(token);
    const key = before?.key ?? this.taken(token)?.key ?? this.#tokens.newKey();
    this.#release(member.id);
    this.#put(member, key, before?.returns);
  }

  /**
   * Restores the place of a member who is away.
   * @param {Member} member
   * @param {string} key  of the place
   */
  restore(member, key) {
    this.#put(member, key);
  }

  /** @param {Member} holder @param {string} key @param {TokenBucket} [returns] */
  #put(holder, key, returns = new TokenBucket({ ...RETURNS, nowMs: this.#clock.now() })) {
    const { id, name, label } = holder;
    const place = { holder, key, returns, issuedMs: this.#clock.now(), signed: changeable(holder) };
    this.#places.set(id, place);
    this.#byKey.set(key, place);
    this.#numbers.add(Number(id) % SOURCE_NUMBERS);
    this.#labels.take(name, label);
  }

  /** Frees a place for good. @param {string} id  the holder's */
  free(id) {
    const key = this.keyOf(id);
    if (key !== undefined) this.notes.out(key);
    this.#release(id);
  }

  /** @param {string} id */
  #release(id) {
    const place = this.#places.get(id);
    if (!place) return;
    const { holder, key } = place;
    this.#places.delete(id);
    this.#byKey.delete(key);
    this.#numbers.delete(Number(id) % SOURCE_NUMBERS);
    this.#labels.free(holder.name, holder.label);
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
    const { id, name, label, grant, hand, group, language } = holder;
    const { role, muted, silenced } = holder.standing;
    place.signed = changeable(holder);
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
      group,
      language,
      epoch: this.#epoch,
      settings: this.#settings.state(),
    });
  }

  /**
   * Sends a member a newer token from time to time in a cluster, with its present nodes.
   * @param {Member} member
   * @param {number} now  on the monotonic clock
   */
  renew(member, now) {
    if (!this.#tokens.takesOver) return;
    const place = this.#places.get(member.id);
    if (!place || (place.signed === changeable(member) && now - place.issuedMs < RENEW_MS)) return;
    place.issuedMs = now;
    member.tell({ type: 'resume', resume: this.#sign(place), nodes: this.#cluster?.nodes() ?? [] });
  }

  /**
   * Notes a moderator's decision on a member's place, with the group and the language of now: older
   * tokens have earlier ones.
   * @param {Member} member
   * @param {Partial<PlaceNote>} [what]
   */
  decide({ id, group, language }, what) {
    const key = this.keyOf(id);
    if (key !== undefined) this.notes.decide(key, { group, language: language ?? '', ...what });
  }
}

/** Fields of a token that may change. @param {Member} member */
const changeable = ({ standing: { role, muted, silenced }, hand, group, language }) =>
  `${role} ${muted} ${silenced} ${hand} ${group} ${language}`;

/** Most notes; beyond it the oldest is dropped. */
const MOST_NOTES = 10_000;

/** A place without a decision. */
const UNCHANGED = Object.freeze({
  out: false,
  role: null,
  silenced: null,
  group: null,
  language: null,
});

/** @param {PlaceNote} note */
const isDecision = ({ role, silenced, group, language }) =>
  role !== null || silenced !== null || group !== null || language !== null;

/**
 * Changes of a room's places that older resume tokens don't have: departures for good, and
 * moderators' decisions. A note is kept for as long as another node accepts a token older than it.
 */
class PlaceNotes {
  #now;
  #keptMs;
  #epoch;
  /** By the place's key, the newest last. @type {Map<string, PlaceNote>} */
  #notes = new Map();
  /** Keys of notes that are exported first. @type {Set<string>} */
  #decided = new Set();
  #isChanged = false;

  /**
   * @param {object} options
   * @param {() => number} options.now  milliseconds since 1970, by the clock that signs tokens
   * @param {number} options.keptMs
   * @param {() => number} options.epoch  the room's
   */
  constructor({ now, keptMs, epoch }) {
    this.#now = now;
    this.#keptMs = keptMs;
    this.#epoch = epoch;
  }

  /** Notes that a place is free for good. @param {string} key */
  out(key) {
    this.#add(key, { out: true });
  }

  /** Notes a moderator's decision. @param {string} key @param {Partial<PlaceNote>} what */
  decide(key, what) {
    if (this.#keptMs === 0) return;
    this.#decided.add(key);
    this.#add(key, what);
  }

  /** @param {string} key @param {Partial<PlaceNote>} what */
  #add(key, what) {
    if (this.#keptMs === 0) return;
    const before = this.#notes.get(key) ?? UNCHANGED;
    this.#keep({ ...before, ...what, key, epoch: this.#epoch(), at: Math.round(this.#now()) });
    this.#isChanged = true;
  }

  /** @param {PlaceNote} note */
  #keep(note) {
    this.#notes.delete(note.key);
    this.#notes.set(note.key, note);
    const since = this.#now() - this.#keptMs;
    for (const { key, at } of this.#notes.values()) {
      if (at >= since && this.#notes.size <= MOST_NOTES) break;
      this.#notes.delete(key);
      this.#decided.delete(key);
    }
  }

  /**
   * Takes over another node's notes.
   * @param {readonly PlaceNote[]} notes
   * @returns {PlaceNote[]} the new ones
   */
  take(notes) {
    const taken = [];
    for (const note of notes) {
      const own = this.#notes.get(note.key);
      if (own && (own.epoch > note.epoch || (own.epoch === note.epoch && own.at >= note.at)))
        continue;
      if (isDecision(note)) this.#decided.add(note.key);
      this.#keep(note);
      taken.push(note);
    }
    return taken;
  }

  /**
   * @param {TokenPlace | null} place  of a token
   * @returns {TokenPlace | null} the present one; null when the token is void
   */
  amend(place) {
    return place && amended(place, this.#notes.get(place.key));
  }

  /** Notes for other nodes. @returns {PlaceNote[]} */
  export() {
    const since = this.#now() - this.#keptMs;
    const all = [...this.#notes.values()].filter(({ at }) => at >= since);
    const isDecided = (/** @type {PlaceNote} */ { key }) => this.#decided.has(key);
    const decided = all.filter(isDecided).slice(-MAX_TOLD.places);
    const others = all.filter((note) => !isDecided(note));
    return [
      ...others.slice(Math.max(0, others.length - MAX_TOLD.places + decided.length)),
      ...decided,
    ];
  }

  /** @returns {boolean} true when there are new notes since the last call */
  takeChange() {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }
}

/**
 * @param {TokenPlace} place  of a token
 * @param {PlaceNote | undefined} note
 * @returns {TokenPlace | null} null when the place is free for good
 */
export function amended(place, note) {
  if (!note || place.epoch > note.epoch || (place.epoch === note.epoch && place.issuedMs > note.at))
    return place;
  if (note.out) return null;
  const silenced = note.silenced ?? place.silenced;
  return {
    ...place,
    role: note.role ?? place.role,
    silenced,
    muted: place.muted || silenced,
    group: note.group ?? place.group,
    language: note.language === '' ? null : (note.language ?? place.language),
  };
}
