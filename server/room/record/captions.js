/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { ReadClientMessages } from '../../../public/shared/messages/client-messages.js'
 * @import { CaptionFields } from '../../../public/shared/messages/fields.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 *
 * @typedef {object} SpokenText  a caption that a recording may keep
 * @property {Member} speaker
 * @property {string | undefined} by  label of the program that wrote it
 * @property {string} text
 * @property {string} lang
 * @property {number} seconds  time since the speech began
 */

import { MAX_CAPTION_LENGTH } from '../../../public/shared/limits.js';
import { cleanText } from '../../../public/shared/text.js';
import { prepareControl } from '../../session/session.js';
import { KeyedBuckets } from '../../token-bucket.js';

/** Limit of captions of one speaker by one sender, and of one member's wishes, as for chat. */
const RATE = Object.freeze({ atOnce: 5, perSecond: 1 });

/**
 * Time by which a caption's words may be older than it says, in milliseconds: recognisers note the
 * beginning of speech late.
 */
const LATE_MS = 2000;

/**
 * Captions of a room: who wants them, who writes them, and their way from one to the other. While
 * nobody wants captions, nobody is asked for any.
 */
export class Captions {
  #clock;
  #people;
  #isSealed;
  #keep;
  /** Ids of the members who want captions. @type {Set<string>} */
  #readers = new Set();
  /** Id of the program that writes captions of everybody. @type {string | null} */
  #writer = null;
  /** By the ids of sender and speaker; by the sender's alone for wishes. */
  #buckets = new KeyedBuckets(RATE);

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {People} options.people
   * @param {boolean} options.isSealed  true in a room with end-to-end encryption
   * @param {(spoken: SpokenText) => void} options.keep  called with each final caption
   */
  constructor({ clock, people, isSealed, keep }) {
    this.#clock = clock;
    this.#people = people;
    this.#isSealed = isSealed;
    this.#keep = keep;
  }

  /** State for people who may speak, who write captions while it is on. */
  get state() {
    return { on: this.#readers.size > 0, writer: this.#writer };
  }

  /**
   * Notes whether a member wants captions, and writes those of everybody.
   * @param {Member} member
   * @param {ReadClientMessages['captions']} wish
   */
  ask(member, { want, write }) {
    const { id } = member;
    const { permissions } = member.standing;
    const retryMs = this.#buckets.take(id, this.#clock.now());
    if (retryMs > 0) return member.refuse('captions', 'chat-flood', { retryMs });
    // Captions are what people say.
    if ((want && !permissions.has('listen')) || (write && !permissions.has('speak')))
      return member.refuse('captions', 'not-allowed');
    if (write && (this.#writer ?? id) !== id) return member.refuse('captions', 'captions-taken');
    const before = this.state;
    if (want) this.#readers.add(id);
    else this.#readers.delete(id);
    if (write) this.#writer = id;
    else if (this.#writer === id) this.#writer = null;
    this.#tellChange(before);
  }

  /**
   * Sends a caption to the readers.
   * @param {Member} member  may speak
   * @param {ReadClientMessages['caption']} message
   * @returns {boolean | void} false when it can't be of this room
   */
  write(member, { person = member.id, text, sealed, lang, final, seconds }) {
    const { id } = member;
    const refusal = this.#refusal(member, person);
    if (refusal !== null) return member.refuse('caption', refusal);
    const speaker = this.#people.present.get(person);
    // A program hears its own group alone.
    if (speaker?.group !== member.group || (sealed !== undefined) !== this.#isSealed) return false;
    const nowMs = this.#clock.now();
    // Words from before a move were for others.
    if (nowMs - 1000 * seconds - LATE_MS < speaker.movedMs) return false;
    const retryMs = this.#buckets.take(`${id} ${person}`, nowMs);
    if (retryMs > 0) return member.refuse('caption', 'chat-flood', { retryMs });
    const by = person === id ? undefined : member.label;
    const head = { person, name: speaker.label, ...(by !== undefined && { by }), from: id };
    if (text === undefined) return this.#send({ ...head, sealed, lang, final }, speaker);
    const clean = cleanText(text).replace(/\s+/g, ' ');
    if (clean === '') return false;
    if ([...clean].length > MAX_CAPTION_LENGTH) return member.refuse('caption', 'caption-long');
    this.#send({ ...head, text: clean, lang, final }, speaker);
    if (final) this.#keep({ speaker, by, text: clean, lang, seconds });
  }

  /**
   * @param {Member} member
   * @param {string} person  id of the person who spoke
   * @returns {ErrorCode | null}
   */
  #refusal({ id, standing }, person) {
    if (this.#readers.size === 0) return 'captions-off';
    if (standing.silenced) return 'muted-by-moderator';
    return person !== id && this.#writer !== id ? 'not-allowed' : null;
  }

  /**
   * Sends a caption to readers who hear the speaker.
   * @param {CaptionFields} caption
   * @param {Member} speaker
   */
  #send(caption, { group }) {
    const prepared = prepareControl({ type: 'caption', caption });
    const { present, audience } = this.#people;
    for (const member of present.values())
      if (member.group === group && this.#readers.has(member.id)) member.tell(prepared);
    // Listeners are in no group.
    if (group === 0) audience.tell(prepared, ({ id }) => this.#readers.has(id));
  }

  /** Tells a member who has joined, if captions are on. @param {Member} member */
  welcomed(member) {
    // A session that replaces another asks again.
    this.gone(member);
    if (this.state.on && !member.isLight) member.tell({ type: 'captions', ...this.state });
  }

  /** Forgets the wishes of a member whose session has ended. @param {Pick<Member, 'id'>} member */
  gone({ id }) {
    const before = this.state;
    this.#readers.delete(id);
    if (this.#writer === id) this.#writer = null;
    this.#tellChange(before);
  }

  /**
   * Follows a member's new role: tells a speaker that captions are on, and frees the place of a
   * program that may not speak any more.
   * @param {Member} member
   */
  recast(member) {
    const before = this.state;
    if (this.#writer === member.id && !member.standing.permissions.has('speak'))
      this.#writer = null;
    this.#tellChange(before);
    if (this.state.on && !member.isLight) member.tell({ type: 'captions', ...this.state });
  }

  /** @param {{ on: boolean, writer: string | null }} before */
  #tellChange(before) {
    const { on, writer } = this.state;
    if (on === before.on && writer === before.writer) return;
    const prepared = prepareControl({ type: 'captions', on, writer });
    for (const member of this.#people.present.values()) member.tell(prepared);
  }
}
