/**
 * @import { Place } from '../../access/resume-token.js'
 * @import { PlaceNote } from '../../state/portable-state.js'
 */

import { MAX_TOLD } from '../../state/portable-state.js';

/** Most notes; beyond it the oldest is dropped. */
const MOST = 10_000;

/**
 * Changes of a room's places that older resume tokens don't have: departures for good, and
 * moderators' decisions. A note is kept for as long as another node accepts a token older than it.
 */
export class PlaceNotes {
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
    this.#decided.add(key);
    this.#add(key, what);
  }

  /** @param {string} key @param {Partial<PlaceNote>} what */
  #add(key, what) {
    if (this.#keptMs === 0) return;
    const before = this.#notes.get(key) ?? { out: false, role: null, silenced: null };
    this.#keep({ ...before, ...what, key, epoch: this.#epoch(), at: Math.round(this.#now()) });
    this.#isChanged = true;
  }

  /** @param {PlaceNote} note */
  #keep(note) {
    this.#notes.delete(note.key);
    this.#notes.set(note.key, note);
    const since = this.#now() - this.#keptMs;
    for (const { key, at } of this.#notes.values()) {
      if (at >= since && this.#notes.size <= MOST) break;
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
      if (note.role !== null || note.silenced !== null) this.#decided.add(note.key);
      this.#keep(note);
      taken.push(note);
    }
    return taken;
  }

  /**
   * @param {Place | null} place  of a token
   * @returns {Place | null} the present one; null when the token is void
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
 * @param {Place} place  of a token
 * @param {PlaceNote | undefined} note
 * @returns {Place | null} null when the place is free for good
 */
export function amended(place, note) {
  if (!note || place.epoch > note.epoch || (place.epoch === note.epoch && place.issuedMs > note.at))
    return place;
  if (note.out) return null;
  const silenced = note.silenced ?? place.silenced;
  return { ...place, role: note.role ?? place.role, silenced, muted: place.muted || silenced };
}
