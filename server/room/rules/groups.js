/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { GroupsFields } from '../../../public/shared/messages/fields.js'
 * @import { RoomRecording } from '../../recording/room-recording.js'
 * @import { GroupsState } from '../../state/portable-state.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 * @import { Sound } from '../sound/sound.js'
 */

import { MAX_GROUPS } from '../../../public/shared/limits.js';

/**
 * Groups of a room's people, also known as breakout rooms: those in a group hear each other alone.
 * A person in a group stays a member of the room, so no move needs another session, token or key.
 */
export class Groups {
  #people;
  #sound;
  #recording;
  #clock;
  #onChange;
  /** Null unless groups are open. @type {{ count: number, choose: boolean } | null} */
  #open = null;
  /** Time at which everybody comes back, on the monotonic clock. @type {number | null} */
  #endMs = null;
  /** @type {unknown} */
  #timer = null;
  /** Moderator who is heard in all groups. @type {Member | null} */
  #speaker = null;

  /**
   * @param {object} options
   * @param {People} options.people
   * @param {Pick<Sound, 'delivery'>} options.sound
   * @param {Pick<RoomRecording, 'pause' | 'resume'>} options.recording
   * @param {Clock} options.clock  the room's
   * @param {() => void} options.onChange  called when `told` has changed
   */
  constructor({ people, sound, recording, clock, onChange }) {
    this.#people = people;
    this.#sound = sound;
    this.#recording = recording;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get areOpen() {
    return this.#open !== null;
  }

  /** The groups as people see them; null without any. @returns {GroupsFields | null} */
  get told() {
    if (this.#open === null) return null;
    const leftMs = this.#leftMs;
    return {
      ...this.#open,
      secondsLeft: leftMs === null ? null : Math.ceil(leftMs / 1000),
      speaker: this.#speaker?.id ?? null,
    };
  }

  get #leftMs() {
    return this.#endMs === null ? null : Math.max(0, this.#endMs - this.#clock.now());
  }

  /** @returns {GroupsState | null} */
  state() {
    return this.#open && { ...this.#open, leftMs: this.#leftMs };
  }

  /** Continues the groups of another thread or node. @param {GroupsState | null} state */
  restore(state) {
    this.#stopTimer();
    this.#open = state && { count: state.count, choose: state.choose };
    if (state && state.leftMs !== null) this.#startTimer(state.leftMs);
  }

  /**
   * Opens groups, or changes their number. People of groups that are no more come back.
   * @param {number} count
   * @param {{ evenly: boolean, choose: boolean }} how  evenly: spreads all people but moderators
   *   over the groups; choose: everybody may choose a group
   * @returns {ErrorCode | null}
   */
  open(count, { evenly, choose }) {
    if (count > MAX_GROUPS) return 'groups-limit';
    this.#stopTimer();
    this.#open = { count, choose };
    const people = this.#people.everybody.filter(isMovable);
    const spread = evenly ? people.filter(({ standing: { role } }) => role !== 'moderator') : [];
    /** @type {ErrorCode | null} */
    let refusal = null;
    for (const member of people) if (member.group > count) refusal ??= this.#put(member, 0);
    for (const [index, member] of spread.entries())
      refusal ??= this.#put(member, (index % count) + 1);
    this.#onChange();
    return refusal;
  }

  /**
   * Moves a person by a moderator's wish.
   * @param {Member} member
   * @param {number} group  0: the room
   * @returns {ErrorCode | null}
   */
  move(member, group) {
    if (this.#open === null || group > this.#open.count) return 'group-unknown';
    return isMovable(member) ? this.#put(member, group) : 'not-allowed';
  }

  /**
   * Moves a person by their own wish: back to the room always, to a group where that is allowed.
   * @param {Member} member
   * @param {number} group
   * @returns {ErrorCode | null}
   */
  choose(member, group) {
    const { role } = member.standing;
    if (group > 0 && this.#open?.choose === false && role !== 'moderator') return 'not-allowed';
    return this.move(member, group);
  }

  /**
   * @param {Member} member
   * @param {number} group
   * @returns {ErrorCode | null}
   */
  #put(member, group) {
    if (member.group === group) return null;
    const isHere = this.#people.isHere(member);
    // A shared sound may be there while its owner is away.
    const parts = [...(isHere ? [member] : []), ...this.#people.shared(member.id)];
    try {
      for (const { source, listener } of parts) this.#sound.delivery.move(source, listener, group);
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
    // The room's recording has no groups in it.
    if (group > 0) this.#recording.pause(member);
    const all = new Set([member, ...parts]);
    for (const one of all) Object.assign(one, { group, movedMs: this.#clock.now() });
    if (group === 0) this.#recording.resume(member);
    for (const one of all) this.#people.changed(one);
    // The token of somebody away still has the group from before.
    if (member.away) this.#people.places.decide(member);
    return null;
  }

  /**
   * Moves a member's shared sound to where the member is, after a new role.
   * @param {Member} member
   */
  gather({ id, group }) {
    for (const shared of this.#people.shared(id)) {
      if (shared.group === group) continue;
      this.#sound.delivery.move(shared.source, shared.listener, group);
      Object.assign(shared, { group, movedMs: this.#clock.now() });
      this.#people.changed(shared);
    }
  }

  /**
   * Admits a member's sound to the group that they were in, or that the owner of their shared sound
   * is in. They come into the room if there is no such group any more.
   * @param {Member} member  about to enter
   * @param {Member | null} [before]  the same person with their session until now
   */
  entered(member, before = null) {
    if (before) member.movedMs = before.movedMs;
    const { source, listener, grant } = member;
    const group = (grant.owner === undefined ? member : this.#people.find(grant.owner))?.group ?? 0;
    const isThere = this.#open !== null && group <= this.#open.count && !member.isLight;
    member.group = isThere ? group : 0;
    try {
      this.#sound.delivery.enter(source, listener, member.group);
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== 'codec-instances') throw error;
      member.group = 0;
      this.#sound.delivery.enter(source, listener);
    }
  }

  /**
   * Calls everybody back to the room.
   * @param {number} seconds  until they come
   * @returns {ErrorCode | null}
   */
  callBack(seconds) {
    if (this.#open === null) return 'group-unknown';
    this.#stopTimer();
    if (seconds > 0) this.#startTimer(seconds * 1000);
    else this.#end();
    this.#onChange();
    return null;
  }

  /** @param {number} ms */
  #startTimer(ms) {
    this.#endMs = this.#clock.now() + ms;
    this.#timer = this.#clock.setTimeout(() => {
      this.#end();
      this.#onChange();
    }, ms);
  }

  #stopTimer() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#endMs = null;
  }

  /** Ends the groups: everybody is in the room again. */
  #end() {
    this.#stopTimer();
    for (const member of this.#people.everybody) this.#put(member, 0);
    this.#open = null;
    this.#speaker = null;
    this.#sound.delivery.closeGroups();
  }

  /**
   * Has a moderator heard in all groups, in place of another one, or no longer.
   * @param {Member} member
   * @param {boolean} on
   * @returns {ErrorCode | null}
   */
  speak(member, on) {
    if (this.#open === null) return 'group-unknown';
    if (on && member.source === null) return 'not-allowed';
    if (on === (this.#speaker === member)) return null;
    if (!on && this.#speaker !== member) return null;
    this.#sound.delivery.speakEverywhere(on ? member.source : null);
    this.#speaker = on ? member : null;
    this.#onChange();
    return null;
  }

  /**
   * Ends a member's speech to all groups, because they have gone or moderate no longer.
   * @param {Member} member
   */
  quiet(member) {
    if (this.#speaker === member) this.speak(member, false);
  }

  /** Idempotent. */
  close() {
    this.#stopTimer();
    this.#speaker = null;
  }
}

/** False for listeners and programs, which stay in the room. @param {Member} member */
const isMovable = ({ isLight, grant }) => !isLight && !grant.isStream;
