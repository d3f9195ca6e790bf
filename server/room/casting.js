/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Delivery } from '../mix/delivery.js'
 * @import { RoomRecording } from '../recording/room-recording.js'
 * @import { Member } from './member.js'
 * @import { MemberSound } from './member-sound.js'
 * @import { Roster } from './roster.js'
 */

/** Makes members of one room light, or people who are heard, as their role asks. */
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
