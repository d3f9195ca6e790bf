/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { Permission } from '../../state/grant.js'
 * @import { RoomRecording } from '../../recording/room-recording.js'
 * @import { StageState } from '../../state/portable-state.js'
 * @import { Session } from '../../session/session.js'
 * @import { Member } from '../people/member.js'
 * @import { Cluster, JoinRequest, RoomBase } from '../room-config.js'
 * @import { RoomMode } from '../sound/mode.js'
 * @import { Sound } from '../sound/sound.js'
 * @import { Entry } from './rules.js'
 *
 * Speakers and listeners: the stage of a broadcast, and the streams that a role needs.
 */

import { randomBytes } from 'node:crypto';
import { isSecret } from '../../secret.js';

/** Random bytes in a stage's key. */
const KEY_BYTES = 16;

/**
 * The stage of a room that is a broadcast: a newcomer without an invitation only listens.
 * Moderators, speakers with a token, people who know the stage's key, and the first speaker come
 * onto it.
 */
export class Stage {
  #mode;
  #wallNow;
  #onLive;
  /** Null unless the room is a broadcast. @type {StageState | null} */
  #state = null;

  /**
   * @param {object} options
   * @param {boolean} options.on  true: the room begins as a broadcast
   * @param {Pick<RoomMode, 'setBroadcast'>} options.mode
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {(isLive: boolean) => void} [options.onLive]  called when a broadcast begins or ends
   */
  constructor({ on, mode, wallNow, onLive = () => {} }) {
    this.#mode = mode;
    this.#wallNow = wallNow;
    this.#onLive = onLive;
    if (on) this.#begin(null);
  }

  /** True in a broadcast. */
  get isOn() {
    return this.#state !== null;
  }

  /** True once a person has been on stage. */
  get isLive() {
    return this.#state !== null && this.#state.since !== null;
  }

  /** Admits its bearer to the stage; empty without a broadcast. */
  get key() {
    return this.#state?.key ?? '';
  }

  /**
   * The stage, as everybody in the room sees it.
   * @returns {{ broadcast: boolean, liveSeconds: number | null }}
   */
  get rules() {
    const since = this.#state?.since ?? null;
    return {
      broadcast: this.isOn,
      liveSeconds:
        since === null ? null : Math.max(0, Math.round((this.#wallNow() - since) / 1000)),
    };
  }

  /**
   * Begins the broadcast, with all present members on stage, or ends it.
   * @param {boolean} on
   * @returns {ErrorCode | null} why it can't be one
   */
  set(on) {
    const wasLive = this.isLive;
    const refusal = on ? this.#begin(this.#wallNow()) : this.#end();
    if (this.isLive !== wasLive) this.#onLive(this.isLive);
    return refusal;
  }

  /** @returns {null} */
  #end() {
    this.#mode.setBroadcast(false);
    this.#state = null;
    return null;
  }

  /** @param {number | null} since @returns {ErrorCode | null} */
  #begin(since) {
    const refusal = this.#mode.setBroadcast(true);
    if (refusal === null)
      this.#state = { key: randomBytes(KEY_BYTES).toString('base64url'), since };
    return refusal;
  }

  /**
   * Makes a listener of a newcomer who isn't invited to the stage.
   * @param {Entry} entry
   * @param {string} [key]  the newcomer's
   * @returns {Entry}
   */
  cast(entry, key) {
    const { grant } = entry;
    if (this.#state === null || grant.role === 'listener') return entry;
    const isInvited =
      grant.role === 'moderator' || grant.identity !== null || isSecret(key, this.#state.key);
    return isInvited || !this.isLive ? entry : { ...entry, grant: { ...grant, role: 'listener' } };
  }

  /** Notes that a person is on stage. @returns {boolean} true when this begins the broadcast */
  entered() {
    if (this.#state === null || this.isLive) return false;
    this.#state.since = this.#wallNow();
    this.#onLive(true);
    return true;
  }

  /** @returns {StageState | null} */
  state() {
    return this.#state && { ...this.#state };
  }

  /** @param {StageState | null} state */
  restore(state) {
    this.#state = state && this.#mode.setBroadcast(true) === null ? { ...state } : null;
    if (this.#state === null) this.#mode.setBroadcast(false);
  }
}

/**
 * Time for which the old session of a place is still heard when one of the two sessions is at
 * another node, in milliseconds.
 */
const LINGER_MS = 1000;

/** Transports of clients that follow to another node. */
const MOVABLE = new Set(['webtransport', 'websocket']);

/**
 * Gives members the form that their role needs: a light listener, or somebody who is heard. Sends
 * them to the node that serves that role.
 */
export class Casting {
  #people;
  #sound;
  #recording;
  #room;
  #config;
  #clock;
  #owner;
  #cluster;
  /** Listeners who were sent to another node. @type {WeakSet<Member>} */
  #sentAway = new WeakSet();

  /**
   * @param {Pick<RoomBase, 'room' | 'config' | 'clock' | 'owner' | 'people'> & { cluster?: Cluster,
   *   sound: Sound, recording: RoomRecording }} options
   */
  constructor({ room, config, clock, owner, cluster, people, sound, recording }) {
    this.#room = room;
    this.#config = config;
    this.#clock = clock;
    this.#owner = owner;
    this.#cluster = cluster;
    this.#people = people;
    this.#sound = sound;
    this.#recording = recording;
  }

  /** True when other nodes are to relay the room to further listeners. */
  get relays() {
    const here = this.#people.audience.size - this.#people.relayed;
    return here >= this.#config.relayFrom || (here > 0 && this.#owner.isNearlyFull());
  }

  /**
   * True when a joining person's place is at another node. That is so for a listener when this node
   * has enough of them. At the room's own node it is so for anybody else who came by a relay.
   * @param {Session} session
   * @param {JoinRequest} request
   * @param {ReadonlySet<Permission>} permissions  theirs
   * @param {boolean} [isExpected]  a moderator let them in from the lobby, or they come for a
   *   language
   */
  isElsewhere({ transport }, request, permissions, isExpected = false) {
    if (!transport.isRelay && (isExpected || !this.relays)) return false;
    const { streams } = this.#sound;
    const isLight = streams.isLight(streams.deliveryOf(transport, request), permissions);
    return transport.isRelay
      ? !isLight
      : isLight && (this.#cluster?.relayFor?.(this.#room) ?? null) !== null;
  }

  /**
   * Ends an old session whose place a new one has taken up. Both are heard for a moment when one of
   * them is at another node.
   * @param {Member} before
   * @param {Member} member
   */
  retire(before, member) {
    const end = () => {
      before.end('resumed-elsewhere');
      this.#sound.delivery.leave(before.source, before.listener);
    };
    if (before.session.transport.isRelay || member.session.transport.isRelay)
      this.#clock.setTimeout(end, LINGER_MS);
    else end();
    this.#recording.replaced(member);
  }

  /**
   * Moves a member who listens at another node, and may speak now, to this one. They hear the room
   * there until they are here.
   * @param {Member} member
   */
  sendHome(member) {
    const { session, delivery } = member;
    const { permissions } = member.standing;
    if (!session.transport.isRelay || this.#sound.streams.isLight(delivery, permissions)) return;
    this.#tellHome(member);
  }

  /**
   * Moves a listener at another node to this one, which alone has the languages of interpreters. A
   * nearly full node sends a listener of the floor away for it.
   * @param {Member} member
   * @returns {boolean} false when this node keeps its last places for others
   */
  bringHome(member) {
    if (this.#cluster === undefined) return false;
    if (this.#owner.isNearlyFull() && !this.#sendAway()) return false;
    this.#tellHome(member);
    return true;
  }

  /**
   * Sends a listener of the floor to another node, which relays the room to them.
   * @returns {boolean} false without such a listener or node
   */
  #sendAway() {
    const away = [...this.#people.audience.members()].find((one) => this.#mayGo(one));
    const node = this.#cluster?.relayFor?.(this.#room) ?? null;
    if (!away || node === null) return false;
    this.#sentAway.add(away);
    away.tell({ type: 'moved', node, nodes: this.#cluster?.nodes() ?? [] });
    return true;
  }

  /** @param {Member} member  of the audience */
  #mayGo(member) {
    const isMovable = MOVABLE.has(member.session.transport.name);
    return isMovable && member.hears === null && !this.#sentAway.has(member);
  }

  /** @param {Member} member */
  #tellHome(member) {
    const nodes = this.#cluster?.nodes() ?? [];
    member.tell({ type: 'moved', node: nodes[0] ?? null, nodes });
  }

  /**
   * Gives listeners a rate of their own at the beginning of a broadcast, and the common one at its
   * end, from the next frame on. Packets hold the same frames in both, so none is missing.
   */
  resupply() {
    const { streams, delivery } = this.#sound;
    for (const member of this.#people.audience.members()) {
      const { listener, session, stride } = member;
      if (!listener?.isLight) continue;
      if (session.transport.isRelay) {
        const atRelay = streams.ratesAtRelay(session, listener);
        member.tell({ type: 'stride', stride, atRelay });
        continue;
      }
      delivery.leave(null, listener);
      listener.resupply(streams.supplyOf(session));
      delivery.enter(null, listener);
      if (member.stride !== stride) member.tell({ type: 'stride', stride: member.stride });
    }
  }

  /**
   * Gives a member with a new role the streams that it needs, or takes them away. A listener who
   * becomes a speaker hears every frame: the first packets repeat what the last one of the audience
   * left out.
   * @param {Member} member
   * @param {boolean} isTold  true: the others see one person more, or less
   * @returns {ErrorCode | null}
   */
  recast(member, isTold) {
    const { streams, delivery } = this.#sound;
    const { source, listener, session } = member;
    const { permissions } = member.standing;
    const isLight = streams.isLight(member.delivery, permissions);
    if (isLight === member.isLight || listener === null || !this.#people.isHere(member))
      return null;
    // A member at a relay gets them on coming to this node: see sendHome.
    if (session.transport.isRelay) return null;
    const opened = streams.open(member.id, session, { delivery: 'tick' }, null, permissions);
    if (opened === 'server-full') return opened;
    this.#recording.left(member);
    delivery.leave(source, listener);
    this.#people.recast(member, () => member.recast(opened));
    listener.close();
    if (!opened.listener.isLight) opened.listener.hearShared(delivery.mixedThrough + 1);
    delivery.enter(opened.source, opened.listener);
    if (isTold) this.#people.announce(member, isLight);
    return null;
  }
}
