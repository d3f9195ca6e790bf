/**
 * Acts on one room from outside of its call, called by name with plain data both ways: the room may
 * be on another thread. An answer that is an error code refuses.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { By } from '../room/rules/moderation.js'
 * @import { Who } from '../room/rules/rules.js'
 * @import { Role } from '../state/grant.js'
 * @import { Room } from '../room/room.js'
 * @import { ModeSetting } from '../../public/shared/limits.js'
 *
 * @typedef {{ serverDelayMs?: number | 'auto', locked?: boolean, lobby?: boolean, chat?: Who,
 *   record?: Who, password?: string | null, mode?: ModeSetting, broadcast?: boolean }} RoomChange
 * @typedef {{ muted?: boolean, role?: Role, hand?: 0 }} PersonChange
 */

export const ROOM_ACTS = Object.freeze({
  describe: (/** @type {Room} */ room) => room.describe(),

  /** The room for anybody who knows its name. */
  count: (/** @type {Room} */ room) => room.publicView,

  /** Reading of the room's sample clock. */
  clock: (/** @type {Room} */ { sound: { sampleClock } }) => ({
    clock: sampleClock.now(),
    sampleRate: sampleClock.sampleRate,
  }),

  /** @param {Room} room @param {RoomChange} change @param {By} by */
  change: (room, change, by) => changeRoom(room, change, by) ?? room.describe(),

  /** @param {Room} room @param {By} by */
  end: (room, by) => room.rules.moderation.endForAll(by) ?? undefined,

  /**
   * A page of the audience.
   * @param {Room} room
   * @param {{ after?: string, find?: string, most: number }} query
   */
  listeners: (room, query) => room.people.listeners(query),

  /** @param {Room} room @param {string} id @param {PersonChange} change @param {By} by */
  changePerson: (room, id, change, by) => changePerson(room, id, change, by) ?? undefined,

  /** @param {Room} room @param {string} id @param {{ banMs?: number }} options @param {By} by */
  remove: (room, id, options, by) => room.rules.moderation.remove(id, options, by) ?? undefined,

  /** @param {Room} room @param {string} knock @param {By} by */
  admit: (room, knock, by) => room.rules.moderation.admit(knock, by) ?? undefined,

  /** @param {Room} room @param {string} knock @param {By} by */
  turnAway: (room, knock, by) => room.rules.moderation.turnAway(knock, by) ?? undefined,

  /** The bans of the room. */
  bans: (/** @type {Room} */ room) => room.rules.moderation.bans(),

  /** @param {Room} room @param {string} ban @param {By} by */
  unban: (room, ban, by) => room.rules.moderation.unban(ban, by) ?? undefined,

  /** @param {Room} room @param {string} by  label of the one who stops it */
  stopRecording: (room, by) => (room.record.recording.stop(by) ? undefined : 'not-found'),
});

/**
 * Makes all of the changes, or none.
 * @param {Room} room
 * @param {RoomChange} change
 * @param {By} by
 * @returns {ErrorCode | null}
 */
function changeRoom(
  room,
  { serverDelayMs, locked, lobby, chat, record, password, mode, broadcast },
  by,
) {
  const { moderation } = room.rules;
  // Refusals come before anything changes.
  const refusal =
    room.sound.mode.refusalOf({ setting: mode, broadcasts: broadcast }) ??
    (broadcast === true && room.rules.groups.areOpen ? 'groups-broadcast' : null) ??
    (password === undefined ? null : moderation.setPassword(password, by));
  if (refusal !== null) return refusal;
  // A mode may need the broadcast to end first; a broadcast may need the mode first.
  if (broadcast === false) moderation.setBroadcast(false, by);
  if (mode !== undefined) moderation.setMode(mode, by);
  if (broadcast === true) moderation.setBroadcast(true, by);
  if (serverDelayMs !== undefined) room.setDelay(serverDelayMs);
  if (locked !== undefined) moderation.lock(locked, by);
  if (lobby !== undefined) moderation.lobby(lobby, by);
  if (chat !== undefined) moderation.allow('chat', chat, by);
  if (record !== undefined) moderation.allow('record', record, by);
  return null;
}

/**
 * Makes all of the changes, or none.
 * @param {Room} room
 * @param {string} id  of the person
 * @param {PersonChange} change
 * @param {By} by
 * @returns {ErrorCode | null}
 */
function changePerson({ rules: { moderation } }, id, { muted, role, hand }, by) {
  // Only the role can be refused to somebody present, so it comes first.
  const acts = [
    () => (role === undefined ? null : moderation.setRole(id, role, by)),
    () => (muted === undefined ? null : moderation.mute(id, muted, by)),
    () => (hand === undefined ? null : moderation.lowerHand(id, by)),
  ];
  for (const act of acts) {
    const refusal = act();
    if (refusal !== null) return refusal;
  }
  return null;
}
