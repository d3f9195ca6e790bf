/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { ModerationFields } from '../../../public/shared/messages/server-messages.js'
 * @import { Kind } from '../../access/restraints.js'
 * @import { Grant, Permission, Role } from '../../state/grant.js'
 * @import { Place } from '../../access/resume-token.js'
 * @import { RoomRecording } from '../../recording/room-recording.js'
 * @import { KnownState } from '../../state/portable-state.js'
 * @import { Session } from '../../session/session.js'
 * @import { Member } from '../people/member.js'
 * @import { Captions } from '../record/captions.js'
 * @import { RoomBase } from '../room-config.js'
 * @import { RoomSettings } from '../sound/mode.js'
 * @import { Sound } from '../sound/sound.js'
 * @import { By } from './moderation.js'
 *
 * @typedef {object} Entry  rights of a person who joins
 * @property {Grant} grant
 * @property {RoomPassword | null} password  the one that they knew
 * @property {boolean} [admitted]  by a moderator, from the lobby
 *
 * @typedef {'everybody' | 'moderators'} Who
 * @typedef {'locked' | 'lobby' | 'chat' | 'record'} Rule
 */

import { OPEN_GRANT, OPERATOR } from '../../state/grant.js';
import { Restraints } from '../../access/restraints.js';
import { RoomPassword } from '../../access/room-password.js';
import { networkOfPeer } from '../../network-address.js';
import { MAX_TOLD, STATE_VERSION } from '../../state/portable-state.js';
import { ID_GAP } from '../people/places.js';
import { Groups } from './groups.js';
import { Interpreters } from './interpreters.js';
import { Moderation } from './moderation.js';
import { Hands, Lobby } from './requests.js';
import { Casting, Stage } from './stage.js';
import { StreamKey } from './stream-key.js';
import { Succession } from './succession.js';

/** Entry without token and password. @type {Readonly<Entry>} */
export const OPEN_ENTRY = Object.freeze({ grant: OPEN_GRANT, password: null });

/** The rules of a room: who may come in, what its members may do, and who decides that. */
export class Rules {
  #room;
  #people;
  #sound;
  #settings;
  #config;
  #cluster;
  #events;
  #captions;
  #bans;
  #restraints = new Restraints();
  /** True while changes are sent to other nodes. */
  #isTold = false;
  #isDue = false;
  /** Ids and hands at the last review. */
  #counted = 0;

  /**
   * @param {RoomBase & { settings: RoomSettings, sound: Sound, recording: RoomRecording, captions:
   *   Pick<Captions, 'recast'> }} options
   */
  constructor({
    room,
    config,
    services,
    owner,
    clock,
    settings,
    people,
    sound,
    recording,
    captions,
    events,
  }) {
    const { cluster, log, wallNow = Date.now } = services;
    this.#room = room;
    this.#config = config;
    this.#cluster = cluster;
    this.#settings = settings;
    this.#people = people;
    this.#sound = sound;
    this.#events = events;
    this.#captions = captions;
    this.#bans = owner.bans;
    this.policy = new Policy();
    this.stage = new Stage({
      on: config.broadcast,
      mode: sound.mode,
      wallNow,
      onLive: (isLive) =>
        services.happened?.({ event: isLive ? 'broadcast_started' : 'broadcast_finished', room }),
    });
    this.streams = new StreamKey(people);
    this.lobby = new Lobby(clock, people, config.idleTimeoutMs);
    this.hands = new Hands(clock, people);
    this.succession = new Succession({ people, clock, events });
    this.casting = new Casting({
      room,
      config,
      clock,
      owner,
      cluster,
      people,
      sound,
      recording,
    });
    this.groups = new Groups({ people, sound, recording, clock, onChange: () => this.tell() });
    this.interpreters = new Interpreters({
      people,
      sound,
      stage: this.stage,
      casting: this.casting,
      recording,
      onChange: () => this.tell(),
    });
    // Moderators act on all of the above.
    this.moderation = new Moderation({
      room,
      rules: this,
      people,
      mode: sound.mode,
      settings,
      bans: owner.bans,
      clock,
      log,
      events,
    });
    events.on('chosen', (heir) => this.tellRole(heir, null));
  }

  /** The rules, as people see them. */
  get told() {
    const groups = this.groups.told;
    const { languages } = this.interpreters;
    return {
      ...this.policy.told,
      mode: this.#settings.mode,
      ...this.stage.rules,
      ...(languages.length > 0 && { languages }),
      ...(groups && { groups }),
    };
  }

  /** State that all nodes know, as plain data. @returns {KnownState} */
  state() {
    return {
      ...this.#settings.state(),
      version: STATE_VERSION,
      ...this.policy.state(),
      broadcast: this.stage.state(),
      streamKey: this.streams.key,
      groups: this.groups.state(),
      bans: this.#bans.export(this.#room, MAX_TOLD.bans),
      restraints: this.#restraints.state(MAX_TOLD.restraints),
      places: this.#people.places.notes.export(),
      nextId: this.#people.places.next,
      nextHand: this.hands.next,
    };
  }

  /**
   * Goes on from another thread or node. The configuration has frames, channels, mode and
   * encryption already.
   * @param {KnownState} before
   */
  restore(before) {
    const { delay } = this.#sound;
    const { serverDelayMs = delay.setting } = before;
    delay.set(
      serverDelayMs === 'auto' ? serverDelayMs : Math.min(serverDelayMs, this.#config.maxDelayMs),
    );
    this.policy.restore(before);
    this.stage.restore(before.broadcast);
    this.streams.restore(before.streamKey);
    this.groups.restore(before.groups);
    this.#takeLists(before);
    this.#people.places.goOnFrom(before.nextId);
    this.hands.goOnFrom(before.nextHand);
  }

  /** Continues a room of another node, whose people may come. @param {KnownState} told */
  takeOver(told) {
    const { nextId } = told;
    this.restore({ ...told, nextId: nextId && nextId + ID_GAP });
    this.succession.expect(this.#config.awayTimeoutMs);
  }

  /** @param {Pick<KnownState, 'bans' | 'restraints' | 'places'>} lists */
  #takeLists({ bans, restraints, places }) {
    for (const { id, name, leftMs, ...whom } of bans)
      if (!this.#bans.has(this.#room, whom)) this.#bans.add(this.#room, name, whom, leftMs, id);
    this.#restraints.restore(restraints);
    return this.#people.places.notes.take(places);
  }

  /**
   * Merges the rules of a node that had the same room while the two were apart. The stricter rule
   * holds, and so does every decision of either's moderators.
   * @param {KnownState} other
   */
  meet(other) {
    const before = JSON.stringify(this.told);
    this.policy.meet(other);
    if (other.broadcast !== null && !this.stage.isOn) {
      this.stage.restore(other.broadcast);
      this.casting.resupply();
    }
    if (this.streams.key === null) this.streams.restore(other.streamKey);
    // A broadcast has no groups.
    if (this.stage.isOn) this.groups.callBack(0);
    else if (!this.groups.areOpen) this.groups.restore(other.groups);
    for (const { key, role, silenced } of this.#takeLists(other))
      this.#apply(this.#people.places.atKey(key), role, silenced);
    if (JSON.stringify(this.told) !== before) this.tell();
    this.#expelBanned(other.bans);
  }

  /**
   * Removes people that another node's moderators have banned by their token. A network has others,
   * too.
   * @param {KnownState['bans']} bans
   */
  #expelBanned(bans) {
    const identities = new Set(bans.map(({ identity }) => identity));
    for (const member of [...this.#people.places.holders()]) {
      const { identity } = member;
      if (identity === null || !identities.has(identity)) continue;
      const whom = { identity, tokenId: null, network: null };
      if (this.#bans.has(this.#room, whom)) this.#events.emit('removed', member, 'banned');
    }
  }

  /** @param {Member | null} member @param {Role | null} role @param {boolean | null} silenced */
  #apply(member, role, silenced) {
    if (!member) return;
    if (silenced !== null && silenced !== member.standing.silenced)
      this.silence(member, silenced, null);
    if (role === null || role === member.standing.role) return;
    member.standing.setRole(role);
    this.casting.recast(member, true);
    this.tellRole(member, null);
  }

  /**
   * True when a member may do something: by their role and token, and by the room's policy.
   * @param {Member} member
   * @param {Permission} permission
   */
  may(member, permission) {
    if (!member.standing.permissions.has(permission)) return false;
    const who =
      permission === 'chat' || permission === 'record' ? this.policy.who(permission) : 'everybody';
    return who === 'everybody' || member.standing.role === 'moderator';
  }

  /**
   * @param {Session} session  of a person without a place here yet
   * @param {Entry} entry
   * @param {Place | null} taken  their place on another node, which outlives a ban of the network
   * @returns {ErrorCode | 'knock' | null} null when they may come in; 'knock' when a moderator must
   *   let them in
   */
  refusal(session, { grant, password, admitted = false }, taken) {
    const banned = taken
      ? { ...taken.grant, network: null }
      : { ...grant, network: networkOfPeer(session.peer) };
    if (this.#bans.has(this.#room, banned)) return 'banned';
    const isProgram = grant.isStream && grant.owner === undefined;
    if (isProgram && this.streams.sender !== null) return 'stream-taken';
    if (taken || grant.role === 'moderator' || admitted) return null;
    const { policy } = this;
    if (policy.locked) return 'room-locked';
    // A password that was changed since they were asked is no longer the room's.
    if (policy.password !== null && password !== policy.password) return 'password-missing';
    return policy.lobby ? 'knock' : null;
  }

  /**
   * Applies the rules to a member who has a place now.
   * @param {Member} member
   * @param {boolean} isNew  false when they have come back to it
   * @param {boolean} [isTaken]  true when they had it on another node
   */
  entered(member, isNew, isTaken = false) {
    if (isNew) this.#restrain(member, isTaken);
    // Their own welcome has the rules.
    if (member.standing.permissions.has('speak') && this.stage.entered()) this.tell(member);
    this.succession.entered(member);
    this.casting.recast(member, false);
  }

  /** Notes a member who had a place in this room on another node. @param {Member} member */
  takenOver(member) {
    this.succession.takenOver(member);
    this.hands.goOnFrom(member.hand + 1);
    this.hands.moved(member);
  }

  /**
   * Restores the mute or the demotion that a moderator had applied before this person left.
   * @param {Member} member
   * @param {boolean} isTaken  true when they had their place on another node
   */
  #restrain(member, isTaken) {
    if (member.standing.role === 'moderator') return;
    // A network's restraint waits for its next newcomer who may speak.
    const isNewSpeaker = !isTaken && member.standing.permissions.has('speak');
    if (member.identity === null && !isNewSpeaker) return;
    const taken = this.#restraints.came(
      restrained(member),
      [...this.#people.places.holders(member)].map(restrained),
    );
    if (!taken) return;
    if (taken.lowered) member.standing.setRole('listener');
    if (taken.silenced) member.standing.silence(true);
  }

  /**
   * Sends a member the state that their welcome lacks, and other nodes the room's from now on.
   * @param {Member} member
   * @param {boolean} isNew  false when they have come back to their place
   */
  welcomed(member, isNew) {
    if (isNew && member.standing.silenced)
      this.notify(member, { action: 'muted', muted: true }, null);
    this.#announceWaiting(member);
    this.tellStage(member);
    this.interpreters.gather(member);
    this.interpreters.review();
    this.occupied();
  }

  /** Forgets a member who has left for good. @param {Member} member */
  left(member) {
    this.hands.left(member);
    this.#restraints.left(restrained(member));
    this.succession.left(member);
  }

  /**
   * Mutes a member, or allows them to unmute again. Only they can unmute themselves.
   * @param {Member} member
   * @param {boolean} silenced
   * @param {By | null} by
   */
  silence(member, silenced, by) {
    member.standing.silence(silenced);
    const { muted } = member.standing;
    this.notify(member, { action: silenced ? 'muted' : 'may-unmute', muted }, by);
    this.#people.changed(member);
  }

  /** Tells everybody the rules, other nodes too. @param {Member} [except]  gets no message */
  tell(except) {
    this.changed();
    this.#people.tell({ type: 'room', ...this.told }, except);
  }

  /**
   * Tells a member of a moderator's act on them.
   * @param {Member} member
   * @param {ModerationFields} act
   * @param {By | null} by  null when nobody did it
   */
  notify(member, act, by) {
    member.tell({
      type: 'moderated',
      ...act,
      by: by?.label ?? null,
      ...(by?.id === OPERATOR.id && { operator: true }),
    });
  }

  /**
   * Tells a member's new role to them and the others.
   * @param {Member} member
   * @param {By | null} by
   */
  tellRole(member, by) {
    const { role, muted, permissions } = member.standing;
    const { stride } = member;
    this.notify(member, { action: 'role', role, muted, may: [...permissions], stride }, by);
    this.#people.changed(member);
    this.#announceWaiting(member);
    this.tellStage(member);
    this.#captions.recast(member);
    this.interpreters.gather(member);
    this.interpreters.review();
    this.groups.gather(member);
    if (role !== 'moderator') this.groups.quiet(member);
  }

  /**
   * Sends a moderator the people who wait for an answer, and the stream key.
   * @param {Member} member
   */
  #announceWaiting(member) {
    if (member.standing.role !== 'moderator') return;
    if (this.lobby.waiting.length > 0) member.tell(this.lobby.message);
    if (this.hands.size > 0) member.tell(this.hands.message);
    if (this.streams.key !== null) member.tell(this.streams.message);
  }

  /** Tells a member on stage the key by which they come back to it. @param {Member} member */
  tellStage(member) {
    if (this.stage.isOn && member.standing.permissions.has('speak'))
      member.tell({ type: 'stage', key: this.stage.key });
  }

  /**
   * Begins to send other nodes the room's state, because a person has a place. Until then the room
   * has the state of its previous node.
   */
  occupied() {
    if (this.#isTold) return;
    this.#isTold = true;
    this.changed();
  }

  /** Tells other nodes once a second of new ids, hands, and notes on places. */
  review() {
    this.lobby.review();
    const { notes, next } = this.#people.places;
    const counted = next + this.hands.next;
    if (notes.takeChange() || counted !== this.#counted) this.changed();
    this.#counted = counted;
  }

  /** Tells other nodes the room's state, once for all changes of a turn. */
  changed() {
    if (!this.#cluster || !this.#isTold || this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      try {
        this.#cluster?.ruled(this.#room, this.state());
      } catch (error) {
        this.#events.emit('fault', 'telling other nodes', error);
      }
    });
  }

  /** Leaves the room's state to the node that has taken it over. */
  release() {
    this.#cluster = undefined;
    this.lobby.admitAll();
  }

  /** Idempotent. */
  close() {
    this.#cluster = undefined;
    this.succession.close();
    this.lobby.close();
    this.hands.close();
    this.groups.close();
  }
}

/** Rules that moderators set: who may come into the room, and who may chat and record in it. */
class Policy {
  #set = {
    locked: false,
    lobby: false,
    chat: /** @type {Who} */ ('everybody'),
    record: /** @type {Who} */ ('everybody'),
  };
  /** @type {RoomPassword | null} */
  #password = null;

  get locked() {
    return this.#set.locked;
  }

  get lobby() {
    return this.#set.lobby;
  }

  /** Password that newcomers need; null without one. */
  get password() {
    return this.#password;
  }

  /** @param {'chat' | 'record'} what */
  who(what) {
    return this.#set[what];
  }

  /** The rules, as people see them. */
  get told() {
    return { ...this.#set, password: this.#password !== null };
  }

  /** @param {Rule} rule @param {boolean | Who} value @returns {boolean} false without a change */
  change(rule, value) {
    if (this.#set[rule] === value) return false;
    Object.assign(this.#set, { [rule]: value });
    return true;
  }

  /** @param {string | null} password  null for none */
  setPassword(password) {
    this.#password = password === null ? null : new RoomPassword(password);
  }

  /** @returns {Pick<KnownState, Rule | 'password'>} */
  state() {
    const password = this.#password?.state() ?? null;
    // A password that isn't hashed yet leaves the room locked, not open.
    const locked = this.#set.locked || (this.#password !== null && password === null);
    return { ...this.#set, locked, password };
  }

  /** @param {Pick<KnownState, Rule | 'password'>} state */
  restore({ locked, lobby, chat, record, password }) {
    this.#password = password && new RoomPassword(password);
    this.#set = { locked, lobby, chat, record };
  }

  /** Takes the stricter of two policies. @param {Pick<KnownState, Rule | 'password'>} other */
  meet({ locked, lobby, chat, record, password }) {
    const own = this.#set;
    this.#set = {
      locked: own.locked || locked,
      lobby: own.lobby || lobby,
      chat: stricter(own.chat, chat),
      record: stricter(own.record, record),
    };
    if (this.#password === null && password !== null) this.#password = new RoomPassword(password);
  }
}

/** @param {Who} one @param {Who} other @returns {Who} */
const stricter = (one, other) => (one === 'moderators' ? one : other);

/** @param {Grant} grant @returns {Kind} */
const kindOf = ({ isStream, owner }) => {
  if (owner !== undefined) return 'shared';
  return isStream ? 'program' : 'person';
};

/** A member as the list of limited rights has them. @param {Member} member */
const restrained = ({ identity, network, grant, standing: { silenced, lowered } }) => ({
  identity,
  network,
  kind: kindOf(grant),
  silenced,
  lowered,
});
