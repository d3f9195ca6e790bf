/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Delivery } from '../mix/delivery.js'
 * @import { RoomRecording } from '../recording/room-recording.js'
 * @import { Grant } from '../access/grant.js'
 * @import { Session } from '../transport/session.js'
 * @import { MemberRoom } from './member.js'
 * @import { JoinWishes } from './room-config.js'
 * @import { MemberSound } from './member-sound.js'
 * @import { Roster } from './roster.js'
 */

import { permissionsOf } from '../access/grant.js';
import { Member } from './member.js';

/** Makes the members of one room: light, or people who are heard, as their role asks. */
export class Casting {
  #roster;
  #sound;
  #delivery;
  #recording;

  /** @param {{ roster: Roster, sound: MemberSound, delivery: Delivery, recording: RoomRecording }} parts  the room's */
  constructor({ roster, sound, delivery, recording }) {
    this.#roster = roster;
    this.#sound = sound;
    this.#delivery = delivery;
    this.#recording = recording;
  }

  /**
   * @param {MemberRoom} room
   * @param {Session} session
   * @param {{ name: string, wishes: JoinWishes, grant: Grant, before: Member | null }} whose  before: whose place it is
   * @throws {Error} of the codec, with its code
   */
  newMember(room, session, { name, wishes, grant, before }) {
    const id = before?.id ?? this.#roster.nextId();
    const permissions = permissionsOf(before?.role ?? grant.role, (before?.grant ?? grant).withheld);
    const { listener, source } = this.#sound.open(id, session, wishes, before, permissions);
    const label = before?.label ?? this.#roster.labelFor(name);
    return new Member({ id, name: before?.name ?? name, label, session, grant, source, listener, room, before });
  }

  /**
   * Gives a member whose role has changed what they are heard with, or takes it from them. A listener who becomes a speaker
   * hears every frame all the way: the first packets repeat what the last one of the audience left out.
   * @param {Member} member
   * @param {boolean} isTold  whether the others are told: they are of one more, or one less
   * @returns {ErrorCode | null}
   */
  recast(member, isTold) {
    const isLight = this.#sound.isLight(member.delivery, member.permissions);
    const { source, listener } = member;
    if (isLight === member.isLight || listener === null || !this.#roster.isHere(member)) return null;
    let sound;
    try {
      sound = this.#sound.open(member.id, member.session, { delivery: 'tick' }, null, member.permissions);
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
