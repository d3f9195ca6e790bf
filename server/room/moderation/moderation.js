/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { Session } from '../../transport/session.js'
 * @import { Bans } from '../../access/bans.js'
 * @import { Grant, Permission, Role } from '../../access/grant.js'
 * @import { RoomPassword } from '../../access/room-password.js'
 * @import { Log } from '../../log.js'
 * @import { ToldState } from '../../state/portable-state.js'
 * @import { Member } from '../people/member.js'
 * @import { ModeSetting, RoomMode } from '../room-mode.js'
 * @import { Roster } from '../people/roster.js'
 *
 * @typedef {import('./rules.js').Who} Who
 * @typedef {{ id: string, label: string, network?: string | null, peer?: string }} By
 *   who does it: a member, or OPERATOR, for whom peer is the address that the request came from
 *
 * @typedef {object} Acts  what the room does for it
 * @property {(member: Member, code: ErrorCode) => void} expel takes somebody out for good, there or
 *   away
 * @property {() => void} resupply gives those who listen what a broadcast's listeners are sent, or
 *   takes it from them
 * @property {(member: Member) => ErrorCode | null} recast gives somebody whose role has changed
 *   what they are heard with, or takes it from them
 * @property {(member: Member) => void} sendHome has somebody whose session is another node's come,
 *   where they need that
 * @property {() => void} end  ends the room for everybody
 * @property {() => void} changed  tells the other nodes of a cluster what holds now
 *
 * @typedef {object} Entry  with what somebody comes to the door
 * @property {Grant} grant
 * @property {RoomPassword | null} password  the one that they knew
 * @property {boolean} [admitted]  a moderator lets them in
 * @property {boolean} [wasIn] they had a place on another node, which no ban of their network took
 *   from them
 */

import { OPEN_GRANT } from '../../access/grant.js';
import { Restraints } from '../../access/restraints.js';
import { networkOfPeer } from '../../network-address.js';
import { MAX_TOLD, STATE_VERSION } from '../../state/portable-state.js';
import { TokenBucket } from '../../token-bucket.js';
import { Hands } from './hands.js';
import { Lobby } from '../entry/lobby.js';
import { Rules } from './rules.js';
import { Stage } from './stage.js';
import { Succession } from './succession.js';

/** Whoever runs the server. @type {Readonly<By>} */
export const OPERATOR = Object.freeze({ id: 'operator', label: 'operator' });

/** Somebody who comes without token and password. @type {Readonly<Entry>} */
export const OPEN_ENTRY = Object.freeze({ grant: OPEN_GRANT, password: null });

/**
 * How often the members of a room may do something of this, all together: each is told to
 * everybody, and logged.
 */
const ACTIONS = Object.freeze({ atOnce: 40, perSecond: 2 });

/** How often the password may be changed: each change is hashed. */
const PASSWORDS = Object.freeze({ atOnce: 5, perSecond: 0.2 });

/**
 * Who may come into a room, and what moderators do in it: each act returns why it can't be done, or
 * null, and writes one line to the log. Nobody is ever unmuted by somebody else.
 */
export class Moderation {
  #room;
  #roster;
  #bans;
  #log;
  #clock;
  #acts;
  #hands;
  #actions;
  #passwords;
  #restraints = new Restraints();
  #rules = new Rules();
  #mode;
  #stage;

  /**
   * @param {object} options
   * @param {string} options.room  its name
   * @param {Roster} options.roster
   * @param {Bans} options.bans  of all rooms
   * @param {Clock} options.clock
   * @param {Pick<Log, 'info'>} options.log
   * @param {Acts} options.acts
   * @param {RoomMode} options.mode
   * @param {boolean} options.broadcast  whether the room begins as a broadcast
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {() => void} options.waited  nobody is waited for any more
   */
  constructor({ room, roster, bans, clock, log, acts, mode, broadcast, wallNow, waited }) {
    this.#room = room;
    this.#mode = mode;
    this.#stage = new Stage({ on: broadcast, mode, wallNow });
    this.succession = new Succession({
      roster,
      clock,
      told: (heir) => this.#tellRole(heir, null),
      waited,
    });
    this.#roster = roster;
    this.#bans = bans;
    this.#log = log;
    this.#clock = clock;
    this.#acts = acts;
    /** Those who wait to be let in. */
    this.door = new Lobby({
      clock,
      changed: () => this.#tellModerators({ type: 'knocks', people: this.door.people }),
    });
    this.#hands = new Hands({ clock, tell: (message) => this.#tellModerators(message) });
    this.#actions = new TokenBucket({ ...ACTIONS, nowMs: clock.now() });
    this.#passwords = new TokenBucket({ ...PASSWORDS, nowMs: clock.now() });
  }

  /** The room's rules, as its people are told. */
  get rules() {
    return { ...this.#rules.told, mode: this.#mode.setting, ...this.#stage.rules };
  }

  /** What newcomers must know; null where there is none. */
  get password() {
    return this.#rules.password;
  }

  /**
   * What other threads and nodes are told of it.
   * @returns {Omit<ToldState, 'nextId' | 'nextHand'>}
   */
  state() {
    return {
      version: STATE_VERSION,
      ...this.#rules.state(),
      broadcast: this.#stage.state(),
      bans: this.#bans.export(this.#room, MAX_TOLD.bans),
      restraints: this.#restraints.state(MAX_TOLD.restraints),
      places: this.#roster.notes.export(),
    };
  }

  /** Makes this what it was on another thread or node. @param {ToldState} before */
  restore(before) {
    this.#rules.restore(before);
    this.#stage.restore(before.broadcast);
    this.#takeLists(before);
  }

  /** @param {Pick<ToldState, 'bans' | 'restraints' | 'places'>} lists */
  #takeLists({ bans, restraints, places }) {
    for (const { name, leftMs, ...whom } of bans)
      if (!this.#bans.has(this.#room, whom)) this.#bans.add(this.#room, name, whom, leftMs);
    this.#restraints.restore(restraints);
    return this.#roster.notes.take(places);
  }

  /**
   * Two nodes had the room while they were apart. The stricter rule holds, and what moderators of
   * either did.
   * @param {ToldState} other
   */
  meet(other) {
    const before = JSON.stringify(this.rules);
    this.#rules.meet(other);
    if (other.broadcast !== null && !this.#stage.isOn) {
      this.#stage.restore(other.broadcast);
      this.#acts.resupply();
    }
    for (const { key, role, silenced } of this.#takeLists(other))
      this.#apply(this.#roster.atPlace(key), role, silenced);
    if (JSON.stringify(this.rules) !== before) this.#tellRules();
  }

  /** @param {Member | null} member @param {Role | null} role @param {boolean | null} silenced */
  #apply(member, role, silenced) {
    if (!member) return;
    if (silenced !== null && silenced !== member.silenced) this.#silence(member, silenced, null);
    if (role === null || role === member.role) return;
    member.setRole(role);
    this.#acts.recast(member);
    this.#tellRole(member, null);
  }

  /**
   * Whether a member may do something: by their role and token, and by the room's rules.
   * @param {Member} member
   * @param {Permission} permission
   */
  may(member, permission) {
    if (!member.may(permission)) return false;
    const who =
      permission === 'chat' || permission === 'record' ? this.#rules.who(permission) : 'everybody';
    return who === 'everybody' || member.role === 'moderator';
  }

  /** @returns {boolean} whether a member may act now; asks the limit of all members */
  mayActNow() {
    return this.#actions.take(this.#clock.now()) === 0;
  }

  /**
   * @param {Session} session  of somebody who has no place here yet
   * @param {Entry} entry
   * @returns {ErrorCode | 'knock' | null} null where they may come in; 'knock' where a moderator
   *   must let them in
   */
  refusal(session, { grant, password, admitted = false, wasIn = false }) {
    if (
      this.#bans.has(this.#room, { ...grant, network: wasIn ? null : networkOfPeer(session.peer) })
    )
      return 'banned';
    if (grant.role === 'moderator') return null;
    if (this.#rules.locked && !admitted) return 'room-locked';
    // Where it was changed meanwhile, the one that they knew is no longer the room's.
    if (this.password !== null && password !== this.password && !admitted)
      return 'password-missing';
    return this.#rules.lobby && !admitted ? 'knock' : null;
  }

  /**
   * Says as what somebody comes in who may.
   * @param {Entry} entry
   * @param {string} [key]  the stage's, where they have one
   */
  cast(entry, key) {
    return this.#stage.cast(entry, key);
  }

  /**
   * Somebody has a place now.
   * @param {Member} member
   * @param {boolean} isNew  whether they haven't come back to it
   */
  entered(member, isNew) {
    if (isNew) this.#restrain(member);
    // Their own welcome has the rules.
    if (member.role !== 'listener' && this.#stage.entered()) this.#tellRules(member);
    this.succession.entered(member);
  }

  /** Somebody had a place in this room on another node. @param {Member} member */
  takenOver(member) {
    this.succession.takenOver(member);
    if (member.hand > 0 && member.isLight) this.#hands.moved(member);
  }

  /**
   * Whom a moderator had muted, or made a listener, before they left is that again.
   * @param {Member} member
   */
  #restrain(member) {
    const taken = this.#restraints.came(member, this.#roster.holders(member));
    if (!taken || member.role === 'moderator') return;
    if (taken.lowered) member.setRole('listener');
    if (taken.silenced) member.silence(true);
  }

  /**
   * Somebody has been told of the room.
   * @param {Member} member
   * @param {boolean} isNew  whether they haven't come back to their place
   */
  welcomed(member, isNew) {
    if (isNew && member.silenced) this.#tell(member, 'muted', null, { muted: true });
    this.#tellKnocks(member);
    this.#tellStage(member);
  }

  /** A moderator who comes is told who waits. @param {Member} member */
  #tellKnocks(member) {
    if (member.role !== 'moderator') return;
    if (this.door.people.length > 0) member.tell({ type: 'knocks', people: this.door.people });
    if (this.#hands.size > 0) member.tell(this.#hands.message);
  }

  /** Whoever is on stage is told the key by which they come back to it. @param {Member} member */
  #tellStage(member) {
    if (this.#stage.isOn && member.permissions.has('speak'))
      member.tell({ type: 'stage', key: this.#stage.key });
  }

  /**
   * A member has raised or lowered their hand: of the audience's, moderators alone are told.
   * @param {Member} member
   */
  handMoved(member) {
    this.#hands[member.isLight ? 'moved' : 'left'](member);
  }

  /** @type {Roster['listeners']} */
  listeners(wish) {
    return this.#roster.listeners(wish);
  }

  /** Somebody has left for good. @param {Member} member */
  left(member) {
    this.#hands.left(member);
    this.#restraints.left(member);
    this.succession.left(member);
  }

  /**
   * Mutes somebody, or lets them unmute themselves again.
   * @param {string} person
   * @param {boolean} muted
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  mute(person, muted, by) {
    const member = this.#roster.find(person);
    if (!member) return 'person-unknown';
    if (member.silenced === muted) return null;
    this.#silence(member, muted, by);
    this.#roster.decide(member, { silenced: muted });
    return this.#done(by, muted ? 'mute' : 'allow-unmute', member);
  }

  /** @param {Member} member @param {boolean} muted @param {By | null} by */
  #silence(member, muted, by) {
    member.silence(muted);
    this.#tell(member, muted ? 'muted' : 'may-unmute', by, { muted: member.muted });
    this.#roster.changed(member);
  }

  /**
   * @param {string} person
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  lowerHand(person, by) {
    const member = this.#roster.find(person);
    if (!member) return 'person-unknown';
    if (member.hand === 0) return null;
    member.raiseHand(0);
    this.#tell(member, 'hand-lowered', by);
    this.#roster.changed(member);
    this.handMoved(member);
    return this.#done(by, 'lower-hand', member);
  }

  /**
   * Takes somebody out, and keeps them out for a time where that is asked for.
   * @param {string} person
   * @param {{ banMs?: number }} options
   * @param {By} by
   * @returns {ErrorCode | null} 'ban-place' where they are out, but can't be banned
   */
  remove(person, { banMs = 0 }, by) {
    const member = this.#roster.find(person);
    if (!member) return 'person-unknown';
    const {
      grant: { identity, tokenId },
      network,
      label,
    } = member;
    const isBanned =
      banMs > 0 && this.#bans.add(this.#room, label, { identity, tokenId, network }, banMs);
    this.#roster.decide(member, { out: true });
    this.#done(
      by,
      isBanned ? 'ban' : 'remove',
      member,
      isBanned ? { seconds: Math.round(banMs / 1000) } : {},
    );
    this.#acts.expel(member, isBanned ? 'banned' : 'removed');
    return banMs > 0 && !isBanned ? 'ban-place' : null;
  }

  /**
   * @param {string} person
   * @param {Role} role
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setRole(person, role, by) {
    const member = this.#roster.find(person);
    if (!member) return 'person-unknown';
    if (member.role === role) return null;
    const isLast =
      member.role === 'moderator' &&
      !this.#roster.everybody.some((other) => other !== member && other.role === 'moderator');
    // Else nobody could do anything here; who wants to be no moderator any more hands it on first.
    if (isLast && by.id !== OPERATOR.id) return 'not-allowed';
    const before = member.role;
    member.setRole(role);
    const refusal = this.#acts.recast(member);
    if (refusal !== null) {
      member.setRole(before);
      return refusal;
    }
    // A listener who is let speak has what the hand asked for.
    if (before === 'listener') member.raiseHand(0);
    this.handMoved(member);
    this.#roster.decide(member, { role });
    this.#tellRole(member, by);
    this.#acts.sendHome(member);
    return this.#done(by, 'role', member, { role });
  }

  /**
   * @param {boolean} on whether nobody new may come in
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  lock(on, by) {
    return this.#set('locked', on, by, { action: on ? 'lock' : 'unlock' });
  }

  /**
   * @param {boolean} on whether newcomers must be let in
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  lobby(on, by) {
    const result = this.#set('lobby', on, by, { action: on ? 'lobby-on' : 'lobby-off' });
    if (!on) this.door.admitAll();
    return result;
  }

  /** @param {string} knock @param {By} by @returns {ErrorCode | null} */
  admit(knock, by) {
    const name = this.#knocker(knock);
    return this.door.admit(knock)
      ? this.#done(by, 'admit', null, { knock, name })
      : 'person-unknown';
  }

  /** @param {string} knock @param {By} by @returns {ErrorCode | null} */
  turnAway(knock, by) {
    const name = this.#knocker(knock);
    return this.door.turnAway(knock)
      ? this.#done(by, 'turn-away', null, { knock, name })
      : 'person-unknown';
  }

  /** What one who waits is called. @param {string} knock */
  #knocker(knock) {
    return this.door.people.find(({ id }) => id === knock)?.name;
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
   * Says why a mode and a broadcast can't be set together; sets neither.
   * @param {{ mode?: ModeSetting, broadcast?: boolean }} change
   * @returns {ErrorCode | null}
   */
  modeRefusal({ mode, broadcast }) {
    return this.#mode.refusalOf({ setting: mode, broadcasts: broadcast });
  }

  /**
   * @param {ModeSetting} mode whether the room's sound is mixed or forwarded
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setMode(mode, by) {
    if (mode === this.#mode.setting) return null;
    const refusal = this.#mode.set(mode);
    if (refusal !== null) return refusal;
    this.#tellRules();
    return this.#done(by, 'mode', null, { mode });
  }

  /**
   * @param {boolean} on whether whoever comes uninvited only listens. Those who are in stay what
   *   they are
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setBroadcast(on, by) {
    if (on === this.#stage.isOn) return null;
    const refusal = this.#stage.set(on);
    if (refusal !== null) return refusal;
    this.#acts.resupply();
    this.#tellRules();
    for (const member of this.#roster.present.values()) this.#tellStage(member);
    return this.#done(by, on ? 'broadcast-on' : 'broadcast-off', null);
  }

  /**
   * @param {string | null} password  null takes it away; those who are in stay in
   * @param {By} by
   * @returns {ErrorCode | null}
   */
  setPassword(password, by) {
    if (password !== null && this.#passwords.take(this.#clock.now()) > 0)
      return 'too-many-requests';
    if (password === null && this.password === null) return null;
    this.#rules.setPassword(password);
    this.#tellRules();
    void this.password?.hashed.then(() => {
      this.#roster.noteChange();
      this.#acts.changed();
    });
    return this.#done(by, password === null ? 'password-off' : 'password-on', null);
  }

  /** @param {By} by @returns {ErrorCode | null} */
  endForAll(by) {
    this.#done(by, 'end', null);
    this.#acts.end();
    return null;
  }

  /** Somebody has stopped a recording that another one had started. @param {By} by */
  recordingStopped(by) {
    this.#done(by, 'stop-recording', null);
  }

  /** The bans of this room. */
  bans() {
    return this.#bans.list(this.#room);
  }

  /** @param {string} id  of a ban @param {By} by @returns {ErrorCode | null} */
  unban(id, by) {
    if (!this.#bans.remove(this.#room, id)) return 'person-unknown';
    return this.#done(by, 'unban', null, { ban: id });
  }

  /** The room has ended. Idempotent. */
  close() {
    this.succession.close();
    this.door.close();
    this.#hands.close();
  }

  /**
   * @param {import('./rules.js').Rule} rule
   * @param {boolean | Who} value
   * @param {By} by
   * @param {{ action: string, what?: string, who?: string }} act  for the log
   * @returns {null}
   */
  #set(rule, value, by, { action, ...more }) {
    if (!this.#rules.change(rule, value)) return null;
    this.#tellRules();
    return this.#done(by, action, null, more);
  }

  /** @param {Member} [except]  who isn't told */
  #tellRules(except) {
    this.#acts.changed();
    this.#roster.tell({ type: 'room', ...this.rules }, except);
  }

  /** @param {object} message */
  #tellModerators(message) {
    for (const member of this.#roster.present.values())
      if (member.role === 'moderator') member.tell(message);
  }

  /**
   * Tells a member what was done to them.
   * @param {Member} member
   * @param {string} action
   * @param {By | null} by  null where nobody did it
   * @param {object} [more]
   */
  #tell(member, action, by, more) {
    member.tell({
      type: 'moderated',
      action,
      by: by?.label ?? null,
      ...(by?.id === OPERATOR.id && { operator: true }),
      ...more,
    });
  }

  /** @param {Member} member @param {By | null} by */
  #tellRole(member, by) {
    const { role, muted, permissions, stride } = member;
    this.#tell(member, 'role', by, { role, muted, may: [...permissions], stride });
    this.#roster.changed(member);
    this.#tellKnocks(member);
    this.#tellStage(member);
  }

  /**
   * Writes the line of what was done.
   * @param {By} by
   * @param {string} action
   * @param {Member | null} member  to whom
   * @param {object} [more]
   * @returns {null}
   */
  #done(by, action, member, more) {
    const to = member && { person: member.id, name: member.label };
    const who = { by: by.id, byName: by.label, ...(by.peer !== undefined && { peer: by.peer }) };
    const cause = by.id === OPERATOR.id ? { isLimited: false } : { network: by.network };
    this.#acts.changed();
    this.#log.info(
      `moderation: ${action}`,
      { event: 'moderation', room: this.#room, action, ...who, ...to, ...more },
      cause,
    );
    return null;
  }
}
