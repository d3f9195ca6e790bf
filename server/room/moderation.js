/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Access } from '../access/access.js'
 * @import { Allowances, Audience, Entrant, Grant, Role } from '../access/grants.js'
 * @import { Password } from '../access/password.js'
 * @import { Log } from '../log.js'
 * @import { Session } from '../transport/session.js'
 * @import { Knock } from './knocks.js'
 * @import { Member } from './member.js'
 * @import { JoinWishes } from './room-config.js'
 * @import { Roster } from './roster.js'
 *
 * @typedef {object} Ban  how somebody is kept from coming back
 * @property {'identity' | 'address'} by  identity: what the token says of its bearer
 * @property {number} seconds
 *
 * @typedef {object} ModeratedRoom  what moderation does to its room
 * @property {(knock: Knock) => void} letIn
 * @property {(member: Member, code: ErrorCode) => void} expel  ends their session, and frees their place
 * @property {(code: ErrorCode) => void} end  for everybody
 */

import { DEFAULT_ALLOWANCES, grantOf } from '../access/grants.js';
import { MAX_PASSWORD } from '../access/password.js';
import { stackOf } from '../log.js';
import { TokenBucket } from '../token-bucket.js';
import { Knocks } from './knocks.js';

/** How often a room's password may be set: each costs a hash. */
const PASSWORDS = Object.freeze({ atOnce: 3, perSecond: 1 / 10 });

/**
 * What moderators do in a room, and who may come into it. Each method takes `by`, who did it, for the log, and returns
 * an error's code where it can't be done. People are named by their ids. May somebody do it at all? That is asked before:
 * by the table of commands, and by the API for the operator.
 */
export class Moderation {
  #name;
  #roster;
  #access;
  #log;
  #room;
  #knocks;
  #clock;
  #passwordRate;
  #locked = false;
  #lobby = false;
  /** @type {Password | null} */
  #password = null;
  /** Counts the wishes for a password, of which the last one wins. */
  #passwordWish = 0;
  /** @type {Allowances} */
  #allowances = { ...DEFAULT_ALLOWANCES };

  /**
   * @param {object} options
   * @param {string} options.name  the room's
   * @param {Roster} options.roster
   * @param {Access} options.access
   * @param {Clock} options.clock
   * @param {Pick<Log, 'info' | 'error'>} options.log
   * @param {ModeratedRoom} options.room
   */
  constructor({ name, roster, access, clock, log, room }) {
    this.#name = name;
    this.#roster = roster;
    this.#access = access;
    this.#log = log;
    this.#room = room;
    this.#clock = clock;
    this.#passwordRate = new TokenBucket({ ...PASSWORDS, nowMs: clock.now() });
    this.#knocks = new Knocks({ clock, tell: () => this.#tellModerators() });
  }

  /** Who may do what. Its fields change. @returns {Readonly<Allowances>} */
  get allowances() {
    return this.#allowances;
  }

  /** @returns {Password | null} */
  get password() {
    return this.#password;
  }

  /** The room's rules, as everybody is told of them. */
  get rules() {
    return { locked: this.#locked, lobby: this.#lobby, password: this.#password !== null, ...this.#allowances };
  }

  /** Those who wait in the lobby. */
  get knocks() {
    return this.#knocks.list();
  }

  /**
   * Says why somebody may not come in.
   * @param {Entrant} entrant
   * @returns {ErrorCode | null} null where they may, or may wait in the lobby
   */
  refusal(entrant) {
    if (this.#access.bans.has(this.#name, entrant)) return 'banned';
    if (isModerator(entrant)) return null;
    if (this.#locked) return 'room-locked';
    return this.#password !== null && entrant.password !== this.#password ? 'password-needed' : null;
  }

  /** Whether one who may come in must be let in first. @param {Entrant} entrant */
  mustKnock(entrant) {
    return this.#lobby && !isModerator(entrant);
  }

  /**
   * @param {Session} session
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Entrant} entrant
   * @returns {Knock | ErrorCode}
   */
  knock(session, name, wishes, entrant) {
    return this.#knocks.add(session, name, wishes, entrant);
  }

  /**
   * The grant of one who comes in: the token's; without tokens whoever opens a room is its moderator.
   * @param {Entrant} entrant
   * @returns {Grant}
   */
  grantFor({ grant }) {
    return grant ?? grantOf(this.#roster.size === 0 && !this.#access.keyed ? 'moderator' : 'speaker');
  }

  /**
   * Mutes somebody, who can't undo it; or allows them to speak again, which they do by themselves.
   * @param {string} target
   * @param {boolean} muted
   * @param {string} by
   * @returns {ErrorCode | void}
   */
  mute(target, muted, by) {
    const member = this.#roster.find(target);
    if (!member) return 'no-such-person';
    if (!member.silence(muted)) return;
    this.#changed(member, muted ? 'muted' : 'allowed', by);
  }

  /**
   * @param {string} target
   * @param {string} by
   * @returns {ErrorCode | void}
   */
  lowerHand(target, by) {
    const member = this.#roster.find(target);
    if (!member) return 'no-such-person';
    if (member.hand === 0) return;
    member.raiseHand(0);
    this.#changed(member, 'hand-lowered', by);
  }

  /**
   * Ends somebody's session and takes their place, so that they can't resume it.
   * @param {string} target
   * @param {{ ban?: Ban }} options
   * @param {string} by
   * @returns {ErrorCode | void}
   */
  remove(target, { ban }, by) {
    const member = this.#roster.find(target);
    if (!member) return 'no-such-person';
    if (ban && this.#access.bans.add(this.#name, member.entrant, { ...ban, label: member.label }) === null) return 'no-identity';
    this.#audit(by, ban ? 'ban' : 'remove', { person: target, ...ban });
    this.#room.expel(member, ban ? 'banned' : 'removed');
  }

  /**
   * @param {string} target
   * @param {Role} role
   * @param {string} by
   * @returns {ErrorCode | void}
   */
  setRole(target, role, by) {
    const member = this.#roster.find(target);
    if (!member) return 'no-such-person';
    if (member.role === role) return;
    if (member.role === 'moderator' && this.#moderators().length === 1) return 'last-moderator';
    this.#become(member, role, by);
  }

  /**
   * @param {Member} member
   * @param {Role} role
   * @param {string} by
   */
  #become(member, role, by) {
    member.become(role);
    this.#changed(member, role, by);
    if (role === 'moderator') member.tell(this.#knocksMessage());
  }

  /** Lets nobody else in. @param {boolean} on @param {string} by @returns {ErrorCode | void} */
  lock(on, by) {
    this.#locked = on;
    this.#rulesChanged(by, 'lock', { on });
  }

  /**
   * Has those who come wait until they are let in. Whoever waits when it is switched off comes in.
   * @param {boolean} on
   * @param {string} by
   * @returns {ErrorCode | void}
   */
  lobby(on, by) {
    this.#lobby = on;
    this.#rulesChanged(by, 'lobby', { on });
    if (!on) for (const { id } of this.#knocks.list()) this.admit(id, by);
  }

  /** @param {string} knock @param {string} by @returns {ErrorCode | void} */
  admit(knock, by) {
    const found = this.#knocks.take(knock);
    if (!found) return 'no-such-person';
    this.#audit(by, 'admit', { knock });
    this.#room.letIn(found);
  }

  /** @param {string} knock @param {string} by @returns {ErrorCode | void} */
  turnAway(knock, by) {
    if (!this.#knocks.refuse(knock, 'turned-away')) return 'no-such-person';
    this.#audit(by, 'turn-away', { knock });
  }

  /**
   * @param {keyof Allowances} what
   * @param {Audience} who
   * @param {string} by
   * @returns {ErrorCode | void}
   */
  allow(what, who, by) {
    this.#allowances[what] = who;
    this.#rulesChanged(by, 'allow', { what, who });
  }

  /**
   * Sets the room's password, or takes it away. Those who are in stay.
   * @param {string | null} text
   * @param {string} by
   * @returns {Promise<ErrorCode | void>}
   */
  async setPassword(text, by) {
    const wish = ++this.#passwordWish;
    if (text === null) {
      this.#password = null;
    } else {
      if (text === '' || text.length > MAX_PASSWORD) return 'bad-request';
      if (this.#passwordRate.take(this.#clock.now()) > 0) return 'password-attempts';
      try {
        const password = await this.#access.newPassword(text);
        if (typeof password === 'string') return password;
        if (wish !== this.#passwordWish) return;
        this.#password = password;
      } catch (error) {
        this.#log.error(`room ${this.#name}: a password could not be set: ${stackOf(error)}`);
        return 'internal';
      }
    }
    this.#rulesChanged(by, 'password', { on: text !== null });
  }

  /** @param {string} by @returns {ErrorCode | void} */
  endForAll(by) {
    this.#audit(by, 'end', {});
    this.#room.end('room-ended');
  }

  /**
   * Somebody has left for good. Where there are no tokens, a room without a moderator gets another one: of those who
   * are there the speaker who came first, else the listener who did.
   */
  left() {
    const everybody = this.#roster.everybody;
    if (this.#access.keyed || everybody.length === 0 || this.#moderators().length > 0) return;
    const there = everybody.filter(({ id }) => this.#roster.present.has(id));
    const candidates = there.length > 0 ? there : everybody;
    const heir = candidates.find(({ role }) => role === 'speaker') ?? candidates[0];
    this.#become(heir, 'moderator', 'the room');
  }

  /** Turns away all who wait. Idempotent. @param {ErrorCode} code */
  close(code) {
    this.#knocks.close(code);
  }

  /** The moderators, those who are away included. */
  #moderators() {
    return this.#roster.everybody.filter(({ role }) => role === 'moderator');
  }

  #knocksMessage() {
    return { type: 'knocks', knocks: this.#knocks.list() };
  }

  #tellModerators() {
    const message = this.#knocksMessage();
    for (const member of this.#moderators()) member.tell(message);
  }

  /**
   * Tells everybody of a change of somebody, and them that it was done to them.
   * @param {Member} member
   * @param {'muted' | 'allowed' | 'hand-lowered' | Role} what
   * @param {string} by
   */
  #changed(member, what, by) {
    this.#audit(by, what, { person: member.id });
    this.#roster.changed(member);
    member.tell({ type: 'moderated', what });
  }

  /**
   * @param {string} by
   * @param {string} what
   * @param {object} details
   */
  #rulesChanged(by, what, details) {
    this.#audit(by, what, details);
    this.#roster.tell({ type: 'rules', rules: this.rules });
  }

  /**
   * Writes who did what to whom, by ids: a log is kept for long.
   * @param {string} by
   * @param {string} what
   * @param {object} details
   */
  #audit(by, what, details) {
    this.#log.info(`moderation ${JSON.stringify({ room: this.#name, by, what, ...details })}`);
  }
}

/** Whether a token makes somebody a moderator, for whom doors are open. @param {Entrant} entrant */
const isModerator = ({ grant }) => grant?.role === 'moderator';
