/**
 * What can be asked of one room from outside of its calls, by name, with plain data both ways: the
 * room may be another thread's. An answer that is a code refuses.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Who, By } from '../room/moderation/moderation.js'
 * @import { Role } from '../access/grant.js'
 * @import { Room } from '../room/room.js'
 * @import { ModeSetting } from '../room/room-mode.js'
 *
 * @typedef {{ serverDelayMs?: number | 'auto', locked?: boolean, lobby?: boolean, chat?: Who,
 *   record?: Who, password?: string | null, mode?: ModeSetting, broadcast?: boolean }} RoomChange
 * @typedef {{ muted?: boolean, role?: Role, hand?: 0 }} PersonChange
 */

export const ROOM_ACTS = Object.freeze({
  describe: (/** @type {Room} */ room) => room.describe(),

  /** What anybody may know who knows the room's name. */
  count: (/** @type {Room} */ room) => room.view.public,

  /** A reading of the room's sample clock. */
  clock: (/** @type {Room} */ { sampleClock }) => ({
    clock: sampleClock.now(),
    sampleRate: sampleClock.sampleRate,
  }),

  /** @param {Room} room @param {RoomChange} change @param {By} by */
  change: (room, change, by) => changeRoom(room, change, by) ?? room.describe(),

  /** @param {Room} room @param {By} by */
  end: (room, by) => room.moderation.endForAll(by) ?? undefined,

  /**
   * Those who only listen, a page of them.
   * @param {Room} room
   * @param {{ after?: string, find?: string, most: number }} wish
   */
  listeners: (room, wish) => room.moderation.listeners(wish),

  /** @param {Room} room @param {string} id @param {PersonChange} change @param {By} by */
  changePerson: (room, id, change, by) => changePerson(room, id, change, by) ?? undefined,

  /** @param {Room} room @param {string} id @param {{ banMs?: number }} options @param {By} by */
  remove: (room, id, options, by) => room.moderation.remove(id, options, by) ?? undefined,

  /** @param {Room} room @param {string} knock @param {By} by */
  admit: (room, knock, by) => room.moderation.admit(knock, by) ?? undefined,

  /** @param {Room} room @param {string} knock @param {By} by */
  turnAway: (room, knock, by) => room.moderation.turnAway(knock, by) ?? undefined,

  /** The bans of the room. */
  bans: (/** @type {Room} */ room) => room.moderation.bans(),

  /** @param {Room} room @param {string} ban @param {By} by */
  unban: (room, ban, by) => room.moderation.unban(ban, by) ?? undefined,

  /** @param {Room} room @param {string} by  the label of whoever may */
  stopRecording: (room, by) => (room.stopRecording(by) ? undefined : 'not-found'),
});

/**
 * Changes all that is asked for, or nothing.
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
  const { moderation } = room;
  // Refusals come before anything changes.
  const refusal =
    moderation.modeRefusal({ mode, broadcast }) ??
    (password === undefined ? null : moderation.setPassword(password, by));
  if (refusal !== null) return refusal;
  // A broadcast that ends makes way for another mode, and one that begins needs it.
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
 * Changes all that is asked for, or nothing.
 * @param {Room} room
 * @param {string} id  of the person
 * @param {PersonChange} change
 * @param {By} by
 * @returns {ErrorCode | null}
 */
function changePerson({ moderation }, id, { muted, role, hand }, by) {
  // A role alone is refused to somebody who is there, so it comes first.
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
