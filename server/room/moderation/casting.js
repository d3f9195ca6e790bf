/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { Grant, Role } from '../../access/grant.js'
 * @import { Session } from '../../transport/session.js'
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Delivery } from '../../mix/delivery.js'
 * @import { RoomRecording } from '../../recording/room-recording.js'
 * @import { Member } from '../people/member.js'
 * @import { Cluster, JoinWishes, RoomConfig, RoomOwner } from '../room-config.js'
 * @import { MemberSound } from '../people/member-sound.js'
 * @import { Roster } from '../people/roster.js'
 */

import { permissionsOf } from '../../access/grant.js';

/**
 * The time for which a session at another node is heard whose place has been taken up here, in
 * milliseconds.
 */
const LINGER_MS = 1000;

/**
 * Makes members of one room light, or people who are heard, as their role asks, and knows who of
 * them are at other nodes.
 */
export class Casting {
  #roster;
  #sound;
  #delivery;
  #recording;
  #room;
  #config;
  #clock;
  #owner;
  #cluster;

  /**
   * @param {{ roster: Roster, sound: MemberSound, delivery: Delivery, recording: RoomRecording,
   *   room: string, clock: Clock, config: Readonly<RoomConfig>, owner: Pick<RoomOwner,
   *   'isNearlyFull'>, cluster?: Cluster }} parts the room's
   */
  constructor({ roster, sound, delivery, recording, room, config, clock, owner, cluster }) {
    this.#room = room;
    this.#config = config;
    this.#clock = clock;
    this.#owner = owner;
    this.#cluster = cluster;
    this.#roster = roster;
    this.#sound = sound;
    this.#delivery = delivery;
    this.#recording = recording;
  }

  /** Whether other nodes are to relay the room to further people who only listen. */
  get relays() {
    const here = this.#roster.audience.size - this.#roster.relayed;
    return here >= this.#config.relayFrom || (here > 0 && this.#owner.isNearlyFull());
  }

  /** @type {NonNullable<Delivery['setRelayed']>} */
  setRelayed(relays, indices) {
    this.#delivery.setRelayed?.(relays, indices);
  }

  /**
   * Whether somebody who joins has their place at another node: one who only listens where there
   * are enough of them here, and at this one who came by another, and doesn't only listen.
   * @param {Session} session
   * @param {JoinWishes} wishes
   * @param {{ before: Member | null, grant: Grant, role?: Role, admitted?: boolean }} who
   */
  isElsewhere({ transport }, wishes, { before, grant, role = grant.role, admitted = false }) {
    if (!transport.isRelay && (admitted || !this.relays)) return false;
    const permissions = permissionsOf(before?.role ?? role, (before?.grant ?? grant).withheld);
    const isLight = this.#sound.isLight(this.#sound.deliveryOf(transport, wishes), permissions);
    return transport.isRelay
      ? !isLight
      : isLight && (this.#cluster?.relayFor?.(this.#room) ?? null) !== null;
  }

  /**
   * Ends the session of one whose place another session has taken up. Where either is at another
   * node both are heard for a while.
   * @param {Member} before
   * @param {Member} member  the other session's
   */
  retire(before, member) {
    const end = () => {
      before.end('resumed-elsewhere');
      this.#delivery.leave(before.source, before.listener);
    };
    if (before.session.transport.isRelay || member.session.transport.isRelay)
      this.#clock.setTimeout(end, LINGER_MS);
    else end();
  }

  /**
   * Has a member who listens at another node, and may speak now, come to this one. They hear the
   * room there until they are here.
   * @param {Member} member
   */
  sendHome(member) {
    if (
      !member.session.transport.isRelay ||
      this.#sound.isLight(member.delivery, member.permissions)
    )
      return;
    const nodes = this.#cluster?.nodes() ?? [];
    member.tell({ type: 'moved', node: nodes[0] ?? null, nodes });
  }

  /**
   * The room has become a broadcast, or is none any more: those who listen are sent a rate of their
   * own, or the room's one, from the next frame on. Packets hold the same frames in both, so none
   * is missing between.
   */
  resupply() {
    for (const member of this.#roster.audience.members()) {
      const { listener, session, stride } = member;
      if (!listener?.isLight) continue;
      if (session.transport.isRelay) {
        member.tell({
          type: 'stride',
          stride,
          atRelay: this.#sound.ratesAtRelay(session, listener),
        });
        continue;
      }
      this.#delivery.leave(null, listener);
      listener.resupply(this.#sound.supplyOf(session));
      this.#delivery.enter(null, listener);
      if (member.stride !== stride) member.tell({ type: 'stride', stride: member.stride });
    }
  }

  /**
   * Gives a member whose role has changed what they are heard with, or takes it from them. A
   * listener who becomes a speaker hears every frame all the way: the first packets repeat what the
   * last one of the audience left out.
   * @param {Member} member
   * @param {boolean} isTold  whether the others are told: they are of one more, or one less
   * @returns {ErrorCode | null}
   */
  recast(member, isTold) {
    const isLight = this.#sound.isLight(member.delivery, member.permissions);
    const { source, listener } = member;
    if (isLight === member.isLight || listener === null || !this.#roster.isHere(member))
      return null;
    // Theirs is made when they have come to this node: see sendHome.
    if (member.session.transport.isRelay) return null;
    let sound;
    try {
      sound = this.#sound.open(
        member.id,
        member.session,
        { delivery: 'tick' },
        null,
        member.permissions,
      );
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
    this.#recording.left(member);
    member.markRecorded(false, false);
    this.#delivery.leave(source, listener);
    this.#roster.recast(member, () => member.recast(sound));
    listener.close();
    if (!sound.listener.isLight) sound.listener.hearShared(this.#delivery.mixedThrough + 1);
    this.#delivery.enter(sound.source, sound.listener);
    if (isTold) this.#roster.announce(member, isLight);
    return null;
  }
}
