/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { ModeSetting } from '../../../public/shared/limits.js'
 * @import { Bans } from '../../access/bans.js'
 * @import { Role } from '../../state/grant.js'
 * @import { Log } from '../../log.js'
 * @import { Member } from '../people/member.js'
 * @import { RoomBase } from '../room-config.js'
 * @import { RoomMode, RoomSettings } from '../sound/mode.js'
 * @import { Rule, Rules, Who } from './rules.js'
 *
 * @typedef {{ id: string, label: string, network?: string | null, peer?: string }} By
 *   the actor: a member, or OPERATOR with the address of the request as peer
 */

import { OPERATOR } from '../../state/grant.js';
import { TokenBucket } from '../../token-bucket.js';

/** Limit of acts of all members of a room together: each is announced and logged. */
const ACTIONS = Object.freeze({ atOnce: 40, perSecond: 2 });

/** Limit of changes of the password: each is hashed. */
const PASSWORDS = Object.freeze({ atOnce: 5, perSecond: 0.2 });

/**
 * Acts of moderators and the operator in a room. Each returns why it can't be done, or null, and
 * writes one line to the log.
 */
export class Moderation {
  #room;
  #rules;
  #people;
  #mode;
  #settings;
  #bans;
  /** Ids of the members' bans here, the oldest first. @type {string[]} */
  #made = [];
  #clock;
  #log;
  #events;
  #actions;
  #passwords;

  /**
   * @param {Pick<RoomBase, 'room' | 'people' | 'clock' | 'events'> & { rules: Rules, mode:
   *   RoomMode, settings: Readonly<RoomSettings>, bans: Bans, log: Pick<Log, 'info'> }} options
   *   bans: of all rooms
   */
  constructor({ room, rules, people, mode, settings, bans, clock, log, events }) {
    this.#room = room;
    this.#rules = rules;
    this.#people = people;
    this.#mode = mode;
    this.#settings = settings;
    this.#bans = bans;
    this.#clock = clock;
    this.#log = log;
    this.#events = events;
    this.#actions = new TokenBucket({ ...ACTIONS, nowMs: clock.now() });
    this.#passwords = new TokenBucket({ ...PASSWORDS, nowMs: clock.now() });
  }

  /** @returns {boolean} true when a member may act now; counts against the limit of all members */
  takeAction() {
    return this.#actions.take(this.#clock.now()) === 0;
  }

  /**
   * Mutes a person, or allows them to unmute themselves again.
   * @param {string} person
   * @param {boolean} muted
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  mute(person, muted, by) {
    const member = this.#people.find(person);
    if (!member) return 'person-unknown';
    if (member.standing.silenced === muted) return null;
    this.#rules.silence(member, muted, by);
    this.#people.places.decide(member, { silenced: muted });
    return this.#done(by, muted ? 'mute' : 'allow-unmute', member);
  }

  /**
   * @param {string} person
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  lowerHand(person, by) {
    const member = this.#people.find(person);
    if (!member) return 'person-unknown';
    if (member.hand === 0) return null;
    member.hand = 0;
    this.#rules.notify(member, { action: 'hand-lowered' }, by);
    this.#people.changed(member);
    this.#rules.hands.moved(member);
    return this.#done(by, 'lower-hand', member);
  }

  /**
   * Removes a person, and bans them when a time is given. A ban ends all sessions of their token.
   * @param {string} person
   * @param {{ banMs?: number }} options
   * @param {By} by
   * @returns {ErrorCode | null} 'ban-place' when they are out, but can't be banned
   */
  remove(person, { banMs = 0 }, by) {
    const member = this.#people.find(person);
    if (!member) return 'person-unknown';
    const {
      grant: { identity, tokenId },
      network,
      label,
    } = member;
    const isBanned =
      banMs > 0 && this.#bans.add(this.#room, label, { identity, tokenId, network }, banMs);
    if (isBanned) this.#noteBan(by);
    const others =
      isBanned && identity !== null
        ? [...this.#people.places.holders(member)].filter((one) => one.identity === identity)
        : [];
    for (const one of [member, ...others]) {
      this.#people.places.decide(one, { out: true });
      this.#done(
        by,
        isBanned ? 'ban' : 'remove',
        one,
        isBanned ? { seconds: Math.round(banMs / 1000) } : {},
      );
    }
    for (const one of [member, ...others])
      this.#events.emit('removed', one, isBanned ? 'banned' : 'removed');
    return banMs > 0 && !isBanned ? 'ban-place' : null;
  }

  /**
   * @param {string} person
   * @param {Role} role
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setRole(person, role, by) {
    const member = this.#people.find(person);
    if (!member) return 'person-unknown';
    if (member.standing.role === role) return null;
    const isLast =
      member.standing.role === 'moderator' &&
      !this.#people.everybody.some(
        (other) => other !== member && other.standing.role === 'moderator',
      );
    // The room would have no moderator: the last one hands the role on first.
    if (isLast && by.id !== OPERATOR.id) return 'not-allowed';
    const before = member.standing.role;
    member.standing.setRole(role);
    const refusal = this.#rules.casting.recast(member, true);
    if (refusal !== null) {
      member.standing.setRole(before);
      return refusal;
    }
    // A listener who may speak now needs no raised hand.
    if (before === 'listener') member.hand = 0;
    this.#rules.hands.moved(member);
    this.#people.places.decide(member, { role });
    this.#rules.tellRole(member, by);
    this.#rules.casting.sendHome(member);
    return this.#done(by, 'role', member, { role });
  }

  /**
   * @param {boolean} on true: nobody new may come in
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  lock(on, by) {
    return this.#set('locked', on, by, { action: on ? 'lock' : 'unlock' });
  }

  /**
   * @param {boolean} on true: newcomers need a moderator's admission
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  lobby(on, by) {
    const result = this.#set('lobby', on, by, { action: on ? 'lobby-on' : 'lobby-off' });
    if (!on) this.#rules.lobby.admitAll();
    return result;
  }

  /** @param {string} knock @param {By} by @returns {ErrorCode | null} */
  admit(knock, by) {
    const name = this.#rules.lobby.nameOf(knock);
    return this.#rules.lobby.admit(knock)
      ? this.#done(by, 'admit', null, { knock, name })
      : 'person-unknown';
  }

  /** @param {string} knock @param {By} by @returns {ErrorCode | null} */
  turnAway(knock, by) {
    const name = this.#rules.lobby.nameOf(knock);
    return this.#rules.lobby.turnAway(knock)
      ? this.#done(by, 'turn-away', null, { knock, name })
      : 'person-unknown';
  }

  /**
   * @param {'chat' | 'record'} what
   * @param {Who} who may
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  allow(what, who, by) {
    return this.#set(what, who, by, { action: 'allow', what, who });
  }

  /**
   * @param {ModeSetting} mode mixed, forwarded, or as fits the room
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setMode(mode, by) {
    if (mode === this.#settings.mode) return null;
    const refusal = this.#mode.set(mode);
    if (refusal !== null) return refusal;
    this.#rules.tell();
    return this.#done(by, 'mode', null, { mode });
  }

  /**
   * @param {boolean} on true: uninvited newcomers only listen; members keep their role
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setBroadcast(on, by) {
    if (on === this.#rules.stage.isOn) return null;
    if (on && this.#rules.groups.areOpen) return 'groups-broadcast';
    if (!on) this.#rules.interpreters.end();
    const refusal = this.#rules.stage.set(on);
    if (refusal !== null) return refusal;
    this.#rules.casting.resupply();
    this.#rules.tell();
    for (const member of this.#people.present.values()) this.#rules.tellStage(member);
    return this.#done(by, on ? 'broadcast-on' : 'broadcast-off', null);
  }

  /**
   * @param {string | null} password  null takes it away; present members stay
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setPassword(password, by) {
    if (password !== null && this.#passwords.take(this.#clock.now()) > 0)
      return 'too-many-requests';
    if (password === null && this.#rules.policy.password === null) return null;
    this.#rules.policy.setPassword(password);
    this.#rules.tell();
    this.#rules.policy.password?.hashed
      .then(() => {
        this.#events.emit('changed');
        this.#rules.changed();
      })
      .catch((error) => this.#events.emit('fault', 'a password', error));
    return this.#done(by, password === null ? 'password-off' : 'password-on', null);
  }

  /**
   * Makes a new stream key, or revokes the key. The program that came by the key before is removed.
   * @param {boolean} on
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setStreamKey(on, by) {
    const { streams } = this.#rules;
    const { sender } = streams;
    streams.set(on);
    if (sender !== null) this.#events.emit('removed', sender, 'removed');
    this.#people.tellModerators(streams.message);
    this.#events.emit('changed');
    return this.#done(by, on ? 'stream-key-on' : 'stream-key-off', null);
  }

  /**
   * Opens groups, or changes their number.
   * @param {number} count
   * @param {{ evenly: boolean, choose: boolean }} how  see Groups.open
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  openGroups(count, how, by) {
    if (this.#rules.stage.isOn) return 'groups-broadcast';
    const refusal = this.#rules.groups.open(count, how);
    return refusal ?? this.#done(by, 'groups', null, { count, ...how });
  }

  /**
   * @param {string} person
   * @param {number} group  0: the room
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  moveToGroup(person, group, by) {
    const member = this.#people.find(person);
    if (!member) return 'person-unknown';
    return this.#rules.groups.move(member, group) ?? this.#done(by, 'group', member, { group });
  }

  /** @param {number} seconds @param {By} by @returns {ErrorCode | null} */
  callBack(seconds, by) {
    const refusal = this.#rules.groups.callBack(seconds);
    return refusal ?? this.#done(by, 'groups-back', null, { seconds });
  }

  /** @param {boolean} on @param {Member} by @returns {ErrorCode | null} */
  speakToGroups(on, by) {
    const action = on ? 'groups-speak' : 'groups-quiet';
    return this.#rules.groups.speak(by, on) ?? this.#done(by, action, null);
  }

  /**
   * Makes a person an interpreter, or one who is heard by all again.
   * @param {string} person
   * @param {string | null} language  its tag; null: none
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  interpret(person, language, by) {
    const member = this.#people.find(person);
    if (!member) return 'person-unknown';
    const refusal = this.#rules.interpreters.set(member, language);
    return refusal ?? this.#done(by, 'interpret', member, { language });
  }

  /** @param {By} by @returns {ErrorCode | null} */
  endForAll(by) {
    this.#done(by, 'end', null);
    this.#events.emit('ended', 'room-ended');
    return null;
  }

  /** Logs that another person's recording was stopped. @param {By} by */
  recordingStopped(by) {
    this.#done(by, 'stop-recording', null);
  }

  /** The bans of this room. */
  bans() {
    return this.#bans.list(this.#room);
  }

  /** Notes the newest ban, unless it is the operator's. @param {By} by */
  #noteBan(by) {
    if (by.id === OPERATOR.id) return;
    const ids = this.bans().map(({ id }) => id);
    this.#made.push(ids[ids.length - 1]);
    this.#made = this.#made.filter((id) => ids.includes(id));
  }

  /**
   * Lifts the members' bans, because another room has this one's name by right. The operator's
   * bans stay.
   */
  liftBans() {
    for (const id of this.#made.splice(0)) this.#bans.remove(this.#room, id);
  }

  /** @param {string} id  of a ban @param {By} by @returns {ErrorCode | null} */
  unban(id, by) {
    if (!this.#bans.remove(this.#room, id)) return 'person-unknown';
    return this.#done(by, 'unban', null, { ban: id });
  }

  /**
   * @param {Rule} rule
   * @param {boolean | Who} value
   * @param {By} by
   * @param {{ action: string, what?: string, who?: string }} act  for the log
   * @returns {null}
   */
  #set(rule, value, by, { action, ...more }) {
    if (!this.#rules.policy.change(rule, value)) return null;
    this.#rules.tell();
    return this.#done(by, action, null, more);
  }

  /**
   * Logs an act, and tells other nodes that the rules have changed.
   * @param {By} by
   * @param {string} action
   * @param {Member | null} member  the one concerned
   * @param {object} [more]
   * @returns {null}
   */
  #done(by, action, member, more) {
    const to = member && { participant: member.id, name: member.label };
    const who = { by: by.id, byName: by.label, ...(by.peer !== undefined && { peer: by.peer }) };
    const cause = by.id === OPERATOR.id ? { isLimited: false } : { network: by.network };
    this.#rules.changed();
    this.#log.info(
      { event: 'moderation', room: this.#room, action, ...who, ...to, ...more },
      'moderated',
      cause,
    );
    return null;
  }
}
