/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { MixClock } from '../../clock/mix-clock.js'
 * @import { Log } from '../../log.js'
 * @import { RoomRecording } from '../../recording/room-recording.js'
 * @import { Chat } from '../chat.js'
 * @import { Moderation } from '../moderation/moderation.js'
 * @import { Member } from '../people/member.js'
 * @import { Roster } from '../people/roster.js'
 * @import { RoomConfig, RoomOwner } from '../room-config.js'
 * @import { Delivery } from '../../mix/delivery.js'
 * @import { Moving } from './moving.js'
 */

import { stackOf } from '../../log.js';

/**
 * @typedef {object} LeavingParts  the parts of a room that people leave
 * @property {Readonly<RoomConfig>} config
 * @property {Roster} roster
 * @property {Delivery} delivery
 * @property {MixClock} mixClock
 * @property {Moving} moving
 * @property {Moderation} moderation
 * @property {Chat} chat
 * @property {RoomRecording} recording
 */

/**
 * The ways out of a room: who leaves or is taken out is out, the place of one who is lost waits.
 */
export class Leaving {
  #parts;
  #owner;
  #name;
  #log;
  #isClosed;
  #emptied;
  #failed;

  /**
   * @param {object} options
   * @param {LeavingParts} options.parts
   * @param {Pick<RoomOwner, 'departures' | 'mayKeepPlace'>} options.owner
   * @param {string} options.name  the room's
   * @param {Pick<Log, 'error'>} options.log
   * @param {() => boolean} options.isClosed  whether the room is
   * @param {() => void} options.emptied  the last of its people is out
   * @param {(error: unknown) => void} options.failed  the others couldn't be told of a departure
   */
  constructor({ parts, owner, name, log, isClosed, emptied, failed }) {
    this.#parts = parts;
    this.#owner = owner;
    this.#name = name;
    this.#log = log;
    this.#isClosed = isClosed;
    this.#emptied = emptied;
    this.#failed = failed;
  }

  /**
   * A member's session has ended. Idempotent.
   * @param {Member} member
   * @param {boolean} left  whether they left
   */
  gone(member, left) {
    const { roster, delivery, mixClock, moving } = this.#parts;
    member.close();
    if (this.#isClosed() || !roster.takeOut(member)) return;
    delivery.leave(member.source, member.listener);
    if (roster.ticking === 0) mixClock.stop();
    if (moving.gone(member)) return;
    const isFree = left || !this.#keepsPlaceOf(member);
    if (isFree) roster.free(member);
    else roster.wait(member);
    this.#owner.departures.take(member, () => this.#tellOthers(member, isFree));
  }

  /**
   * @param {Member} member who was lost: one who only came and went has no place to come back to
   */
  #keepsPlaceOf(member) {
    return member.heardForMs >= this.#parts.config.placeAfterMs && this.#owner.mayKeepPlace();
  }

  /**
   * @param {Member} member  who has gone
   * @param {boolean} isFree  whether their place is anybody's now
   */
  #tellOthers(member, isFree) {
    const { roster } = this.#parts;
    if (this.#isClosed()) return;
    try {
      if (isFree) this.freed(member);
      // They may have come back meanwhile.
      else if (roster.find(member.id) === member && !member.isLight) roster.changed(member);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {Member} member  whose place is free from now on */
  freed(member) {
    const { roster, delivery, recording, chat, moderation } = this.#parts;
    recording.left(member);
    chat.forget(member.id);
    moderation.left(member);
    if (!member.isLight) roster.announcements.left(member.id);
    if (!member.isLight) delivery.afterDraining(member.id, () => this.#forgetVolumes(member.id));
    if (roster.size === 0) this.#emptied();
  }

  /** @param {string} id  of a member of whom nothing is to be heard any more */
  #forgetVolumes(id) {
    const { roster, delivery } = this.#parts;
    for (const { listener } of roster.everybody)
      if (!listener?.isLight) listener?.volumes.forget(id);
    delivery.listenersChanged();
  }

  /**
   * Takes somebody out for good.
   * @param {Member} member  there or away
   * @param {ErrorCode} code
   */
  expel(member, code) {
    const { roster } = this.#parts;
    if (roster.isHere(member)) {
      this.gone(member, true);
      this.end(member, code);
    } else {
      roster.free(member);
      this.freed(member);
    }
  }

  /** @param {Member} member  of whom nothing is heard any more */
  lose(member) {
    member.end('idle-timeout');
    this.gone(member, false);
  }

  /**
   * Ends a member's session. A fault in it keeps no other from being told.
   * @param {Member} member
   * @param {ErrorCode} code
   */
  end(member, code) {
    try {
      member.end(code);
    } catch (error) {
      this.#log.error(`room ${this.#name}: a session could not be ended: ${stackOf(error)}`);
    }
  }
}
