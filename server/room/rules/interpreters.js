/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { RoomRecording } from '../../recording/room-recording.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 * @import { Sound } from '../sound/sound.js'
 * @import { Casting, Stage } from './stage.js'
 */

import { MAX_LANGUAGES } from '../../../public/shared/limits.js';

/**
 * Interpreters of a broadcast. Each is heard by the listeners who have chosen their language, over
 * the softer floor, and by nobody else.
 */
export class Interpreters {
  #people;
  #sound;
  #stage;
  #casting;
  #recording;
  #onChange;
  #told = '';

  /**
   * @param {object} options
   * @param {People} options.people
   * @param {Pick<Sound, 'delivery'>} options.sound
   * @param {Pick<Stage, 'isOn'>} options.stage
   * @param {Pick<Casting, 'bringHome'>} options.casting
   * @param {Pick<RoomRecording, 'pause' | 'resume'>} options.recording
   * @param {() => void} options.onChange  called when `languages` has changed
   */
  constructor({ people, sound, stage, casting, recording, onChange }) {
    this.#people = people;
    this.#sound = sound;
    this.#stage = stage;
    this.#casting = casting;
    this.#recording = recording;
    this.#onChange = onChange;
  }

  /** Tags of the languages (BCP 47) that somebody interprets into now. @returns {string[]} */
  get languages() {
    return languagesOf(this.#people.present.values());
  }

  /** @param {string} language @returns {boolean} true when it would be one too many */
  #isTooMany(language) {
    // People who are away come back to theirs.
    const all = languagesOf(this.#people.everybody);
    return all.length >= MAX_LANGUAGES && !all.includes(language);
  }

  /**
   * Makes a person on stage an interpreter, or one who speaks to everybody again.
   * @param {Member} member
   * @param {string | null} tag  of the language, in any case; null: none
   * @returns {ErrorCode | null}
   */
  set(member, tag) {
    const language = tag === null ? null : canonical(tag);
    if (tag !== null && language === null) return 'language-tag';
    if (!this.#stage.isOn) return 'language-broadcast';
    if (member.language === language) return null;
    if (member.isLight || member.grant.isStream) return 'not-allowed';
    if (language !== null && this.#isTooMany(language)) return 'languages-limit';
    return this.#put(member, language);
  }

  /**
   * @param {Member} member
   * @param {string | null} language
   * @returns {ErrorCode | null}
   */
  #put(member, language) {
    const isHere = this.#people.isHere(member);
    // A shared sound may be there while its owner is away.
    const parts = [...(isHere ? [member] : []), ...this.#people.shared(member.id)];
    const refusal = this.#interpret(parts, language);
    if (refusal !== null) return refusal;
    // A recording's mix has the speakers alone.
    if (language !== null) this.#recording.pause(member);
    const all = new Set([member, ...parts]);
    for (const one of all) one.language = language;
    if (language === null) this.#recording.resume(member);
    for (const one of all) this.#people.changed(one);
    // The token of somebody away still has the language from before.
    if (!isHere) this.#people.places.decide(member);
    this.review();
    return null;
  }

  /**
   * @param {readonly Member[]} parts  a present person, and their shared sound
   * @param {string | null} language
   * @returns {ErrorCode | null}
   */
  #interpret(parts, language) {
    try {
      for (const { source } of parts) {
        if (source === null) return 'not-allowed';
        this.#sound.delivery.interpret(source, language);
      }
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
    return null;
  }

  /**
   * Restores an interpreter who has come back, and has their shared sound begin where they are.
   * Their welcome precedes all messages: see `gather` and `review`.
   * @param {Member} member
   */
  entered(member) {
    const { owner } = member.grant;
    const language = (owner === undefined ? member : this.#people.find(owner))?.language ?? null;
    member.language = null;
    if (language === null || !this.#stage.isOn || this.#isTooMany(language)) return;
    if (this.#interpret([member], language) === null) member.language = language;
  }

  /**
   * Moves a member's shared sound to the language of the member, after a new role or a return.
   * @param {Member} member
   */
  gather({ id, language }) {
    for (const shared of this.#people.shared(id)) {
      if (shared.language === language || this.#interpret([shared], language) !== null) continue;
      shared.language = language;
      this.#people.changed(shared);
    }
  }

  /**
   * Has a listener hear a language, or the floor.
   * @param {Member} member
   * @param {string | null} tag  null: the floor
   * @returns {ErrorCode | null}
   */
  listen(member, tag) {
    const { listener, session } = member;
    const language = tag === null ? null : canonical(tag);
    if (!listener?.isLight) return 'not-allowed';
    if (tag !== null && (language === null || !this.languages.includes(language)))
      return 'language-unknown';
    // Another node has the floor alone.
    const isElsewhere = session.transport.isRelay === true;
    if (isElsewhere && language !== null && !this.#casting.bringHome(member))
      return 'language-relay';
    member.hears = language;
    if (!isElsewhere) this.#sound.delivery.listenIn(listener, language);
    return null;
  }

  /** Tells everybody the languages after a change of the people. */
  review() {
    const told = this.languages.join();
    if (told === this.#told) return;
    this.#told = told;
    this.#onChange();
  }

  /** Ends all languages, with the broadcast. */
  end() {
    for (const member of this.#people.everybody)
      if (member.language !== null) this.#put(member, null);
  }
}

/** @param {Iterable<Member>} people @returns {string[]} theirs, sorted */
const languagesOf = (people) => [
  ...new Set([...people].flatMap(({ language }) => language ?? []).sort()),
];

/**
 * @param {string} tag
 * @returns {string | null} null when it is malformed (RFC 5646, section 2.1)
 */
function canonical(tag) {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
